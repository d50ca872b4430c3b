//! The tokens of a source text, and the ways in which they can reach past `no_std` (M-8, FP-08).
//!
//! Constructs that cannot be judged without expanding macros are refused: a pure crate needs none of them.

use std::path::PathBuf;

use cargo_metadata::{Target, TargetKind};

use crate::source::{code_and_comments, read, rust_files};
use crate::{Error, Package};

/// A source text without comments, strings and characters: words and single signs, each with its line from 1.
struct Tokens(Vec<(String, usize)>);

const EXTERN: &str = "remove this `extern`: a pure crate has `extern crate` of others than `std`, `proc_macro` and `test`, outside of macros and functions, and what stands behind `#[cfg(test)]` for its tests";
const MODULE: &str =
    "move this module out of the macro or function: where its file is can't be seen there";
const PATH: &str = "remove the attribute `path` and put the module where Rust looks for it";
const INCLUDE: &str = "write the included code into a module; rename what is only called `include`";
const MACHINE: &str =
    "remove what speaks to the machine past Rust: assembly, its clock, its random numbers";
const STATE: &str =
    "remove what counts beside the arguments: the same arguments give the same result";
const SHEBANG: &str = "remove the text after `#!`";

/// The libraries of Rust itself that reach the machine, or reach `std` and through it the machine.
const LIBRARIES: &[&str] = &["std", "proc_macro", "test"];

/// Assembly.
const MACHINE_WORDS: &[&str] = &["asm", "global_asm", "naked_asm"];
/// Functions of `core::arch` that read a clock or make random numbers.
const MACHINE_PREFIXES: &[&str] = &["_rdtsc", "__rdtscp", "_rdrand", "_rdseed", "__rndr"];

/// Memory that an immutable value has without `unsafe`, and is `Sync`.
const STATE_WORDS: &[&str] = &["atomic", "strong_count", "weak_count"];

/// Meaning of a pair of braces, brackets or parentheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// A module in this file, or the file: the compiler sees the same text.
    Module,
    /// The same, for tests alone.
    Tests,
    /// Anything else. A macro may make of it what it likes.
    Opaque,
}

impl Tokens {
    fn of(text: &str) -> Self {
        // Rust's white space, and the byte order mark.
        let is_blank =
            |c: char| c.is_whitespace() || matches!(c, '\u{200E}' | '\u{200F}' | '\u{FEFF}');
        let (code, _) = code_and_comments(text);
        let mut tokens = Vec::new();
        for (at, line) in code.lines().enumerate() {
            let mut rest = line;
            while let Some(first) = rest.chars().next() {
                // A raw identifier counts without its `r#`.
                let raw = rest
                    .strip_prefix("r#")
                    .filter(|name| name.starts_with(is_word));
                let start = raw.unwrap_or(rest);
                let length = match start.find(|c| !is_word(c)) {
                    _ if !is_word(first) => first.len_utf8(),
                    end => end.unwrap_or(start.len()),
                };
                let (word, after) = start.split_at_checked(length).unwrap_or((start, ""));
                if !is_blank(first) {
                    tokens.push((word.to_owned(), at + 1));
                }
                rest = after;
            }
        }
        Self(tokens)
    }

    fn text(&self, at: usize) -> &str {
        self.0.get(at).map_or("", |(text, _)| text)
    }

    fn reads(&self, at: usize, words: &[&str]) -> bool {
        words
            .iter()
            .enumerate()
            .all(|(step, word)| self.text(at + step) == *word)
    }

    /// Index behind the last bracket of the attribute that starts at `at`.
    fn after_attribute(&self, at: usize) -> usize {
        let mut depth = 0_usize;
        for (index, (text, _)) in self.0.iter().enumerate().skip(at) {
            match text.as_str() {
                "[" => depth += 1,
                "]" if depth <= 1 => return index + 1,
                "]" => depth -= 1,
                _ => {}
            }
        }
        self.0.len()
    }

    /// Returns true if `#![no_std]` is among the attributes before the first item, without a condition.
    fn declares_no_std(&self) -> bool {
        let mut at = 0;
        while self.reads(at, &["#", "!", "["]) {
            if self.reads(at, &["#", "!", "[", "no_std", "]"]) {
                return true;
            }
            at = self.after_attribute(at);
        }
        false
    }

