//! Gaps: a rule that nothing holds, a name that does not exist, a rule that no test names.

use super::held_by::{HeldBy, Hold, Kind};
use super::rules::Section;
use super::sources::Sources;

pub(super) fn gaps(rules: &[Section], held: &HeldBy, sources: &Sources) -> Vec<String> {
    let ids: Vec<&str> = rules
        .iter()
        .flat_map(|section| &section.rules)
        .map(|rule| rule.id.as_str())
        .collect();
    let mut gaps = Vec::new();
    for id in &ids {
        match held.get(*id).map(Vec::as_slice) {
            None | Some([]) => gaps.push(format!("{id}: nothing holds it")),
            Some(holds) => {
                let (mut named, mut missing) = (false, Vec::new());
                for Hold { kind, name, .. } in holds {
                    let text = match kind {
                        Kind::Test => sources.test(name).map(|test| test.text),
                        Kind::CompileFail => sources.refused(name),
                        Kind::Type | Kind::Check | Kind::Policy => sources.item(name).map(|_| ""),
                    };
                    match text {
                        Some(text) => named |= names(text, id),
                        None => {
                            missing.push(format!("{id}: there is no {} `{name}`", kind.as_str()))
                        }
                    }
                }
                gaps.append(&mut missing);
                if !named {
                    gaps.push(format!("{id}: no test that holds it names it"));
                }
            }
        }
    }
    let unknown = held.keys().filter(|id| !ids.contains(&id.as_str()));
    gaps.extend(unknown.map(|id| format!("{id}: docs/spec/rules.txt has no such rule")));
    gaps
}

/// Returns true if `text` contains `id` as a word of its own. M-1 is not in M-12, nor in ABM-1.
fn names(text: &str, id: &str) -> bool {
    text.match_indices(id).any(|(at, _)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let after = text
            .get(at + id.len()..)
            .and_then(|tail| tail.chars().next());
        !before.is_some_and(|c| c.is_alphanumeric() || c == '-')
            && !after.is_some_and(|c| c.is_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{held_by, rules};

    const SOURCE: &str = "pub struct Held;\n/// M-1\n#[test]\nfn it_holds() {}\n#[test]\nfn it_is_silent() { let m = \"M-12\"; }\n";

    fn gaps_of(held: &str) -> Vec<String> {
        let rules = rules::parse("# One\nM-1\ta\n", rules::is_rule).unwrap();
        gaps(
            &rules,
            &held_by::parse(held).unwrap(),
            &Sources::of("my", "my/lib.rs", SOURCE),
        )
    }

    fn hold(kind: &str, name: &str) -> String {
        format!("[[M-1]]\nkind = \"{kind}\"\nname = \"{name}\"\n")
    }

    #[test]
    fn a_rule_with_a_type_and_a_test_that_names_it_has_no_gap() {
        let held = hold("type", "my::Held") + &hold("test", "my::it_holds");
        assert_eq!(gaps_of(&held), Vec::<String>::new());
    }

    #[test]
    fn each_kind_of_gap_is_found() {
        let good = hold("test", "my::it_holds");
        for (held, count) in [
            (String::new(), 1),
            (hold("type", "my::Held"), 1),
            (hold("test", "my::it_is_silent"), 1),
            (hold("type", "my::Lost") + &good, 1),
            (hold("check", "my::Lost") + &good, 1),
            (hold("policy", "my::Lost") + &good, 1),
            (hold("test", "my::lost") + &good, 1),
            (
                hold("compile-fail", "a/tests/ui/refused/lost.rs") + &good,
                1,
            ),
            (
                format!("{good}[[M-2]]\nkind = \"type\"\nname = \"my::Held\"\n"),
                1,
            ),
        ] {
            assert_eq!(gaps_of(&held).len(), count, "{held}: {:?}", gaps_of(&held));
        }
    }
}
