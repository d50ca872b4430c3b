//! EraseRequest: content, salts and deltas are taken away for good, header and log stay (capsules 4.6, C20).
//!
//! One transaction appends the redaction, takes the bodies away, and makes derived state again
//! without them. What is left of the old bytes in free pages and in the write-ahead log goes
//! afterwards ([`scrub`]).

mod bodies;
mod certificate;
mod copies;
mod redaction;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use counterfoil_capsule::documents::{RedactedField, Redaction};
use counterfoil_capsule::{Document, Header, RecordKind, Signer};
use counterfoil_store::{Draft, StoreError};
use counterfoil_types::WorldId;
use rusqlite::Connection;

pub use certificate::{Certificate, ErasedCapsule};
pub use copies::{RemainingCopies, VersionCopy};

use crate::claims::UnitErasure;
use crate::exchange;
use crate::records::RecordAt;
use crate::scrub::{ScrubReport, scrub};
use crate::store::SqliteStore;
use crate::unit::Unit;
use crate::{rebuild, rows};

/// Extent of an erasure in an evolving World.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Extent {
    /// The version that was named. What did not change stays in the other versions.
    Version,
    /// Every version of its chain.
    Chain,
}

/// Request to erase content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EraseRequest {
    /// The World; any version of an evolving one.
    pub world_id: WorldId,
    /// Extent in its chain.
    pub extent: Extent,
    /// Reason, for people; it is kept for ever, so it must not repeat the erased content.
    pub reason: String,
}

impl SqliteStore {
    /// Erases the content of a World: payload, salt, its delta, and the delta of the version after
    /// it, which holds the previous content. The header, its place in the log and every proof
    /// stay. `signer` appends the redaction. UnitErasure twice changes nothing and
    /// gives its certificate again; it is also how to make up for bytes that could not be cleaned
    /// ([`Certificate::scrubbed`]).
    ///
    /// `None` when there is no such World. Copies that others made are not reached.
    ///
    /// # Errors
    /// [`StoreError::Archived`] when it has to be restored first, [`StoreError::Seal`] for a reason
    /// that cannot be written; when the store cannot be read or written.
    pub async fn erase(
        &self,
        signer: Arc<dyn Signer>,
        erasure: EraseRequest,
    ) -> Result<Option<Certificate>, StoreError> {
        let done = self.unit(move |unit| erase(unit, &*signer, &erasure));
        let Some(erased) = done.await? else {
            return Ok(None);
        };
        // Committed: an error from here on is told in the certificate.
        let path = self.path().to_owned();
        let scrubbed = self.maintain(move |connection| scrub(connection, &path));
        let scrubbed = scrubbed
            .await
            .unwrap_or_else(|error| ScrubReport::failed(&error));
        let certificate =
            self.read(move |connection| certificate::of(connection, erased, scrubbed));
        certificate.await.map(Some)
    }

    /// The redaction of a World's content; `None` when it is not erased, or not there.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn redaction(
        &self,
        world_id: &WorldId,
    ) -> Result<Option<RecordAt<Redaction>>, StoreError> {
        let world_id = world_id.clone();
        self.read(
            move |connection| match rows::index_of(connection, &world_id)? {
                Some(index) => redaction::redaction_of(connection, index),
                None => Ok(None),
            },
        )
        .await
    }
}

/// ErasedSet capsules, by this call or before.
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
    erasure: &EraseRequest,
) -> Result<Option<ErasedSet>, StoreError> {
    let connection = unit.transaction();
    let Some(index) = rows::index_of(connection, &erasure.world_id)? else {
        return Ok(None);
    };
    let indices = match erasure.extent {
        Extent::Version => vec![index],
        Extent::Chain => bodies::versions(connection, index)?,
    };
    let mut now = Vec::new();
    for &index in &indices {
        if bodies::erasable(connection, index)? {
            now.push(index);
        }
    }
    let same = copies::same(connection, &indices, &now)?;
    let drafts = take_all(connection, &now, signer, erasure)?;
    if !drafts.is_empty() {
        unit.append(signer, &drafts)?;
        rebuild::again(unit.transaction())?;
    }
    Ok(Some(ErasedSet { indices, now, same }))
}

/// Takes the bodies of `indices` away, ascending, and drafts what says so.
fn take_all(
    connection: &Connection,
    indices: &[u64],
    signer: &dyn Signer,
    erasure: &EraseRequest,
) -> Result<Vec<Draft>, StoreError> {
    let mut drafts = Vec::with_capacity(indices.len());
    // The newest first: what follows an erased version need not be made whole.
    for &index in indices.iter().rev() {
        let header = rows::present_header(connection, index)?;
        let next = bodies::make_next_independent(connection, &header)?;
        let beside = crate::forks::take_bodies(connection, &header)?;
        let mut fields = vec![RedactedField::Payload, RedactedField::PayloadSalt];
        if header.previous().is_some() {
            fields.extend([RedactedField::Delta, RedactedField::DeltaSalt]);
        }
        if next || beside {
            fields.extend([RedactedField::NextDelta, RedactedField::NextDeltaSalt]);
        }
        let claim = UnitErasure::of(connection, index)?;
        bodies::take_away(connection, index)?;
        if let Some(world) = header.world() {
            exchange::forget(connection, world)?;
        }
        if let Some(claim) = claim {
            claim.done(connection)?;
        }
        drafts.push(draft(&header, index, fields, signer, erasure)?);
    }
    drafts.reverse();
    Ok(drafts)
}

fn draft(
    header: &Header,
    index: u64,
    fields: Vec<RedactedField>,
    signer: &dyn Signer,
    erasure: &EraseRequest,
) -> Result<Draft, StoreError> {
    let redaction = Redaction::new(
        header.hash(),
        header.world().cloned(),
        index,
        fields,
        &erasure.reason,
        signer.agent(),
    );
    let redaction = redaction.map_err(|source| StoreError::Seal {
        subject: "the redaction".to_owned(),
        source,
    })?;
    Ok(Draft::record(RecordKind::Redaction, redaction.to_value()))
}
