//! Erasing: the content of a memory is taken away for good, and a certificate says what is left (C20).

use counterfoil_capsule::{BodyRef, Document};
use counterfoil_life::Life as _;
use counterfoil_life::{Certificate, ErasedCapsule};
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
        let store = self.writer()?;
        let certificate = match all_versions {
            true => store.erase_all_versions(agent, &world_id, reason).await?,
            false => store.erase(agent, &world_id, reason).await?,
        };
        let certificate = certificate.ok_or_else(unknown)?;
        let problem = certificate.not_scrubbed.as_ref().map(|detail| {
            Error::unproven(
                format_args!(
                    "the content is erased, but the file may still hold old bytes ({detail})"
                ),
                "end what else uses the store, and run the same command again",
            )
        });
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
    let versions = certificate.versions.iter();
    let segments = certificate.segments.iter();
    let held = certificate.held.iter();
    json!({
        "type": "counterfoil/erasure-certificate",
        "version": "1",
        "erased": certificate.capsules.iter().map(capsule).collect::<Vec<_>>(),
        "copies": {
            "versions": versions
                .map(|(seq, world_id, says_the_same)| json!({
                    "seq": seq,
                    "worldId": world_id,
                    "saysTheSame": says_the_same,
                }))
                .collect::<Vec<_>>(),
            "segments": segments
                .map(|(name, receipt)| json!({
                    "segment": name,
                    "receipt": receipt,
                    "removedBy": format!("counterfoil restore {name} --discard"),
                }))
                .collect::<Vec<_>>(),
            "held": held
                .map(|(document, class)| json!({ "document": document.to_string(), "class": class }))
                .collect::<Vec<_>>(),
            "sameData": certificate.same_data,
            "derived": certificate.derived,
        },
        "scrubbed": certificate.not_scrubbed.is_none(),
        "scrubError": certificate.not_scrubbed,
    })
}

fn capsule(erased: &ErasedCapsule) -> Value {
    let (header, (index, record, redaction)) = (&erased.header, &erased.redaction);
    json!({
        "worldId": header.world(),
        "capsule": header.hash().to_string(),
        "chain": header.chain().to_string(),
        "seq": header.seq(),
        "index": erased.index,
        "agent": header.agent().to_string(),
        "recordedAt": header.recorded().to_string(),
        "erasedNow": erased.erased_now,
        "gone": {
            "payloadBytes": header.payload().size(),
            "deltaBytes": header.delta().map(BodyRef::size),
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
            "index": index,
            "capsule": record.hash().to_string(),
            "recordedAt": record.recorded().to_string(),
            "document": redaction.to_value(),
        },
    })
}
