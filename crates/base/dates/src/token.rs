//! Tokenizer: splits a text into sentences and words in one pass.

use crate::vocabulary::CONTRACTIONS;

/// Word, mark that ends a clause, or quotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token<'t> {
    /// Original text.
    pub text: &'t str,
    /// Text in lower case with straight apostrophes; of a contraction, one of its words.
    pub lower: String,
    /// Kind of the token.
    pub kind: Kind,
}

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A word or a number.
    Word,
    /// A mark that ends a clause.
    Mark,
    /// Text between quotation marks, which the speaker does not state but which may be a name.
    Quoted,
}

/// Sentence.
#[derive(Debug, PartialEq, Eq)]
pub struct Sentence<'t> {
    /// Words and marks, without the final mark.
    pub tokens: Vec<Token<'t>>,
    /// True for a question.
    pub asks: bool,
    /// True after a dash.
    pub follows: bool,
}

/// Words whose full stop does not end a sentence.
const ABBREVIATIONS: [&str; 11] = [
    "st", "dr", "mr", "mrs", "ms", "jr", "sr", "prof", "mt", "ft", "vs",
];

/// The sentences of a text, in its order.
pub fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut cutter = Cutter::default();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        rest = cutter.take(rest, first);
    }
    cutter.end(false);
    cutter.sentences
}

#[derive(Default)]
struct Cutter<'t> {
    sentences: Vec<Sentence<'t>>,
    tokens: Vec<Token<'t>>,
    /// True if the sentence follows a dash.
    follows: bool,
    /// True if this line has no further closing mark; then none is searched for again.
    no_close: bool,
}

