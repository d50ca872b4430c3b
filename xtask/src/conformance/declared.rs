//! Every declaration of the engines of claims and of exchanges can be met (CLM-46): the list of an enum holds all of its
//! variants. A test of the program compares the lists of claims with the program's output; tests of the engine of exchanges
//! or of its driver name each variant.

use super::sources::Sources;

/// The package of the tests.
const PROGRAM: &str = "counterfoil_cli";
/// The packages with the tests of exchanges.
const EXCHANGES: [&str; 2] = ["counterfoil_exchange", "counterfoil_peer"];
/// Names of the constant that lists an enum.
const LISTS: [&str; 3] = ["ALL", "NAMES", "CODES"];

/// A package with enums.
struct Engine {
    package: &'static str,
    /// The rule that the tests which compare name.
    rule: Option<&'static str>,
    /// Lists of which answers are made.
    answers: &'static str,
    /// Lists that occur in no answer.
    inner: &'static str,
}

const ENGINES: [Engine; 3] = [
    Engine {
        package: "counterfoil_claims",
        rule: Some("CLM-46"),
        answers: "ActKind::ALL Cardinality::ALL ClaimState::ALL Currency::ALL Disposition::ALL \
            ProvenanceClass::NAMES ClaimError::CODES",
        inner: "",
    },
    Engine {
        package: "counterfoil_types",
        rule: Some("CLM-46"),
        answers: "BeliefStatus::ALL Marker::ALL Support::ALL",
        inner: "ActorKind::ALL ProposalStatus::ALL",
    },
    Engine {
        package: "counterfoil_exchange",
        rule: None,
        answers: "CheckKind::ALL ClaimKind::ALL Disposition::ALL ExchangeState::ALL FailCode::ALL \
            Flag::ALL Format::ALL ItemState::ALL Level::ALL Notice::ALL \
            RequestedCheck::ALL SkipReason::ALL StatusCode::ALL",
        // Words of documents, of records and of conversations alone, and the events of the rows: none is in an answer about an
        // exchange. The server has a test that each refusal is tested.
        inner: "Category::ALL Competence::ALL DocumentKind::ALL EventKind::ALL LocalRecord::NAMES Mark::ALL \
            Refusal::CODES ProposalSource::ALL ProvenanceSource::ALL Testimony::ALL VouchConfidence::ALL",
    },
];

