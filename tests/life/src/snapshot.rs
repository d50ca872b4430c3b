//! Checks read one snapshot: a writer in another process cannot make them report differences.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use counterfoil_store::pool::Validation;

use crate::LifeRig;
use crate::archive::{old, restore};
use crate::support::{block_on, id};
use counterfoil_life::Life as _;

/// Rounds of the writer.
const ROUNDS: usize = 6;

/// Audits and validations beside a handle that archives, restores and erases find nothing.
pub(crate) fn a_check_beside_a_writer_finds_nothing<F: LifeRig>(factory: &F) {
    let rig = old(factory);
    let done = Arc::new(AtomicBool::new(false));
    let other = factory.open(&rig.folder, &rig.setup);
    let checks = std::thread::scope(|scope| {
        let checks = scope.spawn(|| {
            let mut checks = 0;
            while !done.load(Ordering::SeqCst) {
                let report = block_on(other.audit()).unwrap();
                assert!(report.is_clean(), "{:#?}", report.differences);
                let report = block_on(other.validate(Validation::default(), Box::new(|_| {})));
                let report = report.unwrap();
                assert_eq!((report.invalid, report.log_fault), (0, None));
                checks += 1;
            }
            checks
        });
        for round in 0..ROUNDS {
            let name = rig.archives().name;
            restore(&rig, &[&name]).unwrap();
            rig.erase(&id(&format!("w-{round}")));
        }
        done.store(true, Ordering::SeqCst);
        checks.join().unwrap_or_else(|panic| resume_unwind(panic))
    });
    assert!(checks > 0, "no check ran beside the writer");
    rig.is_sound();
}
