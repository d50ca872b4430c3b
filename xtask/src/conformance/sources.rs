//! The sources of every package: the file that defines an item, and the file and text of a test.

use std::collections::BTreeMap;

use anyhow::Result;
use counterfoil_boundaries::source::code_and_comments;

use crate::repository;

/// All Rust sources of the workspace, by package.
pub(super) struct Sources {
    /// Name as in `use`, then the package's files.
    packages: BTreeMap<String, Vec<File>>,
    /// Every path of the repository.
    paths: Vec<String>,
    /// Path and text of the programs that trybuild compiles.
    cases: BTreeMap<String, String>,
}

struct File {
    path: String,
    text: String,
    code: String,
}

/// A test that runs.
pub(super) struct Test<'a> {
    /// Its file.
    pub(super) path: &'a str,
    /// Its documentation, its attributes and its body.
    pub(super) text: &'a str,
}

const KEYWORDS: [&str; 10] = [
    "struct",
    "enum",
    "trait",
    "type",
    "fn",
    "const",
    "static",
    "mod",
    "union",
    "macro_rules!",
];

impl Sources {
    pub(super) fn read() -> Result<Self> {
        let root = repository::root();
        let paths = repository::files()?;
        let graph = repository::graph()?;
        let folders: Vec<(String, String)> = graph
            .members()
            .filter_map(|(name, manifest)| {
                let folder = manifest.parent()?.strip_prefix(&root).ok()?;
                let folder = folder.to_string_lossy().replace('\\', "/");
                Some((name.replace('-', "_"), format!("{folder}/")))
            })
            .collect();
        let mut packages: BTreeMap<String, Vec<File>> = BTreeMap::new();
        let mut cases = BTreeMap::new();
        for path in paths.iter().filter(|path| path.ends_with(".rs")) {
            let text = repository::read(path)?;
            if path.contains("/tests/ui/") {
                cases.insert(path.clone(), text.clone());
            }
            let owner = folders
                .iter()
                .filter(|(_, folder)| path.starts_with(folder.as_str()))
                .max_by_key(|(_, folder)| folder.len());
            if let Some((name, _)) = owner {
                packages
                    .entry(name.clone())
                    .or_default()
                    .push(File::new(path, text));
            }
        }
        Ok(Self {
            packages,
            paths,
            cases,
        })
    }

    #[cfg(test)]
    pub(super) fn of(package: &str, path: &str, text: &str) -> Self {
        let file = File::new(path, text.to_owned());
        Self {
            packages: BTreeMap::from([(package.to_owned(), vec![file])]),
            paths: vec![path.to_owned()],
            cases: BTreeMap::from([(path.to_owned(), text.to_owned())]),
        }
    }

    /// The file that defines the last of `package::a::B`, when every part of the path is defined in the package.
    pub(super) fn item(&self, name: &str) -> Option<&str> {
        let (package, path) = name.split_once("::")?;
        let files = self.packages.get(package)?;
        let mut found = None;
        for part in path.split("::") {
            let file = files
                .iter()
                .find(|file| file.definitions(part, &KEYWORDS).next().is_some())?;
            found = Some(file.path.as_str());
        }
        found
    }

    /// The test `package::the_test`: a function with a test attribute that is not ignored.
    pub(super) fn test(&self, name: &str) -> Option<Test<'_>> {
        let (package, function) = name.rsplit_once("::")?;
        let files = self.packages.get(package.split("::").next()?)?;
        files.iter().find_map(|file| {
            let mut places = file.definitions(function, &["fn"]);
            places.find_map(|at| file.test_at(at))
        })
    }

    /// Every test that runs: its package, its name, itself.
    pub(super) fn tests(&self) -> impl Iterator<Item = (&str, &str, Test<'_>)> {
        self.packages.iter().flat_map(|(package, files)| {
            let tests = files.iter().flat_map(File::tests);
            tests.map(move |(name, test)| (package.as_str(), name, test))
        })
    }

    /// The code of a package, file by file, without comments and texts.
    pub(super) fn code(&self, package: &str) -> impl Iterator<Item = &str> {
        let files = self.packages.get(package).into_iter().flatten();
        files.map(|file| file.code.as_str())
    }

    /// The code of a package's files of tests.
    pub(super) fn tested(&self, package: &str) -> impl Iterator<Item = &str> {
        let files = self.packages.get(package).into_iter().flatten();
        let tests = files.filter(|file| file.path.contains("/tests/"));
        tests.map(|file| file.code.as_str())
    }

    /// The files of a folder.
    pub(super) fn under(&self, folder: &str) -> impl Iterator<Item = &str> {
        let paths = self.paths.iter().map(String::as_str);
        paths.filter(move |path| path.starts_with(folder))
    }

    /// The package whose file this is.
    pub(super) fn package_of(&self, path: &str) -> Option<&str> {
        let mut all = self.packages.iter();
        let found = all.find(|(_, files)| files.iter().any(|file| file.path == path));
        found.map(|(package, _)| package.as_str())
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.paths.iter().any(|one| one == path)
    }

    /// A program of trybuild that must not compile, with the compiler's message beside it.
    pub(super) fn refused(&self, path: &str) -> Option<&str> {
        let there =
            path.contains("/tests/ui/refused/") && self.has(&path.replace(".rs", ".stderr"));
        self.cases.get(path).filter(|_| there).map(String::as_str)
    }

    /// Path and text of all programs that trybuild compiles.
    pub(super) fn cases(&self) -> impl Iterator<Item = (&str, &str)> {
        self.cases
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
    }
}

