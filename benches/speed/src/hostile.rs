//! What the dearest proofs of 64 KiB cost an authority before it refuses them (`proof.md` §7).

use std::hint::black_box;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use counterfoil_types::{VerificationMethod, VerificationProof};
use counterfoil_verifier::{Examiner, Expected, Session, VerifierSet};
use serde_json::Value;

use crate::log::LargeLog;
use crate::measure::{aimed, alternate, heading, us};

const LONGEST: usize = 60 << 10;

pub(crate) fn report() -> Result<()> {
    let log = LargeLog::new(1 << 10, 1)?;
    let verifiers = VerifierSet::new(log.anchors()?);
    let honest = log
        .proof(0, false)?
        .1
        .proof()
        .context("a merkle proof has data")?
        .clone();
    let mut worst = Duration::ZERO;
    for text in texts() {
        for member in ["entry", "tlogProof", "computedRoot"] {
            let proof = with(&honest, member, &text)?;
            let examine = || verifiers.examine(&proof, Expected::AnyWorld, &mut Session::new());
            ensure!(examine().is_err(), "a hostile {member} was accepted");
            let [spent] = alternate(21, 5, [&mut || drop(black_box(examine()))]);
            worst = worst.max(spent);
        }
    }
    heading("hostile: proofs of about 64 KiB that are refused");
    aimed("the dearest of them", us(worst), "at most 5,000 µs");
    Ok(())
}

/// Long runs of whatever a step of verification might loop over.
fn texts() -> [String; 5] {
    let repeated = |head: &str, part: &str| [head, &part.repeat(LONGEST / part.len())].concat();
    [
        repeated("", "x"),
        repeated("", "\n"),
        repeated("c2sp.org/tlog-proof@v1\nindex 0\n\n", "— a AAAAAAAA\n"),
        repeated(
            "c2sp.org/tlog-proof@v1\nindex 0\n",
            &["A".repeat(43), "=\n".into()].concat(),
        ),
        repeated("counterfoil/capsule/v1\nworld ", "QUJD"),
    ]
}

fn with(honest: &Value, member: &str, text: &str) -> Result<VerificationProof> {
    let mut data = honest.clone();
    *data.get_mut(member).context("the member is there")? = text.into();
    Ok(VerificationProof::new(
        VerificationMethod::Merkle,
        Some(data),
    )?)
}
