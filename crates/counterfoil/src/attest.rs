//! Attestations of recalled memories: header, signature and key history of each author (docs/format/attestation.md).

use std::collections::BTreeSet;

use counterfoil_capsule::{Kind, RecordKind};
use counterfoil_life::Life as _;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::StoredCapsule;
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_types::{DidKey, WorldId};
use counterfoil_verifier::KeyFingerprint;
use counterfoil_verifier::attestations::{Attestations, Authorship};
use counterfoil_verifier::opened::EntrySignature;

use crate::error::Error;
use crate::versions;

/// What the store has of the authors of these memories.
pub(crate) async fn of(
    store: &SqliteStore,
    memories: &BTreeSet<WorldId>,
) -> Result<Attestations, Error> {
    let (mut attestations, mut authors) = (Attestations::default(), BTreeSet::new());
    for world in memories {
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
        attestations.insert(world.clone(), authorship);
    }
    for author in authors {
        let documents = key_documents(store, author).await?;
        // Without a rotation there is the key that the agent is named after, and no other.
        if documents.len() > 1 {
            let held = attestations.insert_keys(author, documents);
            held.map_err(|error| Error::place(error, "run `counterfoil check`"))?;
        }
    }
    Ok(attestations)
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
