//! Correction of a clock that was ahead (capsules 4.4).

use counterfoil_capsule::documents::ClockCorrection;
use counterfoil_capsule::{Document, RecordKind};
use counterfoil_store::{CapsuleLog, Draft};

use crate::error::Error;
use crate::memory::Memory;
use crate::report::{Report, object};

impl Memory {
    /// Records that the clock is right again: entries that are dated later count as recorded now, and all that follows by the
    /// clock. Nothing undoes it.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when the log is not ahead of the clock, or for an empty reason.
    pub async fn correct_clock(&self, reason: &str) -> Result<Report, Error> {
        self.must_exist()?;
        let (signer, store) = (self.signer()?, self.home().writer()?);
        let ahead = store.clock_lead().ok_or_else(|| {
            Error::input(
                "the log is not ahead of the clock, so there is nothing to correct",
                "see `counterfoil check`",
            )
        })?;
        let document = ClockCorrection::new(reason).map_err(|error| {
            Error::input(error, "give the reason in one line of at most 1024 bytes")
        })?;
        let draft = Draft::record(RecordKind::ClockCorrection, document.to_value());
        let place = store.append_one(signer, draft).await?;
        Report::new(
            &object()
                .with("index", place.index)
                .with("recordedAt", place.recorded_at)
                .with("seconds", ahead.seconds)
                .with("sinceIndex", ahead.since_index),
        )
    }
}
