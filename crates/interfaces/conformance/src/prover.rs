//! Checks of a prover (§6.2, §7.3; M-7, M-8, CR-15, CR-16).

use std::thread;
use std::time::Duration;

use crate::report::Report;
use counterfoil_memory_verifier::{MemoryVerifier, ProveResult};
use counterfoil_types::json::Value;
use counterfoil_types::{MemoryRef, VerificationMethod, World};

/// Time after which a clock shows another second.
pub(crate) const LATER: Duration = Duration::from_millis(1_100);

/// Checks a prover with Worlds that it can prove, such as a store of the application gives out. Takes two seconds: a proof must not know
/// the time.
pub fn check_prover(prover: &dyn MemoryVerifier, worlds: &[World]) -> Report {
    let mut report = Report::default();
    let proven =
        |world: &World| text(&prover.prove(&MemoryRef::new(world.world_id().clone()), world));
    let first: Vec<String> = worlds.iter().map(proven).collect();
    let mut backwards: Vec<String> = worlds.iter().rev().map(proven).collect();
    backwards.reverse();
    thread::sleep(LATER);
    let later: Vec<String> = worlds.iter().map(proven).collect();
    let elsewhere: Vec<String> = thread::scope(|scope| {
        let each: Vec<_> = worlds
            .iter()
            .map(|world| scope.spawn(move || proven(world)))
            .collect();
        each.into_iter()
            .map(|one| one.join().unwrap_or_default())
            .collect()
    });
    let runs = [
        ("in another order", backwards),
        ("a second later", later),
        ("in other threads", elsewhere),
    ];
    for (at, world) in worlds.iter().enumerate() {
        let case = format!("World {}", world.world_id());
        for (how, run) in &runs {
            let same = run.get(at) == first.get(at);
            report.holds(
                "CR-16",
                format!("{case}, {how}"),
                same,
                "prove gave another result",
            );
        }
        check_world(&mut report, &case, prover, world);
    }
    report
}

fn check_world(report: &mut Report, case: &str, prover: &dyn MemoryVerifier, world: &World) {
    let memory = MemoryRef::new(world.world_id().clone());
    let Some(proof) = prover.prove(&memory, world).into_proof() else {
        report.check("CR-15", case, Some("prove gave no proof"));
        return;
    };
    report.holds(
        "section 7.1",
        case,
        prover.verify_proof(&proof),
        "its own verify_proof refuses the proof",
    );
    let (Some(changed), true) = (changed(world), binds_content(proof.method())) else {
        return;
    };
    let other = prover.prove(&memory, &changed).into_proof();
    let verifies = other.is_some_and(|other| other == proof);
    report.holds(
        "section 7.3",
        case,
        !verifies,
        "other content has the same proof",
    );
}

/// Returns whether proofs of the method are about content (§7.3).
pub(crate) const fn binds_content(method: &VerificationMethod) -> bool {
    use VerificationMethod::{Hash, Merkle, Signature};
    matches!(method, Hash | Merkle | Signature)
}

/// The World with other content under the same id.
fn changed(world: &World) -> Option<World> {
    let mut value = world.to_value();
    let members = value.as_object_mut()?;
    members.insert("data".into(), Value::from("another content"));
    World::try_from(value).ok()
}

/// The result in words, which differ where its bytes do.
fn text(result: &ProveResult) -> String {
    format!("{result:?}")
}
