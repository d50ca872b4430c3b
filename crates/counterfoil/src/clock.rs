//! The clock against the log: how far it may leap (`DIR/clock.toml`), and a log that is ahead of it (capsules 4.4).

use std::path::Path;

use counterfoil_store::MAX_LEAP_MICROS;

use crate::error::Error;
use crate::settings_file::{self, Wrong};

/// The name of the file.
const FILE: &str = "clock.toml";
const DAY_US: u64 = 86_400_000_000;

/// Farthest that the clock may be ahead of the last entry, in microseconds (docs/format/directory.md).
///
/// # Errors
/// The file cannot be read, or something in it has no meaning.
pub(crate) fn max_leap_micros(dir: &Path) -> Result<u64, Error> {
    let set = settings_file::read(&dir.join(FILE), |text| {
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
