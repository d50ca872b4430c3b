//! Paths of the memory tool: `/memories`, and what is below it.

use std::fmt;

/// Folder of all files.
pub(super) const ROOT: &str = "/memories";
/// Longest path, in bytes.
const MAX_PATH_BYTES: usize = 512;
/// Most folders below each other.
const MAX_DEPTH: usize = 16;

/// A path below `/memories`, without it: empty for the folder itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ToolPath(String);

impl ToolPath {
    /// Reads a path. No path leads out of `/memories`: neither `..` nor a backslash nor a percent-encoded one is a name.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let below = text.strip_prefix(ROOT)?;
        let below = match below.strip_prefix('/') {
            Some(below) => below.strip_suffix('/').unwrap_or(below),
            None if below.is_empty() => below,
            None => return None,
        };
        if below.is_empty() {
            return Some(Self(String::new()));
        }
        let encoded = below.to_ascii_lowercase();
        let encoded = ["%2e", "%2f", "%5c", "%00"]
            .iter()
            .any(|it| encoded.contains(it));
        let is_name = |name: &str| !["", ".", ".."].contains(&name);
        let is_path = below.len() <= MAX_PATH_BYTES
            && !encoded
            && !below.contains(|letter: char| letter == '\\' || letter.is_control())
            && below.split('/').all(is_name)
            && below.split('/').count() <= MAX_DEPTH;
        is_path.then(|| Self(below.to_owned()))
    }

    pub(super) fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The path below `/memories`, as files are sealed under it.
    pub(super) fn below(&self) -> &str {
        &self.0
    }

    /// Path of a file relative to this folder; `None` for one that is not in it.
    pub(super) fn within<'p>(&self, path: &'p str) -> Option<&'p str> {
        match self.is_root() {
            true => Some(path),
            false => path.strip_prefix(&self.0)?.strip_prefix('/'),
        }
    }
}

/// The path as the tool names it.
impl fmt::Display for ToolPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_root() {
            true => f.write_str(ROOT),
            false => write!(f, "{ROOT}/{}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_path_is_below_the_folder() {
        for (text, below) in [
            ("/memories", ""),
            ("/memories/", ""),
            ("/memories/a.md", "a.md"),
            ("/memories/days/", "days"),
            ("/memories/days/1 May.md", "days/1 May.md"),
            ("/memories/..a/b..", "..a/b.."),
        ] {
            let path = ToolPath::parse(text).unwrap();
            assert_eq!(path.below(), below);
        }
    }

    /// GRD-6; mutant `a-path-leads-out`.
    #[test]
    fn no_path_leads_out_of_the_folder() {
        for text in [
            "",
            "/",
            "a.md",
            "memories/a.md",
            "/memoriesandmore",
            "/etc/passwd",
            "/memories/../etc/passwd",
            "/memories/a/../../b",
            "/memories/..",
            "/memories/./a",
            "/memories//a",
            "/memories/a//",
            "/memories/a\\..\\b",
            "/memories/%2e%2e/a",
            "/memories/%2E%2e%2Fa",
            "/memories/a\nb",
            "/memories/a\0",
        ] {
            assert_eq!(ToolPath::parse(text), None, "{text:?}");
        }
        let long = format!("{ROOT}/{}", "x".repeat(MAX_PATH_BYTES + 1));
        let deep = format!("{ROOT}{}", "/a".repeat(MAX_DEPTH + 1));
        assert_eq!(
            [long, deep].map(|text| ToolPath::parse(&text)),
            [None, None]
        );
    }

    proptest! {
        /// Law: whatever is read, joined to a folder, stays in the folder.
        #[test]
        fn a_path_that_is_read_stays_in_its_folder(text in "(/memories)?[./%\\\\a2eF\u{0}]{0,12}") {
            if let Some(path) = ToolPath::parse(&text) {
                let mut depth = 0_i32;
                for name in path.below().split('/') {
                    depth += match name { ".." => -1, "" | "." => 0, _ => 1 };
                    prop_assert!(depth >= 0 && !name.contains('\\'));
                }
                let again = ToolPath::parse(&path.to_string());
                prop_assert_eq!(again, Some(path));
            }
        }
    }
}
