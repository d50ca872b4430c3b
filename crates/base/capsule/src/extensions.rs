//! The members of `ext` that this version gives a meaning to (capsules 4.3, 4.4, 4.5, 4.7).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_types::json::{Map, Value};
use counterfoil_types::{Blake3Hash, MAX_SAFE_INTEGER};

/// The most capsules that one may be derived from.
pub const MAX_SOURCES: usize = 16;

/// Members of a header's `ext`. All of them are signed.
///
/// Kind, clock and key number are not here: they follow from content, time and signer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extensions {
    /// The version whose state this one restores (`rollback_to`).
    pub rollback_to: Option<Blake3Hash>,
    /// Capsules of other chains or agents that this one was made from (`derived_from`), at most
    /// [`MAX_SOURCES`].
    pub derived_from: Vec<Blake3Hash>,
    /// The last capsule of a chain that cannot be extended, which this seed continues
    /// (`continues`). Its timestamp may be lower (C39).
    pub continues: Option<Blake3Hash>,
    /// The commitment to the next key (`next_key`).
    pub next_key: Option<Blake3Hash>,
    /// The commitment to the recovery key (`recovery_key`).
    pub recovery_key: Option<Blake3Hash>,
    /// Commitment to the place in the agent's feed (`feed`). The store sets it.
    pub feed: Option<Blake3Hash>,
    /// Tag of the line of a claim unit, or that of records of trust (`line`). The store sets it.
    pub line: Option<Blake3Hash>,
    /// Number of rows of the journal beside the log, and the link of the last (`journal`). The store sets it.
    pub journal: Option<(u64, Blake3Hash)>,
}

impl Extensions {
    /// Lays the members that are there into `ext`.
    pub(crate) fn write(&self, ext: &mut Map) {
        let mut put = |name: &str, hash: Option<Blake3Hash>| {
            if let Some(hash) = hash {
                ext.insert(name.to_string(), hash.to_string().into());
            }
        };
        put("feed", self.feed);
        put("line", self.line);
        put("rollback_to", self.rollback_to);
        put("continues", self.continues);
        put("next_key", self.next_key);
        put("recovery_key", self.recovery_key);
        if !self.derived_from.is_empty() {
            let sources = self.derived_from.iter().map(ToString::to_string);
            let sources: Vec<Value> = sources.map(Value::String).collect();
            ext.insert(String::from("derived_from"), sources.into());
        }
        if let Some((rows, link)) = self.journal {
            let mut head = Map::new();
            head.insert("link".to_string(), link.to_string().into());
            head.insert("rows".to_string(), rows.into());
            ext.insert("journal".to_string(), head.into());
        }
    }

    /// Reads the members of `ext` that are known here. `Err` names the one that is not what it
    /// must be.
    pub(crate) fn read(ext: &Map) -> Result<Self, (&'static str, &'static str)> {
        const HASH: &str = "absent, or blake3: and 64 lower-case hexadecimal digits";
        let hash = |name: &str, member: &'static str| match ext.get(name) {
            None => Ok(None),
            Some(value) => digest(value).map(Some).ok_or((member, HASH)),
        };
        Ok(Self {
            feed: hash("feed", "ext.feed")?,
            line: hash("line", "ext.line")?,
            rollback_to: hash("rollback_to", "ext.rollback_to")?,
            derived_from: sources(ext)?,
            continues: hash("continues", "ext.continues")?,
            next_key: hash("next_key", "ext.next_key")?,
            recovery_key: hash("recovery_key", "ext.recovery_key")?,
            journal: ext.get("journal").map(journal).transpose()?,
        })
    }
}

/// The number of the key that signs; absent is 0 and never written out.
pub(crate) fn key_number(ext: &Map) -> Result<u64, (&'static str, &'static str)> {
    let Some(value) = ext.get("key") else {
        return Ok(0);
    };
    let number = value.as_u64();
    number
        .filter(|number| (1..=MAX_SAFE_INTEGER).contains(number))
        .ok_or(("ext.key", "absent for the first key, or an integer from 1"))
}

fn journal(value: &Value) -> Result<(u64, Blake3Hash), (&'static str, &'static str)> {
    let members = value.as_object().filter(|members| members.len() == 2);
    let head = members.and_then(|head| Some((head.get("rows")?.as_u64()?, head.get("link")?)));
    head.filter(|(rows, _)| (1..=MAX_SAFE_INTEGER).contains(rows))
        .and_then(|(rows, link)| Some((rows, digest(link)?)))
        .ok_or((
            "ext.journal",
            "absent, or a digest `link` and an integer `rows` from 1",
        ))
}

fn digest(value: &Value) -> Option<Blake3Hash> {
    value.as_str()?.parse().ok()
}

fn sources(ext: &Map) -> Result<Vec<Blake3Hash>, (&'static str, &'static str)> {
    let wrong = (
        "ext.derived_from",
        "absent, or an array of 1 to 16 digests of capsules",
    );
    let Some(value) = ext.get("derived_from") else {
        return Ok(Vec::new());
    };
    let sources = value
        .as_array()
        .filter(|sources| (1..=MAX_SOURCES).contains(&sources.len()))
        .ok_or(wrong)?;
    let sources = sources.iter().map(digest).collect::<Option<_>>();
    sources.ok_or(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(byte: u8) -> Blake3Hash {
        Blake3Hash::from_bytes([byte; 32])
    }

    #[test]
    fn extensions_come_back_as_they_were_written() {
        let extensions = Extensions {
            feed: Some(hash(7)),
            line: Some(hash(8)),
            rollback_to: Some(hash(1)),
            derived_from: alloc::vec![hash(2), hash(3)],
            continues: Some(hash(4)),
            next_key: None,
            recovery_key: Some(hash(5)),
            journal: Some((7, hash(6))),
        };
        let mut ext = Map::new();
        extensions.write(&mut ext);
        assert_eq!(Extensions::read(&ext), Ok(extensions));
        assert_eq!(Extensions::read(&Map::new()), Ok(Extensions::default()));
    }

    #[test]
    fn a_member_of_another_form_is_named() {
        let refused = |member: &str, value: Value| {
            let ext = [(member.to_string(), value)].into_iter().collect();
            let read = Extensions::read(&ext).map(drop).and(key_number(&ext));
            assert_eq!(read.unwrap_err().0.trim_start_matches("ext."), member);
        };
        refused("rollback_to", 1.into());
        refused("feed", 1.into());
        refused("line", "blake3:00".into());
        refused("continues", "sha256:00".into());
        refused("derived_from", Value::Array(Vec::new()));
        refused("derived_from", alloc::vec![hash(1).to_string(); 17].into());
        refused("journal", hash(1).to_string().into());
        refused(
            "journal",
            serde_json::json!({ "link": hash(1).to_string(), "rows": 0 }),
        );
        refused("key", 0.into());
        refused("key", "1".into());
    }
}
