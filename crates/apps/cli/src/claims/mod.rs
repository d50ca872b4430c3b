//! Claims and beliefs for people.

pub(crate) mod answer;
pub(crate) mod dates;

use counterfoil::Memory;
use counterfoil_types::WorldId;

use crate::failure::Failure;

/// Parses the references of claims or memories.
pub(crate) fn references(texts: &[String]) -> Result<Vec<WorldId>, Failure> {
    let references = texts.iter().map(|text| Memory::reference(text));
    Ok(references.collect::<Result<_, _>>()?)
}
