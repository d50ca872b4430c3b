//! The value of the map for a line of claims, and for an agent's records of trust: how many there are, and the last one
//! (`standing.md` §5).

use alloc::format;
use alloc::string::{String, ToString};

use counterfoil_types::{Blake3Hash, DidKey, Sha256Hash};

use super::{Lookup, key};
use crate::refusal::Refusal;
use crate::text::decimal;

const LINE: &str = "counterfoil/map/line/v1";

/// Units of one line of claims, as the headers of its log give them.
///
/// ```text
/// counterfoil/map/line/v1
/// count 3
/// last 42 blake3:…
/// ```
/// Says nothing of their contents: units whose content was erased are counted, units without a tag are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineStanding {
    /// Number of units, at least 1.
    pub count: u64,
    /// Log index of the last one.
    pub last: u64,
    /// Hash of its capsule: of the header that its entry names.
    pub capsule: Blake3Hash,
}

impl LineStanding {
    /// The key of the line with a tag, [`Opened::line`](crate::opened::Opened::line), of an agent.
    pub fn key(agent: &DidKey, tag: &Blake3Hash) -> Sha256Hash {
        key("line", &[agent.to_string().as_bytes(), tag.as_bytes()])
    }

    /// The key of an agent's records of trust, which are counted as the units of a line are.
    pub fn trust_key(agent: &DidKey) -> Sha256Hash {
        Self::key(agent, &Self::trust_tag())
    }

    /// The tag of records of trust (`trust.md`, "In the log").
    pub fn trust_tag() -> Blake3Hash {
        let tag = blake3::derive_key("memory-capsule 2026-02-10 v1 line", b"trust");
        Blake3Hash::from_bytes(tag)
    }

