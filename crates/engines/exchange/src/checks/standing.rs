//! How the agents of one answer stand with this one, each looked up once (R8; docs/format/trust.md).

use alloc::vec::Vec;

use counterfoil_capsule::integrity::KnownKeys;
use counterfoil_types::DidKey;

use super::{CheckResult, Examining, FailCode, SkipReason};
use crate::documents::Audience;
use crate::trust::Level;

/// How an agent stands, if it shows that it is who it says it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing {
    pub(super) level: Level,
    /// Does somebody vouch whom I trust?
    pub(super) vouch: CheckResult,
    /// It is known to sign all that it sends.
    pub(super) signs: bool,
}

/// The standings of one answer.
pub(super) struct Standings<'a> {
    with: &'a Examining<'a>,
    known: Vec<(DidKey, Standing)>,
    /// Keys are read once for all signatures of the answer.
    pub(super) keys: KnownKeys,
}

impl<'a> Standings<'a> {
    pub(super) fn new(with: &'a Examining<'a>) -> Self {
        Self {
            with,
            known: Vec::new(),
            keys: KnownKeys::default(),
        }
    }

    /// Only what this agent has recorded counts: nothing in the answer does. What everyone was asked is answered by nobody
    /// in particular (case 81).
    pub(super) fn of(&mut self, key: &DidKey) -> Standing {
        if let Some((_, standing)) = self.known.iter().find(|(known, _)| known == key) {
            return *standing;
        }
        let (with, parts) = (self.with, self.with.request.parts());
        let found = with
            .records
            .level(key, parts.query.domain.as_ref(), with.now_us, with.trust);
        let paths_suffice = !found.paths.is_empty() && found.score_ppm >= found.threshold_ppm;
        let vouch = match (found.caps.is_empty(), found.level) {
            (false, _) => CheckResult::Fail(FailCode::Disputed),
            (true, Level::Vouched) => CheckResult::Pass,
            (true, Level::Direct) if paths_suffice => CheckResult::Pass,
            (true, _) => CheckResult::Skip(SkipReason::NoVouches),
        };
        let level = match parts.audience {
            Audience::One(_) => found.level,
            Audience::Everyone => Level::Anonymous,
        };
        let signs = with.records.of_key(key).is_some_and(|known| known.signs);
        let standing = Standing {
            level,
            vouch,
            signs,
        };
        self.known.push((*key, standing));
        standing
    }
}
