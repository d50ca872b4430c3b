//! The adversarial cases of capsules and of exchange: each is named by a test, `Adversarial cases C45 to C49` in its documentation.

use std::collections::BTreeMap;

use super::rules::{Section, is_case};
use super::sources::Sources;

/// Case id to the tests whose documentation names it, as `package::test` and file.
pub(super) type Named = BTreeMap<String, Vec<(String, String)>>;

/// The tests that name each case.
pub(super) fn named(sources: &Sources) -> Named {
    let mut named = Named::new();
    for (package, name, test) in sources.tests() {
        let lines = test.text.lines().map(str::trim);
        let documentation: Vec<&str> = lines.filter_map(|line| line.strip_prefix("///")).collect();
        for id in ids(&documentation.join(" ")) {
            let tests = named.entry(id).or_default();
            let this = (format!("{package}::{name}"), test.path.to_owned());
            if !tests.contains(&this) {
                tests.push(this);
            }
        }
    }
    named
}

/// Cases that no test names, and names that are no case's.
pub(super) fn gaps(cases: &[Section], named: &Named) -> Vec<String> {
    let known: Vec<&str> = cases
        .iter()
        .flat_map(|section| &section.rules)
        .map(|case| case.id.as_str())
        .collect();
    let missing = known
        .iter()
        .filter(|id| !named.contains_key(**id))
        .map(|id| format!("{id}: no test says `Adversarial case {id}` in its documentation"));
    let unknown = named
        .iter()
        .filter(|(id, _)| !known.contains(&id.as_str()))
        .flat_map(|(id, tests)| tests.iter().map(move |(test, _)| (id, test)))
        .map(|(id, test)| format!("{test}: docs/spec/cases.txt has no case {id}"));
    missing.chain(unknown).collect()
}

/// The ids behind each `case` or `cases`: alone, in a list with commas and `and`, or as a range with `to`. A full stop, a
/// colon or a bracket ends them.
fn ids(documentation: &str) -> Vec<String> {
    let words: Vec<&str> = documentation.split_whitespace().collect();
    let mut found: Vec<String> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let word = word.trim_start_matches('(').to_lowercase();
        if !["case", "cases"].contains(&word.as_str()) {
            continue;
        }
        // The last id, when `to` follows it.
        let (mut last, mut from) = (None, None);
        for word in words.iter().skip(at + 1) {
            match word.trim_end_matches([',', '.', ';', ':', ')']) {
                "and" | "or" => {}
                "to" => from = last.take(),
                id if is_case(id) => {
                    let (letter, number) = id.split_at_checked(1).unwrap_or((id, ""));
                    let end: u32 = number.parse().unwrap_or(0);
                    let range = from.take().map_or(end..end, |first: u32| first + 1..end);
                    found.extend(range.map(|number| format!("{letter}{number}")));
                    found.push(id.to_owned());
                    last = Some(end);
                }
                _ => break,
            }
            if word.ends_with(['.', ';', ':', ')']) {
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::rules;

    #[test]
    fn ids_are_read_alone_in_lists_and_in_ranges() {
        for (text, expected) in [
            ("Adversarial case C33: a gap.", &["C33"][..]),
            ("Adversarial cases C45 and C46 hold.", &["C45", "C46"]),
            ("Cases A1, A2 and B14.", &["A1", "A2", "B14"]),
            (
                "Adversarial cases C45 to C48, D51: all.",
                &["C45", "C46", "C47", "C48", "D51"],
            ),
            (
                "It holds (case C41), and (adversarial case E61).",
                &["C41", "E61"],
            ),
            ("Adversarial case E62 (C11)", &["E62"]),
            ("Adversarial case E62. C11.", &["E62"]),
            ("In case of C33, and C17.", &[]),
            ("The case M-8.", &[]),
        ] {
            assert_eq!(ids(text), expected, "{text}");
        }
    }

    #[test]
    fn a_case_without_a_test_and_a_name_without_a_case_are_gaps() {
        let source = "/// Adversarial\n/// case A1.\n#[test]\nfn it_holds() { case(\"A2\"); }\n/// Case A9.\n#[test]\nfn it_errs() {}\n/// Case A2.\nfn helper() {}\n";
        let named = named(&Sources::of("my", "my/lib.rs", source));
        let cases = rules::parse("# A\nA1\tone\nA2\ttwo\n", is_case).unwrap();
        let found = gaps(&cases, &named);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("A2:") && found[1].contains("my::it_errs"));
    }
}
