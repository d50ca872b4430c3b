//! Keys of an agent by the documents of its key chain: each was committed to by the one before (`docs/format/keys.md`).

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_types::json::Value;
use counterfoil_types::{Blake3Hash, DidKey, document};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::digest::next_key_commitment;
use crate::integrity::{Binding, verify};
use crate::refusal::Refusal;

/// Members beside those of the structs below.
const ENVELOPE: &[&str] = &["type", "version", "proof"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Inception {
    agent: DidKey,
    next_key: Blake3Hash,
    recovery_key: Blake3Hash,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rotation {
    agent: DidKey,
    chain: String,
    /// Names a header, which does not travel.
    #[serde(rename = "previous")]
    _previous: Blake3Hash,
    number: u64,
    key: DidKey,
    next_key: Blake3Hash,
    recovery_key: Blake3Hash,
}

/// The keys of `agent` by number: an inception signed by the key that it is named after, and rotations, each signed by the
/// current key and by the next one, to which the document before committed.
pub(super) fn keys(agent: DidKey, documents: &[Value]) -> Result<Vec<DidKey>, Refusal> {
    let refused = |at| move |part| Refusal::KeyHistory { agent, at, part };
    let (first, rotations) = documents.split_first().ok_or(refused(0)("inception"))?;
    let inception: Inception = read(first, "key_inception").ok_or(refused(0)("inception"))?;
    if inception.agent != agent {
        return Err(refused(0)("agent"));
    }
    signed(first, agent, agent).map_err(refused(0))?;
    let (mut keys, mut next, mut chain) = (Vec::from([agent]), inception.next_key, None);
    for (at, document) in (1..).zip(rotations) {
        let refused = refused(at);
        let rotation: Rotation = read(document, "key_rotation").ok_or(refused("rotation"))?;
        let current = keys.last().copied().unwrap_or(agent);
        let committed = |to: &DidKey| next_key_commitment(to) == rotation.next_key;
        let is_chain = chain.get_or_insert(rotation.chain.clone()) == &rotation.chain;
        let checks = [
            (rotation.agent == agent, "agent"),
            (is_chain, "chain"),
            (rotation.number == at, "number"),
            (next_key_commitment(&rotation.key) == next, "key"),
            (
                rotation.recovery_key == inception.recovery_key,
                "recovery_key",
            ),
            // A thief knows the old keys.
            (
                rotation.next_key != next && !keys.iter().any(committed),
                "next_key",
            ),
        ];
        if let Some((_, part)) = checks.into_iter().find(|(holds, _)| !holds) {
            return Err(refused(part));
        }
        for key in [current, rotation.key] {
            signed(document, agent, key).map_err(refused)?;
        }
        keys.push(rotation.key);
        next = rotation.next_key;
    }
    Ok(keys)
}

fn read<T: DeserializeOwned>(document: &Value, kind: &str) -> Option<T> {
    let text = |member| document.get(member).and_then(Value::as_str);
    let is_kind = (text("type"), text("version")) == (Some(kind), Some("1"));
    is_kind.then(|| document::read_without(document, ENVELOPE).ok())?
}

fn signed(document: &Value, agent: DidKey, key: DidKey) -> Result<(), &'static str> {
    let checked = verify(document, agent, &[key], &Binding::ASSERTION);
    checked.map(drop).map_err(|_| "proof")
}