    /// Reads a value in its one spelling.
    ///
    /// # Errors
    /// [`Refusal::Lookup`] for any other text.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let read = || {
            let mut lines = text.lines().skip(1);
            let count = decimal(lines.next()?.strip_prefix("count ")?)?;
            let (last, capsule) = lines.next()?.strip_prefix("last ")?.split_once(' ')?;
            let line = Self {
                count,
                last: decimal(last)?,
                capsule: capsule.parse().ok()?,
            };
            (count > 0 && line.to_text() == text).then_some(line)
        };
        read().ok_or(Refusal::Lookup { part: "value" })
    }

    /// Writes the value.
    pub fn to_text(&self) -> String {
        let Self {
            count,
            last,
            capsule,
        } = self;
        format!("{LINE}\ncount {count}\nlast {last} {capsule}\n")
    }

    /// Returns the units of the line with a tag under the root `root` of the map; `None` if the log has none. `lookup` is that of
    /// [`LineStanding::key`], agent and tag are from signed headers.
    ///
    /// # Errors
    /// [`Refusal::Lookup`] where the lookup does not hold, or its value is none; [`Refusal::TooMuch`] beyond the limits of a
    /// lookup.
    pub fn check(
        root: &Sha256Hash,
        agent: &DidKey,
        tag: &Blake3Hash,
        lookup: &Lookup,
    ) -> Result<Option<Self>, Refusal> {
        let value = lookup.check(&Self::key(agent, tag), root)?;
        value.map(Self::parse).transpose()
    }

    /// Returns the records of trust of an agent under the root `root` of the map; `None` if the log has none. `lookup` is that of
    /// [`LineStanding::trust_key`].
    ///
    /// # Errors
    /// As [`LineStanding::check`].
    pub fn check_trust(
        root: &Sha256Hash,
        agent: &DidKey,
        lookup: &Lookup,
    ) -> Result<Option<Self>, Refusal> {
        let value = lookup.check(&Self::trust_key(agent), root)?;
        value.map(Self::parse).transpose()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::{EMPTY, MAX_VALUE_BYTES, leaf_hash, value_hash};
    use super::*;

    const AGENT: &str = "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp";

    const OTHER: &str = "did:key:z6MkehRgf7yJbgaGfYsdoAsKdBPE3dj2CYhowQdcjqSJgvVd";

    fn hash(byte: u8) -> Blake3Hash {
        Blake3Hash::from_bytes([byte; 32])
    }

    fn line(count: u64, last: u64) -> LineStanding {
        let capsule = hash(0xab);
        LineStanding {
            count,
            last,
            capsule,
        }
    }

    #[test]
    fn a_value_has_one_spelling() {
        let largest = line(u64::MAX, u64::MAX);
        assert!(largest.to_text().len() <= MAX_VALUE_BYTES);
        assert_eq!(LineStanding::parse(&largest.to_text()), Ok(largest));
        let text = line(3, 42).to_text();
        let digest = "ab".repeat(32);
        let expected = format!("counterfoil/map/line/v1\ncount 3\nlast 42 blake3:{digest}\n");
        assert_eq!(text, expected);
        assert_eq!(LineStanding::parse(&text), Ok(line(3, 42)));
        for other in [
            String::new(),
            text.trim_end().into(),
            text.clone() + "\n",
            text.replace('\n', "\r\n"),
            text.replace("/v1", "/v2"),
            text.replace("count 3", "count 03"),
            text.replace("count 3", "count 0"),
            text.replace("count 3\n", ""),
            text.replace("last 42", "last +42"),
            text.replace("last 42 ", "last 42"),
            text.replace("last 42 ", "last 42  "),
            text.replace("ab", "AB"),
            text.replace("blake3", "sha256"),
            text.replace(&digest, &digest[2..]),
        ] {
            assert!(LineStanding::parse(&other).is_err(), "{other:?}");
        }
    }

    /// A map of one line answers for its agent and its tag, and says of every other line that it is not there.
    #[test]
    fn a_standing_is_that_of_this_agent_and_this_tag() {
        let agent: DidKey = AGENT.parse().unwrap();
        let tag = hash(1);
        let value = line(3, 42).to_text();
        let (key, value_hash) = (LineStanding::key(&agent, &tag), value_hash(&value));
        let root = leaf_hash(&key, &value_hash);
        let own = Lookup {
            siblings: Vec::new(),
            value: Some(value),
            other: None,
        };
        let absent = Lookup {
            value: None,
            other: Some((key, value_hash)),
            ..own.clone()
        };
        let check =
            |tag: &Blake3Hash, lookup: &Lookup| LineStanding::check(&root, &agent, tag, lookup);
        assert_eq!(check(&tag, &own), Ok(Some(line(3, 42))));
        assert!(check(&hash(2), &own).is_err(), "the value of another line");
        assert_eq!(check(&hash(2), &absent), Ok(None));
        assert!(check(&tag, &absent).is_err(), "left out");
        let other: DidKey = OTHER.parse().unwrap();
        let found = LineStanding::check(&root, &other, &tag, &own);
        assert!(found.is_err(), "the value of another agent");
        assert!(LineStanding::check(&EMPTY, &agent, &tag, &own).is_err());
        let other = "not a value of a line";
        let root = leaf_hash(&key, &super::super::value_hash(other));
        let other = Lookup {
            value: Some(other.into()),
            ..own
        };
        assert!(LineStanding::check(&root, &agent, &tag, &other).is_err());
    }

    #[test]
    fn records_of_trust_are_those_of_this_agent_and_no_line() {
        let agent: DidKey = AGENT.parse().unwrap();
        let other: DidKey = OTHER.parse().unwrap();
        let value = line(2, 7).to_text();
        let (key, hash) = (LineStanding::trust_key(&agent), value_hash(&value));
        let root = leaf_hash(&key, &hash);
        let own = Lookup {
            siblings: Vec::new(),
            value: Some(value),
            other: None,
        };
        let found = LineStanding::check_trust(&root, &agent, &own);
        assert_eq!(found, Ok(Some(line(2, 7))));
        assert!(LineStanding::check_trust(&root, &other, &own).is_err());
        assert!(LineStanding::check(&root, &agent, &self::hash(0), &own).is_err());
        let absent = Lookup {
            value: None,
            other: Some((key, hash)),
            ..own
        };
        assert!(LineStanding::check_trust(&root, &agent, &absent).is_err());
        let none = LineStanding::check_trust(&root, &other, &absent);
        assert_eq!(none, Ok(None));
    }
}
