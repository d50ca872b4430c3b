//! Trust records about other agents: reading, and adding (docs/format/trust.md; docs/format/exchange.md §8.1, §11).

use std::sync::Arc;

use counterfoil_exchange::documents::Response;
use counterfoil_exchange::trust::{LocalRecord, Record, Records};
use counterfoil_types::DidKey;
use counterfoil_verifier::{Anchors, LogAnchor};

use super::begin::instant;
use crate::{Host, PeerError};

/// Reads the trust records.
pub(super) async fn load(host: &Host) -> Result<Records, PeerError> {
    let stored = host.store.records(0).await?.unwrap_or_default();
    let stored = stored.iter().map(|(bytes, at)| (bytes.as_slice(), *at));
    Records::receive(stored, &host.own_keys).map_err(PeerError::Records)
}

/// Records that a key signs its documents, after one was accepted, unless a record of that exists. Returns the records
/// after a change.
pub(super) async fn note_signing(
    host: &Host,
    records: &Records,
    key: DidKey,
) -> Result<Option<Records>, PeerError> {
    let is_of_key = |record: &Record| matches!(record.local_record(), Some(LocalRecord::Pin { key: of, .. }) if *of == key);
    if records.iter().any(is_of_key) {
        return Ok(None);
    }
    add(host, LocalRecord::Pin { key, signs: true }).await?;
    load(host).await.map(Some)
}

/// Returns the anchors for the receipts of an answer: the pinned log key of the agent that it names as responder.
pub(super) fn anchors(records: &Records, response: &Response) -> Option<Arc<Anchors>> {
    let known = response
        .parts()
        .responder
        .public_key
        .and_then(|key| records.of_key(&key));
    known.and_then(|known| {
        let log = LogAnchor::new(known.log?);
        let keys = [known.key].into_iter().chain(known.same_agent);
        let anchors = Anchors::new(vec![log]).ok()?.with_agents(keys);
        anchors.ok().map(Arc::new)
    })
}

/// Signs a record about another agent, and adds it.
pub(super) async fn add(host: &Host, record: LocalRecord) -> Result<(), PeerError> {
    let now = instant(host.timer.now().wall_us)?;
    let record = Record::local(record, now, host.signer.as_ref());
    let record = record.map_err(PeerError::Records)?;
    let (signer, documents) = (Arc::clone(&host.signer), vec![record.bytes().to_vec()]);
    host.store.add_records(signer, documents).await?;
    Ok(())
}
