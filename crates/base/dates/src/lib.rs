//! Dates that sentences and questions name, relative to the time at which they are said or asked.
//!
//! [`Dates`] reads a date at the beginning of some words, as an extractor of claims needs it; [`named_times`] finds those of a
//! question, with the phrases by which a text or [`in_words`] names them. English alone is read.

mod day;
mod partial;
mod question;
mod reader;
mod token;
#[rustfmt::skip]
mod vocabulary;

pub use day::in_words;
pub use partial::PartialDate;
pub use question::{NamedTime, named_times};
pub use reader::{Dated, Dates, When, calendar, day_of_year};
pub use token::{Kind, Sentence, Token, sentences};
pub use vocabulary::{MONTHS, NUMBERS, SEASONS, WEEKDAYS};
