//! Annotations: what the selector knows of a memory beside its content, as types (I2, I3, I7, R17).

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_types::calendar::Civil;
use counterfoil_types::terminal::{cut, quotable};
use counterfoil_types::{
    BeliefStatus, Contest, DidKey, Marker, SelectionResult, Support, UnixMillis, World, WorldId,
};

/// The most of a reason that the id of another World takes, in bytes.
const MAX_ID_BYTES: usize = 80;

/// A selection, and its annotations by World. A memory without an entry has none.
pub type AnnotatedSelection = (SelectionResult, BTreeMap<WorldId, Annotation>);

/// Standing of one selected memory. A program decides by this, never by the `reason`, which is rendered from it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Annotation {
    /// The agent that a received memory came from; `None` for one's own.
    pub source: Option<PeerSource>,
    /// Standing of the belief, if the memory is a claim.
    pub belief: Option<BeliefStanding>,
    /// Dispute over the version.
    pub contest: Option<Contest>,
    /// The World as it was examined; `None` leaves it to the actor to fetch and hash it.
    pub world: Option<World>,
    /// Version that replaced this one, and the time at which it was recorded.
    pub replaced: Option<(WorldId, UnixMillis)>,
    /// Claim that cites the memory, answers the query and is not settled; `None` if one of these is believed.
    pub drawn: Option<DrawnClaim>,
    /// Reason for which the memory is not in the selection, which has a budget of tokens; `None` for one that is.
    pub left_out: Option<LeftOut>,
}

/// Reason for which a memory that was found is left out of a selection with a budget of tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Place among all that was found, best first, from 0.
    pub place: usize,
    /// Estimated tokens of the memory.
    pub tokens: usize,
    /// Selected memory that says the same; `None` if it did not fit.
    pub like: Option<WorldId>,
}

/// Claim that was drawn from a memory and is not believed, or not alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnClaim {
    /// The claim.
    pub claim: WorldId,
    /// True for one side of an unsettled contest; false for what has ended, was replaced, denied or taken back.
    pub contested: bool,
}

/// Source of a received memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerSource {
    /// The agent; `None` if the memory names no valid key.
    pub agent: Option<DidKey>,
    /// Trust level of the agent at receipt, 0 to 3.
    pub level: Option<u64>,
    /// The memory is past the end that the agent gave it.
    pub expired: bool,
}

impl PeerSource {
    /// `said by did:key:…, trust 1 at receipt, past its time`; `key` renders the agent.
    pub fn remark(&self, key: impl Fn(&DidKey) -> String) -> String {
        let agent = self.agent.as_ref();
        let agent = agent.map_or_else(|| "somebody unknown".to_owned(), key);
        let level = self
            .level
            .map(|level| format!(", trust {level} at receipt"));
        let expired = if self.expired { ", past its time" } else { "" };
        format!("said by {agent}{}{expired}", level.unwrap_or_default())
    }
}

/// Standing of a claim among the claims of its line, at the selection's World.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BeliefStanding {
    /// The claim supports the believed value.
    Believed {
        /// [`BeliefStatus::TimingUncertain`] if the start of its validity is uncertain.
        status: BeliefStatus,
        /// Kind of the sources.
        support: Support,
        /// Markers of the belief and of this value.
        markers: BTreeSet<Marker>,
    },
    /// The claim is one side of an unsettled contest.
    Contested {
        /// Number of sides, this one included.
        sides: usize,
        /// One claim of each other side, at most 64.
        others: Vec<WorldId>,
    },
    /// The claim was handed over to others.
    HandedOver {
        /// One claim of each believed value, at most 64.
        to: Vec<WorldId>,
    },
    /// The claim is a model's, and other sources contradict it.
    Outweighed {
        /// One claim of each believed value, at most 64.
        by: Vec<WorldId>,
    },
    /// The validity of the claim begins later.
    Scheduled,
    /// The validity of the claim has ended.
    Ended {
        /// First instant at which it did not hold any more, in microseconds since 1970.
        until_us: Option<i64>,
        /// The unit that ended it, if it is another one.
        by: Option<WorldId>,
    },
    /// Another claim took the place of this one.
    Superseded {
        /// The unit that took its place.
        by: Option<WorldId>,
    },
}

