//! Private functions that one place of their own file calls: steps of a reader's path that have no second use.

use std::collections::BTreeMap;

use super::source::Source;
use super::{Finding, percent};

pub(super) fn check(sources: &[Source], most_percent: f64) -> Vec<Finding> {
    let (mut all, mut once) = (0, Vec::new());
    for source in sources {
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        for word in words(&source.code) {
            *uses.entry(word).or_default() += 1;
        }
        for function in functions(&source.code) {
            all += 1;
            if function.private && uses.get(function.name) == Some(&2) {
                let text = format!(
                    "`{}` is called once; make it part of its caller",
                    function.name
                );
                once.push(Finding::at(&source.path, function.line, text));
            }
        }
    }
    if percent(once.len(), all) < most_percent {
        once.clear();
    }
    once
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}

struct Function<'a> {
    name: &'a str,
    line: usize,
    /// Neither public in any way nor a part of a trait.
    private: bool,
}

fn functions(code: &str) -> Vec<Function<'_>> {
    let mut found = Vec::new();
    // For each open brace, whether it belongs to a trait or to the implementation of one.
    let mut blocks: Vec<bool> = Vec::new();
    let mut head = String::new();
    for (line, text) in code.lines().enumerate() {
        if let Some((before, after)) = split_at_function(text) {
            let name = words(after).next().unwrap_or_default();
            let private = !before.contains("pub") && blocks.last() != Some(&true);
            found.push(Function {
                name,
                line,
                private,
            });
        }
        for c in text.chars() {
            match c {
                '{' => {
                    blocks.push(is_of_trait(&head));
                    head.clear();
                }
                '}' => {
                    blocks.pop();
                    head.clear();
                }
                ';' => head.clear(),
                c => head.push(c),
            }
        }
        head.push(' ');
    }
    found
}

/// The modifiers before `fn`, and the name and all after it.
fn split_at_function(line: &str) -> Option<(&str, &str)> {
    let at = line
        .trim_start()
        .starts_with("fn ")
        .then(|| line.find("fn "));
    let at = at.unwrap_or_else(|| line.find(" fn ").map(|at| at + 1))?;
    let (before, after) = line.split_at_checked(at)?;
    let modifiers = ["pub", "const", "async", "unsafe", "extern", "default"];
    let only_modifiers = words(before)
        .all(|word| modifiers.contains(&word) || matches!(word, "crate" | "super" | "in" | "self"));
    only_modifiers.then(|| (before, after.trim_start_matches("fn ")))
}

fn is_of_trait(head: &str) -> bool {
    let head = head.trim();
    let item = head.rsplit(']').next().unwrap_or(head).trim();
    let item = item.strip_prefix("pub").map_or(item, |rest| {
        let rest = rest.trim_start();
        rest.strip_prefix('(')
            .and_then(|rest| rest.split_once(')'))
            .map_or(rest, |(_, rest)| rest)
            .trim_start()
    });
    item.starts_with("trait ")
        || item.starts_with("unsafe trait ")
        || item.starts_with("impl") && words(item).any(|word| word == "for")
}
