//! Attestations of recalled memories: standing, and header, signature and key history of each author (docs/format/attestation.md).

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_capsule::{Kind, RecordKind};
use counterfoil_life::Life as _;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog as _, StoredCapsule};
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_types::{DidKey, WorldId};
use counterfoil_verifier::KeyFingerprint;
use counterfoil_verifier::attestations::{Attestations, Authorship};
use counterfoil_verifier::opened::EntrySignature;

use crate::error::Error;
use crate::versions;

/// Authors of these memories, and their standing under the checkpoint of their proofs, which `recalled` has by memory; `None`
/// for a memory that is proven by no log. `None` in all where the log has grown since.
pub(crate) async fn of(
    store: &SqliteStore,
    recalled: &BTreeMap<WorldId, Option<String>>,
) -> Result<Option<Attestations>, Error> {
    let proven = recalled
        .iter()
        .filter(|(_, checkpoint)| checkpoint.is_some());
    let worlds: Vec<WorldId> = proven.map(|(world, _)| world.clone()).collect();
    let standings = store.standings(&worlds).await?;
    let mut standing = BTreeMap::new();
    if let Some(standings) = standings {
        let mut checkpoints = recalled.values().flatten();
        if checkpoints.any(|checkpoint| *checkpoint != standings.checkpoint) {
            return Ok(None);
        }
        standing.extend(worlds.into_iter().zip(standings.of));
    }
    let (mut attestations, mut authors) = (Attestations::default(), BTreeSet::new());
    for world in recalled.keys() {
        let Some(stored) = versions::stored(store, world).await? else {
            continue;
        };
        authors.insert(stored.header.agent());
        let authorship = Authorship {
            header: stored.header.canonical().to_owned(),
            signature: EntrySignature {
                key_id: KeyFingerprint::of(&stored.key),
                value: stored.signature,
            },
        };
        let standing = standing.remove(world).flatten();
        attestations.insert(world.clone(), authorship, standing);
    }
    for author in authors {
        let documents = key_documents(store, author).await?;
        // Without a rotation there is the key that the agent is named after, and no other.
        if documents.len() > 1 {
            let held = attestations.insert_keys(author, documents);
            held.map_err(|error| Error::place(error, "run `counterfoil check`"))?;
        }
    }
    Ok(Some(attestations))
}

/// The inception and the rotations of an agent. What was said of stolen keys is in the standing of a memory.
async fn key_documents(store: &SqliteStore, agent: DidKey) -> Result<Vec<Value>, Error> {
    let is_key = |record: &StoredCapsule| {
        let kind = record.header.kind();
        [RecordKind::KeyInception, RecordKind::KeyRotation]
            .map(Kind::Record)
            .contains(&kind)
    };
    let records = store.key_records(agent).await?;
    let keys = records.iter().filter(|record| is_key(record));
    let documents = keys.map(|record| {
        let payload = record.payload.as_ref()?;
        parse(payload.text.as_bytes(), Limits::DOCUMENT).ok()
    });
    let documents: Option<Vec<_>> = documents.collect();
    documents
        .ok_or_else(|| Error::place("a record of keys cannot be read", "run `counterfoil check`"))
}
