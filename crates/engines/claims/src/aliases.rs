//! Names of a subject: those that this agent has recorded to mean one (docs/format/claims.md 1, "Names").

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use crate::Identifier;

/// Most names of one subject, its main name among them.
const MAX_NAMES: usize = 64;
/// Most names that a subject may ever have had.
const MAX_EVER: usize = 1024;

/// A decision about a name: its time in microseconds since 1970, and the main name; `None`: it is taken back.
type Decision = (u64, Option<Identifier>);

/// Reason why a name cannot be another one of a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameConflict {
    /// Both are the same.
    Itself,
    /// The name of the subject is another one itself: of this one.
    IsOther(Identifier),
    /// The name has another one itself: this one.
    HasOther(Identifier),
    /// The subject has 64 names, or has had 1,024.
    TooMany,
}

/// Other names of subjects, by what this agent has decided since when. A name that is another one is no main name, and a main
/// name is no other one: there are no chains and no circles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Aliases {
    /// Decisions of each name in the order of their times.
    decided: BTreeMap<Identifier, Vec<Decision>>,
    /// Names that ever were others of a main name.
    others: BTreeMap<Identifier, BTreeSet<Identifier>>,
}

impl Aliases {
    /// These decisions in their order, each about a name since a time in microseconds since 1970: the main name, or `None` to take it
    /// back. A decision that would make a chain or a circle, or a subject of more than 64 names (1,024 ever), is left out.
    pub fn new(decisions: impl IntoIterator<Item = (Identifier, u64, Option<Identifier>)>) -> Self {
        let mut decisions: Vec<_> = decisions.into_iter().collect();
        decisions.sort_by_key(|(_, since_us, _)| *since_us);
        let mut aliases = Self::default();
        for (name, since_us, main) in decisions {
            if let Some(main) = &main {
                if aliases.conflict(&name, main, since_us).is_some() {
                    continue;
                }
                let others = aliases.others.entry(main.clone()).or_default();
                others.insert(name.clone());
            }
            let of_one = aliases.decided.entry(name).or_default();
            of_one.push((since_us, main));
        }
        aliases
    }

    /// Returns the reason why `name` cannot be another one of `main` at a time; `None` where it can.
    pub fn conflict(
        &self,
        name: &Identifier,
        main: &Identifier,
        at_us: u64,
    ) -> Option<NameConflict> {
        let of_main = self.main(main, at_us);
        if name == main {
            return Some(NameConflict::Itself);
        }
        if of_main != main {
            return Some(NameConflict::IsOther(of_main.clone()));
        }
        if let Some(other) = self.others_of(name, at_us).pop() {
            return Some(NameConflict::HasOther(other));
        }
        let known = self.names(main, at_us);
        let ever = self.others.get(main);
        let is_new = ever.is_none_or(|ever| !ever.contains(name));
        let is_full = (known.len() >= MAX_NAMES && !known.contains(name))
            || (is_new && ever.is_some_and(|ever| ever.len() >= MAX_EVER));
        is_full.then_some(NameConflict::TooMany)
    }

    /// The main name of a subject at a time; its own where it is no other one.
    pub fn main<'a>(&'a self, name: &'a Identifier, at_us: u64) -> &'a Identifier {
        self.decision(name, at_us).map_or(name, |(_, main)| main)
    }

    /// All names of the subject of that name at a time, the main one first and the others in their order. One name where nothing
    /// is recorded of it.
    pub fn names(&self, name: &Identifier, at_us: u64) -> Vec<Identifier> {
        let main = self.main(name, at_us);
        let mut names = Vec::from([main.clone()]);
        names.extend(self.others_of(main, at_us));
        names
    }

    /// Names that are others of a main name at a time, each with that and the time of the decision.
    pub fn others(&self, at_us: u64) -> impl Iterator<Item = (&Identifier, u64, &Identifier)> {
        self.decided.keys().filter_map(move |name| {
            let (since_us, main) = self.decision(name, at_us)?;
            Some((name, since_us, main))
        })
    }

