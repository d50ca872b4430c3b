//! An oracle proposes, the gate decides, and a failure changes nothing (I5, I7).

use counterfoil_claim_memory::{
    BeliefStatus, ClaimError, Disposition, Oracle, OracleVerdict, Unit,
};
use counterfoil_types::WorldId;

use crate::support::{Rig, done, values};

/// Answers as it was told to.
struct Scripted(Result<(OracleVerdict, Vec<WorldId>), &'static str>);

impl Oracle for Scripted {
    type Error = &'static str;

    fn judge(
        &self,
        claim: &Unit,
        rivals: &[Unit],
    ) -> Result<(OracleVerdict, Vec<WorldId>), &'static str> {
        assert_eq!(rivals.len(), 1, "{claim:?}");
        self.0.clone()
    }
}

/// Two births, the second of which waits.
fn disputed() -> Rig {
    let rig = Rig::with_oracle();
    let memory = rig.user();
    done(memory.remember("ann", "born in", "Faro").from("1990"));
    let second = done(memory.remember("ann", "born in", "Évora").from("1990"));
    assert_eq!(second.disposition, Disposition::QueuedForAdjudication);
    rig
}

/// CLM-28: vector vO13: the oracle is down.
#[test]
fn a_failing_oracle_leaves_the_claim_pending_and_says_so() {
    let rig = disputed();
    let memory = rig.user();
    let before = done(memory.pending());
    let consulted = done(memory.consult(&Scripted(Err("it is down"))));
    assert_eq!(consulted.len(), 1);
    let failed = matches!(consulted[0].1, Err("it is down"));
    assert!(failed, "{consulted:?}");
    assert_eq!(done(memory.pending()), before);
    let belief = done(memory.believe("ann", "born in"));
    assert_eq!(belief.status, BeliefStatus::Contested);
}

#[test]
fn a_verdict_settles_the_line() {
    let rig = disputed();
    let evidence = rig.document("certificate");
    let memory = rig.user();
    let consulted = done(memory.consult(&Scripted(Ok((OracleVerdict::Affirm, vec![evidence])))));
    assert_eq!(consulted.len(), 1);
    assert!(matches!(consulted[0].1, Ok(Ok(_))), "{consulted:?}");
    assert!(done(memory.pending()).is_empty());
    let belief = done(memory.believe("ann", "born in"));
    assert_eq!(values(&belief), ["\"Évora\""]);
}

/// CLM-26: a model's word is no evidence.
#[test]
fn a_verdict_through_a_models_channel_is_refused_and_the_claim_waits() {
    let rig = disputed();
    let evidence = rig.document("certificate");
    let oracle = Scripted(Ok((OracleVerdict::Affirm, vec![evidence])));
    let consulted = done(rig.model().consult(&oracle));
    let refused = matches!(
        consulted[0].1,
        Ok(Err(
            ClaimError::InsufficientProvenance { .. } | ClaimError::InadmissibleEvidence
        ))
    );
    assert!(refused, "{consulted:?}");
    assert_eq!(done(rig.user().pending()).len(), 1);
}
