//! `clock_correction`: the log was ahead of the clock, which counts again from here on (capsules 4.4).

use counterfoil_types::document::Line;
use serde::{Deserialize, Serialize};

use crate::document::Document;
use crate::error::{CapsuleError, line};
use crate::keys::MAX_REASON;
use crate::record::RecordKind;

/// Statement that earlier entries are dated by a clock that was ahead. The time that counts is `ext.observed` of its header.
///
/// ```json
/// {"type":"clock_correction","version":"1","reason":"…"}
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ClockCorrection {
    /// Reason, for people.
    pub reason: Line<MAX_REASON>,
}

impl Document for ClockCorrection {
    const TYPE: &'static str = RecordKind::ClockCorrection.name();
}

impl ClockCorrection {
    /// States that the clock is right again.
    ///
    /// # Errors
    /// [`CapsuleError::Document`] for a reason that is empty, longer than 1024 bytes or has control characters.
    pub fn new(reason: &str) -> Result<Self, CapsuleError> {
        let reason = line(Self::TYPE, "/reason", reason)?;
        Ok(Self { reason })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::document::tests::is_closed;

    #[test]
    fn a_correction_comes_back_as_it_was_written_and_nothing_else_does() {
        let good = ["the clock was in 2036"].map(|reason| ClockCorrection::new(reason).unwrap());
        let wrong = [
            ("/reason", json!("")),
            ("/more", json!(1)),
            ("/type", json!("redaction")),
            ("/version", json!("2")),
        ];
        is_closed(&good, &wrong);
    }
}