impl Annotation {
    /// Remarks that a reader must see with the memory, most important first; `key` renders the key of an agent.
    /// Empty for a memory of one's own, and for an undisputed belief, with nothing to remark on.
    ///
    /// Ids of Worlds are shortened to 80 bytes. No word of the memory's content gets into a remark.
    pub fn caveats(&self, key: impl Fn(&DidKey) -> String) -> Vec<String> {
        let mut caveats: Vec<String> = self.source.iter().map(|it| it.remark(&key)).collect();
        caveats.extend(self.belief.iter().flat_map(BeliefStanding::caveats));
        caveats.extend(self.drawn.iter().map(DrawnClaim::caveat));
        caveats.extend(self.version_caveats());
        caveats
    }

    /// Remarks on the version alone.
    pub fn version_caveats(&self) -> impl Iterator<Item = String> {
        let contest = self.contest.map(|contest| match contest {
            Contest::Fork { .. } => "CONTESTED: its chain was continued in two ways",
            Contest::Abandoned => "CONTESTED: it is in an abandoned branch of a forked chain",
            Contest::Key { .. } => "CONTESTED: its key was in other hands when it was signed",
        });
        // `an older version, replaced by world-7 on 2026-02-10`
        let older = self
            .replaced
            .as_ref()
            .map(|(by, at)| format!("an older version, replaced by {} on {}", id(by), day(*at)));
        contest.map(str::to_owned).into_iter().chain(older)
    }
}

impl DrawnClaim {
    /// `NOT BELIEVED: world-7, which was drawn from it`.
    pub fn caveat(&self) -> String {
        let standing = match self.contested {
            true => "CONTESTED",
            false => "NOT BELIEVED",
        };
        format!("{standing}: {}, which was drawn from it", id(&self.claim))
    }
}

impl BeliefStanding {
    /// `believed`, `inferred`, `contested`, `handed_over`, `outweighed`, `scheduled`, `ended` or `superseded`.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Believed {
                support: Support::Inferred,
                ..
            } => "inferred",
            Self::Believed { .. } => "believed",
            Self::Contested { .. } => "contested",
            Self::HandedOver { .. } => "handed_over",
            Self::Outweighed { .. } => "outweighed",
            Self::Scheduled => "scheduled",
            Self::Ended { .. } => "ended",
            Self::Superseded { .. } => "superseded",
        }
    }

    /// First word of the reason of a value that external sources support.
    pub fn headline(&self) -> Option<&'static str> {
        match self {
            Self::Believed { support, .. } if *support != Support::Inferred => Some("believed"),
            _ => None,
        }
    }

    /// Remarks on the belief; none if it is undisputed, stated by external sources and dated.
    pub fn caveats(&self) -> Vec<String> {
        match self {
            Self::Believed {
                status,
                support,
                markers,
            } => {
                let inferred = (*support == Support::Inferred).then_some("inferred by a model");
                let undated =
                    (*status == BeliefStatus::TimingUncertain).then_some("since when is uncertain");
                let markers = markers.iter().map(|marker| match marker {
                    Marker::AgingUnconfirmed | Marker::AgedSetMember => "not confirmed for long",
                    Marker::PendingReview => "what it was derived from no longer stands",
                    Marker::ModelDissent => "a model says otherwise",
                    Marker::PeerSourced => "only other agents say so",
                    Marker::Untrusted => "an agent that is not trusted enough claims another value",
                });
                let remarks = inferred.into_iter().chain(undated).chain(markers);
                remarks.map(str::to_owned).collect()
            }
            Self::Contested { sides, others } => {
                let more = match sides.saturating_sub(1 + others.len()) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                vec![format!(
                    "CONTESTED: {sides} values are claimed and none is settled: this one, {}{more}",
                    ids(others)
                )]
            }
            Self::HandedOver { to } => vec![format!(
                "NOT BELIEVED: it was handed over to another claim: {}",
                ids(to)
            )],
            Self::Outweighed { by } => vec![format!(
                "NOT BELIEVED: a model's claim, and others say otherwise: {}",
                ids(by)
            )],
            Self::Scheduled => vec!["not yet: it begins later".to_owned()],
            Self::Ended { until_us, by } => {
                let on = until_us.map(|until_us| format!(" on {}", day_of(until_us)));
                let on = on.unwrap_or_default();
                vec![format!("no longer believed: ended{on}{}", by_unit(by))]
            }
            Self::Superseded { by } => {
                vec![format!("no longer believed: superseded{}", by_unit(by))]
            }
        }
    }
}

