//! Limits of units, and the members of documents that are held to them.

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_types::document::{List, Whole, from_text};
use counterfoil_types::{MAX_SAFE_INTEGER, Scope};
use serde::Deserialize;
use serde::de::{Deserializer, Error};

/// Most entries of `rivals` in `because`, and of every list that a caller gives.
pub(crate) const MAX_REFS: usize = 16;
/// Most claims that one verdict or reopening names.
pub(crate) const MAX_AFFECTED: usize = 256;
/// Longest source, in bytes.
const MAX_SOURCE_BYTES: usize = 256;

/// Returns whether a text is the id of a chain, as a source names it.
pub(crate) fn is_chain(text: &str) -> bool {
    (1..=MAX_SOURCE_BYTES - "world:".len()).contains(&text.len())
        && !text.contains(char::is_control)
}

/// Returns whether a text is an idempotency key: 1 to 256 bytes without control characters.
pub(crate) fn is_key(text: &str) -> bool {
    (1..=256).contains(&text.len()) && !text.contains(char::is_control)
}

/// Returns whether a text says why a claim is taken back: 1 to 512 bytes without control characters.
pub(crate) fn is_reason(text: &str) -> bool {
    (1..=512).contains(&text.len()) && !text.contains(char::is_control)
}

/// Reads 1 to `MAX` values, none twice.
pub(crate) fn distinct<'de, D: Deserializer<'de>, T, const MAX: usize>(
    from: D,
) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de> + PartialEq,
{
    let values = List::<T, 1, MAX>::deserialize(from)?.into_vec();
    let mut rest = values.as_slice();
    while let Some((first, others)) = rest.split_first() {
        if others.contains(first) {
            return Err(D::Error::custom("a list with nothing twice"));
        }
        rest = others;
    }
    Ok(values)
}

/// Reads the id of a chain, which is the source of an anchor.
pub(crate) fn chain<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let must = &"the id of a chain: 1 to 250 bytes";
    from_text(from, must, |text| is_chain(text).then(|| text.into()))
}

/// Reads an idempotency key.
pub(crate) fn key<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let must = &"1 to 256 bytes of text without control characters";
    from_text(from, must, |text| is_key(text).then(|| Some(text.into())))
}

/// Reads a scope, which is absent where it is empty.
pub(crate) fn scope<'de, D: Deserializer<'de>>(from: D) -> Result<Scope, D::Error> {
    let scope = Scope::deserialize(from)?;
    match scope.is_empty() {
        false => Ok(scope),
        true => Err(D::Error::custom("a scope with a pair, or absent")),
    }
}

/// Reads why a claim is taken back.
pub(crate) fn reason<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let must = &"1 to 512 bytes of text without control characters";
    from_text(from, must, |text| {
        is_reason(text).then(|| Some(text.into()))
    })
}

/// Reads an integer that is not 0.
pub(crate) fn positive<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    Whole::<1, MAX_SAFE_INTEGER>::deserialize(from).map(Whole::get)
}

/// Reads `true`.
pub(crate) fn only_true<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    match bool::deserialize(from)? {
        true => Ok(true),
        false => Err(D::Error::custom("true, or absent")),
    }
}
