//! The best candidates so far: rank first, and verified before unverified of otherwise equal ones (SR-02).

use counterfoil_types::SelectedMemory;

use crate::Annotation;

/// Collects memories in the order of their rank until there are enough.
pub(crate) struct Shortlist {
    limit: usize,
    ranked: Vec<Ranked>,
}

struct Ranked {
    score: f64,
    /// The share of the question that it holds.
    share: f64,
    memory: SelectedMemory,
    annotation: Annotation,
}

/// A score of at least this share of another one is no worse: the words of both fit as well.
const EQUAL: f64 = 0.95;

impl Ranked {
    /// Returns true if a verified memory of this score may take the place of this one.
    fn is_open(&self, score: f64) -> bool {
        !self.memory.verified() && score >= self.score * EQUAL
    }
}

impl Shortlist {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            ranked: Vec::new(),
        }
    }

    /// Takes a memory that meets the constraints, after all of at least its score, with the share of the question that it holds.
    pub(crate) fn add(
        &mut self,
        (score, share): (f64, f64),
        (memory, annotation): (SelectedMemory, Annotation),
    ) {
        let place = self.ranked.partition_point(|ranked| ranked.score >= score);
        let ranked = Ranked {
            score,
            share,
            memory,
            annotation,
        };
        self.ranked.insert(place, ranked);
    }

    /// Number of memories that it still takes whatever their scores are.
    pub(crate) fn room(&self) -> usize {
        self.limit.saturating_sub(self.ranked.len())
    }

    /// Returns true if a candidate of at most this score could still get in: there is room or a lower score, or it could
    /// take the place of an unverified one.
    pub(crate) fn wants(&self, score: f64) -> bool {
        let mut kept = self.ranked.iter().take(self.limit);
        self.ranked.len() < self.limit
            || kept.any(|ranked| ranked.score < score || ranked.is_open(score))
    }

    /// The memories, best first: at most the limit, which is applied last. A verified memory that the limit cuts takes
    /// the place of the last unverified one that is otherwise no better.
    pub(crate) fn into_selected(mut self) -> Vec<(SelectedMemory, Annotation)> {
        self.ranked.sort_by(|left, right| {
            let by_score = right.score.total_cmp(&left.score);
            by_score.then(right.memory.verified().cmp(&left.memory.verified()))
        });
        let mut kept = self.ranked;
        let cut = kept.split_off(self.limit.min(kept.len()));
        for found in cut.into_iter().filter(|found| found.memory.verified()) {
            let equal = |kept: &Ranked| {
                kept.is_open(found.score) && (kept.share - found.share).abs() < f64::EPSILON
            };
            if let Some(place) = kept.iter().rposition(equal) {
                kept.remove(place);
                kept.push(found);
            }
        }
        kept.into_iter()
            .map(|ranked| (ranked.memory, ranked.annotation))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use counterfoil_types::{Confidence, MemoryRef, Reason, WorldId};

    use super::*;

    /// Candidates by score, id, share and verification, in the order of the index.
    fn selected(candidates: &[(f64, &str, f64, bool)], limit: usize) -> String {
        let mut shortlist = Shortlist::new(limit);
        for (score, id, share, verified) in candidates {
            if !shortlist.wants(*score) {
                break;
            }
            let memory_ref = MemoryRef::new(WorldId::new(*id).unwrap());
            let reason = Reason::new("says \"x\"").unwrap();
            let memory = SelectedMemory::new(memory_ref, reason, Confidence::ONE);
            let memory = match verified {
                true => memory.as_verified(),
                false => memory,
            };
            shortlist.add((*score, *share), (memory, Annotation::default()));
        }
        let selected = shortlist.into_selected();
        let ids = selected.iter().map(|(memory, _)| memory.memory_ref());
        ids.map(|memory| memory.world_id().to_string()).collect()
    }

    /// SR-02: on an exact tie of ranks, and wherever the limit cuts among memories that are otherwise equal.
    #[test]
    fn a_verified_memory_goes_before_an_unverified_one_that_is_otherwise_equal() {
        let tied = [
            (2.0, "a", 1.0, false),
            (1.0, "b", 1.0, false),
            (1.0, "c", 1.0, true),
            (0.5, "d", 1.0, true),
        ];
        assert_eq!(selected(&tied, 4), "acbd");
        assert_eq!(selected(&tied, 3), "acb");
        assert_eq!(selected(&tied, 2), "ac");
        assert_eq!(selected(&tied, 1), "a");
        let near = [
            (2.0, "a", 1.0, false),
            (1.99, "b", 0.5, false),
            (1.98, "c", 1.0, true),
            (1.89, "d", 0.5, true),
        ];
        assert_eq!(selected(&near, 1), "c");
        assert_eq!(selected(&near, 2), "bc");
        assert_eq!(selected(&near, 3), "abc", "d is less by more than 5 %");
    }

    /// A store without verified memories is not read to its end for each recall.
    #[test]
    fn it_closes_once_nothing_better_can_come() {
        let one = |verified| [(1.0, "a", 1.0, verified), (0.96, "b", 1.0, true)];
        assert_eq!(selected(&one(true), 1), "a");
        assert_eq!(selected(&one(false), 1), "b");
        assert_eq!(
            selected(&[(1.0, "a", 1.0, false), (0.94, "b", 1.0, true)], 1),
            "a"
        );
    }
}
