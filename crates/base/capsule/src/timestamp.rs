//! When a capsule says it was written: 27 bytes of text, strictly read (Memory Capsule Protocol, "timestamp").

use alloc::format;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use counterfoil_verifier::opened::timestamp_micros;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::error::CapsuleError;

const MICROS_PER_SECOND: u64 = 1_000_000;
const SECONDS_PER_DAY: u64 = 86_400;
/// 9999-12-31T23:59:59.999999Z, the last instant that four digits of a year can name.
const LAST: u64 = 253_402_300_799_999_999;
/// Days from 0000-03-01, where the calendar's arithmetic begins, to 1970-01-01.
const DAYS_BEFORE_EPOCH: u64 = 719_468;

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
    #[must_use]
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// Whole milliseconds since the epoch, rounded down: the unit of the memory specification.
    #[must_use]
    pub const fn millis(self) -> u64 {
        self.0 / 1000
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, micros) = (self.0 / MICROS_PER_SECOND, self.0 % MICROS_PER_SECOND);
        let (days, second) = (seconds / SECONDS_PER_DAY, seconds % SECONDS_PER_DAY);
        let (year, month, day) = civil_from_days(days);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z"
        )
    }
}

impl FromStr for Timestamp {
    type Err = CapsuleError;

    /// Reads the one spelling and no other.
    fn from_str(text: &str) -> Result<Self, CapsuleError> {
        timestamp_micros(text)
            .map(Self)
            .ok_or_else(|| CapsuleError::Timestamp {
                text: shortened(text),
            })
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

/// The proleptic Gregorian date of a day after the epoch; years begin in March inside, so that the
/// leap day is the last of its year (H. Hinnant, "chrono-compatible low-level date algorithms").
const fn civil_from_days(days: u64) -> (u64, u64, u64) {
    let shifted = days + DAYS_BEFORE_EPOCH;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400;
    (if month <= 2 { year + 1 } else { year }, month, day)
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
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
            "2026-02-10T23:59:60.000000Z",
            "2016-12-31T23:59:60.000000Z",
            "10000-01-01T00:00:00.00000Z",
            "+10000-01-01T00:00:00.0000Z",
            "20260210T000000Z",
            "2026-02-10T24:00:00.000000Z",
            "2026-02-10T00:60:00.000000Z",
            "2026-02-30T00:00:00.000000Z",
            "2025-02-29T00:00:00.000000Z",
            "2100-02-29T00:00:00.000000Z",
            "2026-04-31T00:00:00.000000Z",
            "2026-00-10T00:00:00.000000Z",
            "2026-13-10T00:00:00.000000Z",
            "2026-02-00T00:00:00.000000Z",
            "2026-02-32T00:00:00.000000Z",
            "1969-12-31T23:59:59.999999Z",
            "0000-01-01T00:00:00.000000Z",
            "2026-02-10T00:00:00,123456Z",
            "2026/02/10T00:00:00.123456Z",
            "2026-02-10T00-00-00.123456Z",
            " 2026-02-10T00:00:00.12345Z",
            "2026-02-10T00:00:00.12345 Z",
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
