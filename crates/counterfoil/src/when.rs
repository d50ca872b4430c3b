//! Times as sources write them and people read them: presented time, in UTC where nothing else is
//! said.

use counterfoil_claims::time::{Boundary, Micros};
use counterfoil_sqlite::System;
use counterfoil_store::Clock;
use counterfoil_types::{UnixMillis, calendar};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// The present time in milliseconds.
///
/// # Errors
/// The clock is before 1970.
pub(crate) fn now() -> Result<UnixMillis, crate::error::Error> {
    UnixMillis::new(System.now_micros() / 1000)
        .map_err(|_| crate::error::Error::place("the clock stands before 1970", "set it"))
}

/// The present time as documents of keys write it.
///
/// # Errors
/// The clock is after the year 9999.
pub(crate) fn stamp() -> Result<counterfoil_capsule::Timestamp, crate::error::Error> {
    counterfoil_capsule::Timestamp::from_micros(System.now_micros())
        .map_err(|error| crate::error::Error::place(error, "set the clock"))
}

/// Reads an RFC 3339 date-time with its offset, in milliseconds since 1970. The last day of 9999 is read too.
pub(crate) fn instant(text: &str) -> Option<u64> {
    let parsed = text.parse::<Timestamp>().ok().and_then(millis);
    parsed.or_else(|| u64::try_from(calendar::instant(text)? / 1000).ok())
}

/// Reads a date-time without offset as UTC, by a `strptime` pattern.
pub(crate) fn utc_by_pattern(pattern: &str, text: &str) -> Option<u64> {
    let local = DateTime::strptime(pattern, text).ok()?;
    millis(local.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// A time of recording in documents: RFC 3339 in UTC, from microseconds since 1970 (docs/format/belief-json.md).
pub(crate) fn rfc3339(micros: u64) -> String {
    let at = Micros::try_from(micros).unwrap_or(Micros::MAX);
    Boundary::instant(at).to_string()
}

fn millis(at: Timestamp) -> Option<u64> {
    u64::try_from(at.as_millisecond()).ok()
}
