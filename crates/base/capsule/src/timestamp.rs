//! Time at which a capsule was written, by its own word: 27 bytes of text, strictly read (Memory Capsule Protocol, "timestamp").

use alloc::format;
use core::fmt;
use core::str::FromStr;

use counterfoil_types::calendar::{self, Civil};
use counterfoil_types::text_form;

use crate::error::CapsuleError;

/// 9999-12-31T23:59:59.999999Z, the last instant that four digits of a year can name.
const LAST: u64 = 253_402_300_799_999_999;

/// An instant in microseconds since 1970-01-01T00:00:00Z, as a capsule header writes it.
///
/// The text is exactly `YYYY-MM-DDTHH:MM:SS.ffffffZ` (a profile of RFC 3339): 27 bytes, upper-case
/// `T` and `Z`, six digits of fraction, years 1970 to 9999, no leap second. One instant has one
/// spelling, so timestamps compare as text just as they do as numbers.
///
/// It is testimony of the writer: the order of capsules is their `seq`, never their timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

impl Timestamp {
    /// An instant `micros` microseconds after the epoch.
    ///
    /// # Errors
    /// [`CapsuleError::Timestamp`] after the year 9999.
    pub fn from_micros(micros: u64) -> Result<Self, CapsuleError> {
        if micros > LAST {
            return Err(CapsuleError::Timestamp {
                text: format!("{micros} µs"),
            });
        }
        Ok(Self(micros))
    }

    /// Microseconds since the epoch, 0 to 253402300799999999.
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// Whole milliseconds since the epoch, rounded down: the unit of the memory specification.
    pub const fn millis(self) -> u64 {
        self.0 / 1000
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let civil = Civil::of(i64::try_from(self.0).map_err(|_| fmt::Error)?);
        write!(f, "{civil}.{:06}Z", civil.fraction())
    }
}

impl FromStr for Timestamp {
    type Err = CapsuleError;

    /// Reads the one spelling and no other.
    fn from_str(text: &str) -> Result<Self, CapsuleError> {
        calendar::timestamp(text)
            .map(Self)
            .ok_or_else(|| CapsuleError::Timestamp {
                text: text.chars().take(40).collect(),
            })
    }
}

text_form! {
    Timestamp: "a time in UTC, written 2026-02-10T00:00:00.000000Z",
        like "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z$";
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use proptest::prelude::*;

    use super::*;

    /// CAP-9.
    #[test]
    fn known_instants_are_written_as_rfc_3339() {
        for (micros, text) in [
            (0, "1970-01-01T00:00:00.000000Z"),
            (951_782_400_000_001, "2000-02-29T00:00:00.000001Z"),
            (1_770_681_600_123_456, "2026-02-10T00:00:00.123456Z"),
            (4_107_542_399_999_999, "2100-02-28T23:59:59.999999Z"),
            (LAST, "9999-12-31T23:59:59.999999Z"),
        ] {
            let instant = Timestamp::from_micros(micros).unwrap();
            assert_eq!(instant.to_string(), text);
            assert_eq!(text.parse::<Timestamp>().unwrap(), instant);
        }
        assert!(Timestamp::from_micros(LAST + 1).is_err());
    }

    #[test]
    fn milliseconds_are_rounded_down() {
        for (micros, millis) in [(0, 0), (999, 0), (1000, 1), (LAST, 253_402_300_799_999)] {
            assert_eq!(Timestamp::from_micros(micros).unwrap().millis(), millis);
        }
    }

    /// Adversarial case A11: each is a timestamp to some library, and none is one here.
    /// (CAP-9)
    #[test]
    fn other_spellings_of_an_instant_are_refused() {
        for text in [
            "2026-02-10T00:00:00.123456z",
            "2026-02-10t00:00:00.123456Z",
            "2026-02-10T00:00:00.123456+00:00",
            "2026-02-10T00:00:00.123456-00:00",
            "2026-02-10 00:00:00.123456Z",
            "2026-02-10T00:00:00.123456789Z",
            "2026-02-10T00:00:00.123Z",
            "2026-02-10T00:00:00Z",
            "2026-02-10T00:00:60.000000Z",
            "10000-01-01T00:00:00.00000Z",
            "20260210T000000Z",
            "2026-02-30T00:00:00.000000Z",
            "1969-12-31T23:59:59.999999Z",
            "2026-02-10T00:00:00,123456Z",
            " 2026-02-10T00:00:00.12345Z",
            "2026-02-10T00:00:00.-12345Z",
            "٢٠٢٦-02-10T00:00:00.123Z",
            "2026-02-10T00:00:00.123456Z\n",
            "",
        ] {
            assert!(text.parse::<Timestamp>().is_err(), "accepted {text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_instant_survives_its_text_and_order_is_that_of_the_text(
            a in 0..=LAST, b in 0..=LAST,
        ) {
            let (a, b) = (Timestamp::from_micros(a).unwrap(), Timestamp::from_micros(b).unwrap());
            prop_assert_eq!(a.to_string().len(), 27);
            prop_assert_eq!(a.to_string().parse::<Timestamp>().unwrap(), a);
            prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
        }

        #[test]
        fn no_text_of_27_bytes_is_read_as_another_instant(text in "[0-9TZ:.+-]{27}") {
            if let Ok(instant) = text.parse::<Timestamp>() {
                prop_assert_eq!(instant.to_string(), text);
            }
        }
    }
}
