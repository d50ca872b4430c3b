//! Input of commands: a JSON document in a file, and standard input.

use std::path::Path;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use counterfoil::text::holds_nul;
use counterfoil_claims::{Channel, Channels};
use counterfoil_types::Confidence;
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_verify::{InputError, read_file, read_standard_input};

use crate::failure::{ErrorKind, Failure};

/// The JSON in a file, or on standard input where none is named.
pub(crate) fn document(file: Option<&Path>) -> Result<Value, Failure> {
    let (name, bytes) = match file {
        Some(path) => (
            path.display().to_string(),
            read_file("file", path, Limits::CONTENT.bytes),
        ),
        None => (
            "standard input".to_owned(),
            read_standard_input("document", Limits::CONTENT.bytes),
        ),
    };
    let value = parse(&bytes.map_err(unreadable)?, Limits::CONTENT)
        .map_err(|error| Failure::json(&name, &error))?;
    if holds_nul(&value) {
        return Err(Failure::input(
            format_args!("{name} contains the character NUL in a string"),
            "remove it",
        ));
    }
    Ok(value)
}

/// The text on standard input, without what ends its last line.
pub(crate) fn standard_input() -> Result<String, Failure> {
    let bytes = read_standard_input("text", Limits::CONTENT.bytes).map_err(unreadable)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::input(
            format_args!("standard input is not UTF-8 at byte {at}"),
            "convert it to UTF-8",
        )
    })?;
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}

fn unreadable(error: InputError) -> Failure {
    match error {
        InputError::TooLarge { path, .. } => Failure::input(
            format_args!(
                "{} is above 1 MiB, the limit for one memory",
                path.display()
            ),
            "split it, or import it as a record",
        ),
        other => Failure::new(ErrorKind::Input, other),
    }
}

/// Reads a confidence.
pub(crate) fn confidence(text: &str) -> Result<Confidence, String> {
    let refused = || format!("{text:?} is no confidence; write a number from 0 to 1");
    Confidence::new(text.parse().map_err(|_| refused())?).map_err(|_| refused())
}

/// Word of an option, its help, and its value.
pub(crate) type Choice<T> = (&'static str, &'static str, T);

/// Parser of the words of an option.
pub(crate) fn one_of<T: Copy + Send + Sync + 'static>(
    choices: &'static [Choice<T>],
) -> impl TypedValueParser<Value = T> {
    let word = |(word, help, _): &Choice<T>| PossibleValue::new(*word).help(*help);
    let meaning = |word: String| {
        let found = choices.iter().find(|(known, ..)| *known == word);
        found.map(|(.., meaning)| *meaning).ok_or("no such word")
    };
    PossibleValuesParser::new(choices.iter().map(word)).try_map(meaning)
}

/// Channel of a claim. Provenance follows from the channel alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChannelName {
    /// The user said so
    User,
    /// The host has seen it itself
    FirstHand,
    /// A model said so: it never overturns what came from outside
    Model,
}

impl ChannelName {
    /// The host's channel of this name. The person who runs this program is the host.
    pub(crate) fn channel(self) -> Channel {
        let channels = Channels::of_host();
        match self {
            Self::User => channels.user(),
            Self::FirstHand => channels.first_hand(),
            Self::Model => channels.model(),
        }
    }
}
