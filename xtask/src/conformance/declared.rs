//! What the engines of claims and of exchanges declare can be met (CLM-46): the list of an enum holds all of its variants, and
//! a test of the program compares that list with what the program says.

use super::sources::Sources;

/// Where the tests are.
const PROGRAM: &str = "counterfoil_cli";
/// What the list of an enum is called.
const LISTS: [&str; 3] = ["ALL", "NAMES", "CODES"];

/// Where enums are.
struct Engine {
    package: &'static str,
    /// What the tests that compare name.
    rule: Option<&'static str>,
    /// What answers are made of.
    answers: &'static [&'static str],
    /// Lists that no answer is made of.
    inner: &'static [&'static str],
}

const ENGINES: [Engine; 2] = [
    Engine {
        package: "counterfoil_claims",
        rule: Some("CLM-46"),
        answers: &[
            "ActKind::ALL",
            "Cardinality::ALL",
            "ClaimState::ALL",
            "Currency::ALL",
            "Disposition::ALL",
            "Marker::ALL",
            "ProvenanceClass::NAMES",
            "ClaimError::CODES",
            "BeliefStatus::ALL",
            "Support::ALL",
        ],
        inner: &[],
    },
    Engine {
        package: "counterfoil_exchange",
        rule: None,
        answers: &[
            "CheckKind::ALL",
            "ClaimKind::ALL",
            "Disposition::ALL",
            "ExchangeState::ALL",
            "FailCode::ALL",
            "Flag::ALL",
            "Format::ALL",
            "ItemState::ALL",
            "Level::ALL",
            "LocalRecord::NAMES",
            "Mark::ALL",
            "Notice::ALL",
            "Refusal::CODES",
            "RequestedCheck::ALL",
            "SkipReason::ALL",
            "StatusCode::ALL",
        ],
        // Words of documents and of conversations alone, and the events of the rows: none is in an answer about an exchange.
        inner: &[
            "Category::ALL",
            "Competence::ALL",
            "DocumentKind::ALL",
            "EventKind::ALL",
            "ProposalSource::ALL",
            "ProvenanceSource::ALL",
            "Testimony::ALL",
            "VouchConfidence::ALL",
        ],
    },
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
    ENGINES
        .iter()
        .flat_map(|engine| gaps_of(engine, sources))
        .collect()
}

fn gaps_of(engine: &Engine, sources: &Sources) -> Vec<String> {
    let package = engine.package;
    let lists: Vec<List> = sources.code(package).flat_map(lists).collect();
    let mut gaps = lost(engine, &lists);
    for List { of, name, length } in lists {
        match sources.code(package).find_map(|code| variants(code, &of)) {
            Some(found) if found == length => {}
            Some(found) => gaps.push(format!(
                "{package}::{of}::{name} lists {length} of {found} variants"
            )),
            None => gaps.push(format!("{package}: no enum {of} for {of}::{name}")),
        }
        let compared = format!("{of}::{name}");
        if !engine.inner.contains(&compared.as_str()) && !is_reached(engine, &compared, sources) {
            let rule = engine.rule.unwrap_or(package);
            gaps.push(format!(
                "{rule}: no test of {PROGRAM} that names it compares with {compared}"
            ));
        }
    }
    gaps
}

/// Does a test of the program compare with this list of the engine?
fn is_reached(engine: &Engine, list: &str, sources: &Sources) -> bool {
    let name = engine.rule.unwrap_or_default();
    sources.tests().any(|(package, _, test)| {
        let others = ENGINES.iter().filter(|one| one.package != engine.package);
        let is_anothers = others
            .filter_map(|one| one.rule)
            .any(|rule| test.text.contains(rule));
        package == PROGRAM && !is_anothers && test.text.contains(name) && test.text.contains(list)
    })
}

/// Lists that are gone.
fn lost(engine: &Engine, lists: &[List]) -> Vec<String> {
    let found: Vec<String> = lists
        .iter()
        .map(|list| format!("{}::{}", list.of, list.name))
        .collect();
    let lost = engine
        .answers
        .iter()
        .filter(|name| !found.iter().any(|one| one == *name));
    let (rule, package) = (engine.rule.unwrap_or("MRP"), engine.package);
    lost.map(|name| format!("{rule}: {package} has no {name}"))
        .collect()
}

/// The lists in `impl` blocks, and those that `words!` makes of its enums.
fn lists(code: &str) -> Vec<List> {
    let enums = code
        .match_indices("\n    pub enum ")
        .filter(|_| code.contains("words! {"));
    let mut lists: Vec<List> = enums
        .filter_map(|(at, keyword)| {
            let (of, _) = block(code, at + keyword.len())?;
            Some(List {
                of: of.to_owned(),
                name: "ALL",
                length: variants(code, of)?,
            })
        })
        .collect();
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
        let engine = ENGINES[0].package;
        let answers: usize = ENGINES.iter().map(|engine| engine.answers.len()).sum();
        let sources = Sources::of(engine, "lib.rs", ENGINE_CODE);
        let code: Vec<&str> = sources.code(engine).collect();
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
        assert_eq!(gaps(&sources).len(), 1 + answers);
        let short = ENGINE_CODE.replace("Self; 3", "Self; 2");
        let short = gaps(&Sources::of(engine, "lib.rs", &short));
        assert_eq!(short.len(), 2 + answers);
    }
}
