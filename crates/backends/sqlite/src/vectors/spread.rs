//! Cosines of a question against those of the whole store: what is near depends on the model and on what else is there.

use counterfoil_store::StoreError;
use rusqlite::Connection;

use super::cache::SignCache;
use super::scan::cosines;
use crate::text::{ScopeRows, is_within};

/// Number of rows by which the spread is estimated.
const SAMPLE: usize = 256;

/// Mean and standard deviation of the cosines of one question.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    mean: f64,
    deviation: f64,
}

impl Spread {
    /// Estimates the spread in a scope by rows at equal distances. `None` without vectors.
    ///
    /// # Errors
    /// When they can't be read.
    pub(crate) fn of(
        connection: &Connection,
        cache: &SignCache,
        vector: &[f32],
        scope: Option<&ScopeRows>,
    ) -> Result<Option<Self>, StoreError> {
        let Some(kept) = cache.blocks(connection)? else {
            return Ok(None);
        };
        let indexes = kept.blocks.values().flat_map(|block| &block.indexes);
        let indexes = indexes.filter(|index| is_within(scope, **index));
        let step = indexes.clone().count().div_ceil(SAMPLE).max(1);
        let sample: Vec<u64> = indexes.step_by(step).copied().collect();
        let found: Vec<f64> = cosines(connection, vector, &sample)?
            .into_iter()
            .flatten()
            .collect();
        Ok(Self::of_cosines(&found))
    }

    fn of_cosines(found: &[f64]) -> Option<Self> {
        let count = u32::try_from(found.len()).ok().filter(|count| *count > 0)?;
        let mean = found.iter().sum::<f64>() / f64::from(count);
        let squares = found.iter().map(|cosine| (cosine - mean).powi(2));
        let deviation = (squares.sum::<f64>() / f64::from(count)).sqrt();
        Some(Self { mean, deviation })
    }

    /// Returns a cosine in standard deviations above the mean; 0 where all are alike.
    pub(crate) fn standard(self, cosine: f64) -> f64 {
        match self.deviation > f64::EPSILON {
            true => (cosine - self.mean) / self.deviation,
            false => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cosine_is_measured_against_the_others() {
        let spread = Spread::of_cosines(&[0.7, 0.8, 0.9]).unwrap();
        assert!(spread.standard(0.8).abs() < 1e-9);
        assert!((spread.standard(0.9) - 1.5_f64.sqrt()).abs() < 1e-9);
        assert_eq!(Spread::of_cosines(&[0.7, 0.7]).unwrap().standard(0.9), 0.0);
        assert!(Spread::of_cosines(&[]).is_none());
    }
}
