//! Trust in the agents of one answer, each looked up once (R8; docs/format/trust.md).

use alloc::vec::Vec;

use counterfoil_capsule::integrity::KnownKeys;
use counterfoil_types::DidKey;

use super::{CheckResult, Examining, FailCode, SkipReason};
use crate::documents::Audience;
use crate::trust::Level;

/// Trust in an agent, if it proves its identity.
#[derive(Debug, Clone, Copy)]
pub(super) struct AgentReport {
    pub(super) level: Level,
    /// Result of the vouch check.
    pub(super) vouch: CheckResult,
    /// The agent is known to sign each document that it sends.
    pub(super) signs: bool,
}

/// Trust in the agents of one answer.
pub(super) struct AgentReports<'a> {
    with: &'a Examining<'a>,
    known: Vec<(DidKey, AgentReport)>,
    /// Keys, read once for all signatures of the answer.
    pub(super) keys: KnownKeys,
}

impl<'a> AgentReports<'a> {
    pub(super) fn new(with: &'a Examining<'a>) -> Self {
        Self {
            with,
            known: Vec::new(),
            keys: KnownKeys::default(),
        }
    }

    /// Trust in an agent by own records; the answer itself counts for nothing. Answers to a question to everyone are of level 0
    /// (case 81).
    pub(super) fn of(&mut self, key: &DidKey) -> AgentReport {
        if let Some((_, report)) = self.known.iter().find(|(known, _)| known == key) {
            return *report;
        }
        let (with, parts) = (self.with, self.with.request.parts());
        let (domain, now_us) = (
            parts.query.domain.as_ref(),
            with.records.present(with.now_us),
        );
        let found = with.records.level(key, domain, now_us, with.trust);
        let paths_suffice = !found.paths.is_empty() && found.score_ppm >= found.threshold_ppm;
        let vouch = match (found.caps.is_empty(), found.level) {
            (false, _) => CheckResult::Fail(FailCode::Disputed),
            (true, Level::Vouched) => CheckResult::Pass,
            (true, Level::Direct) if paths_suffice => CheckResult::Pass,
            (true, _) => CheckResult::Skip(SkipReason::NoVouches),
        };
        let report = AgentReport {
            level: match parts.audience {
                Audience::One(_) => found.level,
                Audience::Everyone => Level::Anonymous,
            },
            vouch,
            signs: with.records.of_key(key).is_some_and(|known| known.signs),
        };
        self.known.push((*key, report));
        report
    }
}