    fn others_of(&self, main: &Identifier, at_us: u64) -> Vec<Identifier> {
        let ever = self.others.get(main).into_iter().flatten();
        let now = ever.filter(|name| self.main(name, at_us) == main);
        now.cloned().collect()
    }

    /// The last decision about a name until a time, if it is another one by that.
    fn decision(&self, name: &Identifier, at_us: u64) -> Option<(u64, &Identifier)> {
        if self.decided.is_empty() {
            return None;
        }
        let of_one = self.decided.get(name)?;
        let until = of_one.partition_point(|(since_us, _)| *since_us <= at_us);
        let (since_us, main) = of_one.get(until.checked_sub(1)?)?;
        Some((*since_us, main.as_ref()?))
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::{String, ToString};

    use super::*;

    fn named(name: &str) -> Identifier {
        Identifier::new("subject", name).unwrap()
    }

    /// Decisions `(name, time, main)`; an empty main name takes back.
    fn decided(decisions: &[(&str, u64, &str)]) -> Aliases {
        Aliases::new(decisions.iter().map(|(name, at, main)| {
            let main = (!main.is_empty()).then(|| named(main));
            (named(name), *at, main)
        }))
    }

    fn names(aliases: &Aliases, name: &str, at_us: u64) -> Vec<String> {
        let names = aliases.names(&named(name), at_us);
        names.iter().map(Identifier::to_string).collect()
    }

    /// CLM-42: names are one from the record on, until it is taken back; spellings are names of their own.
    #[test]
    fn a_name_is_another_one_while_a_record_says_so() {
        let aliases = decided(&[
            ("@anna", 10, "Anna"),
            ("anna", 20, "Anna"),
            ("@anna", 30, ""),
            ("@anna", 40, "Berta"),
        ]);
        let of = |at_us| names(&aliases, "@anna", at_us).join(" ");
        let over_time = [9, 10, 20, 30, 40].map(of);
        let expected = [
            "@anna",
            "Anna @anna",
            "Anna @anna anna",
            "@anna",
            "Berta @anna",
        ];
        assert_eq!(over_time, expected);
        assert_eq!(names(&aliases, "Anna", 25), names(&aliases, "anna", 25));
        assert_eq!(names(&aliases, "Anna", 40), ["Anna", "anna"]);
        assert_eq!(names(&aliases, "ANNA", 40), ["ANNA"]);
        let listed: Vec<_> = aliases.others(25).collect();
        let (anna, main) = (named("@anna"), named("Anna"));
        assert_eq!(listed, [(&anna, 10, &main), (&named("anna"), 20, &main)]);
    }

    /// CLM-1: no record makes a chain, a circle or a crowd, in whatever order they come.
    #[test]
    fn chains_and_circles_are_left_out() {
        for decisions in [
            [("a", 1, "b"), ("b", 2, "c")],
            [("a", 1, "b"), ("b", 2, "a")],
            [("a", 1, "b"), ("c", 2, "a")],
            [("a", 1, "b"), ("c", 2, "c")],
        ] {
            let aliases = decided(&decisions);
            for name in ["a", "b"] {
                assert_eq!(names(&aliases, name, 9), ["b", "a"], "{decisions:?}");
            }
            assert_eq!(names(&aliases, "c", 9), ["c"], "{decisions:?}");
        }
        let crowd = (0..99).map(|one| (named(&format!("n{one:02}")), one, Some(named("m"))));
        assert_eq!(names(&Aliases::new(crowd), "m", 99).len(), MAX_NAMES);
        let one = decided(&[("a", 1, "b")]);
        let conflict = |name, main| one.conflict(&named(name), &named(main), 1);
        assert_eq!(conflict("b", "a"), Some(NameConflict::IsOther(named("b"))));
        assert_eq!(conflict("b", "c"), Some(NameConflict::HasOther(named("a"))));
        assert_eq!(conflict("c", "c"), Some(NameConflict::Itself));
        assert_eq!([conflict("a", "b"), conflict("c", "b")], [None, None]);
        let freed = decided(&[("a", 1, "b"), ("a", 2, ""), ("b", 3, "a")]);
        assert_eq!(names(&freed, "b", 3), ["a", "b"]);
    }
}
