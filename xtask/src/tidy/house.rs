//! Measures of the whole workspace and their limits: documentation, private functions, circles of files, public types.

mod circles;
mod functions;
mod language;
mod source;

use super::Finding;
use source::Source;

/// The facade, and the most public types that it may define.
const FACADE: &str = "crates/counterfoil";
const FACADE_TYPES: usize = 40;
/// The most doc comments that may open with a question word, in percent.
const OPENINGS_PERCENT: f64 = 5.0;
/// The most riddling words per 100 lines of documentation.
const WORDS_PER_100: f64 = 0.5;
/// The most functions that are private and used once, in percent.
const SINGLE_USE_PERCENT: f64 = 9.4;

/// Findings for every limit that `files`, pairs of path and text, exceed.
pub(super) fn check(files: &[(String, String)]) -> Vec<Finding> {
    let sources: Vec<Source> = files
        .iter()
        .filter_map(|(path, text)| Source::of(path, text))
        .collect();
    let mut found = language::check(&sources, OPENINGS_PERCENT, WORDS_PER_100);
    found.extend(functions::check(&sources, SINGLE_USE_PERCENT));
    found.extend(circles::check(&sources));
    let types: usize = sources
        .iter()
        .filter(|source| source.package == FACADE)
        .map(Source::public_types)
        .sum();
    if types > FACADE_TYPES {
        let text = format!("{types} public types; at most {FACADE_TYPES}");
        found.push(Finding::new(FACADE, text));
    }
    found
}

/// `part` of `whole` in percent; 0 of nothing.
fn percent(part: usize, whole: usize) -> f64 {
    let as_float = |number: usize| u32::try_from(number).map_or(f64::MAX, f64::from);
    if whole == 0 {
        0.0
    } else {
        100.0 * as_float(part) / as_float(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<(String, String)> = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect();
        check(&files).iter().map(ToString::to_string).collect()
    }

    const TIDY: &str =
        "//! A file.\n\n/// Returns one.\npub fn f() -> u8 { g() + g() }\n\nfn g() -> u8 { 1 }\n";

    #[test]
    fn a_small_house_passes() {
        let none: Vec<String> = Vec::new();
        assert_eq!(findings(&[("crates/a/b/src/lib.rs", TIDY)]), none);
        // Tests may say and do what they like.
        let tests = "//! A.\n#[cfg(test)]\nmod tests {\n    /// What is told.\n    fn once() {}\n    fn two() { once() }\n}\n";
        assert_eq!(findings(&[("crates/a/b/src/x.rs", tests)]), none);
        assert_eq!(
            findings(&[("crates/a/b/tests/x.rs", "/// What.\nfn f() {}\n")]),
            none
        );
    }

    #[test]
    fn each_limit_is_held() {
        for (path, text) in [
            (
                "crates/a/b/src/x.rs",
                "//! A.\n/// What it is.\npub struct A;\n",
            ),
            (
                "crates/a/b/src/x.rs",
                "//! A.\n/// Nobody knows.\npub struct A;\n",
            ),
            (
                "crates/a/b/src/x.rs",
                "//! A.\n/// The value that\n/// what is left.\npub struct A;\n",
            ),
            (
                "crates/a/b/src/x.rs",
                "//! A.\npub fn f() { g() }\nfn g() {}\n",
            ),
        ] {
            assert_eq!(findings(&[(path, text)]).len(), 1, "{text}");
        }
        let many: String = (0..=FACADE_TYPES)
            .map(|number| format!("pub struct T{number};\n"))
            .collect();
        assert_eq!(findings(&[("crates/counterfoil/src/x.rs", &many)]).len(), 1);
        assert!(findings(&[("crates/a/b/src/x.rs", &many)]).is_empty());
    }

    #[test]
    fn a_circle_of_files_is_found_but_for_a_parent() {
        let circle = [
            ("crates/a/b/src/lib.rs", "//! A.\nmod x;\nmod y;\n"),
            (
                "crates/a/b/src/x.rs",
                "//! A.\nuse crate::y::{Y, Z as W};\npub struct X;\n",
            ),
            (
                "crates/a/b/src/y.rs",
                "//! A.\npub fn f(_: super::x::X) {}\n",
            ),
        ];
        assert_eq!(findings(&circle).len(), 1, "{:?}", findings(&circle));
        assert!(findings(&circle[..2]).is_empty());
        let parent = [
            (
                "crates/a/b/src/x.rs",
                "//! A.\nmod y;\nuse y::Y;\npub struct X;\n",
            ),
            (
                "crates/a/b/src/x/y.rs",
                "//! A.\nuse super::X;\npub struct Y(X);\n",
            ),
        ];
        assert!(findings(&parent).is_empty());
    }
}
