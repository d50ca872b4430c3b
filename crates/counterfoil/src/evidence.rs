//! The proof of one memory, on request: by the handle of its receipt, or by its id.

use counterfoil_prover::ProveResult;
use counterfoil_selector::wrap_proof;
use counterfoil_store::{CapsuleLog, MemoryStore, StoreError};
use counterfoil_types::{Blake3Hash, MemoryRef, Scope, WorldId};

use crate::anchors::believed;
use crate::error::Error;
use crate::memory::Memory;
use crate::recall::{LogEnd, RecallOptions, actor_of, prover};
use crate::receipt::{PREFIX, ReceiptHandle};
use crate::report::{Report, object};
use crate::{versions, when};

impl Memory {
    /// Returns the proof of a memory, named by the handle of its receipt or by its id: the evidence that a proposal would carry,
    /// and the result of its check here.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when there is none of that name, or the handle is of another log;
    /// [`ErrorKind::Withheld`](crate::ErrorKind::Withheld) when the memory does not match what was sealed.
    /// [`Report::problem`] says that the proof does not verify under the keys that this memory trusts.
    pub async fn receipt(&self, named: &str) -> Result<Report, Error> {
        let whole = self.whole();
        let (home, store) = (whole.home(), whole.reader()?);
        let end = LogEnd::of(&store).await?;
        home.must_be_of_log(end.verifier_key)?;
        let id = match named.starts_with(PREFIX) {
            true => {
                let found = whole.memory_of(named.parse()?).await;
                // In a scope each handle that leads nowhere has one answer, as an id has.
                found.map_err(|error| match self.scope().is_empty() {
                    true => error,
                    false => versions::unknown(named),
                })?
            }
            false => versions::find((&store, self.scope()), named).await?,
        };
        if !store.is_in_scope(&id, self.scope()).await? {
            return Err(versions::unknown(named));
        }
        let world = store.get(&id).await.map_err(StoreError::from)?;
        // The index is not trusted: what is sealed in the memory counts.
        let world = world.filter(|world| Scope::of(world.data()).contains(self.scope()));
        let world = world.ok_or_else(|| versions::unknown(named))?;
        let handle = ReceiptHandle::beside(&world).ok_or_else(|| Error::bug("no receipt"))?;
        let anchors = home.anchors(None, believed(home, &store).await?)?;
        let prover = prover(&RecallOptions::default(), (anchors, &end.checkpoint), None);
        let proof = match prover.prove(&MemoryRef::new(id.clone()), &world) {
            ProveResult::Valid(proof) => proof,
            ProveResult::Invalid(why) => {
                return Err(Error::unproven(
                    format_args!("{id} cannot be proven: {why}"),
                    "run `counterfoil check`",
                ));
            }
        };
        let actor = actor_of(home.agent_public()?)?;
        let evidence = wrap_proof(&proof, when::now()?, &actor);
        let evidence = evidence.map_err(|_| Error::bug("evidence that is none"))?;
        let is_verified = prover.verify_proof(&proof);
        let shown = object()
            .with("type", "counterfoil/receipt")
            .with("version", "1")
            .with("receipt", handle)
            .with("id", id)
            .with("verified", is_verified)
            .with("evidence", evidence);
        let problem = (!is_verified).then(|| {
            Error::unproven(
                "the proof does not verify under the keys that this memory trusts",
                "run `counterfoil check`",
            )
        });
        Ok(Report::new(&shown)?.but(problem))
    }

    /// Memory of a receipt of this log.
    async fn memory_of(&self, handle: ReceiptHandle) -> Result<WorldId, Error> {
        let stored = self.reader()?.capsule(handle.index()).await?;
        let entry = stored.map(|stored| stored.entry);
        let own = |hash: &Blake3Hash| ReceiptHandle::new(handle.index(), hash) == handle;
        let entry = entry.filter(|entry| own(&entry.capsule)).ok_or_else(|| {
            Error::input(
                format_args!("{handle} is not a receipt of this log"),
                "name the folder of the log that gave it (--dir), or the memory by its id",
            )
        })?;
        let id = entry.world().cloned();
        id.ok_or_else(|| {
            Error::input(
                format_args!("{handle} is the receipt of a record, which is no memory"),
                format_args!("`counterfoil show {}` shows it", handle.index()),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use counterfoil_types::VerificationEvidence;
    use counterfoil_verifier::{Anchors, Examiner, MerkleVerifier};

    use crate::blocking::Memory;
    use crate::{Detail, FloorChoice, RecallOptions};

    /// A handle leads to evidence that an authority checks with the anchors alone; that of another log leads nowhere.
    #[test]
    fn a_receipt_is_checked_without_the_store() {
        let folder = tempfile::tempdir().unwrap();
        let [memory, other] =
            ["one", "other"].map(|name| Memory::create(folder.path().join(name)).unwrap());
        for memory in [&memory, &other] {
            memory.remember("Kit must not eat sesame").unwrap();
        }
        let recalled = memory.recall("sesame", &RecallOptions::default()).unwrap();
        let document = recalled.document(Detail::Full);
        let item = &document.items[0];
        let handle = item.receipt.unwrap();
        let printed = memory.receipt(&handle.to_string()).unwrap();
        assert_eq!(printed.text("/id"), Some(item.id.to_string().as_str()));
        let (anchors, _) = memory.anchors(FloorChoice::Kept).unwrap();
        let verifier = MerkleVerifier::new(Anchors::from_json(anchors.as_bytes()).unwrap());
        let evidence = printed.value()["evidence"].clone();
        for evidence in [evidence, document.proofs.unwrap()[&handle].clone()] {
            let evidence = VerificationEvidence::try_from(evidence).unwrap();
            assert!(verifier.verifies(&evidence.to_proof()));
        }
        let refused = other.receipt(&handle.to_string()).map(drop).unwrap_err();
        assert!(
            refused.to_string().contains("is not a receipt of this log"),
            "{refused}"
        );
    }
}
