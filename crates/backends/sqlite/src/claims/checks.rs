//! Checks by which rows of claims show that they are as they were written: they find damage and changes by hand, and are no
//! proof, as anybody can compute them.

use counterfoil_store::StoreError;

/// A digest over the columns of a row. Each step maps states one to one, so a single column that differs leaves another
/// state; 32 bits of the last one are kept.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Check(u64);

impl Check {
    /// Takes in a number.
    pub(super) const fn number(self, number: i64) -> Self {
        // 2^64 by the golden ratio, which is odd.
        let mixed = (self.0 ^ number.cast_unsigned()).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Self(mixed ^ mixed >> 32)
    }

    /// Takes in a number or its absence.
    pub(super) fn optional(self, number: Option<i64>) -> Self {
        self.number(i64::from(number.is_some()))
            .number(number.unwrap_or_default())
    }

    /// Takes in a text.
    pub(super) fn text(self, text: &str) -> Self {
        let with_length = self.number(signed(text.len()));
        let words = text.as_bytes().chunks(8).map(|bytes| {
            let byte = |number: i64, byte: &u8| number << 8 | i64::from(*byte);
            bytes.iter().fold(0, byte)
        });
        words.fold(with_length, Self::number)
    }

    /// The check as a column holds it.
    pub(super) fn finish(self) -> i64 {
        let [_, _, _, _, a, b, c, d] = self.0.to_be_bytes();
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
