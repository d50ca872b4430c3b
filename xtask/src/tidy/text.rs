//! Any text: line ends, blanks at line ends, tabs, and paths that exist on one machine alone.

use super::Finding;
use crate::repository;

const ENDINGS: &[&str] = &[
    ".rs", ".toml", ".md", ".txt", ".sh", ".yml", "/.ci/run", ".ci/run",
];

/// Returns true for text that people wrote here, and not a compiler, another project or a program.
pub(super) fn is_ours(path: &str) -> bool {
    let recorded = path.starts_with("tests/vectors/") || path.contains("/tests/golden/");
    ENDINGS.iter().any(|ending| path.ends_with(ending)) && (!recorded || path.ends_with(".rs"))
}

/// Folders that mean something on this machine only: the repository's own place and the user's home.
pub(super) fn machine() -> Vec<String> {
    let home = std::env::var("HOME").unwrap_or_default();
    let root = repository::root().to_string_lossy().into_owned();
    [home, root]
        .into_iter()
        .filter(|path| path.matches(['/', '\\']).count() > 1)
        .collect()
}

pub(super) fn check(path: &str, text: &str, machine: &[String]) -> Vec<Finding> {
    let mut found = Vec::new();
    // A tab separates the columns of the lists under docs/spec.
    let tabs = path.ends_with(".txt");
    for (at, line) in text.split('\n').enumerate() {
        let mut add = |wrong: bool, text| found.extend(wrong.then(|| Finding::at(path, at, text)));
        let blank = line.ends_with([' ', '\t']);
        add(line.ends_with('\r'), "ends with CR LF; lines end with LF");
        add(blank, "remove the blanks at the end of the line");
        add(!tabs && line.contains('\t'), "write blanks, not tabs");
        let personal = is_personal(line) || machine.iter().any(|folder| line.contains(folder));
        add(
            personal,
            "names a path of one machine; write a relative one",
        );
    }
    if !text.is_empty() && !text.ends_with('\n') {
        found.push(Finding::new(path, "end the last line"));
    }
    found
}

/// A folder below which systems keep the files of one person, with a name after it.
fn is_personal(line: &str) -> bool {
    let folders = ["home", "Users", "root"];
    let starts = folders.map(|folder| [format!("/{folder}/"), format!(":\\{folder}\\")]);
    starts.iter().flatten().any(|start| {
        line.match_indices(start.as_str()).any(|(at, _)| {
            let (before, rest) = line.split_at_checked(at).unwrap_or_default();
            let after = rest.strip_prefix(start.as_str()).unwrap_or_default();
            (start.starts_with(':') || !before.ends_with(char::is_alphanumeric))
                && after.starts_with(char::is_alphanumeric)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(path: &str, text: &str) -> Vec<String> {
        check(path, text, &["/srv/build".to_owned()])
            .into_iter()
            .map(|one| one.place)
            .collect()
    }

    #[test]
    fn each_fault_of_a_text_is_found_at_its_line() {
        for fault in ["a \n", "a\t\n", "a\r\n", "\ta\n", "a", "in /srv/build/x\n"] {
            assert!(
                !texts("a.md", &format!("fine\n{fault}")).is_empty(),
                "{fault:?}"
            );
        }
        assert_eq!(texts("a.md", "fine\nbad \n"), ["a.md:2"]);
    }

    #[test]
    fn homes_are_found_and_other_folders_are_left_alone() {
        for (start, rest) in [
            ("/ho", "me/ana/x"),
            ("C:\\Us", "ers\\ana"),
            ("(/ro", "ot/x)"),
        ] {
            let line = format!("{start}{rest}");
            assert!(is_personal(&line), "{line}");
        }
        for line in [
            "https://example.org/home/page",
            "src/root/x.rs",
            "/home",
            "the /root/ of",
        ] {
            assert!(!is_personal(line), "{line}");
        }
    }

    #[test]
    fn a_tidy_text_passes() {
        assert!(texts("a.md", "fine\n").is_empty());
        assert!(texts("docs/spec/rules.txt", "M-1\tMemory is not truth\n").is_empty());
    }
}
