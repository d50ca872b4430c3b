//! Every case that must not compile has a twin that must: so a misspelt name cannot pass for a refusal.

use std::collections::BTreeSet;

use super::sources::Sources;

pub(super) fn gaps(sources: &Sources) -> Vec<String> {
    let twins: Vec<(&str, &str)> = boundaries(sources)
        .filter(|(path, _)| path.contains("/tests/ui/allowed/"))
        .collect();
    let mut gaps = Vec::new();
    for (path, text) in boundaries(sources).filter(|(path, _)| path.contains("/tests/ui/refused/"))
    {
        let refusal = path.replace(".rs", ".stderr");
        if !sources.has(&refusal) {
            gaps.push(format!("{path}: {refusal} is missing"));
        }
        let namesakes = twins
            .iter()
            .filter(|(twin, _)| file_name(twin) == file_name(path));
        if !namesakes.clone().any(|(_, twin)| is_twin(text, twin)) {
            let count = namesakes.count();
            gaps.push(format!(
                "{path}: none of {count} namesakes under tests/boundaries/*/tests/ui/allowed has all of its lines but one"
            ));
        }
    }
    gaps
}

/// The cases in the role packages; those inside of the role crates name their twins themselves.
fn boundaries(sources: &Sources) -> impl Iterator<Item = (&str, &str)> {
    sources
        .cases()
        .filter(|(path, _)| path.starts_with("tests/boundaries/"))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Tests whether each line of the case is one of the twin's too, the line apart that makes the case forbidden.
fn is_twin(case: &str, twin: &str) -> bool {
    program(case).difference(&program(twin)).count() <= 1
}

fn program(text: &str) -> BTreeSet<&str> {
    text.lines()
        .filter(|line| !line.starts_with("//!") && !line.trim().is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twins_share_their_program_but_for_one_line() {
        let case = "//! FP-12\nfn main() {\n    id.split();\n}\n";
        assert!(is_twin(
            case,
            "//! Allowed.\nfn main() {\n    id.to_string();\n}\n"
        ));
        assert!(is_twin(case, case));
        assert!(!is_twin(case, "fn other() {\n    id.to_string();\n}\n"));
        assert!(!is_twin(case, "fn main() {}\n"));
    }

    #[test]
    fn a_case_without_its_twin_or_its_refusal_is_a_gap() {
        let sources = Sources::of(
            "host",
            "tests/boundaries/host/tests/ui/refused/store.rs",
            "fn main() {}\n",
        );
        assert_eq!(gaps(&sources).len(), 2);
    }
}
