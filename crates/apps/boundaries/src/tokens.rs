//! The tokens of a source text, and the ways in which they can reach past `no_std` (M-8, FP-08).
//!
//! What cannot be judged without expanding macros is refused: a pure crate needs none of it.

use crate::source::Views;

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

/// What a pair of braces, brackets or parentheses is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// A module that stands in this file, or the file: what is read there is what the compiler sees.
    Module,
    /// The same, for tests alone.
    Tests,
    /// Anything else. A macro may make of it what it likes.
    Opaque,
}

/// Where the walk over the tokens stands.
struct Place {
    levels: Vec<Level>,
    /// Has the item that begins here `#[cfg(test)]` on it?
    tested: bool,
}

impl Tokens {
    pub(crate) fn of(text: &str) -> Self {
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

    /// Where the attribute that starts at `at` ends: behind its last bracket.
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

    /// Is `#![no_std]` among the attributes before the first item, and without a condition?
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

    /// Every way past `no_std` that does not stand behind `#[cfg(test)]`.
    pub(crate) fn escapes(&self) -> Vec<Escape> {
        let mut found = Vec::new();
        if self.reads(0, &["#", "!"]) && self.text(2) != "[" {
            found.push((1, SHEBANG));
        }
        let mut place = Place::start();
        let mut at = 0;
        while let Some(token) = self.0.get(at) {
            let attribute = place.is_module() && self.begins_attribute(at);
            let end = if attribute {
                self.after_attribute(at)
            } else {
                at + 1
            };
            let advice = if attribute {
                self.names_a_file(at, end).then_some(PATH)
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
            word if speaks_to_the_machine(word) => Some(MACHINE),
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

    fn begins_attribute(&self, at: usize) -> bool {
        self.reads(at, &["#", "["]) || self.reads(at, &["#", "!", "["])
    }

    /// `path =` in the attribute from `at` to `end`: behind a condition too.
    fn names_a_file(&self, at: usize, end: usize) -> bool {
        (at..end).any(|at| self.reads(at, &["path", "="]))
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

/// Assembly, and the functions of `core::arch` that read a clock or make random numbers.
fn speaks_to_the_machine(word: &str) -> bool {
    matches!(word, "asm" | "global_asm" | "naked_asm")
        || ["_rdtsc", "__rdtscp", "_rdrand", "_rdseed", "__rndr"]
            .iter()
            .any(|one| word.starts_with(one))
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

/// Rust's white space, and the byte order mark.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200E}' | '\u{200F}' | '\u{FEFF}')
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
