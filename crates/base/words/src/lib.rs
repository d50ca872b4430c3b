//! Words of texts and questions in many languages, as a full-text index holds them (MR-03).
//!
//! [`index_terms`] turns a text into terms, and [`forms`] the word of a question into the terms that it can be in texts of
//! several languages. Both cut, fold and stem by the same rules, which [`RULES`] numbers: an index that was made by other rules
//! has to be made again.
//!
//! Words end where neither a letter nor a digit follows. Letter case and accents do not count. A word of an alphabet is
//! stemmed: Latin letters in the language of the text, which its function words show. Scripts that set no spaces between words
//! (Chinese, Japanese, Thai) or join particles to them (Korean) become overlapping pairs of characters.

mod fold;
mod forms;
mod function_words;
mod language;
mod question;
mod segment;

pub use forms::{Form, RULES, forms, index_terms};
pub use language::Language;
pub use question::Question;
