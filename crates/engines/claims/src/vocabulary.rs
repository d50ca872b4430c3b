//! Vocabulary: predicates that hold one value or many (I5; docs/format/claims.md 5, "Cardinality of a line").

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::{Cardinality, Identifier};

/// Predicates that hold many values unless somebody says otherwise, as [`Identifier::folded`], sorted.
const MANY: [&str; 51] = [
    "allergic-to",
    "allergies",
    "allergy",
    "attended",
    "child",
    "children",
    "dislikes",
    "enjoys",
    "friend",
    "friend-of",
    "friends",
    "graduated-from",
    "has-allergy",
    "has-child",
    "has-condition",
    "has-friend",
    "has-hobby",
    "has-pet",
    "has-sibling",
    "has-skill",
    "has-visited",
    "hates",
    "hobbies",
    "hobby",
    "interested-in",
    "interests",
    "knows",
    "languages",
    "likes",
    "lives-with",
    "loves",
    "member-of",
    "member-of-team",
    "owns",
    "parent",
    "parent-of",
    "pet",
    "pets",
    "plans",
    "plays",
    "plays-instrument",
    "sibling",
    "siblings",
    "skill",
    "skills",
    "speaks",
    "studies",
    "teaches",
    "travelled-to",
    "visited",
    "watched",
];

/// Cardinalities of predicates: a built-in list, and what this agent has decided since when. Spellings that fold alike are one
/// predicate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// Decisions of each predicate in the order of their times, microseconds since 1970.
    decided: BTreeMap<String, Vec<(u64, Cardinality)>>,
}

impl Vocabulary {
    /// The built-in list with these decisions, each since a time in microseconds since 1970. Of two at one time the later in
    /// the list counts.
    pub fn new(decisions: impl IntoIterator<Item = (Identifier, u64, Cardinality)>) -> Self {
        let mut decided: BTreeMap<String, Vec<(u64, Cardinality)>> = BTreeMap::new();
        for (predicate, since_us, cardinality) in decisions {
            let of_one = decided.entry(predicate.folded()).or_default();
            of_one.push((since_us, cardinality));
        }
        for of_one in decided.values_mut() {
            of_one.sort_by_key(|(since_us, _)| *since_us);
        }
        Self { decided }
    }

    /// Predicates of the built-in list, which hold many values.
    pub const fn built_in() -> &'static [&'static str] {
        &MANY
    }

    /// The last decision about each predicate until `as_of_us`, with its time.
    pub fn decisions(&self, as_of_us: u64) -> impl Iterator<Item = (&str, u64, Cardinality)> {
        self.decided.iter().filter_map(move |(predicate, of_one)| {
            let (since_us, cardinality) = last(of_one, as_of_us)?;
            Some((predicate.as_str(), since_us, cardinality))
        })
    }

    /// The last decision about a predicate until `as_of_us`.
    pub(crate) fn decided(&self, predicate: &Identifier, as_of_us: u64) -> Option<Cardinality> {
        if self.decided.is_empty() {
            return None;
        }
        let of_one = self.decided.get(&predicate.folded())?;
        last(of_one, as_of_us).map(|(_, cardinality)| cardinality)
    }

    /// Cardinality of a line as of `as_of_us`, given that by its units: a decision counts before the units, and the built-in
    /// list where neither says anything.
    pub fn cardinality(
        &self,
        predicate: &Identifier,
        by_units: Cardinality,
        as_of_us: u64,
    ) -> Cardinality {
        let is_built_in = || MANY.binary_search(&predicate.folded().as_str()).is_ok();
        match self.decided(predicate, as_of_us).unwrap_or(by_units) {
            Cardinality::Unknown if is_built_in() => Cardinality::Many,
            known => known,
        }
    }
}

fn last(of_one: &[(u64, Cardinality)], as_of_us: u64) -> Option<(u64, Cardinality)> {
    let until = of_one.partition_point(|(since_us, _)| *since_us <= as_of_us);
    of_one.get(until.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Cardinality::{Many, One, Unknown};

    fn named(name: &str) -> Identifier {
        Identifier::new("predicate", name).unwrap()
    }

    /// I5: the list is searched by halves, and holds names as they are looked up.
    #[test]
    fn the_built_in_list_is_sorted_and_folded() {
        assert!(MANY.is_sorted_by(|one, next| one < next));
        assert!(MANY.iter().all(|name| named(name).folded() == *name));
    }

    /// I5: one spelling of a predicate speaks for the others.
    #[test]
    fn spellings_of_a_predicate_are_alike() {
        let vocabulary = Vocabulary::default();
        for name in ["member of", "member_of", "member-of", "Member Of"] {
            assert_eq!(vocabulary.cardinality(&named(name), Unknown, 0), Many);
        }
        let decided = Vocabulary::new([(named("plays chess_with"), 0, Many)]);
        let asked = named("plays-chess-with");
        assert_eq!(decided.cardinality(&asked, Unknown, 0), Many);
        assert_eq!(decided.cardinality(&named("plays"), One, 0), One);
    }

    /// I5: the newest decision until the asked time counts before the units, and the list after them.
    #[test]
    fn the_newest_decision_counts_before_the_units() {
        let (mood, owns) = (named("mood"), named("owns"));
        let decided = Vocabulary::new([
            (mood.clone(), 20, One),
            (mood.clone(), 10, Many),
            (owns.clone(), 10, One),
        ]);
        let of = |name, by_units, at| decided.cardinality(name, by_units, at);
        let over_time = [9, 10, 19, 20].map(|at| of(&mood, Unknown, at));
        assert_eq!(over_time, [Unknown, Many, Many, One]);
        assert_eq!(of(&mood, Many, 20), One);
        assert_eq!([9, 10].map(|at| of(&owns, Unknown, at)), [Many, One]);
        assert_eq!(of(&owns, One, 9), One);
        let shown: Vec<_> = decided.decisions(15).collect();
        assert_eq!(shown, [("mood", 10, Many), ("owns", 10, One)]);
    }
}
