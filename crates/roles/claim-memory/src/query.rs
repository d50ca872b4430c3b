//! Questions about beliefs, with the two dates that each can have (I2, I8).

use core::future::IntoFuture;

use counterfoil_claims::time::Boundary;
use counterfoil_store::AsOf;

use crate::claim_memory::Answer;
use crate::{BeliefProof, ClaimMemoryError};

/// A question about beliefs, by default about the present as known now. Nothing is read before it is awaited.
#[must_use = "nothing is read until it is awaited"]
pub struct BeliefQuery<'a, T> {
    asked: Result<AsOf, ClaimMemoryError>,
    floor: Option<u64>,
    answer: Box<dyn FnOnce(AsOf, Option<u64>) -> Answer<'a, T> + Send + 'a>,
}

impl<'a, T> BeliefQuery<'a, T> {
    pub(crate) fn new<F: Future<Output = Result<T, ClaimMemoryError>> + Send + 'a>(
        answer: impl FnOnce(AsOf, Option<u64>) -> F + Send + 'a,
    ) -> Self {
        Self {
            asked: Ok(AsOf::default()),
            floor: None,
            answer: Box::new(move |asked, floor| Box::pin(answer(asked, floor))),
        }
    }

    /// Asks about the first instant of a date: `2020`, `2020-03`, `2020-03-15` or RFC 3339.
    pub fn at(mut self, date: &str) -> Self {
        self.asked = self.asked.and_then(|asked| {
            let valid_at = Some(Boundary::parse(date)?.begin());
            Ok(AsOf { valid_at, ..asked })
        });
        self
    }

    /// Asks as known at the first instant of a date, from 1970 on: units recorded later do not count.
    pub fn as_of(mut self, date: &str) -> Self {
        self.asked = self.asked.and_then(|asked| {
            let at = Boundary::parse(date)?.begin();
            let as_of_us = Some(u64::try_from(at).map_err(|_| ClaimMemoryError::BeforeRecords)?);
            Ok(AsOf { as_of_us, ..asked })
        });
        self
    }
}

impl BeliefQuery<'_, BeliefProof> {
    /// Asks for a proof to an authority whose anchors have a floor at this size of the log.
    pub const fn from_floor(mut self, size: u64) -> Self {
        self.floor = Some(size);
        self
    }
}

impl<'a, T: Send + 'a> IntoFuture for BeliefQuery<'a, T> {
    type Output = Result<T, ClaimMemoryError>;
    type IntoFuture = Answer<'a, T>;

    fn into_future(self) -> Self::IntoFuture {
        match self.asked {
            Ok(asked) => (self.answer)(asked, self.floor),
            Err(error) => Box::pin(async { Err(error) }),
        }
    }
}
