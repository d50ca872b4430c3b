//! The map beside the log: keys, and lookups that prove a value or its absence under a root (`docs/format/standing.md`).

mod line;
mod standing;

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_types::Sha256Hash;
use counterfoil_types::document::{self, Fault};
use counterfoil_types::json::Value;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::refusal::Refusal;
use crate::text::{base64_array, base64_bytes, to_base64};

pub use line::LineStanding;
pub use standing::{KeyMark, MemoryStanding, StandingLookups, agent_key};

/// The hash of a subtree without keys, and the root of an empty map: 32 zero bytes.
pub const EMPTY: Sha256Hash = Sha256Hash::from_bytes([0; HASH]);

/// Largest number of bytes of a value.
pub const MAX_VALUE_BYTES: usize = 512;

/// Largest number of siblings in a lookup: one for each bit of a key.
pub const MAX_SIBLINGS: usize = 256;

const LEAF: u8 = 0x02;
const NODE: u8 = 0x03;
const HASH: usize = 32;

/// The key of fields in a context: SHA-256 over each with its length, in bytes, in front (`standing.md` §1).
pub fn key(context: &str, fields: &[&[u8]]) -> Sha256Hash {
    let mut hasher = Sha256::new();
    for field in core::iter::once(&context.as_bytes()).chain(fields) {
        let length = u32::try_from(field.len()).unwrap_or(u32::MAX);
        hasher.update(length.to_be_bytes());
        hasher.update(field);
    }
    Sha256Hash::from_bytes(hasher.finalize().into())
}

/// `SHA-256(value)`, by which a leaf names its value.
pub fn value_hash(value: &str) -> Sha256Hash {
    Sha256Hash::from_bytes(Sha256::digest(value.as_bytes()).into())
}

/// `SHA-256(0x02 || key || value hash)`: the hash of a subtree with one key.
pub fn leaf_hash(key: &Sha256Hash, value_hash: &Sha256Hash) -> Sha256Hash {
    hash(LEAF, key, value_hash)
}

/// `SHA-256(0x03 || left || right)`: the hash of a subtree with more keys.
pub fn node_hash(left: &Sha256Hash, right: &Sha256Hash) -> Sha256Hash {
    hash(NODE, left, right)
}

fn hash(domain: u8, first: &Sha256Hash, second: &Sha256Hash) -> Sha256Hash {
    let digest = Sha256::new()
        .chain_update([domain])
        .chain_update(first.as_bytes())
        .chain_update(second.as_bytes());
    Sha256Hash::from_bytes(digest.finalize().into())
}

/// Returns bit `at` of a key, counted from the highest bit of its first byte; `false` beyond 255.
pub fn bit(key: &Sha256Hash, at: usize) -> bool {
    let byte = key.as_bytes().get(at >> 3).copied().unwrap_or_default();
    byte.checked_shl(u32::try_from(at & 7).unwrap_or_default())
        .is_some_and(|bits| bits & 0x80 != 0)
}

/// The answer of a map about one key, with its path. Proves nothing until [`Lookup::check`] has folded it to a trusted root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lookup {
    /// Hashes beside the path, from the lowest up, at most 256; on the wire one base64 text.
    #[serde(with = "siblings")]
    pub siblings: Vec<Sha256Hash>,
    /// The value, at most 512 bytes; `None` if the key is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Key and value hash of the leaf at the place of an absent key; `None` if the place is empty.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "other")]
    pub other: Option<(Sha256Hash, Sha256Hash)>,
}

impl Lookup {
    /// Reads a lookup (`standing.md` §3). Says nothing about a root.
    ///
    /// # Errors
    /// [`Fault`] for another form.
    pub fn from_value(value: &Value) -> Result<Self, Fault> {
        document::read(value)
    }

    /// The lookup as a JSON value.
    pub fn to_value(&self) -> Value {
        document::write(self)
    }

