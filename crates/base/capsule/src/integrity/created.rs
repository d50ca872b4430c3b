//! When a proof says it was made: testimony, read strictly and never used for order (capsules B22).

use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

use counterfoil_types::{calendar, text_form};

use super::IntegrityError;
use crate::timestamp::Timestamp;

/// `created` of a proof: an XML Schema `dateTimeStamp` in UTC, `YYYY-MM-DDTHH:MM:SS[.f]Z` with one
/// to six digits of fraction or none, years 1970 to 9999.
///
/// It keeps the spelling that was signed. Nothing is ordered or refused by it: who holds the key can
/// write any time there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    text: String,
    at: Timestamp,
}

impl Created {
    /// The instant, as the signer has it.
    #[must_use]
    pub const fn at(&self) -> Timestamp {
        self.at
    }
}

impl From<Timestamp> for Created {
    fn from(at: Timestamp) -> Self {
        let text = at.to_string();
        Self { text, at }
    }
}

impl FromStr for Created {
    type Err = IntegrityError;

    fn from_str(text: &str) -> Result<Self, IntegrityError> {
        let at = instant(text).ok_or_else(|| IntegrityError::Created {
            text: text.chars().take(40).collect(),
        })?;
        let text = text.to_string();
        Ok(Self { text, at })
    }
}

impl fmt::Display for Created {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

text_form! {
    Created: "a time in UTC, such as 2026-02-10T00:00:00Z",
        like "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,6})?Z$";
}

fn instant(text: &str) -> Option<Timestamp> {
    let form = text.len() <= 27 && text.get(10..11) == Some("T") && text.ends_with('Z');
    let micros = form.then(|| calendar::instant(text)).flatten()?;
    Timestamp::from_micros(u64::try_from(micros).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_in_utc_are_read_and_keep_their_spelling() {
        for (text, micros) in [
            ("2023-02-24T23:36:38Z", 1_677_281_798_000_000),
            ("2023-02-24T23:36:38.5Z", 1_677_281_798_500_000),
            ("2023-02-24T23:36:38.000001Z", 1_677_281_798_000_001),
        ] {
            let created: Created = text.parse().unwrap();
            assert_eq!(created.to_string(), text);
            assert_eq!(created.at().micros(), micros);
        }
    }

    #[test]
    fn what_is_no_instant_in_utc_is_refused() {
        for text in [
            "",
            "Z",
            "2023-02-24T23:36:38",
            "2023-02-24T23:36:38z",
            "2023-02-24T23:36:38+00:00",
            "2023-02-24T23:36:38.Z",
            "2023-02-24T23:36:38.1234567Z",
            "2023-02-24T23:36:38.1.2Z",
            "2023-02-24T23:36:60Z",
            "2023-02-30T23:36:38Z",
            "2023-02-24 23:36:38Z",
            " 2023-02-24T23:36:38Z",
        ] {
            assert!(text.parse::<Created>().is_err(), "accepted {text:?}");
        }
    }
}
