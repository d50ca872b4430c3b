//! The clock against the log: how far it may leap (`DIR/clock.toml`), and a log that is ahead of it (capsules 4.4).

use core::fmt;
use std::path::Path;

use counterfoil_life::versions::ClockLead;
use counterfoil_store::MAX_LEAP_MICROS;
use serde::Serialize;

use crate::error::Error;
use crate::settings_file::{self, Wrong};
use crate::words::count;

/// The name of the file.
const FILE: &str = "clock.toml";
const DAY_US: u64 = 86_400_000_000;

/// A log that is ahead of the clock, as it was when the memory was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LogAhead {
    /// Time of the last entry after the clock, in whole seconds.
    pub seconds: u64,
    /// Log index of the first entry that is later than the clock.
    pub since_index: u64,
}

impl From<ClockLead> for LogAhead {
    fn from(lead: ClockLead) -> Self {
        Self {
            seconds: lead.micros / 1_000_000,
            since_index: lead.since,
        }
    }
}

/// `the log is ahead of the clock by 3652 days, since entry 1`.
impl fmt::Display for LogAhead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = match self.seconds {
            seconds @ 0..120 => count(seconds, "second", "seconds"),
            seconds @ 120..7_200 => count(seconds / 60, "minute", "minutes"),
            seconds @ 7_200..172_800 => count(seconds / 3_600, "hour", "hours"),
            seconds => count(seconds / 86_400, "day", "days"),
        };
        let since = self.since_index;
        write!(
            f,
            "the log is ahead of the clock by {by}, since entry {since}"
        )
    }
}

/// Farthest that the clock may be ahead of the last entry, in microseconds (docs/format/directory.md).
///
/// # Errors
/// The file cannot be read, or something in it has no meaning.
pub(crate) fn max_leap_micros(dir: &Path) -> Result<u64, Error> {
    let set = settings_file::read(dir, FILE, |text| {
        let mut days = None;
        for (name, value) in &settings_file::table(text)? {
            let number = value.as_integer().and_then(|days| u64::try_from(days).ok());
            days = match (name.as_str(), number) {
                ("max-leap-days", Some(days @ 1..=36_500)) => Some(days),
                ("max-leap-days", _) => {
                    return Err(Wrong::must_be(name, "a whole number of days, 1 to 36500"));
                }
                _ => return Err(Wrong::unknown(name, "there is max-leap-days")),
            };
        }
        Ok(days)
    })?;
    Ok(set.map_or(MAX_LEAP_MICROS, |days| days * DAY_US))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_is_given_in_the_unit_that_it_is_read_in() {
        for (seconds, text) in [
            (6, "6 seconds"),
            (7_199, "119 minutes"),
            (90_000, "25 hours"),
            (315_360_000, "3650 days"),
        ] {
            let ahead = LogAhead {
                seconds,
                since_index: 7,
            };
            let text = format!("the log is ahead of the clock by {text}, since entry 7");
            assert_eq!(ahead.to_string(), text);
        }
    }

    #[test]
    fn the_leap_is_a_setting() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(max_leap_micros(folder.path()).unwrap(), MAX_LEAP_MICROS);
        let set = |text: &str| {
            std::fs::write(folder.path().join(FILE), text).unwrap();
            max_leap_micros(folder.path()).map_err(|error| error.to_string())
        };
        assert_eq!(set("max-leap-days = 2"), Ok(2 * DAY_US));
        for (text, part) in [
            ("max-leap-days = 0", "1 to 36500"),
            ("max-leap-days = \"2\"", "1 to 36500"),
            ("leap = 2", "there is max-leap-days"),
        ] {
            let refused = set(text).unwrap_err();
            assert!(refused.contains(part), "{refused}");
        }
    }
}