    /// Returns the value of `key` in the map with the root `root`, or `None` if the map does not have the key. `root` must be
    /// trusted: it comes from a checkpoint whose signature was verified.
    ///
    /// # Errors
    /// [`Refusal::TooMuch`] beyond 256 siblings or 512 bytes of value, [`Refusal::Lookup`] for any other lookup that does not
    /// hold.
    pub fn check(&self, key: &Sha256Hash, root: &Sha256Hash) -> Result<Option<&str>, Refusal> {
        let depth = self.siblings.len();
        if depth > MAX_SIBLINGS {
            return Err(Refusal::too_much("siblings in a lookup", MAX_SIBLINGS));
        }
        let place = match (&self.value, &self.other) {
            (Some(value), _) if value.len() > MAX_VALUE_BYTES => {
                return Err(Refusal::too_much("bytes in a value", MAX_VALUE_BYTES));
            }
            (Some(value), None) => leaf_hash(key, &value_hash(value)),
            (None, Some((other, value_hash))) => {
                let shares = (0..depth).all(|at| bit(key, at) == bit(other, at));
                if key == other || !shares {
                    return Err(Refusal::Lookup { part: "other" });
                }
                leaf_hash(other, value_hash)
            }
            (None, None) => EMPTY,
            (Some(_), Some(_)) => return Err(Refusal::Lookup { part: "other" }),
        };
        let levels = (0..depth).rev().zip(&self.siblings);
        let computed = levels.fold(place, |node, (at, sibling)| match bit(key, at) {
            true => node_hash(sibling, &node),
            false => node_hash(&node, sibling),
        });
        match computed == *root {
            true => Ok(self.value.as_deref()),
            false => Err(Refusal::Lookup { part: "siblings" }),
        }
    }
}

/// Hashes as one base64 text.
pub(crate) mod siblings {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::{HASH, MAX_SIBLINGS, Sha256Hash, String, Vec, base64_bytes, to_base64};

    pub(crate) fn serialize<S: Serializer>(
        hashes: &[Sha256Hash],
        out: S,
    ) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = hashes.iter().flat_map(|it| *it.as_bytes()).collect();
        out.serialize_str(&to_base64(&bytes))
    }

    pub(crate) fn deserialize<'d, D: Deserializer<'d>>(
        from: D,
    ) -> Result<Vec<Sha256Hash>, D::Error> {
        let text = String::deserialize(from)?;
        let hashes = (text.len() <= (MAX_SIBLINGS * HASH).div_ceil(3) * 4)
            .then(|| base64_bytes(&text))
            .flatten()
            .and_then(|bytes| {
                let (hashes, rest) = bytes.as_chunks::<HASH>();
                let hashes = hashes.iter().copied().map(Sha256Hash::from_bytes);
                rest.is_empty().then(|| hashes.collect::<Vec<_>>())
            })
            .filter(|hashes| hashes.len() <= MAX_SIBLINGS);
        hashes.ok_or_else(|| D::Error::custom("at most 256 hashes of 32 bytes in base64"))
    }
}

/// Key and value hash of another leaf as one base64 text.
mod other {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::{HASH, Sha256Hash, String, base64_array, to_base64};

    type Other = Option<(Sha256Hash, Sha256Hash)>;

    pub(super) fn serialize<S: Serializer>(other: &Other, out: S) -> Result<S::Ok, S::Error> {
        match other {
            Some((key, value)) => {
                out.serialize_str(&to_base64(&[*key.as_bytes(), *value.as_bytes()].concat()))
            }
            None => out.serialize_none(),
        }
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Other, D::Error> {
        let text = String::deserialize(from)?;
        let bytes = base64_array::<{ 2 * HASH }>(&text);
        let split = bytes.as_ref().and_then(|bytes| {
            let (hashes, _) = bytes.as_chunks::<HASH>();
            match hashes {
                [key, value] => Some((*key, *value)),
                _ => None,
            }
        });
        let (key, value) =
            split.ok_or_else(|| D::Error::custom("a key and a hash of 64 bytes in base64"))?;
        Ok(Some((
            Sha256Hash::from_bytes(key),
            Sha256Hash::from_bytes(value),
        )))
    }
}

#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned;

    use serde_json::json;

    use super::*;

    #[test]
    fn lengths_keep_fields_apart() {
        let keys = [
            key("memory", &[b"ab", b"c"]),
            key("memory", &[b"a", b"bc"]),
            key("memory", &[b"abc"]),
            key("memory", &[b"abc", b""]),
            key("memoryabc", &[]),
        ];
        for (at, one) in keys.iter().enumerate() {
            assert!(!keys.iter().skip(at + 1).any(|other| one == other));
        }
    }

