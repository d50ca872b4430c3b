//! Rust sources: first line, length, unfinished work, silenced lints, ticket numbers, what a `lib.rs` may hold.

use counterfoil_boundaries::source::code_and_comments;

use super::Finding;

/// A file with more lines than this wants a split.
pub(super) const LONG: usize = 400;
/// A file with more lines than this needs one.
const TOO_LONG: usize = 600;

pub(super) fn check(path: &str, text: &str) -> Vec<Finding> {
    let (program, comments) = code_and_comments(text);
    let mut found = Vec::new();
    if !text.starts_with("//!") {
        let advice = "say in a first `//!` line what the file is";
        found.push(Finding::new(path, advice));
    }
    let lines = lines_without_tests(path, text);
    if lines > TOO_LONG {
        let advice = format!("{lines} lines without tests; split it");
        found.push(Finding::new(path, advice));
    }
    for (at, line) in program.lines().enumerate() {
        found.extend(code(line).map(|text| Finding::at(path, at, text)));
    }
    for (at, line) in comments.lines().enumerate() {
        found.extend(comment(line).map(|text| Finding::at(path, at, text)));
    }
    if path.ends_with("src/lib.rs") {
        found.extend(library_root(path, &program));
    }
    found
}

/// Lines before the tests at the bottom; of a file that is all tests, none.
pub(super) fn lines_without_tests(path: &str, text: &str) -> usize {
    if path.starts_with("tests/") || path.contains("/tests/") {
        return 0;
    }
    text.lines()
        .take_while(|line| *line != "#[cfg(test)]")
        .count()
}

fn code(line: &str) -> Option<&'static str> {
    let plain: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    if plain.contains("#[allow(") || plain.contains("#![allow(") {
        return Some(
            "write `#[expect(lint, reason = ...)]`: it says why, and goes when it is not needed",
        );
    }
    let unfinished = ["todo!", "unimplemented!"]
        .iter()
        .any(|name| plain.contains(name));
    unfinished.then_some("finish it, or leave it out")
}

fn comment(line: &str) -> Option<&'static str> {
    let words: Vec<&str> = line
        .split(|c: char| !c.is_alphanumeric() && c != '#')
        .filter(|one| !one.is_empty())
        .collect();
    let marks = ["TODO", "FIXME", "XXX", "HACK"];
    if words.iter().any(|word| marks.contains(word)) {
        return Some("finish it, or leave it out");
    }
    let number = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
    let hashed = words
        .iter()
        .any(|word| word.strip_prefix('#').is_some_and(number));
    let named = words.windows(2).any(|pair| {
        matches!(pair, [name, count]
            if ["issue", "ticket", "pr"].contains(&name.to_lowercase().as_str()) && number(count))
    });
    (hashed || named).then_some("say why instead of naming a ticket")
}

/// Finds anything but documentation, attributes, `mod`, `use` and `extern crate`.
fn library_root(path: &str, code: &str) -> Option<Finding> {
    let starts = ["mod ", "use ", "extern crate "];
    let is_stray = |item: &&str| {
        let public = item
            .strip_prefix("pub(crate) ")
            .or_else(|| item.strip_prefix("pub "));
        let plain = public.unwrap_or(item);
        !plain.is_empty() && !starts.iter().any(|start| plain.starts_with(start))
            || plain.starts_with("mod ") && plain.contains('{')
    };
    let stray = code.split(';').map(without_attributes).find(is_stray)?;
    let line = stray.lines().next().unwrap_or_default();
    let text = format!("holds more than docs, mod and use; move `{line}`");
    Some(Finding::new(path, text))
}

fn without_attributes(item: &str) -> &str {
    let mut rest = item.trim();
    while rest.starts_with("#[") || rest.starts_with("#![") {
        let mut depth = 0_usize;
        let end = rest.find(|c| {
            depth = match c {
                '[' => depth + 1,
                ']' => depth.saturating_sub(1),
                _ => return false,
            };
            depth == 0
        });
        let after = end.and_then(|end| rest.get(end + 1..));
        rest = after.unwrap_or_default().trim_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(path: &str, text: &str) -> Vec<String> {
        check(path, text).into_iter().map(|one| one.text).collect()
    }

    #[track_caller]
    fn refused(path: &str, text: &str) {
        assert_eq!(texts(path, text).len(), 1, "{path}: {text}");
    }

    #[test]
    fn a_tidy_file_passes() {
        let text = "//! What it is.\n\n/// M-8: \"todo!\" in a text is no work left. See RFC 8785, 3.2.\nfn f() -> &'static str { \"FIXME #[allow(x)] #12\" }\n";
        assert_eq!(texts("src/a.rs", text), Vec::<String>::new());
    }

    #[test]
    fn each_fault_of_a_source_is_found() {
        refused("src/a.rs", "fn f() {}\n");
        let bad = [
            "#[allow(dead_code)]\nfn f() {}",
            "#![ allow (dead_code)]",
            "fn f() { todo!() }",
            "fn f() { unimplemented!(\"x\") }",
            "// FIXME later",
            "// XXX",
            "/* HACK */",
            "// TODO: more",
            "// see #12",
            "/// Fixes issue 12.",
            "// ticket #7 broke this",
        ];
        for line in bad {
            refused("src/a.rs", &format!("//! What it is.\n{line}\n"));
        }
    }

    #[test]
    fn length_counts_up_to_the_tests() {
        let text = format!("//! What it is.\n{}", "\n".repeat(TOO_LONG));
        refused("src/a.rs", &text);
        let tests = format!(
            "//! What it is.\n#[cfg(test)]\nmod tests {{\n{}}}\n",
            "\n".repeat(900)
        );
        assert!(texts("src/a.rs", &tests).is_empty());
        assert!(texts("crates/x/tests/a.rs", &text).is_empty());
    }

    #[test]
    fn a_library_root_holds_a_list_and_nothing_else() {
        let list = "//! Docs.\n#![no_std]\n#![doc(test(attr(deny(warnings))))]\nextern crate alloc;\n#[cfg(test)]\nextern crate std;\nmod a;\npub mod b;\npub(crate) mod c;\npub use a::{A,\n    B};\n";
        assert!(
            texts("src/lib.rs", list).is_empty(),
            "{:?}",
            texts("src/lib.rs", list)
        );
        for more in [
            "fn f() {}",
            "pub const A: u8 = 1;",
            "mod a { }",
            "pub struct A;",
            "macro!();",
        ] {
            refused("crates/x/src/lib.rs", &format!("{list}{more}\n"));
            assert!(
                texts("src/a.rs", &format!("{list}{more}\n")).is_empty(),
                "{more}"
            );
        }
    }
}
