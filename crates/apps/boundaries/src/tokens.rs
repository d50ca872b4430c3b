//! The tokens of a source text, and the ways in which they can reach past `no_std` (M-8, FP-08).
//!
//! Constructs that cannot be judged without expanding macros are refused: a pure crate needs none of them.

use std::path::Path;

use crate::source::{Views, read, rust_files};
use crate::{Error, Package};

/// A word or a single sign of the code.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Token {
    text: String,
    line: usize,
}

/// A source text without comments, strings and characters.
#[derive(Debug, Clone)]
pub(crate) struct Tokens(Vec<Token>);

/// A place that can reach past `no_std`: its line (from 1) and what to do about it.
pub(crate) type Escape = (usize, &'static str);

const EXTERN: &str = "remove this `extern`: a pure crate has `extern crate` of others than `std`, `proc_macro` and `test`, outside of macros and functions, and what stands behind `#[cfg(test)]` for its tests";
const MODULE: &str =
    "move this module out of the macro or function: where its file is can't be seen there";
const PATH: &str = "remove the attribute `path` and put the module where Rust looks for it";
const INCLUDE: &str = "write the included code into a module; rename what is only called `include`";
const MACHINE: &str =
    "remove what speaks to the machine past Rust: assembly, its clock, its random numbers";
const SHEBANG: &str = "remove the text after `#!`";

/// The libraries of Rust itself that reach the machine, or reach `std` and through it the machine.
const LIBRARIES: &[&str] = &["std", "proc_macro", "test"];

/// Assembly.
const MACHINE_WORDS: &[&str] = &["asm", "global_asm", "naked_asm"];
/// Functions of `core::arch` that read a clock or make random numbers.
const MACHINE_PREFIXES: &[&str] = &["_rdtsc", "__rdtscp", "_rdrand", "_rdseed", "__rndr"];

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

/// Position of the walk over the tokens.
struct Place {
    levels: Vec<Level>,
    /// True if the item that begins here has `#[cfg(test)]`.
    tested: bool,
}

impl Tokens {
    pub(crate) fn of(text: &str) -> Self {
        // Rust's white space, and the byte order mark.
        let is_blank =
            |c: char| c.is_whitespace() || matches!(c, '\u{200E}' | '\u{200F}' | '\u{FEFF}');
        let code = Views::of(text).code;
        let mut tokens = Vec::new();
        for (at, line) in code.lines().enumerate() {
            let mut rest = line;
            while let Some(first) = rest.chars().next() {
                let (word, after) = split(rest, first);
                if !is_blank(first) {
                    tokens.push(Token {
                        text: word.to_owned(),
                        line: at + 1,
                    });
                }
                rest = after;
            }
        }
        Self(tokens)
    }

    fn text(&self, at: usize) -> &str {
        self.0.get(at).map_or("", |token| token.text.as_str())
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
        for (index, token) in self.0.iter().enumerate().skip(at) {
            match token.text.as_str() {
                "[" => depth += 1,
                "]" if depth <= 1 => return index + 1,
                "]" => depth -= 1,
                _ => {}
            }
        }
        self.0.len()
    }

    /// Returns true if `#![no_std]` is among the attributes before the first item, without a condition.
    pub(crate) fn declare_no_std(&self) -> bool {
        let mut at = 0;
        while self.reads(at, &["#", "!", "["]) {
            if self.reads(at, &["#", "!", "[", "no_std", "]"]) {
                return true;
            }
            at = self.after_attribute(at);
        }
        false
    }

    /// Ways past `no_std` outside of `#[cfg(test)]`.
    pub(crate) fn escapes(&self) -> Vec<Escape> {
        let mut found = Vec::new();
        if self.reads(0, &["#", "!"]) && self.text(2) != "[" {
            found.push((1, SHEBANG));
        }
        let mut place = Place::start();
        let mut at = 0;
        while let Some(token) = self.0.get(at) {
            let begins = self.reads(at, &["#", "["]) || self.reads(at, &["#", "!", "["]);
            let attribute = place.is_module() && begins;
            let end = if attribute {
                self.after_attribute(at)
            } else {
                at + 1
            };
            let advice = if attribute {
                (at..end)
                    .any(|at| self.reads(at, &["path", "="]))
                    .then_some(PATH)
            } else {
                self.escape(at, &place)
            };
            found.extend(advice.map(|advice| (token.line, advice)));
            if attribute {
                place.tested |= self.reads(at, &["#", "[", "cfg", "(", "test", ")", "]"]);
            } else {
                place.pass(&token.text, self.opens_module(at));
            }
            at = end;
        }
        found
    }

    fn escape(&self, at: usize, place: &Place) -> Option<&'static str> {
        match self.text(at) {
            "extern" if !self.is_pure_extern(at, place) => Some(EXTERN),
            "mod" if !place.is_module() => Some(MODULE),
            "include" => Some(INCLUDE),
            word if MACHINE_WORDS.contains(&word)
                || MACHINE_PREFIXES.iter().any(|one| word.starts_with(one)) =>
            {
                Some(MACHINE)
            }
            _ => None,
        }
    }

    /// `extern crate NAME` where no macro can take it apart, and of `std` for tests alone.
    fn is_pure_extern(&self, at: usize, place: &Place) -> bool {
        place.is_module()
            && self.text(at + 1) == "crate"
            && self.text(at + 2).starts_with(is_word)
            && (!LIBRARIES.contains(&self.text(at + 2)) || place.is_for_tests())
    }

    /// The brace of `mod NAME {`.
    fn opens_module(&self, at: usize) -> bool {
        at.checked_sub(2).is_some_and(|at| self.text(at) == "mod")
    }
}