impl<'t> Cutter<'t> {
    /// Reads the token at the beginning of `rest`, and returns the remaining text.
    fn take(&mut self, rest: &'t str, first: char) -> &'t str {
        let after = rest.get(first.len_utf8()..).unwrap_or_default();
        match first {
            '\n' => {
                self.no_close = false;
                self.end(false);
            }
            '!' | '…' => self.end(false),
            '?' => self.end(true),
            '.' => {
                let inside = after.starts_with(|next: char| next.is_alphanumeric());
                let short = self.tokens.last().is_some_and(|last| {
                    ABBREVIATIONS.contains(&last.lower.as_str())
                        || (last.lower.len() == 1 && last.is_capitalised() && last.lower != "i")
                });
                if !inside && !short {
                    self.end(false);
                }
            }
            '"' | '“' => return self.quoted(after, first),
            first if first.is_alphanumeric() => return self.word(rest),
            '£' | '$' | '€' if after.starts_with(|next: char| next.is_ascii_digit()) => {
                return self.word(rest);
            }
            '%' => self.push("%", "%".to_owned(), Kind::Word),
            first if first.is_whitespace() => {}
            '\'' | '’' | '‘' | '-' if !after.starts_with([' ', '-']) => {}
            // "I wanted to tell you - we moved": what follows is a sentence of its own.
            '-' | '–' | '—' => {
                self.end(false);
                self.follows = true;
            }
            _ => {
                let text = rest.get(..first.len_utf8()).unwrap_or_default();
                self.push(text, text.to_owned(), Kind::Mark);
            }
        }
        after
    }

    fn end(&mut self, asks: bool) {
        if self.tokens.is_empty() {
            // "What?!" is a question all the same.
            return;
        }
        self.sentences.push(Sentence {
            tokens: core::mem::take(&mut self.tokens),
            asks,
            follows: core::mem::take(&mut self.follows),
        });
    }

    /// Reads a quotation, which ends with its line at the latest.
    fn quoted(&mut self, after: &'t str, opened: char) -> &'t str {
        let closes = if opened == '“' { '”' } else { '"' };
        let searched = if opened == '“' && self.no_close {
            ""
        } else {
            after
        };
        let end = searched.find(['\n', closes]);
        match end.and_then(|at| after.split_at_checked(at)) {
            Some((text, rest)) if rest.starts_with(closes) => {
                let text = text.trim_end_matches([',', '.']);
                self.push(text, text.to_lowercase(), Kind::Quoted);
                // A mark in the quotation does not end the sentence around it.
                rest.get(closes.len_utf8()..).unwrap_or_default()
            }
            _ => {
                self.no_close |= opened == '“';
                self.push("", String::new(), Kind::Mark);
                after
            }
        }
    }

    fn word(&mut self, rest: &'t str) -> &'t str {
        let inner = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '_' | '+');
        let length = number(rest)
            .or_else(|| rest.find(|c: char| !inner(c)))
            .unwrap_or(rest.len());
        let (whole, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        let text = whole.trim_end_matches(['\'', '’', '-', '_']);
        // "Good- we moved": the dash is a mark.
        let dash = whole
            .get(text.len()..)
            .is_some_and(|end| end.starts_with('-'));
        let after = if dash {
            rest.get(text.len()..).unwrap_or_default()
        } else {
            after
        };
        let lower = text.to_lowercase().replace('’', "'");
        match CONTRACTIONS.iter().find(|(short, _)| *short == lower) {
            Some((_, words)) => {
                for word in words.split(' ') {
                    self.push(text, word.to_owned(), Kind::Word);
                }
            }
            None => self.push(text, lower, Kind::Word),
        }
        after
    }

    fn push(&mut self, text: &'t str, lower: String, kind: Kind) {
        self.tokens.push(Token { text, lower, kind });
    }
}

/// Length of an amount with a sign, a decimal point or a comma before three digits: `£14,850`, `3.5`.
fn number(text: &str) -> Option<usize> {
    let digits = |at: usize| {
        let rest = text.get(at..).unwrap_or_default();
        rest.bytes().take_while(u8::is_ascii_digit).count()
    };
    let sign = text
        .chars()
        .next()
        .filter(|first| matches!(first, '£' | '$' | '€'));
    let sign = sign.map_or(0, char::len_utf8);
    let mut end = sign + digits(sign);
    let mut plain = sign == 0;
    while end > sign {
        let more = digits(end + 1);
        let goes_on = match text.as_bytes().get(end) {
            Some(b'.') => more > 0,
            Some(b',') => more == 3,
            _ => false,
        };
        if !goes_on {
            break;
        }
        end += 1 + more;
        plain = false;
    }
    (!plain && end > sign).then_some(end)
}

impl Token<'_> {
    /// Returns true for that word.
    pub fn is(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.lower == word
    }

    /// Returns true for one of those words.
    pub fn is_any(&self, words: &[&str]) -> bool {
        self.kind == Kind::Word && words.contains(&self.lower.as_str())
    }

    /// Returns true for a word with a capital letter.
    pub fn is_capitalised(&self) -> bool {
        self.kind == Kind::Word && self.text.starts_with(char::is_uppercase)
    }

    /// Returns the owner in `Anna's`.
    pub fn owner(&self) -> Option<&str> {
        let lower = self.lower.strip_suffix("'s")?;
        (self.kind == Kind::Word && !lower.is_empty()).then_some(lower)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Vec<String>> {
        let words = |sentence: Sentence<'_>| {
            let tokens = sentence.tokens.into_iter();
            tokens.map(|token| token.lower).collect()
        };
        sentences(text).into_iter().map(words).collect()
    }

    #[test]
    fn sentences_end_at_their_marks_and_not_at_abbreviations() {
        assert_eq!(
            words("I'm from St. Ives. No? It's 3.5 km!"),
            [
                vec!["i", "am", "from", "st", "ives"],
                vec!["no"],
                vec!["it's", "3.5", "km"]
            ]
        );
        assert!(sentences("Do you live in Ghent? Yes.")[0].asks);
    }

    #[test]
    fn what_is_quoted_is_one_token() {
        let found = sentences("My favourite book is \"Mrs. Dalloway\", I think.");
        let quoted: Vec<_> = found[0]
            .tokens
            .iter()
            .filter(|t| t.kind == Kind::Quoted)
            .collect();
        assert_eq!(quoted[0].text, "Mrs. Dalloway");
    }

    #[test]
    fn an_open_quotation_ends_nothing() {
        assert_eq!(words("so \"no end")[0].len(), 4);
    }
}
