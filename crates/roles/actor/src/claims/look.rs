//! About when, as known when: two dates that every question can have (I2, I8).

use counterfoil_claims::time::{Boundary, Micros};
use counterfoil_store::AsOf;

use crate::ActError;

/// About which instant is asked, and as known when. Without either it is the present.
#[derive(Debug, Clone, Default)]
pub struct Look {
    valid_at: Option<Micros>,
    as_of_us: Option<u64>,
}

impl Look {
    /// The present.
    #[must_use]
    pub fn now() -> Self {
        Self::default()
    }

    /// About the first instant of this date: `2020`, `2020-03`, `2020-03-15` or RFC 3339.
    ///
    /// # Errors
    /// [`ActError::Date`].
    pub fn at(mut self, date: &str) -> Result<Self, ActError> {
        self.valid_at = Some(Boundary::parse(date)?.begin());
        Ok(self)
    }

    /// As known at the first instant of this date, as everywhere: what was recorded until then counts.
    ///
    /// # Errors
    /// [`ActError::Date`], also for dates before 1970, when nothing was recorded.
    pub fn as_of(mut self, date: &str) -> Result<Self, ActError> {
        let at = Boundary::parse(date)?.begin();
        self.as_of_us = Some(u64::try_from(at).map_err(|_| ActError::BeforeRecords)?);
        Ok(self)
    }

    pub(super) const fn asked(&self) -> AsOf {
        AsOf {
            valid_at: self.valid_at,
            as_of_us: self.as_of_us,
        }
    }
}

impl From<AsOf> for Look {
    fn from(asked: AsOf) -> Self {
        Self {
            valid_at: asked.valid_at,
            as_of_us: asked.as_of_us,
        }
    }
}
