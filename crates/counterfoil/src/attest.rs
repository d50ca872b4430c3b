//! Attestations of recalled memories: standing, and header, signature and key history of each author (docs/format/attestation.md).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use counterfoil_capsule::{Kind, RecordKind};
use counterfoil_claim_memory::{ClaimMemoryError, prove_belief};
use counterfoil_claims::{Line, Settings};
use counterfoil_life::Life as _;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{AsOf, CapsuleLog as _, ClaimStore as _, StoredCapsule};
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_types::{DidKey, WorldId};
use counterfoil_verifier::attestations::{Attestations, Authorship};
use counterfoil_verifier::opened::EntrySignature;
use counterfoil_verifier::{KeyFingerprint, TlogProof};

use crate::error::Error;
use crate::versions;

/// Authors of these memories, their standing under the checkpoint of their proofs, and beliefs. `recalled` has the checkpoint by
/// memory, `None` for a memory that is proven by no log. `None` in all where the log has grown since.
pub(crate) async fn of(
    store: &SqliteStore,
    recalled: &BTreeMap<WorldId, Option<String>>,
    (settings, floor): (Arc<Settings>, Option<u64>),
) -> Result<Option<Attestations>, Error> {
    let proven = recalled
        .iter()
        .filter(|(_, checkpoint)| checkpoint.is_some());
    let worlds: Vec<WorldId> = proven.map(|(world, _)| world.clone()).collect();
    let standings = store.standings(&worlds).await?;
    let (mut standing, mut beliefs) = (BTreeMap::new(), Vec::new());
    if let Some(standings) = standings {
        let mut checkpoints = recalled.values().flatten();
        if checkpoints.any(|checkpoint| *checkpoint != standings.checkpoint) {
            return Ok(None);
        }
        let checkpoint = standings.checkpoint.as_str();
        match beliefs_of(store, (&worlds, checkpoint), settings, floor).await? {
            Some(found) => beliefs = found,
            None => return Ok(None),
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
    for (proof, claims) in beliefs {
        attestations.insert_belief(proof, &claims);
    }
    Ok(Some(attestations))
}

/// Proofs of the beliefs of recalled claims, with the claims; a line that has none is left out, and its claims are then open.
/// `None` where the log has grown since `checkpoint`.
async fn beliefs_of(
    store: &SqliteStore,
    (recalled, checkpoint): (&[WorldId], &str),
    settings: Arc<Settings>,
    floor: Option<u64>,
) -> Result<Option<Vec<(Value, Vec<WorldId>)>>, Error> {
    let mut lines: BTreeMap<Line, Vec<WorldId>> = BTreeMap::new();
    for world in recalled {
        if let Some(unit) = store.unit_of(world).await? {
            lines
                .entry(unit.line().clone())
                .or_default()
                .push(world.clone());
        }
    }
    let mut beliefs = Vec::new();
    // The checkpoint under which the units of a belief are proven.
    let checkpoint_of = |proof: &Value| {
        let receipt = proof.pointer("/units/0/proof/proof/tlogProof")?.as_str()?;
        Some(TlogProof::parse(receipt).ok()?.checkpoint)
    };
    for (line, claims) in lines {
        let now = AsOf::default();
        match prove_belief(store, line, now, Arc::clone(&settings), floor).await {
            Ok((_, proof)) if checkpoint_of(&proof).as_deref() != Some(checkpoint) => {
                return Ok(None);
            }
            Ok((_, proof)) => beliefs.push((proof, claims)),
            Err(ClaimMemoryError::Store(error)) => return Err(error.into()),
            Err(_) => {}
        }
    }
    Ok(Some(beliefs))
}

/// The inception and the rotations of an agent. Statements on stolen keys are in the standing of a memory.
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
