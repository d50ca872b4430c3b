//! Trust records about other agents: reading, adding, and vouches that come with an answer (docs/format/trust.md;
//! docs/format/exchange.md §8.1, §8.4, §11).

use std::sync::Arc;

use counterfoil_exchange::documents::{Response, Vouch};
use counterfoil_exchange::trust::{Level, LocalRecord, Record, Records};
use counterfoil_types::DidKey;
use counterfoil_verifier::{Anchors, LogAnchor};

use super::begin::instant;
use crate::{Host, PeerError};

/// Most vouches of one answer whose signatures are checked.
const MAX_VOUCHES: usize = 16;

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

/// Returns the vouches of an answer that count: signed by an agent of level 2 or 3 in their domain, for the responder or the agent
/// that attests the memory which they came with, current, not revoked, and raising the score of their subject. At most
/// [`MAX_VOUCHES`] are looked at; vouches of untrusted agents cost no signature.
///
/// `responder`: key whose signature of the answer holds.
pub(super) fn vouches(
    host: &Host,
    records: &Records,
    response: &Response,
    responder: DidKey,
) -> Vec<Record> {
    let now_us = records.present(host.timer.now().wall_us);
    let score = |records: &Records, vouch: &Vouch| {
        let parts = vouch.parts();
        let subject = parts.subject.public_key;
        let found = records.level(&subject, Some(&parts.domain), now_us, &host.trust);
        found.score_ppm
    };
    let is_trusted = |vouch: &Vouch| {
        let parts = vouch.parts();
        let key = parts.voucher.public_key;
        let found = records.level(&key, Some(&parts.domain), now_us, &host.trust);
        // This agent has its own vouches and their revocations in its log.
        found.level >= Level::Vouched && !host.own_keys.contains(&key)
    };
    let results = response.parts().results.iter();
    let brought = results.flat_map(|result| {
        let attester = result.attestation.parts().agent.as_ref();
        let attester = attester.and_then(|agent| agent.public_key);
        let for_these = move |vouch: &&Vouch| {
            let subject = Some(vouch.parts().subject.public_key);
            subject == Some(responder) || subject == attester
        };
        result.vouches.iter().filter(for_these)
    });
    let (mut known, mut counted, mut looked) = (records.clone(), Vec::new(), Vec::new());
    for vouch in brought.filter(|vouch| is_trusted(vouch)) {
        if looked.contains(&vouch.hash()) {
            continue;
        }
        if looked.len() == MAX_VOUCHES {
            break;
        }
        looked.push(vouch.hash());
        let Ok(record) = Record::receive(vouch.bytes(), &[], now_us) else {
            continue;
        };
        let with = Records::gather(known.iter().cloned().chain([record.clone()]));
        if score(&with, vouch) > score(&known, vouch) {
            known = with;
            counted.push(record);
        }
    }
    counted
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
