//! Creation time of a proof: testimony, read strictly and never used for order (capsules B22).

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

use counterfoil_types::calendar::Civil;
use counterfoil_types::document::Fault;
use counterfoil_types::{calendar, text_form};

/// 9999-12-31T23:59:59.999999Z, the last instant that four digits of a year can name.
const LAST: i64 = 253_402_300_799_999_999;

const FORM: &str = "a time in UTC, such as 2026-02-10T00:00:00Z";

/// `created` of a proof: an XML Schema `dateTimeStamp` in UTC, `YYYY-MM-DDTHH:MM:SS[.f]Z` with one
/// to six digits of fraction or none, years 1970 to 9999.
///
/// It keeps the spelling that was signed. Nothing is ordered or refused by it: who holds the key can
/// write any time there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created(String);

impl Created {
    /// The instant `micros` microseconds after 1970, with six digits of fraction; later than the year 9999, its end.
    pub fn from_micros(micros: u64) -> Self {
        let civil = Civil::of(i64::try_from(micros).map_or(LAST, |micros| micros.min(LAST)));
        Self(format!("{civil}.{:06}Z", civil.fraction()))
    }
}

impl FromStr for Created {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        let form = text.len() <= 27 && text.get(10..11) == Some("T") && text.ends_with('Z');
        let micros = form.then(|| calendar::instant(text)).flatten();
        match micros.is_some_and(|micros| micros >= 0) {
            true => Ok(Self(text.to_string())),
            false => Err(Fault::new("/created", FORM)),
        }
    }
}

impl fmt::Display for Created {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

text_form! {
    Created: FORM,
        like "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,6})?Z$";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_in_utc_are_read_and_keep_their_spelling() {
        for text in [
            "1970-01-01T00:00:00Z",
            "2023-02-24T23:36:38.5Z",
            "2023-02-24T23:36:38.000001Z",
        ] {
            assert_eq!(text.parse::<Created>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_instant_in_utc_is_refused() {
        for text in [
            "",
            "1969-12-31T23:59:59Z",
            "2023-02-24T23:36:38",
            "2023-02-24T23:36:38z",
            "2023-02-24T23:36:38+00:00",
            "2023-02-24T23:36:38.Z",
            "2023-02-24T23:36:38.1234567Z",
            "2023-02-24 23:36:38Z",
        ] {
            assert!(text.parse::<Created>().is_err(), "accepted {text:?}");
        }
    }
}
