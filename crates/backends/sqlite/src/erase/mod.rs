//! Erasure: content, salts and deltas are taken away for good, header and log stay (capsules 4.6, C20).
//!
//! One transaction appends the redaction, takes the bodies away, and makes derived state again
//! without them. What is left of the old bytes in free pages and in the write-ahead log goes
//! afterwards (`scrub`).

mod bodies;
mod certificate;
mod copies;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use counterfoil_capsule::documents::{RedactedField, Redaction};
use counterfoil_capsule::{Document, Header, RecordKind, Signer};
use counterfoil_store::{Draft, StoreError};
use counterfoil_types::WorldId;
use rusqlite::Connection;

pub use certificate::{Certificate, ErasedCapsule};

use crate::claims::UnitErasure;
use crate::exchange;
use crate::records::record_at;
use crate::statement::Statements;
use crate::store::SqliteStore;
use crate::unit::Unit;
use crate::{forks, rebuild, rows};

/// Selects the log indices of the capsules to erase, ascending, by that of the World that was named.
type Extent = fn(&Connection, u64) -> Result<Vec<u64>, StoreError>;

impl SqliteStore {
    /// Erases the content of a World, of one version of an evolving one: payload, salt, its delta, and the delta of the
    /// version after it, which holds the previous content. The header, its place in the log and every proof
    /// stay. `signer` appends the redaction with the reason, which is for people, is kept for ever, and so must not
    /// repeat the erased content. To erase twice changes nothing and gives the certificate again; it is also how to make
    /// up for bytes that could not be cleaned ([`Certificate::not_scrubbed`]).
    ///
    /// `None` when there is no such World. What did not change stays in the other versions. Copies that others made are not
    /// reached.
    ///
    /// # Errors
    /// [`StoreError::Archived`] when it has to be restored first, [`StoreError::Seal`] for a reason
    /// that cannot be written; when the store cannot be read or written.
    pub async fn erase(
        &self,
        signer: Arc<dyn Signer>,
        world_id: &WorldId,
        reason: &str,
    ) -> Result<Option<Certificate>, StoreError> {
        self.erase_each(signer, world_id, reason, |_, index| Ok(vec![index]))
            .await
    }

    /// As [`SqliteStore::erase`], for every version of the World's chain.
    ///
    /// # Errors
    /// As [`SqliteStore::erase`].
    pub async fn erase_all_versions(
        &self,
        signer: Arc<dyn Signer>,
        world_id: &WorldId,
        reason: &str,
    ) -> Result<Option<Certificate>, StoreError> {
        self.erase_each(signer, world_id, reason, bodies::versions)
            .await
    }

    async fn erase_each(
        &self,
        signer: Arc<dyn Signer>,
        world_id: &WorldId,
        reason: &str,
        extent: Extent,
    ) -> Result<Option<Certificate>, StoreError> {
        let (world_id, reason) = (world_id.clone(), reason.to_owned());
        let done = self.unit(move |unit| erase(unit, &*signer, &world_id, &reason, extent));
        let Some(erased) = done.await? else {
            return Ok(None);
        };
        // Committed: an error from here on is reported in the certificate.
        let not_scrubbed = self.scrub().await;
        let certificate =
            self.read(move |connection| certificate::of(connection, erased, not_scrubbed));
        certificate.await.map(Some)
    }

    /// The redaction of a World's content; `None` when it is not erased, or not there.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn redaction(
        &self,
        world_id: &WorldId,
    ) -> Result<Option<(u64, Header, Redaction)>, StoreError> {
        let world_id = world_id.clone();
        self.read(
            move |connection| match rows::index_of(connection, &world_id)? {
                Some(index) => redaction_of(connection, index),
                None => Ok(None),
            },
        )
        .await
    }
}

/// The redaction of the capsule at `index`, if its content is erased.
fn redaction_of(
    connection: &Connection,
    index: u64,
) -> Result<Option<(u64, Header, Redaction)>, StoreError> {
    let record: Option<u64> =
        connection.find("SELECT record FROM redacted WHERE idx = ?1", [index])?;
    let read = |record| {
        record_at(connection, record, "it is no redaction", |value| {
            Redaction::parse(value).ok()
        })
    };
    record.map(read).transpose()
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
    let connection = unit.transaction();
    let Some(index) = rows::index_of(connection, world_id)? else {
        return Ok(None);
    };
    let indices = extent(connection, index)?;
    let mut now = Vec::new();
    for &index in &indices {
        if bodies::erasable(connection, index)? {
            now.push(index);
        }
    }
    let same = copies::same(connection, &indices, &now)?;
    // The newest first: what follows an erased version need not be made whole.
    let newest_first = now.iter().rev();
    let drafts = newest_first.map(|&index| take(connection, index, signer, reason));
    let mut drafts = drafts.collect::<Result<Vec<_>, _>>()?;
    if !drafts.is_empty() {
        drafts.reverse();
        unit.append(signer, &drafts)?;
        rebuild::again(unit.transaction())?;
    }
    Ok(Some(ErasedSet { indices, now, same }))
}

/// Takes the bodies of a capsule away, and drafts what says so.
fn take(
    connection: &Connection,
    index: u64,
    signer: &dyn Signer,
    reason: &str,
) -> Result<Draft, StoreError> {
    let header = rows::present_header(connection, index)?;
    let next = bodies::make_next_independent(connection, &header)?;
    let beside = forks::take_bodies(connection, &header)?;
    let mut fields = vec![RedactedField::Payload, RedactedField::PayloadSalt];
    if header.previous().is_some() {
        fields.extend([RedactedField::Delta, RedactedField::DeltaSalt]);
    }
    if next || beside {
        fields.extend([RedactedField::NextDelta, RedactedField::NextDeltaSalt]);
    }
    let claim = UnitErasure::of(connection, index)?;
    crate::bodies::take_all(connection, index)?;
    if let Some(world) = header.world() {
        exchange::take_away(connection, world)?;
    }
    if let Some(claim) = claim {
        claim.done(connection)?;
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