impl File {
    fn new(path: &str, text: String) -> Self {
        let (code, _) = code_and_comments(&text);
        Self {
            path: path.to_owned(),
            text,
            code,
        }
    }

    /// Byte offsets of `name` after one of `keywords`.
    fn definitions<'a>(
        &'a self,
        name: &'a str,
        keywords: &'a [&str],
    ) -> impl Iterator<Item = usize> + 'a {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        self.code
            .match_indices(name)
            .map(|(at, _)| at)
            .filter(move |at| {
                let before = self.code.get(..*at).unwrap_or_default();
                let after = self.code.get(at + name.len()..).unwrap_or_default();
                let keyword = before.split_whitespace().next_back().unwrap_or_default();
                before.ends_with(char::is_whitespace)
                    && !after.starts_with(word)
                    && keywords.contains(&keyword)
            })
    }

    fn tests(&self) -> impl Iterator<Item = (&str, Test<'_>)> {
        self.code.match_indices("fn ").filter_map(|(at, keyword)| {
            let at = at + keyword.len();
            let name = self.code.get(at..)?.split(['(', '<']).next()?.trim();
            Some((name, self.test_at(at)?))
        })
    }

    /// The test with its name at `at`.
    fn test_at(&self, at: usize) -> Option<Test<'_>> {
        let start = self.header(at);
        let attributes = self.code.get(start..at)?;
        let runs = ["#[test]", "::test]", "::test("]
            .iter()
            .any(|one| attributes.contains(one));
        if !runs || attributes.contains("#[ignore") {
            return None;
        }
        let text = self.text.get(start..self.body_end(at))?;
        Some(Test {
            path: &self.path,
            text,
        })
    }

    /// The start of the documentation and attributes above the line of `at`.
    fn header(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or_default();
        let mut start = before.rfind('\n').map_or(0, |end| end + 1);
        while let Some(above) = before.get(..start.saturating_sub(1)) {
            let line_start = above.rfind('\n').map_or(0, |end| end + 1);
            let line = above.get(line_start..).unwrap_or_default().trim();
            if start == 0 || !["#[", "//", ")]"].iter().any(|mark| line.starts_with(mark)) {
                break;
            }
            start = line_start;
        }
        start
    }

    /// The end of the function with its name at `at`.
    fn body_end(&self, at: usize) -> usize {
        let mut depth = 0_usize;
        for (offset, byte) in self.code.bytes().enumerate().skip(at) {
            match byte {
                b'{' => depth += 1,
                b'}' if depth == 1 => return offset + 1,
                b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        self.code.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "//! M-3\npub struct Held(u8);\nimpl Held { pub const fn to_proof(&self) {} }\nmod deep;\n\n/// M-8\n#[test]\nfn it_holds() {\n    let text = \"}\"; // M-9\n}\n\nfn helper() {}\n\n#[test]\n#[ignore]\nfn it_sleeps() {}\n\nproptest! {\n    /// CR-08\n    #[test]\n    fn it_holds_for_all(x in 0..9) { assert!(x < 9); }\n}\n#[tokio::test]\nasync fn it_waits() {}\n";

    fn sources() -> Sources {
        Sources::of("my_crate", "crates/my/src/lib.rs", TEXT)
    }

    #[test]
    fn items_are_found_where_they_are_defined_and_not_where_they_are_used() {
        let sources = sources();
        for there in [
            "my_crate::Held",
            "my_crate::Held::to_proof",
            "my_crate::deep",
        ] {
            assert_eq!(sources.item(there), Some("crates/my/src/lib.rs"), "{there}");
        }
        for missing in [
            "my_crate::Hel",
            "my_crate::text",
            "my_crate::Lost::to_proof",
            "other::Held",
        ] {
            assert_eq!(sources.item(missing), None, "{missing}");
        }
    }

    #[test]
    fn tests_are_functions_that_run() {
        let sources = sources();
        for there in [
            "my_crate::it_holds",
            "my_crate::tests::it_holds_for_all",
            "my_crate::it_waits",
        ] {
            assert!(sources.test(there).is_some(), "{there}");
        }
        for missing in [
            "my_crate::helper",
            "my_crate::it_sleeps",
            "my_crate::it_hold",
            "x::it_holds",
        ] {
            assert!(sources.test(missing).is_none(), "{missing}");
        }
    }

    #[test]
    fn the_text_of_a_test_is_its_own_alone() {
        let sources = sources();
        let text = sources.test("my_crate::it_holds").unwrap().text;
        assert!(text.contains("M-8") && text.contains("M-9"), "{text}");
        assert!(!text.contains("M-3") && !text.contains("helper"), "{text}");
        assert!(
            sources
                .test("my_crate::it_holds_for_all")
                .unwrap()
                .text
                .contains("CR-08")
        );
    }
}
