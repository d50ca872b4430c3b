//! Rows of the index that a record of the log makes: one function for appends, rebuilds and
//! checks (capsules 4.5-4.7; MEM-MAINT-3).

use counterfoil_capsule::documents::{ArchiveReceipt, Redaction, Tombstone};
use counterfoil_capsule::keys::{KeyCompromise, KeyDocument};
use counterfoil_capsule::{Document, Header, Kind, RecordKind};
use counterfoil_store::StoreError;
use counterfoil_types::DidKey;

use super::claims::derive_claims_again;
use crate::entries::{Sides, index_of, slot_at};
use crate::port::Txn;
use crate::port::rows::{
    CompromiseRow, CorrectionRow, ForgottenRow, KeyRow, ReceiptRow, RedactedRow,
};
use crate::records::{EVERYONE, Record};
use crate::{forks, trust};

/// Writes what the record says. A document that is none of its kind says nothing: it is refused
/// where it is made, and a rebuild has to come out the same.
///
/// # Errors
/// When a table cannot be read or written.
pub(crate) fn derive(sides: Sides<'_>, record: Record<'_>) -> Result<(), StoreError> {
    let Kind::Record(kind) = record.header.kind() else {
        return Ok(());
    };
    let document = record.document;
    match kind {
        RecordKind::KeyInception | RecordKind::KeyRotation | RecordKind::KeyCompromise => {
            match KeyDocument::parse(kind, document) {
                Some(Ok(KeyDocument::Inception(it))) => key(sides.index, &record, (0, it.agent)),
                Some(Ok(KeyDocument::Rotation(it))) => {
                    key(sides.index, &record, (it.number, it.key))
                }
                Some(Ok(KeyDocument::Compromise(it))) => compromise(sides, &record, &it),
                _ => Ok(()),
            }
        }
        RecordKind::Redaction => Redaction::parse(document)
            .map_or(Ok(()), |redaction| redacted(sides, &record, &redaction)),
        RecordKind::Tombstone => Tombstone::parse(document)
            .map_or(Ok(()), |tombstone| forgotten(sides, &record, &tombstone)),
        RecordKind::ArchiveReceipt => {
            ArchiveReceipt::parse(document).map_or(Ok(()), |it| receipt(sides, &record, &it))
        }
        RecordKind::ForkResolution => forks::derive(sides, record),
        RecordKind::ClockCorrection => corrected(sides, &record),
        RecordKind::Trust => trust::derive(sides.index, &record),
        _ => Ok(()),
    }
}

fn key(
    index: &dyn Txn,
    record: &Record<'_>,
    (number, public_key): (u64, DidKey),
) -> Result<(), StoreError> {
    let row = KeyRow {
        agent: record.header.agent(),
        number,
        public_key,
        idx: record.index,
    };
    index.add(&row).map(drop)
}

/// Entries of another log say nothing of this one: there the time decides.
fn compromise(
    sides: Sides<'_>,
    record: &Record<'_>,
    mark: &KeyCompromise,
) -> Result<(), StoreError> {
    let agent = record.header.agent();
    // A verifier key begins with the name of its log, as checkpoints write it.
    let key = sides.ground.verifier_key()?;
    let mut from_idx = mark.from;
    if key.split('+').next() != Some(mark.log.as_str()) {
        // The first entry of the agent at or after the time; the record when there is none before it.
        from_idx = record.index;
        sides.ground.each_header(&mut |index, header| {
            let header = (index < record.index).then(|| Header::parse(header).ok());
            let Some(header) = header else {
                return Ok(false);
            };
            let is_from = |it: &Header| it.agent() == agent && it.timestamp() >= mark.from_time;
            if header.as_ref().is_some_and(is_from) {
                from_idx = index;
                return Ok(false);
            }
            Ok(true)
        })?;
    }
    let row = CompromiseRow {
        agent,
        number: mark.number,
        idx: record.index,
        from_idx,
    };
    sides.index.add(&row).map(drop)
}

/// Lets the claims of the agent count as recorded at the time of the correction where they are dated later. Corrections of
/// another store say nothing of when this one recorded.
fn corrected(sides: Sides<'_>, record: &Record<'_>) -> Result<(), StoreError> {
    if record.received {
        return Ok(());
    }
    sides.index.add(&CorrectionRow {
        idx: record.index,
        agent: record.header.agent(),
        observed: record.header.recorded().micros(),
    })?;
    derive_claims_again(sides, record.index)
}

/// Marks an erased entry. Redactions of another store erase nothing here.
fn redacted(
    sides: Sides<'_>,
    record: &Record<'_>,
    redaction: &Redaction,
) -> Result<(), StoreError> {
    let idx = redaction.index;
    if record.received
        || idx >= record.index
        || slot_at(sides.ground, idx)?.hash != redaction.capsule
    {
        return Ok(());
    }
    let record = record.index;
    sides.index.add(&RedactedRow { idx, record }).map(drop)
}

/// An agent forgets for itself. For all it is forgotten by a decision that this store has seen, or
/// elsewhere by the agent who wrote it (MEM-MAINT-8, MEM-MAINT-9).
fn forgotten(
    sides: Sides<'_>,
    record: &Record<'_>,
    tombstone: &Tombstone,
) -> Result<(), StoreError> {
    let agent = record.header.agent();
    let actor = match &tombstone.decision {
        None if tombstone.actor.as_str() == agent.to_string() => agent.to_string(),
        None => return Ok(()),
        Some(_) => EVERYONE.to_owned(),
    };
    let world_id = &tombstone.world;
    if actor == EVERYONE && record.received {
        let index = index_of(sides.index, world_id)?;
        let slot = index.map(|index| slot_at(sides.ground, index));
        if slot.transpose()?.map(|slot| slot.agent) != Some(agent) {
            return Ok(());
        }
    }
    let row = ForgottenRow {
        world: world_id.clone(),
        actor,
        record: record.index,
    };
    sides.index.add(&row).map(drop)
}

/// Segments of another store are not this one's.
fn receipt(
    sides: Sides<'_>,
    record: &Record<'_>,
    receipt: &ArchiveReceipt,
) -> Result<(), StoreError> {
    if record.received {
        return Ok(());
    }
    let (first, last) = receipt.entries().unzip();
    let row = ReceiptRow {
        idx: record.index,
        name: receipt.name.to_string(),
        manifest: receipt.manifest,
        count: receipt.count,
        first,
        last,
    };
    sides.index.add(&row).map(drop)
}
