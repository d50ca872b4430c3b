//! Sources of claims and their independence (I6), and the tag of a value.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};
use core::fmt;

use counterfoil_types::{DidKey, text_form};

use crate::limits::is_chain;
use crate::time::ValidTime;
use crate::{Anchor, FactValue, Provenance, ProvenanceClass};

const VALUE: &str = "counterfoil/claim/v1 tag of a value";

/// A source of evidence: `user_asserted`, `first_hand`, `peer:<did>`, or `world:<chain>` of an anchor.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceKey(String);

text_form! {
    SourceKey: "user_asserted, first_hand, peer:<did> or world:<chain>", = SourceKey::parse;
}

impl fmt::Display for SourceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl SourceKey {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reads one source; `None` for any other text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let known = match text.split_once(':') {
            Some(("peer", did)) => did.parse::<DidKey>().is_ok(),
            Some(("world", chain)) => is_chain(chain),
            Some(_) => false,
            None => ["user_asserted", "first_hand"].contains(&text),
        };
        known.then(|| Self(text.to_string()))
    }

    /// The agent of a source `peer:<did>`; `None` for the others.
    pub(crate) fn peer(&self) -> Option<DidKey> {
        self.0.strip_prefix("peer:")?.parse().ok()
    }

    pub(crate) fn of_anchor(anchor: &Anchor) -> Self {
        Self(format!("world:{}", anchor.source))
    }

    /// Returns the sources of a unit: those of its anchors, or else its provenance. A model without anchors has none.
    pub(crate) fn of(provenance: Provenance, anchors: &[Anchor]) -> Vec<Self> {
        if anchors.is_empty() {
            return match provenance.class() {
                ProvenanceClass::ModelDerived
                | ProvenanceClass::RecallReEntry
                | ProvenanceClass::Peer { inferred: true, .. } => Vec::new(),
                ProvenanceClass::Peer { agent, .. } => vec![Self(format!("peer:{agent}"))],
                class => vec![Self(class.name().to_string())],
            };
        }
        let mut sources: Vec<Self> = Vec::with_capacity(anchors.len());
        for anchor in anchors {
            let source = Self::of_anchor(anchor);
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
        sources
    }
}

impl FactValue {
    /// A stable hash of the value, for indexes: equal values have equal tags.
    pub fn tag(&self) -> [u8; 16] {
        let mut hash = Framed::new(VALUE);
        hash.part(self.canonical().as_bytes());
        hash.finish().first_chunk().copied().unwrap_or_default()
    }
}

/// BLAKE3 over parts, each behind its length: no two lists of parts are one text.
pub(crate) struct Framed(blake3::Hasher);

impl Framed {
    pub(crate) fn new(context: &str) -> Self {
        Self(blake3::Hasher::new_derive_key(context))
    }

    pub(crate) fn part(&mut self, bytes: &[u8]) {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.0.update(&length.to_le_bytes());
        self.0.update(bytes);
    }

    /// A window as it was given: its boundaries, and whether it is trusted.
    pub(crate) fn window(&mut self, valid: Option<&ValidTime>) {
        let Some(valid) = valid else {
            return self.part(b"undated");
        };
        for boundary in [valid.from, valid.until] {
            let text = boundary.map_or_else(String::new, |boundary| boundary.to_string());
            self.part(text.as_bytes());
        }
        self.part(if valid.is_trusted() {
            b"trusted"
        } else {
            b"untrusted"
        });
    }

    pub(crate) fn finish(self) -> [u8; 32] {
        *self.0.finalize().as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Indexes are built on tags: a value keeps its own.
    #[test]
    fn the_tag_of_a_value_never_changes() {
        let tag = |value: serde_json::Value| FactValue::new(&value).unwrap().tag();
        assert_eq!(tag(json!({ "a": 1.0 })), tag(json!({ "a": 1 })));
        assert_ne!(tag(json!("1")), tag(json!(1)));
        assert_eq!(
            hex(&tag(json!("Lisbon"))),
            "4ffa75c5e74f33e40a924e6aecd52db9"
        );
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// No two lists of parts are one text.
    #[test]
    fn parts_are_framed() {
        let hash = |parts: &[&[u8]]| {
            let mut framed = Framed::new(VALUE);
            for part in parts {
                framed.part(part);
            }
            framed.finish()
        };
        assert_ne!(hash(&[b"ab", b"c"]), hash(&[b"a", b"bc"]));
        assert_ne!(hash(&[b"a", b""]), hash(&[b"a"]));
    }

    /// I6: versions of one memory are one source, and a model that cites nothing has none.
    #[test]
    fn sources_are_chains_or_speakers() {
        let anchor = |world: &str, chain: &str| Anchor {
            world: counterfoil_types::WorldId::new(world).unwrap(),
            source: chain.into(),
        };
        let anchors = [anchor("v1", "c"), anchor("v2", "c"), anchor("w", "d")];
        let model = Provenance::assigned(ProvenanceClass::ModelDerived);
        let texts: Vec<String> = SourceKey::of(model, &anchors)
            .into_iter()
            .map(|one| one.0)
            .collect();
        assert_eq!(texts, ["world:c", "world:d"]);
        assert!(SourceKey::of(model, &[]).is_empty());
        let agent = DidKey::from_public_key([1; 32]);
        let peer = |level| {
            Provenance::assigned(ProvenanceClass::Peer {
                agent,
                level,
                inferred: false,
            })
        };
        assert_eq!(SourceKey::of(peer(1), &[]), SourceKey::of(peer(3), &[]));
        for source in SourceKey::of(peer(1), &[])
            .iter()
            .chain(&SourceKey::of(model, &anchors))
        {
            assert_eq!(SourceKey::parse(source.as_str()).as_ref(), Some(source));
        }
        for text in [
            "",
            "model_derived",
            "peer:",
            "peer:x",
            "world:",
            "world",
            "other:x",
        ] {
            assert_eq!(SourceKey::parse(text), None, "{text}");
        }
    }
}
