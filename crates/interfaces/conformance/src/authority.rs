//! Checks of an authority (§7.4, §10, §12; M-1, M-12, CR-02 to CR-10, CR-21).

use std::sync::{Arc, Mutex};

use counterfoil_memory_verifier::ProofVerifier;
use counterfoil_types::{Proposal, VerificationProof};

use crate::cases::{refused, sound};
use crate::report::Report;

/// A verifier with one answer, which writes down what it was asked.
struct Recorder {
    answer: bool,
    asked: Mutex<Vec<VerificationProof>>,
}

impl Recorder {
    const fn answering(answer: bool) -> Self {
        Self {
            answer,
            asked: Mutex::new(Vec::new()),
        }
    }

    fn asked(&self) -> Vec<VerificationProof> {
        self.asked
            .lock()
            .map(|asked| asked.clone())
            .unwrap_or_default()
    }
}

impl ProofVerifier for Recorder {
    fn verify_proof(&self, proof: &VerificationProof) -> bool {
        if let Ok(mut asked) = self.asked.lock() {
            asked.push(proof.clone());
        }
        self.answer
    }
}

/// Checks an authority. `approves` reviews a proposal with this verifier for the method `conformance`, and returns whether it
/// approves; its policy has to let a memory pass that the verifier accepts.
///
/// That an authority reaches no store, no selector and no `prove` (M-4, FP-15, FP-16) is for `check-boundaries`.
pub fn check_authority(approves: impl Fn(Arc<dyn ProofVerifier>, &Proposal) -> bool) -> Report {
    let mut report = Report::default();
    let Some((proposal, proof)) = sound() else {
        return report;
    };
    let accepting = Arc::new(Recorder::answering(true));
    let asked_of: Arc<dyn ProofVerifier> = accepting.clone();
    let ask = |proposal: &Proposal| approves(Arc::clone(&asked_of), proposal);
    let sound = "a sound proposal";
    report.holds(
        "setup",
        sound,
        ask(&proposal),
        "it is not approved: let the policy accept the method `conformance`, without words",
    );
    let asked = accepting.asked();
    report.holds(
        "section 7.4.2",
        sound,
        !asked.is_empty(),
        "the verifier was not asked",
    );
    let extracted = asked.iter().all(|asked| *asked == proof);
    report.holds(
        "CR-21",
        sound,
        extracted,
        "the verifier was asked about something else than method and proof",
    );
    report.holds(
        "CR-12",
        sound,
        ask(&proposal),
        "a second review decides otherwise",
    );
    let refusing = Arc::new(Recorder::answering(false));
    let believed = approves(refusing, &proposal);
    report.holds(
        "section 7.4.2",
        "a proof that does not verify",
        !believed,
        "approved, on the word of the selector",
    );
    for case in refused() {
        let approved = ask(&case.proposal);
        report.holds(case.rule, case.about, !approved, "it is approved");
    }
    report
}
