//! A chain beside a plain list of its states, for the cases of versions (capsules 4.3; CAP-3).

use counterfoil_capsule::delta::Change;
use counterfoil_capsule::{ChainId, World};
use counterfoil_types::json::{Limits, Value, admit, canonical};
use counterfoil_types::{UnixMillis, WorldId};
use serde_json::json;

use super::support::{Fault, put};
use super::{Outcome, Setup};
use crate::mutation::{NewVersion, mutate_capsule, rollback_to, state_at};
use crate::{AppendReport, CapsuleLog, ContentState, Draft};

/// A chain under examination, and what each version must say.
pub(super) struct Model<'s, S> {
    store: &'s S,
    setup: &'s Setup,
    pub(super) chain: ChainId,
    /// The state of each version, as canonical JSON.
    pub(super) states: Vec<String>,
}

impl<'s, S: CapsuleLog> Model<'s, S> {
    pub(super) async fn begin(store: &'s S, setup: &'s Setup, data: Value) -> Result<Self, Fault> {
        let world = with_unknown_members(counterfoil_capsule::remember(
            WorldId::new("v-0")?,
            UnixMillis::new(1_700_000_000_000)?,
            data,
        )?)?;
        let states = vec![canonical(&world.state())?];
        let place = put(store, setup, Draft::new(world)).await?;
        Ok(Self {
            store,
            setup,
            chain: place.chain,
            states,
        })
    }

    pub(super) fn next(&self) -> Result<NewVersion, Fault> {
        new_version(&format!("v-{}", self.states.len()))
    }

    pub(super) async fn patch(&mut self, patch: Value) -> Result<AppendReport, Fault> {
        self.change(Change::Patch(&patch)).await
    }

    pub(super) async fn change(&mut self, change: Change<'_>) -> Result<AppendReport, Fault> {
        let new = self.next()?;
        let signer = self.setup.agent(1);
        let place = mutate_capsule(self.store, signer, &self.chain, change, new).await?;
        let seq = self.states.len().try_into()?;
        let world = state_at(self.store, &self.chain, seq).await?;
        self.states.push(canonical(&world.state())?);
        Ok(place)
    }

    pub(super) async fn back(&mut self, seq: usize) -> Result<AppendReport, Fault> {
        let new = self.next()?;
        let signer = self.setup.agent(1);
        let place = rollback_to(self.store, signer, &self.chain, seq.try_into()?, new).await?;
        let state = self.states.get(seq).ok_or("no such state")?.clone();
        self.states.push(state);
        Ok(place)
    }

    /// Reads every version, in an order that has nothing to do with theirs.
    pub(super) async fn check(&self) -> Outcome {
        let versions = self.store.chain(&self.chain).await?;
        ensure_eq!(versions.len(), self.states.len());
        let count = versions.len();
        for step in 0..count {
            // 7919 is a prime above any count here, so this visits each once.
            let seq = step * 7919 % count;
            let (Some(version), Some(expected)) = (versions.get(seq), self.states.get(seq)) else {
                return Err("a version is missing".into());
            };
            ensure!(version.seq == u64::try_from(seq)? && version.content == ContentState::Present);
            self.check_version(version.seq, version.index, expected)
                .await?;
        }
        Ok(())
    }

    async fn check_version(&self, seq: u64, index: u64, expected: &str) -> Outcome {
        let stored = self.store.version(&self.chain, seq).await?;
        let stored = stored.ok_or("a listed version is missing")?;
        let payload = stored.payload.ok_or("a version has no content")?;
        let size = u64::try_from(payload.text.len())?;
        ensure!(stored.index == index && size == stored.header.payload().size());
        let hash = counterfoil_capsule::payload_hash(&payload.salt, payload.text.as_bytes());
        ensure_eq!(hash, stored.header.payload().hash());
        let world = World::try_from(admit(payload.text.as_bytes(), Limits::CONTENT)?)?;
        ensure!(
            canonical(&world.state())? == *expected,
            "version {seq} says something else"
        );
        let place = self.store.chain_of(world.world_id()).await?;
        ensure_eq!(place, Some((self.chain, seq)));
        Ok(())
    }
}

pub(super) fn new_version(id: &str) -> Result<NewVersion, Fault> {
    Ok((WorldId::new(id)?, UnixMillis::new(1_700_000_000_000)?))
}

/// Members that no version of the program knows are part of the state (decision 0007).
fn with_unknown_members(world: World) -> Result<World, Fault> {
    let mut content = world.content_value().clone();
    let members = content.as_object_mut().ok_or("a World that is no object")?;
    members.insert("unknownMember".into(), json!({ "kept": [1, "two"] }));
    Ok(World::try_from(content)?)
}