impl Place {
    const fn start() -> Self {
        Self {
            levels: Vec::new(),
            tested: false,
        }
    }

    fn level(&self) -> Level {
        self.levels.last().copied().unwrap_or(Level::Module)
    }

    fn is_module(&self) -> bool {
        self.level() != Level::Opaque
    }

    fn is_for_tests(&self) -> bool {
        self.tested || self.level() == Level::Tests
    }

    /// Goes over one token that is no part of an attribute of a module's item.
    fn pass(&mut self, token: &str, opens_module: bool) {
        match token {
            "{" if opens_module && self.is_for_tests() => self.levels.push(Level::Tests),
            "{" if opens_module && self.is_module() => self.levels.push(Level::Module),
            "{" | "(" | "[" => self.levels.push(Level::Opaque),
            "}" | ")" | "]" => drop(self.levels.pop()),
            // `#[cfg(test)]` holds up to the item's name, or the brace behind it.
            word if self.tested && word.starts_with(is_word) => return,
            _ => {}
        }
        self.tested = false;
    }
}

/// The word or sign at the start of `rest`, a raw identifier without its `r#`, and what follows.
fn split(rest: &str, first: char) -> (&str, &str) {
    let raw = rest
        .strip_prefix("r#")
        .filter(|name| name.starts_with(is_word));
    let start = raw.unwrap_or(rest);
    let length = if is_word(first) {
        start.find(|c| !is_word(c)).unwrap_or(start.len())
    } else {
        first.len_utf8()
    };
    start.split_at_checked(length).unwrap_or((start, ""))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Ways in which the library with the root file `library` can reach `std`, as advice; none when it is pure.
///
/// # Errors
/// [`Error::Read`] when the file, or one beside or below it, cannot be read.
fn reaches_std(library: &Path) -> Result<Vec<String>, Error> {
    let mut advice = Vec::new();
    if !Tokens::of(&read(library)?).declare_no_std() {
        advice.push("put `#![no_std]` at the top of its library".to_owned());
    }
    for file in rust_files(library.parent().unwrap_or(library))? {
        for (line, what) in Tokens::of(&read(&file)?).escapes() {
            advice.push(format!("{}, line {line}: {what}", file.display()));
        }
    }
    Ok(advice)
}

/// Obstacles to the purity of `package`, as advice: its build script, its procedural macros, and ways to `std`.
///
/// # Errors
/// As [`reaches_std`].
pub(crate) fn impurities(package: &Package) -> Result<Vec<String>, Error> {
    let script = package
        .build_script
        .iter()
        .map(|_| "remove its build script".to_owned());
    let macros = package.writes_code.then(|| {
        "replace its procedural macros: what they write can't be read before it is built".to_owned()
    });
    let std = match &package.library {
        Some(library) => reaches_std(library)?,
        None => Vec::new(),
    };
    Ok(script.chain(macros).chain(std).collect())
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
            assert!(Tokens::of(text).declare_no_std(), "{text}");
        }
        for text in [
            "",
            "// #![no_std]\n",
            "#![cfg_attr(not(feature = \"std\"), no_std)]\n",
            "mod z {\n#![no_std]\n}\n",
        ] {
            assert!(!Tokens::of(text).declare_no_std(), "{text}");
        }
    }
}
