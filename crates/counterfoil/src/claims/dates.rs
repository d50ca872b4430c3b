//! Dates as people write them: a year, a month, a day or an instant (docs/format/claims.md 1).

use counterfoil_claims::time::{Boundary, Micros};

/// A date with its granularity.
///
/// # Errors
/// What to write instead.
pub fn boundary(text: &str) -> Result<Boundary, String> {
    Boundary::parse(text).map_err(|error| error.to_string())
}

/// The first moment of a date, microseconds since 1970.
///
/// # Errors
/// What to write instead.
pub fn instant(text: &str) -> Result<Micros, String> {
    boundary(text).map(|boundary| boundary.begin())
}

/// The first moment of a date at which something can have been recorded.
///
/// # Errors
/// What to write instead.
pub fn recorded(text: &str) -> Result<u64, String> {
    u64::try_from(instant(text)?)
        .map_err(|_| "nothing was recorded before 1970: write a later date".to_owned())
}

/// A time of recording, as it is written in documents: RFC 3339 in UTC (docs/format/belief-json.md).
pub fn rfc3339(micros: u64) -> String {
    let at = Micros::try_from(micros).unwrap_or(Micros::MAX);
    Boundary::instant(at).to_string()
}
