//! One production source file: its crate, its module path, and its code and comments without the tests.

use counterfoil_boundaries::source::code_and_comments;

/// A file below `crates/*/src`, without its tests.
pub(super) struct Source {
    /// Path from the root of the repository.
    pub(super) path: String,
    /// Folder of the package, `crates/base/types`.
    pub(super) package: String,
    /// Module path inside of the crate; empty for its root.
    pub(super) module: Vec<String>,
    /// Code: comments and insides of strings are blank.
    pub(super) code: String,
    /// Comments: all else is blank.
    pub(super) comments: String,
}

impl Source {
    /// `None` for files outside of `crates/*/src` and for files of tests.
    pub(super) fn of(path: &str, text: &str) -> Option<Self> {
        let (package, file) = path.split_once("/src/")?;
        let module = file.strip_suffix(".rs")?;
        let mut module: Vec<String> = module.split('/').map(str::to_owned).collect();
        let tests = module
            .iter()
            .any(|name| matches!(name.as_str(), "tests" | "test" | "conformance"));
        if !package.starts_with("crates/") || tests {
            return None;
        }
        if module
            .last()
            .is_some_and(|name| matches!(name.as_str(), "mod" | "lib" | "main"))
        {
            module.pop();
        }
        let (code, comments) = code_and_comments(text);
        let end = tests_begin(&code);
        let head = |view: &str| view.split_inclusive('\n').take(end).collect();
        Some(Self {
            path: path.to_owned(),
            package: package.to_owned(),
            module,
            code: head(&code),
            comments: head(&comments),
        })
    }

    /// The number of public structs, enums, unions and traits.
    pub(super) fn public_types(&self) -> usize {
        let public = |line: &&str| {
            let rest = line.trim_start().strip_prefix("pub ").unwrap_or_default();
            ["struct ", "enum ", "union ", "trait "]
                .iter()
                .any(|kind| rest.starts_with(kind))
        };
        self.code.lines().filter(public).count()
    }
}

/// The line, from 0, of the module of tests at the bottom of a file.
fn tests_begin(code: &str) -> usize {
    let lines: Vec<&str> = code.lines().collect();
    let begins = |pair: &[&str]| {
        matches!(pair, [attribute, module]
            if attribute.trim() == "#[cfg(test)]" && module.trim_start().starts_with("mod ") && module.contains('{'))
    };
    lines.windows(2).position(begins).unwrap_or(lines.len())
}
