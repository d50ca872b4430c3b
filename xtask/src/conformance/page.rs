//! The page: one table a section, one row a rule.

use super::cases::Named;
use super::held_by::{HeldBy, Hold, Kind};
use super::rules::Section;
use super::sources::Sources;

const HEAD: &str = "# Conformance

Every rule, how it is held, and the tests that hold it. `cargo xtask conformance` writes this page from
`docs/spec/rules.txt` and `docs/spec/held-by.toml`; it refuses a rule that nothing holds, a name that does not
exist, a rule that no test of its row names, and a name that answers about claims or exchanges may have and no
test of the program reaches.

A *type* has no value that breaks the rule. What *does not compile* is a program that breaks it; beside each stands
a twin that compiles. A *check* refuses at run time or in CI. A *policy* is for whoever decides to turn on.
";

const CASES: &str = "
## Adversarial cases of the capsules

Each is a test; `cargo xtask conformance` refuses a case of `docs/spec/cases.txt` that no test names. In brackets
stands what must come out: V valid, I invalid (with its code), X indeterminate (with its reason), REJ refused, CE a
contradiction event.
";

const MUTANTS: &str = "
## Mutants

A row's mutant, a patch under `tests/mutants`, breaks its rule; `cargo xtask conformance --mutants` applies each and sees the
test fail, and `docs/spec/killed.toml` has the commits. ";

pub(super) fn render(rules: &[Section], held: &HeldBy, sources: &Sources) -> String {
    let mut page = HEAD.to_owned();
    for section in rules {
        let heading = &section.heading;
        page +=
            &format!("\n## {heading}\n\n| rule | says | held by | tests |\n|---|---|---|---|\n");
        for rule in &section.rules {
            let holds = held.get(&rule.id).map(Vec::as_slice).unwrap_or_default();
            let cell = |tested: bool| {
                let holds = holds.iter().filter(|hold| hold.kind.is_tested() == tested);
                let parts: Vec<String> = holds.map(|hold| entry(hold, sources)).collect();
                parts.join("<br>")
            };
            let (says, by, tests) = (escape(&rule.text), cell(false), cell(true));
            page += &format!("| {} | {says} | {by} | {tests} |\n", rule.id);
        }
    }
    page
}

/// The number of rows that were seen failing, and the other ones by rule.
pub(super) fn render_mutants(rows: &[(&str, &str, bool)]) -> String {
    let killed = rows.iter().filter(|(.., is_killed)| *is_killed).count();
    let all = rows.len();
    let mut page =
        format!("{MUTANTS}{killed} of {all} rows were seen failing. These were not, so far:\n\n");
    for of_rule in rows.chunk_by(|one, other| one.0 == other.0) {
        let open = of_rule.iter().filter(|(.., is_killed)| !is_killed);
        let open: Vec<String> = open.map(|(_, name, _)| format!("`{name}`")).collect();
        if let (Some((rule, ..)), false) = (of_rule.first(), open.is_empty()) {
            page += &format!("- {rule}: {}\n", open.join(", "));
        }
    }
    page
}

/// A table for each group of cases.
pub(super) fn render_cases(cases: &[Section], named: &Named) -> String {
    let mut page = CASES.to_owned();
    for section in cases {
        let heading = &section.heading;
        page += &format!("\n### {heading}\n\n| case | says | tests |\n|---|---|---|\n");
        for case in &section.rules {
            let tests = named.get(&case.id).map(Vec::as_slice).unwrap_or_default();
            let links: Vec<String> = tests
                .iter()
                .map(|(test, path)| format!("[`{test}`](../{path})"))
                .collect();
            let says = escape(&case.text);
            page += &format!("| {} | {says} | {} |\n", case.id, links.join("<br>"));
        }
    }
    page
}

fn entry(hold: &Hold, sources: &Sources) -> String {
    let path = match hold.kind {
        Kind::Test => sources.test(&hold.name).map(|test| test.path),
        Kind::CompileFail => Some(hold.name.as_str()),
        Kind::Type | Kind::Check | Kind::Policy => sources.item(&hold.name),
    };
    let shown = match hold.kind {
        Kind::CompileFail => hold.name.replace("tests/ui/refused/", ""),
        _ => hold.name.clone(),
    };
    let mut text = match hold.kind {
        Kind::Test => String::new(),
        kind => format!("{} ", kind.as_str()),
    };
    text += &format!("[`{shown}`](../{})", path.unwrap_or_default());
    if !hold.note.is_empty() {
        text += &format!(": {}", escape(&hold.note));
    }
    text
}

fn escape(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{held_by, rules};

    #[test]
    fn a_row_links_what_holds_the_rule() {
        let rules = rules::parse("# One\nM-1\ta | b\n", rules::is_rule).unwrap();
        let held = held_by::parse(
            "[[M-1]]\nkind = \"test\"\nname = \"my::it_holds\"\n[[M-1]]\nkind = \"type\"\nname = \"my::Held\"\nnote = \"why\"\n",
        )
        .unwrap();
        let source = "struct Held;\n/// M-1\n#[test]\nfn it_holds() {}\n";
        let page = render(&rules, &held, &Sources::of("my", "my/lib.rs", source));
        let row = "| M-1 | a \\| b | type [`my::Held`](../my/lib.rs): why | [`my::it_holds`](../my/lib.rs) |\n";
        assert!(page.ends_with(row), "{page}");
        assert!(page.contains("\n## One\n"));
    }
}