    /// Ways past `no_std` outside of `#[cfg(test)]`: the line, from 1, and the remedy.
    fn escapes(&self) -> Vec<(usize, &'static str)> {
        let mut found = Vec::new();
        if self.reads(0, &["#", "!"]) && self.text(2) != "[" {
            found.push((1, SHEBANG));
        }
        let mut levels = Vec::new();
        // True if the item that begins here has `#[cfg(test)]`.
        let mut tested = false;
        let mut at = 0;
        while let Some((text, line)) = self.0.get(at) {
            let level = levels.last().copied().unwrap_or(Level::Module);
            let (in_module, for_tests) = (level != Level::Opaque, tested || level == Level::Tests);
            if in_module && (self.reads(at, &["#", "["]) || self.reads(at, &["#", "!", "["])) {
                let end = self.after_attribute(at);
                if (at..end).any(|at| self.reads(at, &["path", "="])) {
                    found.push((*line, PATH));
                }
                tested |= self.reads(at, &["#", "[", "cfg", "(", "test", ")", "]"]);
                at = end;
                continue;
            }
            // `extern crate NAME` where no macro can take it apart, and of `std` for tests alone.
            let name = self.text(at + 2);
            let is_pure = in_module
                && self.text(at + 1) == "crate"
                && name.starts_with(is_word)
                && (!LIBRARIES.contains(&name) || for_tests);
            let machine = |word: &str| {
                let mut prefixes = MACHINE_PREFIXES.iter();
                MACHINE_WORDS.contains(&word) || prefixes.any(|one| word.starts_with(one))
            };
            let advice = match text.as_str() {
                "extern" if !is_pure => Some(EXTERN),
                "mod" if !in_module => Some(MODULE),
                "include" => Some(INCLUDE),
                word => machine(word).then_some(MACHINE),
            };
            found.extend(advice.map(|advice| (*line, advice)));
            // The brace of `mod NAME {`.
            let opens = at.checked_sub(2).is_some_and(|at| self.text(at) == "mod");
            match text.as_str() {
                "{" if opens && for_tests => levels.push(Level::Tests),
                "{" if opens && in_module => levels.push(Level::Module),
                "{" | "(" | "[" => levels.push(Level::Opaque),
                "}" | ")" | "]" => drop(levels.pop()),
                _ => {}
            }
            // `#[cfg(test)]` holds up to the item's name, or the brace behind it.
            tested &= text.starts_with(is_word);
            at += 1;
        }
        found
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

const LIBRARY: &[TargetKind] = &[
    TargetKind::Lib,
    TargetKind::RLib,
    TargetKind::DyLib,
    TargetKind::CDyLib,
    TargetKind::StaticLib,
    TargetKind::ProcMacro,
];

/// The library of `package`, when it has one.
pub(crate) fn library(package: &Package) -> Option<&Target> {
    let is_library = |kind: &TargetKind| LIBRARY.contains(kind);
    let mut targets = package.cargo.targets.iter();
    targets.find(|target| target.kind.iter().any(is_library))
}

/// Words of a pure role's package that give it a memory of its own.
///
/// # Errors
/// [`Error::Read`] as for [`impurities`].
pub(crate) fn states(package: &Package) -> Result<Vec<String>, Error> {
    let mut advice = Vec::new();
    for file in sources(package)? {
        for (word, line) in &Tokens::of(&read(&file)?).0 {
            if STATE_WORDS.contains(&word.as_str()) || word.starts_with("Atomic") {
                advice.push(format!("{}, line {line}: {STATE}", file.display()));
            }
        }
    }
    Ok(advice)
}

/// Obstacles to the purity of `package`, as advice: its build script, its procedural macros, and ways to `std`.
///
/// # Errors
/// [`Error::Read`] when the root of its library, or a file beside or below it, cannot be read.
pub(crate) fn impurities(package: &Package) -> Result<Vec<String>, Error> {
    let mut advice = Vec::new();
    if package.cargo.targets.iter().any(Target::is_custom_build) {
        advice.push("remove its build script".to_owned());
    }
    if package.cargo.targets.iter().any(Target::is_proc_macro) {
        advice.push(
            "replace its procedural macros: what they write can't be read before it is built"
                .to_owned(),
        );
    }
    let root = library(package).map(|target| target.src_path.as_std_path());
    if let Some(root) = root
        && !Tokens::of(&read(root)?).declares_no_std()
    {
        advice.push("put `#![no_std]` at the top of its library".to_owned());
    }
    for file in sources(package)? {
        for (line, remedy) in Tokens::of(&read(&file)?).escapes() {
            advice.push(format!("{}, line {line}: {remedy}", file.display()));
        }
    }
    Ok(advice)
}

/// The files beside and below the root of the package's library; none without a library.
fn sources(package: &Package) -> Result<Vec<PathBuf>, Error> {
    let root = library(package).map(|target| target.src_path.as_std_path());
    root.map_or(Ok(Vec::new()), |root| {
        rust_files(root.parent().unwrap_or(root))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        let escapes = Tokens::of(text).escapes();
        escapes.into_iter().map(|(line, _)| line).collect()
    }

    /// FP-08: what would let IO into a pure crate is found, and what only tests see is let through.
    #[test]
    fn std_is_found_outside_of_tests_alone() {
        for (text, line) in [
            ("#![no_std]\nextern crate std;\n", 2),
            ("pub extern crate std as s;\n", 1),
            ("#[cfg(feature = \"x\")]\nextern crate std;\n", 2),
            ("extern crate proc_macro as core;\n", 1),
            ("extern\ncrate std;\n", 1),
            ("extern/* */crate\tr#std;\n", 1),
            ("#[cfg(test)] mod t {}\nextern crate std;\n", 2),
            ("macro_rules! m { ($c:ident) => {extern crate $c;} }\n", 1),
            ("m!(extern crate);\n", 1),
            // The macro puts `std` where the name of the call stood.
            ("m!(extern crate alloc;);\n", 1),
            ("#[cfg(test)]\nuse a::b;\nextern crate std;\n", 3),
            ("#[cfg(test)]\nmod t {}\nmod u { extern crate std; }\n", 3),
            ("#[cfg(test)]\nfn f() {\nextern crate std;\n}\n", 3),
            ("keep! {\n#[cfg(test)] extern crate std;\n}\n", 2),
            ("unsafe extern \"C\" { fn time(); }\n", 1),
        ] {
            assert_eq!(lines(text), [line], "{text}");
        }
        for text in [
            "#[cfg(test)]\nextern crate std;\n",
            "#[cfg(test)] #[macro_use] pub extern crate std;\n",
            "#[cfg(test)]\nmod tests {\n    use x;\n    mod deep { extern crate std; }\n}\n",
            "mod inner { extern crate alloc; }\n",
            "// extern crate std;\nextern crate alloc;\n",
            "const TEXT: &str = \"extern crate std;\";\n",
        ] {
            assert!(lines(text).is_empty(), "{text}");
        }
    }

    /// FP-08: code that is not in a module's own file would not be looked at.
    #[test]
    fn code_from_other_files_is_refused() {
        for text in [
            "#[path = \"../more/m.rs\"] mod m;",
            "#[cfg_attr(all(), r#path = \"../more/m.rs\")] mod m;",
            "mod a { #[path = \"../more/m.rs\"] mod m; }",
            "m!(mod m;);",
            "macro_rules! m { ($p:ident $is:tt $f:literal) => { #[$p $is $f] mod m; } }",
            "fn f() { mod m; }",
            "include!(\"../more/m.rs\");",
            "use core::include as i;",
            "#!/x \"\n",
        ] {
            assert_eq!(lines(text), [1], "{text}");
        }
        let pure = "mod m; fn f() { let path = \"x\"; let x = include_str!(\"x\"); path == y; }";
        assert!(lines(pure).is_empty());
    }

    /// M-8, FP-08: a clock needs no `std` if the machine has one.
    #[test]
    fn clocks_and_chance_of_the_machine_are_refused() {
        for text in [
            "global_asm!(\"\");",
            "fn now() { unsafe { core::arch::x86_64::_rdtsc() } }",
            "use core::arch::x86_64::_rdrand64_step as step;",
        ] {
            assert_eq!(lines(text), [1], "{text}");
        }
    }

    /// FP-08: a condition on `no_std` is a way to turn it off, and inside of a module it says nothing.
    #[test]
    fn no_std_counts_at_the_root_without_conditions_alone() {
        for text in ["//! Docs.\n#![no_std]\n", "#![deny(x)]\n# ! [ no_std ]\n"] {
            assert!(Tokens::of(text).declares_no_std(), "{text}");
        }
        for text in [
            "",
            "// #![no_std]\n",
            "#![cfg_attr(not(feature = \"std\"), no_std)]\n",
            "mod z {\n#![no_std]\n}\n",
        ] {
            assert!(!Tokens::of(text).declares_no_std(), "{text}");
        }
    }
}
