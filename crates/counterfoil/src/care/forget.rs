//! Forgetting: no selection gives a memory any more; nothing is taken away (MEM-MAINT).

use counterfoil_life::Life as _;
use std::path::Path;

use counterfoil_capsule::documents::{ApprovedForgetting, ForgetDecision, Tombstone};
use counterfoil_capsule::{Document, Header, Timestamp};
use counterfoil_types::{DidKey, Scope, WorldId};
use serde_json::{Value, json};

use crate::decisions::authorities;
use crate::error::{Error, ErrorKind};
use crate::memory::Memory;
use crate::report::Report;
use crate::{versions, when};

impl Memory {
    /// Leaves a memory, with all its versions, out of every selection of this agent; nothing is taken away.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when there is no such memory.
    pub async fn forget(&self, id: &str, reason: &str) -> Result<Report, Error> {
        let (whole, id) = self.reaching(id).await?;
        let id = id.as_str();
        whole.forget_for(id, reason, || Ok(None)).await
    }

    /// Leaves a memory out of every selection of every agent, by an authority's decision.
    ///
    /// # Errors
    /// As [`Memory::forget`]; [`ErrorKind::Refused`](crate::ErrorKind::Refused) when the authority is not one of this store.
    pub async fn forget_for_all(
        &self,
        id: &str,
        reason: &str,
        decision: &Value,
    ) -> Result<Report, Error> {
        let decision = || {
            let decision = ForgetDecision::parse(decision)
                .map_err(|error| Error::input(error, "ask the authority for another decision"))?;
            let authorities = authorities(self.home())?.into_iter();
            let keys: Vec<DidKey> = authorities.map(|(key, _)| key).collect();
            let approved = decision.approve(&keys);
            let approved = approved.map_err(|error| Error::new(ErrorKind::Refused, error))?;
            Ok(Some(Box::new(approved)))
        };
        self.forget_for(id, reason, decision).await
    }

    /// Decision of an authority that `actor` may forget a memory for all, signed with the authority's key file. Needs no
    /// store.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for a key of a log and a reason that cannot be signed, [`ErrorKind::Place`] when the key file
    /// cannot be used.
    pub fn sign_forget_decision(
        &self,
        id: &str,
        actor: DidKey,
        reason: &str,
        key: &Path,
    ) -> Result<Value, Error> {
        let world_id = WorldId::new(id).map_err(|_| versions::unknown(id))?;
        let signer = self.deciding_key(key)?;
        let at = when::now()?.value().saturating_mul(1000);
        let at = Timestamp::from_micros(at)
            .map_err(|error| Error::place(error, "set the clock of this computer"))?;
        let decision = ForgetDecision::sign(world_id, actor, reason, &signer, at)
            .map_err(|error| Error::input(error, "give another --reason"))?;
        Ok(decision.to_value().clone())
    }

    /// The memories that are forgotten, by whom and why.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn forgotten(&self) -> Result<Report, Error> {
        let tombstones = self.reader()?.tombstones(None).await?;
        Report::new(&tombstones.iter().map(written).collect::<Vec<_>>())
    }

    async fn forget_for(
        &self,
        id: &str,
        reason: &str,
        decision: impl FnOnce() -> Result<Option<Box<ApprovedForgetting>>, Error>,
    ) -> Result<Report, Error> {
        let unknown = || versions::unknown(id);
        self.must_exist()?;
        let (decision, agent, store) = (decision()?, self.signer()?, self.writer()?);
        let world_id = versions::find((&store, &Scope::new()), id).await?;
        let forgotten = store.forget(agent, &world_id, decision, reason).await?;
        let (tombstone, now) = forgotten.ok_or_else(unknown)?;
        let mut document = written(&tombstone);
        if let Some(members) = document.as_object_mut() {
            members.insert("forgottenNow".to_owned(), now.into());
        }
        Report::new(&document)
    }
}

/// A tombstone and its place, as it is written with `--json`.
fn written((index, header, tombstone): &(u64, Header, Tombstone)) -> Value {
    json!({
        "index": index,
        "capsule": header.hash().to_string(),
        "recordedAt": header.recorded().to_string(),
        "tombstone": tombstone.to_value(),
    })
}
