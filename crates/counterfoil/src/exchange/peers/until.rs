//! Until when something is to count.

use counterfoil_capsule::Timestamp;

use crate::claims::dates;
use crate::error::Error;
use crate::when;

/// The first moment of a date that is to come.
///
/// # Errors
/// It is no date, or past.
pub fn until(text: &str) -> Result<Timestamp, Error> {
    let wrong = |why: String| {
        Error::input(
            format_args!("--until {text:?}: {why}"),
            "write a later date",
        )
    };
    let micros = dates::recorded(text).map_err(wrong)?;
    let until = Timestamp::from_micros(micros).map_err(|error| wrong(error.to_string()))?;
    if until <= when::stamp()? {
        return Err(wrong("this is past".to_owned()));
    }
    Ok(until)
}
