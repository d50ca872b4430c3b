//! The index of claims once a clock was corrected.

use std::collections::BTreeSet;

use counterfoil_store::StoreError;
use counterfoil_store::claims::unit_in;

use crate::entries::{Scan, Sides};
use crate::port::Select;
use crate::port::rows::{CorrectionRow, ErasedUnitRow};

/// Derives the index of claims again up to the entry `end`, each unit recorded no later than the corrections of its agent
/// after it say.
///
/// # Errors
/// [`StoreError::Corrupt`] when an entry cannot be read.
pub fn derive_claims_again(sides: Sides<'_>, end: u64) -> Result<(), StoreError> {
    let mut units: BTreeSet<u64> = sides.index.clear_claims()?.into_iter().collect();
    let erased: Vec<ErasedUnitRow> = sides.ground.list(&Select::of::<ErasedUnitRow>())?;
    units.extend(erased.iter().map(|row| row.idx).filter(|idx| *idx < end));
    let corrections: Vec<CorrectionRow> = sides.index.list(&Select::of::<CorrectionRow>())?;
    let mut scan = Scan::default();
    for index in units {
        let stored = scan.present(sides.ground, index)?;
        let Some(mut unit) = unit_in(&stored) else {
            sides.index.index_erased_unit(sides.ground, index)?;
            continue;
        };
        for correction in &corrections {
            if correction.idx > index && correction.agent == unit.line().agent {
                unit.recorded_by(correction.observed);
            }
        }
        sides.index.index_unit(sides.ground, &unit)?;
    }
    Ok(())
}