    #[test]
    fn bits_are_read_from_the_highest_of_the_first_byte() {
        let mut bytes = [0; 32];
        bytes[0] = 0b1010_0000;
        bytes[31] = 1;
        let key = Sha256Hash::from_bytes(bytes);
        let set: Vec<_> = (0..300).filter(|at| bit(&key, *at)).collect();
        assert_eq!(set, [0, 2, 255]);
    }

    #[test]
    fn an_empty_map_has_no_key_and_a_map_of_one_has_it() {
        let (one, two) = (key("memory", &[b"1"]), key("memory", &[b"2"]));
        let absent = Lookup {
            siblings: Vec::new(),
            value: None,
            other: None,
        };
        assert_eq!(absent.check(&one, &EMPTY), Ok(None));
        let root = leaf_hash(&one, &value_hash("v"));
        let present = Lookup {
            value: Some("v".to_owned()),
            ..absent.clone()
        };
        assert_eq!(present.check(&one, &root), Ok(Some("v")));
        assert!(present.check(&two, &root).is_err());
        let other = Lookup {
            other: Some((one, value_hash("v"))),
            ..absent.clone()
        };
        assert_eq!(other.check(&two, &root), Ok(None));
        // The key itself can't be the other one that hides it.
        assert!(other.check(&one, &root).is_err());
        assert!(absent.check(&one, &root).is_err());
        let both = Lookup {
            value: Some("v".to_owned()),
            ..other
        };
        assert!(both.check(&one, &root).is_err());
    }

    #[test]
    fn a_leaf_of_another_place_shows_no_absence() {
        let (mut left, mut right) = ([0; 32], [0; 32]);
        (left[31], right[0]) = (1, 0x80);
        let [left, right, asked] = [left, right, [0; 32]].map(Sha256Hash::from_bytes);
        let [at_left, at_right] = [left, right].map(|key| leaf_hash(&key, &value_hash("v")));
        let root = node_hash(&at_left, &at_right);
        let absent = |other, sibling| Lookup {
            siblings: alloc::vec![sibling],
            value: None,
            other: Some((other, value_hash("v"))),
        };
        assert_eq!(absent(left, at_right).check(&asked, &root), Ok(None));
        assert!(absent(right, at_left).check(&asked, &root).is_err());
        // A leaf that is moved to the other side of a root that was made for it.
        let moved = node_hash(&at_right, &at_left);
        assert!(absent(right, at_left).check(&asked, &moved).is_err());
    }

    #[test]
    fn limits_are_the_last_that_hold() {
        let one = key("memory", &[b"1"]);
        let lookup = |siblings, bytes| Lookup {
            siblings: alloc::vec![EMPTY; siblings],
            value: Some("v".repeat(bytes)),
            other: None,
        };
        for (siblings, bytes) in [(257, 1), (0, 513)] {
            let lookup = lookup(siblings, bytes);
            let refused = lookup.check(&one, &EMPTY);
            assert!(matches!(refused, Err(Refusal::TooMuch { .. })));
        }
        let lookup = lookup(256, 512);
        let refused = lookup.check(&one, &EMPTY);
        assert_eq!(refused, Err(Refusal::Lookup { part: "siblings" }));
    }

    #[test]
    fn a_lookup_has_one_spelling() {
        let hash = "A".repeat(43) + "=";
        let good = json!({"siblings": hash, "other": "A".repeat(86) + "=="});
        let read = Lookup::from_value(&good).unwrap();
        assert_eq!(read.to_value(), good);
        // 256 hashes, and one more.
        let most = json!({"siblings": "AAAA".repeat(2730) + "AAA="});
        assert_eq!(Lookup::from_value(&most).unwrap().siblings.len(), 256);
        for value in [
            json!({}),
            json!({"siblings": "AAAA".repeat(2741) + "AA=="}),
            json!({"siblings": []}),
            json!({"siblings": "A".repeat(44)}),
            json!({"siblings": "A".repeat(43)}),
            json!({"siblings": "A".repeat(42) + "B="}),
            json!({"siblings": "AAAA"}),
            json!({"siblings": "AAAA".repeat(32 * 257 / 3 + 1)}),
            json!({"siblings": "", "other": null}),
            json!({"siblings": "", "value": null}),
            json!({"siblings": "", "other": "AAAA"}),
            json!({"siblings": "", "value": 1}),
            json!({"siblings": "", "more": 1}),
        ] {
            assert!(Lookup::from_value(&value).is_err(), "{value}");
        }
    }
}
