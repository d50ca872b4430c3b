//! What the engine of claims declares can be met (CLM-46): the list of an enum holds all of its variants, and a test of the
//! program compares that list with what the program says.

use super::sources::Sources;

/// Where the enums are.
const ENGINE: &str = "counterfoil_claims";
/// Where the test is.
const PROGRAM: &str = "counterfoil_cli";
const RULE: &str = "CLM-46";
/// What the list of an enum is called.
const LISTS: [&str; 3] = ["ALL", "NAMES", "CODES"];

/// What answers are made of; other lists are found by themselves.
const ANSWERS: [&str; 10] = [
    "ActKind::ALL",
    "Cardinality::ALL",
    "ClaimState::ALL",
    "Currency::ALL",
    "Disposition::ALL",
    "Marker::ALL",
    "ProvenanceClass::NAMES",
    "Refusal::CODES",
    "Status::ALL",
    "Support::ALL",
];

/// The list of an enum.
#[derive(Debug, PartialEq, Eq)]
struct List {
    of: String,
    name: &'static str,
    length: usize,
}

/// Lists that lack a variant, and lists that no test of the program compares.
pub(super) fn gaps(sources: &Sources) -> Vec<String> {
    let lists: Vec<List> = sources.code(ENGINE).flat_map(lists).collect();
    let mut gaps = lost(&lists);
    for List { of, name, length } in lists {
        match sources.code(ENGINE).find_map(|code| variants(code, &of)) {
            Some(found) if found == length => {}
            Some(found) => gaps.push(format!(
                "{ENGINE}::{of}::{name} lists {length} of {found} variants"
            )),
            None => gaps.push(format!("{ENGINE}: no enum {of} for {of}::{name}")),
        }
        let compared = format!("{of}::{name}");
        let is_reached = sources.tests().any(|(package, _, test)| {
            package == PROGRAM && test.text.contains(RULE) && test.text.contains(&compared)
        });
        if !is_reached {
            gaps.push(format!(
                "{RULE}: no test of {PROGRAM} that names it compares with {compared}"
            ));
        }
    }
    gaps
}

/// Lists that are gone.
fn lost(lists: &[List]) -> Vec<String> {
    let found: Vec<String> = lists
        .iter()
        .map(|list| format!("{}::{}", list.of, list.name))
        .collect();
    let lost = ANSWERS
        .iter()
        .filter(|name| !found.iter().any(|one| one == *name));
    lost.map(|name| format!("{RULE}: {ENGINE} has no {name}"))
        .collect()
}

/// The lists in `impl` blocks.
fn lists(code: &str) -> Vec<List> {
    let mut lists = Vec::new();
    for (at, keyword) in code.match_indices("\nimpl ") {
        let Some((of, body)) = block(code, at + keyword.len()) else {
            continue;
        };
        for name in LISTS {
            let length = body
                .split_once(&format!("pub const {name}: ["))
                .and_then(|(_, list)| {
                    let (_, length) = list.split_once(']')?.0.split_once(';')?;
                    length.trim().parse().ok()
                });
            lists.extend(length.map(|length| List {
                of: of.to_owned(),
                name,
                length,
            }));
        }
    }
    lists
}

/// How many variants the enum has, if it is in this file.
fn variants(code: &str, of: &str) -> Option<usize> {
    let keyword = format!("pub enum {of} ");
    let at = code.find(&keyword)?;
    let (_, body) = block(code, at + "pub enum ".len())?;
    let mut depth = 0_usize;
    let mut count = 0;
    let mut named = false;
    for c in body.chars() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => named = false,
            c if depth == 0 && c.is_alphabetic() && !named => {
                named = true;
                count += 1;
            }
            _ => {}
        }
    }
    Some(count)
}

/// The name at `at`, and what stands in the braces behind it.
fn block(code: &str, at: usize) -> Option<(&str, &str)> {
    let (name, rest) = code.get(at..)?.split_once('{')?;
    let mut depth = 1_usize;
    for (end, byte) in rest.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((name.trim(), rest.get(..end)?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGINE_CODE: &str = "\n#[non_exhaustive]\npub enum Mood {\n    /// One, not two.\n    Calm,\n    #[default]\n    Odd { how: u8, much: u8 },\n    Of(A, B),\n}\n\nimpl Mood {\n    pub const ALL: [Self; 3] = [Self::Calm];\n}\n\nimpl Other {\n    const ALL: [Self; 1] = [];\n}\n";

    #[test]
    fn lists_are_held_against_their_enums() {
        let sources = Sources::of(ENGINE, "lib.rs", ENGINE_CODE);
        let code: Vec<&str> = sources.code(ENGINE).collect();
        let found = lists(code[0]);
        assert_eq!(
            found,
            [List {
                of: "Mood".to_owned(),
                name: "ALL",
                length: 3
            }]
        );
        assert_eq!(variants(code[0], "Mood"), Some(3));
        assert_eq!(variants(code[0], "Mo"), None);
        // No test of the program compares it, and those of the answers are not here.
        assert_eq!(gaps(&sources).len(), 1 + ANSWERS.len());
        let short = ENGINE_CODE.replace("Self; 3", "Self; 2");
        let short = gaps(&Sources::of(ENGINE, "lib.rs", &short));
        assert_eq!(short.len(), 2 + ANSWERS.len());
    }
}
