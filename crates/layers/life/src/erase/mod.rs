//! Erasure: content, salts and deltas are taken away for good, header and log stay (capsules 4.6, C20).
//!
//! One transaction appends the redaction, takes the bodies away, and derives the index again without them. Old bytes in
//! free pages and in the write-ahead log are removed afterwards ([`Backend::scrub`]).

mod certificate;
mod copies;

use std::sync::Arc;

use counterfoil_capsule::documents::{RedactedField, Redaction};
use counterfoil_capsule::{Document, Header, RecordKind, Signer};
use counterfoil_store::{ContentState, Draft, StoreError};
use counterfoil_types::WorldId;

pub use certificate::{Certificate, ErasedCapsule};

use crate::backend::Backend;
use crate::bodies::{keep_whole, take_delta};
use crate::entries::{self, in_chain, places, present_header};
use crate::port::rows::{ErasedUnitRow, RedactedRow};
use crate::port::{BodyRow, Txn};
use crate::records::record_at;
use crate::{Unit, forks, stubs};

/// Versions of a memory to erase.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Extent {
    /// The one that was named.
    Version,
    /// All of its chain.
    Chain,
}

/// Log index, header and content of a redaction.
pub(crate) type RedactionAt = (u64, Header, Redaction);

/// Erases, removes the old bytes, and returns the certificate; `None` when there is no such memory.
pub(crate) async fn run(
    backend: &impl Backend,
    signer: Arc<dyn Signer>,
    world_id: WorldId,
    reason: String,
    extent: Extent,
) -> Result<Option<Certificate>, StoreError> {
    let done = backend.write(move |unit| erase(unit, &*signer, &world_id, &reason, extent));
    let Some(erased) = done.await? else {
        return Ok(None);
    };
    // Committed: an error from here on is reported in the certificate.
    let not_scrubbed = backend.scrub().await;
    let certificate = backend.read(move |txn| certificate::of(txn, erased, not_scrubbed));
    certificate.await.map(Some)
}

/// Returns the redaction of the capsule at `index`, if its content is erased.
pub(crate) fn redaction_of(txn: &dyn Txn, index: u64) -> Result<Option<RedactionAt>, StoreError> {
    let row: Option<RedactedRow> = txn.find(&[&index])?;
    let read = |row: RedactedRow| {
        record_at(txn, row.record, "it is no redaction", |value| {
            Redaction::parse(value).ok()
        })
    };
    row.map(read).transpose()
}

/// Capsules that are erased, by this call or before.
struct ErasedSet {
    /// Log indices, ascending.
    indices: Vec<u64>,
    /// Those that were erased now.
    now: Vec<u64>,
    /// Copies of the content, which cannot be found any more once it is erased.
    same: copies::Same,
}

fn erase(
    unit: &mut Unit<'_>,
    signer: &dyn Signer,
    world_id: &WorldId,
    reason: &str,
    extent: Extent,
) -> Result<Option<ErasedSet>, StoreError> {
    let txn = unit.txn();
    let Some(index) = entries::index_of(txn, world_id)? else {
        return Ok(None);
    };
    let indices = match extent {
        Extent::Version => vec![index],
        Extent::Chain => versions(txn, index)?,
    };
    let mut now = Vec::new();
    for &index in &indices {
        if erasable(txn, index)? {
            now.push(index);
        }
    }
    let same = copies::same(txn, &indices, &now)?;
    // The newest first: what follows an erased version need not be made whole.
    let newest_first = now.iter().rev();
    let drafts = newest_first.map(|&index| take(txn, index, signer, reason));
    let mut drafts = drafts.collect::<Result<Vec<_>, _>>()?;
    if !drafts.is_empty() {
        drafts.reverse();
        unit.append(signer, &drafts)?;
        unit.derive_again()?;
    }
    Ok(Some(ErasedSet { indices, now, same }))
}

/// Takes the bodies of a capsule away, and drafts the record of it.
fn take(txn: &dyn Txn, index: u64, signer: &dyn Signer, reason: &str) -> Result<Draft, StoreError> {
    let header = present_header(txn, index)?;
    let mut fields = vec![RedactedField::Payload, RedactedField::PayloadSalt];
    if header.previous().is_some() {
        fields.extend([RedactedField::Delta, RedactedField::DeltaSalt]);
    }
    if take_bodies(txn, index, &header)? {
        fields.extend([RedactedField::NextDelta, RedactedField::NextDeltaSalt]);
    }
    let redaction = Redaction::new(
        header.hash(),
        header.world().cloned(),
        index,
        fields,
        reason,
        signer.agent(),
    );
    let redaction = redaction.map_err(|source| StoreError::Seal {
        subject: "the redaction".to_owned(),
        source,
    })?;
    Ok(Draft::record(RecordKind::Redaction, redaction.to_value()))
}

/// Takes the bodies of the capsule at `index` away, and copies of them beside its chain. Returns true if the delta of a
/// capsule after it is gone as well.
pub(crate) fn take_bodies(txn: &dyn Txn, index: u64, header: &Header) -> Result<bool, StoreError> {
    let next = make_next_independent(txn, header)?;
    let beside = forks::take_bodies(txn, header)?;
    // Read while its content is there.
    let place = txn.unit_place(index)?;
    txn.set_body(index, &BodyRow::default())?;
    if let Some(world) = header.world() {
        txn.take_exchanged(world)?;
    }
    if let Some((number, beside)) = place {
        txn.add(&ErasedUnitRow {
            idx: index,
            number,
            beside,
        })?;
    }
    Ok(next || beside)
}

/// Returns the storage state of the capsule at `index`.
fn content_of(txn: &dyn Txn, index: u64) -> Result<ContentState, StoreError> {
    Ok(entries::state(txn, index)?.version.content)
}

/// Tests whether there is something to erase.
///
/// # Errors
/// [`StoreError::Archived`] when it is not here.
fn erasable(txn: &dyn Txn, index: u64) -> Result<bool, StoreError> {
    match stubs::read(txn, index)? {
        None => Ok(content_of(txn, index)? == ContentState::Present),
        Some(_) if redaction_of(txn, index)?.is_some() => Ok(false),
        Some(stub) => Err(stub.archived(txn)?),
    }
}

/// Returns the log indices of all versions of the memory at `index`, ascending.
fn versions(txn: &dyn Txn, index: u64) -> Result<Vec<u64>, StoreError> {
    let chain = entries::state(txn, index)?.chain;
    let places = places(txn, &chain, 0)?.into_iter();
    Ok(places.map(|place| place.idx).collect())
}

/// Makes the version after `header` independent of it: its content is written out, and its delta, which holds the
/// content that it replaced, is taken away. Returns false if there was none.
fn make_next_independent(txn: &dyn Txn, header: &Header) -> Result<bool, StoreError> {
    let Some(next) = in_chain(txn, &header.chain(), header.seq() + 1)? else {
        return Ok(false);
    };
    // In an abandoned branch the number is another capsule's; one in an archive has no body here.
    let follows = entries::header(txn, next)?.and_then(|next| next.previous());
    if follows != Some(header.hash()) {
        return Ok(false);
    }
    keep_whole(txn, next)?;
    take_delta(txn, next)
}
