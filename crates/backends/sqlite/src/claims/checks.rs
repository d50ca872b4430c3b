//! Checks by which rows of claims show that they are as they were written: they find damage and changes by hand, and are no
//! proof, as anybody can compute them.

use counterfoil_store::StoreError;

/// The columns of a row as bytes, of whose BLAKE3 hash the first 32 bits are kept.
pub(super) struct Check(Vec<u8>);

impl Check {
    /// Begins the check of a row.
    pub(super) fn new() -> Self {
        Self(Vec::with_capacity(256))
    }

    /// Takes in a number.
    pub(super) fn number(mut self, number: i64) -> Self {
        self.0.extend(number.to_be_bytes());
        self
    }

    /// Takes in a number or its absence.
    pub(super) fn optional(mut self, number: Option<i64>) -> Self {
        self.0.push(u8::from(number.is_some()));
        self.number(number.unwrap_or_default())
    }

    /// Takes in a text.
    pub(super) fn text(self, text: &str) -> Self {
        let mut with_length = self.number(signed(text.len()));
        with_length.0.extend(text.as_bytes());
        with_length
    }

    /// The check as a column holds it.
    pub(super) fn finish(self) -> i64 {
        let [a, b, c, d, ..] = *blake3::hash(&self.0).as_bytes();
        i64::from(i32::from_be_bytes([a, b, c, d]))
    }
}

/// A log index, number, stamp or length as a column holds it: none comes near 2^63.
pub(super) fn signed(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// A log index, number or stamp that a column holds.
pub(super) fn unsigned(number: i64) -> u64 {
    number.try_into().unwrap_or_default()
}

/// The error of a row that is not as it was written, or of one that is missing.
pub(super) const fn damaged(table: &'static str) -> StoreError {
    StoreError::IndexDamaged { table }
}
