//! Erasing: the content of a memory is taken away for good, and a certificate says what is left (C20).

use counterfoil_capsule::{BodyRef, Document};
use counterfoil_life::ground::Destination;
use counterfoil_life::{
    Certificate, DerivedMemory, DerivedPolicy, ErasedCapsule, ErasureScope, Life as _,
};
use counterfoil_store::{ClaimStore as _, MemoryStore as _};
use counterfoil_types::Scope;
use serde_json::{Value, json};

use crate::error::Error;
use crate::memory::Memory;
use crate::recall::text_of;
use crate::report::Report;
use crate::{text, versions};

impl Memory {
    /// Takes the content of a memory away for good, of one version or of all, with or without the memories that were made
    /// from it. The log still proves that it was there; the report is a certificate that names each copy that is known to
    /// remain. Keys of contents that were shipped sealed are destroyed.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when there is no such memory. [`Report::problem`] says when the file may still hold old bytes,
    /// and when keys could not be destroyed.
    pub async fn erase(
        &self,
        id: &str,
        reason: &str,
        scope: ErasureScope,
    ) -> Result<Report, Error> {
        let unknown = || versions::unknown(id);
        self.must_exist()?;
        let (whole, id) = self.reaching(id).await?;
        let id = id.as_str();
        if !self.scope().is_empty() && scope.derived != DerivedPolicy::Keep {
            return Err(Error::refused(
                "memories that were made from this one may be in other scopes",
                "erase each one in the scope by its id",
            ));
        }
        let (agent, store) = (whole.signer()?, whole.writer()?);
        let world_id = versions::find((&store, &Scope::new()), id).await?;
        let certificate = store.erase_scope(agent, &world_id, reason, scope).await?;
        let mut certificate = certificate.ok_or_else(unknown)?;
        for memory in std::mem::take(&mut certificate.derived) {
            if store.is_in_scope(&memory.world, self.scope()).await? {
                certificate.derived.push(memory);
            }
        }
        let problem = certificate.not_scrubbed.as_ref().map(|detail| {
            Error::unproven(
                format_args!(
                    "the content is erased, but the file may still hold old bytes ({detail})"
                ),
                "end what else uses the store, and run the same command again",
            )
        });
        let unreached = || {
            let mut sealed = certificate
                .destinations
                .iter()
                .filter(|it| it.keys.is_some());
            let left = sealed.find_map(|it| it.obstacle.as_ref().map(|why| (&it.folder, why)));
            left.map(|(folder, why)| {
                Error::unproven(
                    format_args!("the content is erased here, and not yet in {folder}"),
                    why,
                )
            })
        };
        Ok(Report::new(&document(&certificate))?.but(problem.or_else(unreached)))
    }

    /// Lists the memories that were made from a memory, or from any version of it: derivations, claims that cite it, and all
    /// that follows from those. In a scope, those that are in it.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when there is no such memory.
    pub async fn derived(&self, id: &str, all_versions: bool) -> Result<Report, Error> {
        let unknown = || versions::unknown(id);
        self.must_exist()?;
        let (whole, id) = self.reaching(id).await?;
        let store = whole.reader()?;
        let world_id = versions::find((&store, &Scope::new()), &id).await?;
        let derived = store.derived(&world_id, all_versions).await?;
        let mut list = Vec::new();
        for memory in derived.ok_or_else(unknown)? {
            if !store.is_in_scope(&memory.world, self.scope()).await? {
                continue;
            }
            let says = match store.unit_of(&memory.world).await? {
                Some(unit) => {
                    let line = unit.line();
                    let (subject, predicate) = (&line.subject, &line.predicate);
                    Some(format!("{subject} {predicate}: {}", text::act(&unit)))
                }
                // One in an archive is listed without its text.
                None => store
                    .get(&memory.world)
                    .await
                    .ok()
                    .flatten()
                    .as_ref()
                    .map(text_of),
            };
            let mut listed = derived_memory(&memory);
            if let Some(members) = listed.as_object_mut() {
                members.insert("says".to_owned(), says.into());
            }
            list.push(listed);
        }
        Report::new(&list)
    }

    /// Returns true if the content of a memory is erased.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for a text that is no id.
    pub async fn is_erased(&self, id: &str) -> Result<bool, Error> {
        self.must_exist()?;
        let (whole, id) = self.reaching(id).await?;
        whole.signer()?;
        let store = whole.writer()?;
        let world_id = versions::find((&store, &Scope::new()), &id).await?;
        Ok(store.redaction(&world_id).await?.is_some())
    }
}

fn document(certificate: &Certificate) -> Value {
    let versions = certificate.versions.iter();
    let segments = certificate.segments.iter();
    let held = certificate.held.iter();
    let shipped = |is_listed: &dyn Fn(&Destination) -> bool| {
        let listed = certificate.destinations.iter().filter(|it| is_listed(it));
        let listed = listed
            .map(|it| json!({ "folder": it.folder, "keys": it.keys, "obstacle": it.obstacle }));
        listed.collect::<Vec<_>>()
    };
    json!({
        "type": "counterfoil/erasure-certificate",
        "version": "2",
        "erased": certificate.capsules.iter().map(capsule).collect::<Vec<_>>(),
        "copies": {
            "versions": versions
                .map(|(seq, world_id, says_the_same)| json!({
                    "seq": seq,
                    "id": world_id,
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
            "derived": certificate.derived.iter().map(derived_memory).collect::<Vec<_>>(),
            "exchanges": certificate.exchanges,
            "shipped": shipped(&|it| it.obstacle.is_some()),
        },
        "keysDestroyed": shipped(&|it| it.obstacle.is_none()),
        "scrubbed": certificate.not_scrubbed.is_none(),
        "scrubError": certificate.not_scrubbed,
    })
}

fn derived_memory(memory: &DerivedMemory) -> Value {
    json!({
        "id": memory.world,
        "kind": memory.kind,
        "source": memory.source,
        "content": memory.content,
    })
}

fn capsule(erased: &ErasedCapsule) -> Value {
    let (header, (index, record, redaction)) = (&erased.header, &erased.redaction);
    json!({
        "id": header.world(),
        "capsule": header.hash().to_string(),
        "chain": header.chain().to_string(),
        "seq": header.seq(),
        "index": erased.index,
        "agent": header.agent().to_string(),
        "recordedAt": header.recorded().to_string(),
        "erasedNow": erased.erased_now,
        "source": erased.source,
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
