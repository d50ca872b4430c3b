//! Erasing: the content of a memory is taken away for good, and a certificate says what is left (C20).

use counterfoil_capsule::Document;
use counterfoil_sqlite::{Certificate, EraseRequest, ErasedCapsule, Extent, ScrubReport};
use counterfoil_types::WorldId;
use serde_json::{Value, json};

use crate::error::Error;
use crate::memory::Memory;
use crate::report::Report;
use crate::versions;

impl Memory {
    /// Takes the content of a memory away for good, of one version or of all. The log still proves that it was there; the
    /// report is a certificate that names each copy that is known to remain.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when there is no such memory. [`Report::problem`] says when the file may still hold old bytes.
    pub async fn erase(&self, id: &str, reason: &str, all_versions: bool) -> Result<Report, Error> {
        let unknown = || versions::unknown(id);
        let world_id = WorldId::new(id).map_err(|_| unknown())?;
        self.must_exist()?;
        let agent = self.signer()?;
        let erasure = EraseRequest {
            world_id,
            extent: match all_versions {
                true => Extent::Chain,
                false => Extent::Version,
            },
            reason: reason.to_owned(),
        };
        let certificate = self.writer()?.erase(agent, erasure).await?;
        let certificate = certificate.ok_or_else(unknown)?;
        let problem = match &certificate.scrubbed {
            ScrubReport::Not { detail } => Some(Error::unproven(
                format_args!(
                    "the content is erased, but the file may still hold old bytes ({detail})"
                ),
                "end what else uses the store, and run the same command again",
            )),
            _ => None,
        };
        Ok(Report::new(&document(&certificate))?.but(problem))
    }

    /// Returns true if the content of a memory is erased.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for a text that is no id.
    pub async fn is_erased(&self, id: &str) -> Result<bool, Error> {
        let world_id = WorldId::new(id).map_err(|_| versions::unknown(id))?;
        self.must_exist()?;
        self.signer()?;
        Ok(self.writer()?.redaction(&world_id).await?.is_some())
    }
}

fn document(certificate: &Certificate) -> Value {
    let copies = &certificate.copies;
    let versions = copies.versions.iter();
    let segments = copies.segments.iter();
    let (scrubbed, detail) = match &certificate.scrubbed {
        ScrubReport::Not { detail } => (false, Some(detail)),
        _ => (true, None),
    };
    json!({
        "type": "counterfoil/erasure-certificate",
        "version": "1",
        "erased": certificate.capsules.iter().map(capsule).collect::<Vec<_>>(),
        "copies": {
            "versions": versions
                .map(|it| json!({
                    "seq": it.seq,
                    "worldId": it.world_id,
                    "saysTheSame": it.says_the_same,
                }))
                .collect::<Vec<_>>(),
            "segments": segments
                .map(|(name, receipt)| json!({
                    "segment": name,
                    "receipt": receipt,
                    "removedBy": removal(name),
                }))
                .collect::<Vec<_>>(),
            "held": copies.held.iter()
                .map(|(document, class)| json!({ "document": document.to_string(), "class": class }))
                .collect::<Vec<_>>(),
            "sameData": copies.same_data,
            "derived": copies.derived,
        },
        "scrubbed": scrubbed,
        "scrubError": detail,
    })
}

/// Command that removes the file of a segment.
fn removal(name: &str) -> String {
    format!("counterfoil restore {name} --discard")
}

fn capsule(erased: &ErasedCapsule) -> Value {
    let redaction = &erased.redaction;
    json!({
        "worldId": erased.world_id,
        "capsule": erased.capsule.to_string(),
        "chain": erased.chain.to_string(),
        "seq": erased.seq,
        "index": erased.index,
        "agent": erased.agent.to_string(),
        "recordedAt": erased.recorded_at.to_string(),
        "erasedNow": erased.erased_now,
        "gone": {
            "payloadBytes": erased.payload_bytes,
            "deltaBytes": erased.delta_bytes,
            "nextDelta": erased.next_delta.map(|(index, bytes)| json!({
                "index": index,
                "bytes": bytes,
            })),
            "saltBytes": 32,
        },
        "stillProves": {
            "entry": erased.entry,
            "tlogProof": erased.proof.to_text(),
        },
        "redaction": {
            "index": redaction.index,
            "capsule": redaction.capsule.to_string(),
            "recordedAt": redaction.recorded_at.to_string(),
            "document": redaction.document.to_value(),
        },
    })
}