/// Day of a time in UTC: `2026-02-10`.
fn day(at: UnixMillis) -> String {
    let micros = at.value().saturating_mul(1000);
    day_of(i64::try_from(micros).unwrap_or(i64::MAX))
}

/// Day of a time in microseconds since 1970, in UTC.
fn day_of(micros: i64) -> String {
    let civil = Civil::of(micros);
    format!("{:04}-{:02}-{:02}", civil.year, civil.month, civil.day)
}

fn by_unit(unit: &Option<WorldId>) -> String {
    let by = unit.as_ref().map(|unit| format!(" by {}", id(unit)));
    by.unwrap_or_default()
}

fn ids(claims: &[WorldId]) -> String {
    claims.iter().map(id).collect::<Vec<_>>().join(", ")
}

fn id(world: &WorldId) -> String {
    cut(&quotable(&world.to_string()), MAX_ID_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// I7: the remarks on each standing, word by word; a program decides by the type.
    #[test]
    fn each_standing_has_its_remarks() {
        let [one, two] = ["w-1", "w-2"].map(|id| WorldId::new(id).unwrap());
        let both = vec![one.clone(), two.clone()];
        let believed = |status, support, markers: &[Marker]| BeliefStanding::Believed {
            status,
            support,
            markers: markers.iter().copied().collect(),
        };
        let ended = |until_us, by: Option<&WorldId>| BeliefStanding::Ended {
            until_us,
            by: by.cloned(),
        };
        let cases = [
            (believed(BeliefStatus::Resolved, Support::External, &[]), ""),
            (
                believed(
                    BeliefStatus::Resolved,
                    Support::Inferred,
                    &[Marker::PeerSourced, Marker::PendingReview],
                ),
                "inferred by a model; what it was derived from no longer stands; only other agents say so",
            ),
            (
                believed(
                    BeliefStatus::TimingUncertain,
                    Support::External,
                    &[Marker::ModelDissent, Marker::AgingUnconfirmed],
                ),
                "since when is uncertain; not confirmed for long; a model says otherwise",
            ),
            (
                BeliefStanding::Contested {
                    sides: 3,
                    others: both.clone(),
                },
                "CONTESTED: 3 values are claimed and none is settled: this one, w-1, w-2",
            ),
            (
                BeliefStanding::Contested {
                    sides: 70,
                    others: vec![one.clone()],
                },
                "CONTESTED: 70 values are claimed and none is settled: this one, w-1 and 68 more",
            ),
            (
                BeliefStanding::HandedOver { to: both.clone() },
                "NOT BELIEVED: it was handed over to another claim: w-1, w-2",
            ),
            (
                BeliefStanding::Outweighed { by: both },
                "NOT BELIEVED: a model's claim, and others say otherwise: w-1, w-2",
            ),
            (BeliefStanding::Scheduled, "not yet: it begins later"),
            (ended(None, None), "no longer believed: ended"),
            (
                ended(Some(1_646_092_800_000_000), Some(&two)),
                "no longer believed: ended on 2022-03-01 by w-2",
            ),
            (
                BeliefStanding::Superseded { by: Some(one) },
                "no longer believed: superseded by w-1",
            ),
        ];
        for (standing, text) in cases {
            assert_eq!(standing.caveats().join("; "), text, "{standing:?}");
        }
    }
}