/// The name of an enum, of the constant that lists it, and the length of the list.
type List = (String, &'static str, usize);

/// Lists that lack a variant, lists that are gone, and lists that no test of the program compares.
pub(super) fn gaps(sources: &Sources) -> Vec<String> {
    let mut gaps = Vec::new();
    for engine in &ENGINES {
        let package = engine.package;
        let lists: Vec<List> = sources.code(package).flat_map(lists).collect();
        let is_there = |name: &&str| {
            lists
                .iter()
                .any(|(of, list, _)| format!("{of}::{list}") == **name)
        };
        let rule = engine.rule.unwrap_or("MRP");
        let lost = engine
            .answers
            .split_whitespace()
            .filter(|name| !is_there(name));
        gaps.extend(lost.map(|name| format!("{rule}: {package} has no {name}")));
        for (of, list, length) in &lists {
            let name = format!("{of}::{list}");
            let Some(found) = sources.code(package).find_map(|code| variants(code, of)) else {
                gaps.push(format!("{package}: no enum {of} for {name}"));
                continue;
            };
            if found.len() != *length {
                let found = found.len();
                gaps.push(format!(
                    "{package}::{name} lists {length} of {found} variants"
                ));
            }
            if engine.inner.split_whitespace().any(|one| one == name) {
                continue;
            }
            let Some(rule) = engine.rule else {
                let untested = found.iter().filter(|one| !is_tested(sources, of, one));
                gaps.extend(untested.map(|one| format!("{package}: no test names {of}::{one}")));
                continue;
            };
            let is_compared = |text: &str| text.contains(rule) && text.contains(&name);
            let mut tests = sources.tests().filter(|(package, ..)| *package == PROGRAM);
            if !tests.any(|(_, _, test)| is_compared(test.text)) {
                gaps.push(format!(
                    "{rule}: no test of {PROGRAM} that names it compares with {name}"
                ));
            }
        }
    }
    gaps
}

/// Does a file of tests of exchanges name this variant?
fn is_tested(sources: &Sources, of: &str, variant: &str) -> bool {
    let mut codes = EXCHANGES.iter().flat_map(|package| sources.tested(package));
    codes.any(|code| {
        let mut words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
        let is_named = |word: &str| word.replace('_', "").eq_ignore_ascii_case(variant);
        code.contains(of) && words.any(is_named)
    })
}

/// The lists in `impl` blocks, and those that `words!` and `variant_words!` make of their enums.
fn lists(code: &str) -> Vec<List> {
    let enums = code
        .match_indices("\n    pub enum ")
        .filter(|_| code.contains("words! {"));
    let words = enums.filter_map(|(at, keyword)| {
        let (of, _) = block(code, at + keyword.len())?;
        Some((of.to_owned(), "ALL", variants(code, of)?.len()))
    });
    let mut lists: Vec<List> = words.collect();
    // The macro refuses a table that lacks a variant.
    for table in code.split("\nvariant_words! {").skip(1) {
        let Some((head, of)) = table
            .split_once('{')
            .and_then(|(head, _)| head.rsplit_once(" of "))
        else {
            continue;
        };
        let of = of.trim();
        let listed = LISTS
            .into_iter()
            .find(|name| head.contains(&format!("{name};")));
        lists.extend(
            listed
                .zip(variants(code, of))
                .map(|(name, found)| (of.to_owned(), name, found.len())),
        );
    }
    for (at, keyword) in code.match_indices("\nimpl ") {
        let Some((of, body)) = block(code, at + keyword.len()) else {
            continue;
        };
        for name in LISTS {
            let constant = body.split_once(&format!("pub const {name}: ["));
            let size = constant.and_then(|(_, list)| list.split_once(']')?.0.split_once(';'));
            let length = size.and_then(|(_, length)| length.trim().parse().ok());
            lists.extend(length.map(|length| (of.to_owned(), name, length)));
        }
    }
    lists
}

/// The variants of the enum, if it is in this file.
fn variants<'a>(code: &'a str, of: &str) -> Option<Vec<&'a str>> {
    let keyword = format!("pub enum {of} ");
    let at = code.find(&keyword)?;
    let (_, body) = block(code, at + "pub enum ".len())?;
    let mut depth = 0_usize;
    let mut found = Vec::new();
    let mut named = false;
    for (at, c) in body.char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => named = false,
            c if depth == 0 && c.is_alphabetic() && !named => {
                named = true;
                let rest = body.get(at..)?;
                found.extend(rest.split(|c: char| !c.is_alphanumeric()).next());
            }
            _ => {}
        }
    }
    Some(found)
}

/// The name at `at`, and the contents of the braces behind it.
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
        let answers: usize = ENGINES
            .iter()
            .map(|engine| engine.answers.split_whitespace().count())
            .sum();
        let sources = Sources::of(engine, "lib.rs", ENGINE_CODE);
        let code: Vec<&str> = sources.code(engine).collect();
        let found = lists(code[0]);
        assert_eq!(found, [("Mood".to_owned(), "ALL", 3)]);
        assert_eq!(variants(code[0], "Mood"), Some(vec!["Calm", "Odd", "Of"]));
        assert_eq!(variants(code[0], "Mo"), None);
        // No test of the program compares it, and those of the answers are not here.
        assert_eq!(gaps(&sources).len(), 1 + answers);
        let short = ENGINE_CODE.replace("Self; 3", "Self; 2");
        let short = gaps(&Sources::of(engine, "lib.rs", &short));
        assert_eq!(short.len(), 2 + answers);
    }
}
