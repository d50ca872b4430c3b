//! Records of trust in a proof of belief: all of the agent, as the map of the log counts them (docs/format/belief.md 3).

use std::collections::BTreeSet;
use std::sync::Arc;

use counterfoil_authority::types::calendar;
use counterfoil_authority::types::document::{self, Fault, List, Text};
use counterfoil_authority::types::json::Value;
use counterfoil_authority::types::{Blake3Hash, DidKey};
use counterfoil_authority::verifier::map::{LineStanding, Lookup};
use counterfoil_authority::verifier::opened::{OpenedRecord, RecordContent};
use counterfoil_authority::verifier::{Anchors, Checkpoint};
use counterfoil_claims::{PeerTrust, Vocabulary};
use serde::Deserialize;

use super::error::BeliefError;

/// The most records of trust in a document.
pub(super) const MAX_RECORDS: usize = 4096;
/// The `ext.kind` of a record of trust.
const TRUST: &str = "trust";

/// Decisions of the agent, as a belief takes them into account.
#[derive(Debug, Clone)]
pub struct Decided {
    /// Trust in other agents.
    pub trust: Arc<dyn PeerTrust>,
    /// Numbers of values of predicates.
    pub vocabulary: Arc<Vocabulary>,
}

/// Reads trust and vocabulary from documents about other agents, each with the time of its receipt in microseconds since 1970, in the order of the
/// log, and from the keys of the agent that recorded them. It is in no crate that an authority links (FP-15), so that
/// the host hands it in.
pub type ReadTrust = fn(&[(Vec<u8>, u64)], &[DidKey]) -> Result<Decided, String>;

/// The member `trust`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TrustDocument {
    /// Lookup of the records of the agent in the map of the log.
    lookup: Lookup,
    records: List<OpenedRecord, 1, MAX_RECORDS>,
}

/// Content of a record of trust (docs/format/trust.md, "In the log").
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    documents: List<Received, 1, 7>,
    r#type: String,
    version: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Received {
    document: Text<65_536>,
    received: Option<String>,
}

/// All documents about other agents that the agent had recorded at the checkpoint.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ShownTrust {
    documents: Vec<(Vec<u8>, u64)>,
    keys: Vec<DidKey>,
}

impl ShownTrust {
    /// Returns true if a document was received after this time: the fold leaves it out, and its agent knows it at the checkpoint.
    pub(super) fn is_later_than(&self, as_of_us: u64) -> bool {
        let mut documents = self.documents.iter();
        documents.any(|(_, received_us)| *received_us > as_of_us)
    }

    /// Trust and vocabulary that follow from these documents.
    pub(super) fn read(&self, reader: ReadTrust) -> Result<Decided, BeliefError> {
        reader(&self.documents, &self.keys).map_err(BeliefError::TrustUnread)
    }
}

impl TrustDocument {
    /// Verifies each record, and that the map of the log counts no other one of the agent.
    pub(super) fn check(
        &self,
        agent: &DidKey,
        anchors: &Arc<Anchors>,
        checkpoint: &Checkpoint,
    ) -> Result<ShownTrust, BeliefError> {
        let root = checkpoint.map_root().ok_or(BeliefError::TrustUncounted)?;
        let counted = LineStanding::check_trust(&root, agent, &self.lookup)
            .map_err(BeliefError::TrustLookup)?;
        let (mut records, mut last) = (Vec::new(), None::<(u64, Blake3Hash)>);
        for (position, record) in self.records.iter().enumerate() {
            let opened = record
                .open(anchors, checkpoint)
                .map_err(|cause| BeliefError::Trust { position, cause })?;
            let follows = last.is_none_or(|(before, ..)| before < opened.index);
            // The map counts no record without the tag: one could stand here in the place of one that is counted.
            let is_counted = opened.tag == Some(LineStanding::trust_tag());
            if opened.agent != *agent || opened.kind != TRUST || !follows || !is_counted {
                return Err(BeliefError::TrustOfAnother(position));
            }
            last = Some((opened.index, opened.capsule));
            records.push(opened);
        }
        let shown = last.and_then(|(last, capsule)| {
            let count = u64::try_from(records.len()).ok()?;
            Some(LineStanding {
                count,
                last,
                capsule,
            })
        });
        if shown != counted {
            return Err(BeliefError::TrustLeftOut {
                shown: records.len(),
                counted: counted.map_or(0, |it| it.count),
            });
        }
        documents(*agent, &records)
    }
}

/// The documents with the times from which they count, as the agent's store reads them (docs/format/trust.md, "In the log").
fn documents(agent: DidKey, records: &[RecordContent]) -> Result<ShownTrust, BeliefError> {
    let (mut found, mut seen, mut keys) = (Vec::new(), BTreeSet::new(), vec![agent]);
    for (position, record) in records.iter().enumerate() {
        let malformed = |cause| BeliefError::TrustMalformed { position, cause };
        if !keys.contains(&record.key) {
            keys.push(record.key);
        }
        let dated = dated(&record.content, record.timestamp_us).map_err(malformed)?;
        // A document counts from its first record on.
        found.extend(dated.into_iter().filter(|(it, _)| seen.insert(it.clone())));
    }
    Ok(ShownTrust {
        documents: found,
        keys,
    })
}

fn dated(content: &Value, recorded_us: u64) -> Result<Vec<(Vec<u8>, u64)>, Fault> {
    let content: Content = document::read(content)?;
    if content.r#type != TRUST || content.version != "1" {
        return Err(Fault::new("/type", "\"trust\" of version \"1\""));
    }
    let (mut found, mut latest) = (Vec::new(), recorded_us);
    for it in content.documents.into_vec().into_iter().rev() {
        let received = match &it.received {
            None => recorded_us,
            Some(text) => {
                let fault = || Fault::new("/documents/received", "YYYY-MM-DDTHH:MM:SS.ffffffZ");
                let received = calendar::timestamp(text).ok_or_else(fault)?;
                if received < latest {
                    received
                } else {
                    latest = latest.saturating_sub(1);
                    latest
                }
            }
        };
        found.push((it.document.as_str().as_bytes().to_vec(), received));
    }
    found.reverse();
    Ok(found)
}
