//! The best candidates so far: rank first, verified before unverified on equal rank (SR-02).

use counterfoil_types::SelectedMemory;

use crate::Annotation;

/// Collects memories in the order of their rank until there are enough.
pub(crate) struct Shortlist {
    limit: usize,
    ranked: Vec<Ranked>,
}

struct Ranked {
    score: f64,
    memory: SelectedMemory,
    annotation: Annotation,
}

impl Shortlist {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            ranked: Vec::new(),
        }
    }

    /// Takes a memory that meets the constraints and ranks at or below those before it.
    pub(crate) fn add(&mut self, score: f64, (memory, annotation): (SelectedMemory, Annotation)) {
        self.ranked.push(Ranked {
            score,
            memory,
            annotation,
        });
    }

    /// Returns true if a candidate of this score could still get in: there is room, or it ties with the
    /// last one and some of those it ties with are unverified.
    pub(crate) fn wants(&self, score: f64) -> bool {
        self.has_room() || (self.is_contested() && self.last_score() == Some(score))
    }

    /// Returns true if any further candidate could get in.
    pub(crate) fn is_open(&self) -> bool {
        self.has_room() || self.is_contested()
    }

    /// The memories, best first: at most the limit, which is applied last.
    pub(crate) fn into_selected(mut self) -> Vec<(SelectedMemory, Annotation)> {
        self.ranked.sort_by(|left, right| {
            let by_score = right.score.total_cmp(&left.score);
            by_score.then(right.memory.verified().cmp(&left.memory.verified()))
        });
        self.ranked
            .into_iter()
            .take(self.limit)
            .map(|ranked| (ranked.memory, ranked.annotation))
            .collect()
    }

    fn has_room(&self) -> bool {
        self.ranked.len() < self.limit
    }

    /// Fewer verified memories than places among those that tie with the last score.
    fn is_contested(&self) -> bool {
        let Some(last) = self.last_score() else {
            return false;
        };
        let above = self
            .ranked
            .iter()
            .filter(|ranked| ranked.score != last)
            .count();
        let tied = self.ranked.iter().filter(|ranked| ranked.score == last);
        above + tied.filter(|ranked| ranked.memory.verified()).count() < self.limit
    }

    fn last_score(&self) -> Option<f64> {
        self.ranked.last().map(|ranked| ranked.score)
    }
}

#[cfg(test)]
mod tests {
    use counterfoil_types::{Confidence, MemoryRef, Reason, WorldId};

    use super::*;

    fn memory(id: &str, verified: bool) -> (SelectedMemory, Annotation) {
        let memory_ref = MemoryRef::new(WorldId::new(id).unwrap());
        let reason = Reason::new("says \"x\"").unwrap();
        let memory = SelectedMemory::new(memory_ref, reason, Confidence::ONE);
        let memory = if verified {
            memory.as_verified()
        } else {
            memory
        };
        (memory, Annotation::default())
    }

    fn selected(candidates: &[(f64, &str, bool)], limit: usize) -> Vec<String> {
        let mut shortlist = Shortlist::new(limit);
        for (score, id, verified) in candidates {
            if shortlist.wants(*score) {
                shortlist.add(*score, memory(id, *verified));
            }
        }
        let selected = shortlist.into_selected();
        selected
            .iter()
            .map(|(memory, _)| memory.memory_ref().world_id().to_string())
            .collect()
    }

    /// SR-02
    #[test]
    fn a_verified_memory_goes_before_an_unverified_one_of_equal_rank() {
        let candidates = [
            (2.0, "a", false),
            (1.0, "b", false),
            (1.0, "c", true),
            (0.5, "d", true),
        ];
        assert_eq!(selected(&candidates, 4), ["a", "c", "b", "d"]);
        assert_eq!(selected(&candidates, 2), ["a", "c"]);
        assert_eq!(selected(&candidates, 1), ["a"]);
    }

    #[test]
    fn it_closes_once_nothing_better_can_come() {
        let mut shortlist = Shortlist::new(1);
        assert!(shortlist.is_open());
        shortlist.add(1.0, memory("a", false));
        assert!(shortlist.is_open() && shortlist.wants(1.0) && !shortlist.wants(0.9));
        shortlist.add(1.0, memory("b", true));
        assert!(!shortlist.is_open() && !shortlist.wants(1.0));
    }
}
