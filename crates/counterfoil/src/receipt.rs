//! Handles of receipts: the place of an entry in the log, and the beginning of the hash that refuses another log.

use core::fmt;
use core::str::FromStr;

use counterfoil_capsule::{Receipt, World};
use counterfoil_types::Blake3Hash;
use serde::{Serialize, Serializer};

use crate::error::Error;

/// Beginning of a handle.
pub(crate) const PREFIX: &str = "rcpt_";
/// Most characters of a text that is no handle.
const NAMED: usize = 80;

/// Handle of a receipt: `rcpt_352_9f86d081`, the log index and the first eight digits of the capsule's hash.
///
/// It names a receipt and proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReceiptHandle {
    index: u64,
    hash: [u8; 4],
}

impl ReceiptHandle {
    pub(crate) const fn new(index: u64, capsule: &Blake3Hash) -> Self {
        let [a, b, c, d, ..] = *capsule.as_bytes();
        Self {
            index,
            hash: [a, b, c, d],
        }
    }

    /// Handle of the entry at a log index, by the hash of its capsule, `blake3:` and 64 digits; `None` if that is no hash.
    pub fn of_entry(index: u64, capsule: &str) -> Option<Self> {
        Some(Self::new(index, &capsule.parse().ok()?))
    }

    /// Handle of the receipt that the store laid beside a World.
    pub(crate) fn beside(world: &World) -> Option<Self> {
        let receipt = Receipt::of(world).ok()??;
        let index = receipt.tlog_proof()?.index;
        Some(Self::new(index, &receipt.entry().capsule))
    }

    /// Log index of the entry, from 0.
    pub const fn index(&self) -> u64 {
        self.index
    }
}

impl fmt::Display for ReceiptHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}_{}", self.index, hex::encode(self.hash))
    }
}

impl FromStr for ReceiptHandle {
    type Err = Error;

    /// Reads the one spelling of a handle.
    fn from_str(text: &str) -> Result<Self, Error> {
        let read = || {
            let (index, digits) = text.strip_prefix(PREFIX)?.split_once('_')?;
            let mut hash = [0; 4];
            hex::decode_to_slice(digits, &mut hash).ok()?;
            let index = index.parse().ok()?;
            Some(Self { index, hash }).filter(|it| it.to_string() == text)
        };
        read().ok_or_else(|| {
            let named: String = text.chars().take(NAMED).collect();
            Error::input(
                format_args!("\"{named}\" is no handle of a receipt"),
                "take one that `counterfoil recall --json` printed, such as rcpt_352_9f86d081",
            )
        })
    }
}

impl Serialize for ReceiptHandle {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_has_one_spelling() {
        let handle = ReceiptHandle::new(352, &Blake3Hash::from_bytes([0x9f; 32]));
        assert_eq!(handle.to_string(), "rcpt_352_9f9f9f9f");
        assert_eq!(
            "rcpt_352_9f9f9f9f".parse::<ReceiptHandle>().unwrap(),
            handle
        );
        for other in [
            "rcpt_0352_9f9f9f9f",
            "rcpt_352_9F9f9f9f",
            "rcpt_352_9f9f9f",
            "rcpt_+1_9f9f9f9f",
            "352",
            "",
        ] {
            assert!(other.parse::<ReceiptHandle>().is_err(), "{other}");
        }
    }
}
