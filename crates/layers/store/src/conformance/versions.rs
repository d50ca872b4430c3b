//! Cases: Worlds that change, over many versions, back and forth (capsules 4.3, C15, C17; CAP-3).

use counterfoil_capsule::delta::Change;
use counterfoil_capsule::{ChainId, World};
use counterfoil_types::json::{Limits, Value, admit, canonical};
use counterfoil_types::{UnixMillis, WorldId};
use serde_json::json;

use super::support::{Fault, all, draft, ensure, fetch, verify_receipt, world};
use super::{Case, Factory, Outcome, Setup};
use crate::mutation::{NewVersion, Part, derive, mutate, roll_back, state_at};
use crate::{Appended, CapsuleLog, ContentState, Draft, Entropy, REPLACE, StoreError};

pub(super) fn cases<F: Factory>(factory: &F) -> Vec<Case<'_>> {
    vec![
        (
            "two hundred versions read back as they were written",
            Box::pin(many(factory)),
        ),
        (
            "any walk of updates and rollbacks reads like a plain list of states",
            Box::pin(walk(factory)),
        ),
        (
            "a state is brought back byte for byte",
            Box::pin(back(factory)),
        ),
        (
            "a change that no delta holds is kept whole",
            Box::pin(large(factory)),
        ),
        (
            "another agent derives and does not extend",
            Box::pin(derived(factory)),
        ),
        (
            "one of eight updates of one version wins",
            Box::pin(race(factory)),
        ),
        (
            "a change that does not fit changes nothing",
            Box::pin(unfit(factory)),
        ),
    ]
}

/// A chain under examination, and what each version must say.
struct Model<'s, S> {
    store: &'s S,
    setup: &'s Setup,
    chain: ChainId,
    /// The state of each version, as canonical JSON.
    states: Vec<String>,
}

impl<'s, S: CapsuleLog> Model<'s, S> {
    async fn begin(store: &'s S, setup: &'s Setup, data: Value) -> Result<Self, Fault> {
        let world = with_unknown_members(World::remember(
            WorldId::new("v-0")?,
            UnixMillis::new(1_700_000_000_000)?,
            data,
        )?)?;
        let states = vec![canonical(&world.state())?];
        let place = store
            .append(setup.agent(1), vec![Draft::new(world)])
            .await?
            .remove(0);
        Ok(Self {
            store,
            setup,
            chain: place.chain,
            states,
        })
    }

    fn next(&self) -> Result<NewVersion, Fault> {
        new_version(&format!("v-{}", self.states.len()))
    }

    async fn patch(&mut self, patch: Value) -> Result<Appended, Fault> {
        self.change(Change::Patch(&patch)).await
    }

    async fn change(&mut self, change: Change<'_>) -> Result<Appended, Fault> {
        let new = self.next()?;
        let signer = self.setup.agent(1);
        let place = mutate(self.store, signer, &self.chain, Part::Data, change, new).await?;
        let seq = self.states.len().try_into()?;
        let world = state_at(self.store, &self.chain, seq).await?;
        self.states.push(canonical(&world.state())?);
        Ok(place)
    }

    async fn back(&mut self, seq: usize) -> Result<Appended, Fault> {
        let new = self.next()?;
        let signer = self.setup.agent(1);
        let place = roll_back(self.store, signer, &self.chain, seq.try_into()?, new).await?;
        let state = self.states.get(seq).ok_or("no such state")?.clone();
        self.states.push(state);
        Ok(place)
    }

    /// Reads every version, in an order that has nothing to do with theirs.
    async fn check(&self) -> Outcome {
        let versions = self.store.chain(&self.chain).await?;
        ensure!(
            versions.len() == self.states.len(),
            "{} versions are listed, not {}",
            versions.len(),
            self.states.len()
        );
        let count = versions.len();
        for step in 0..count {
            // 7919 is a prime above any count here, so this visits each once.
            let seq = step * 7919 % count;
            let (Some(version), Some(expected)) = (versions.get(seq), self.states.get(seq)) else {
                return Err("a version is missing".into());
            };
            ensure!(
                version.seq == u64::try_from(seq)? && version.content == ContentState::Present,
                "version {seq} is listed as {version:?}"
            );
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
        ensure!(
            stored.index == index && size == stored.header.payload().size(),
            "version {seq} is not the capsule that is listed"
        );
        let hash = counterfoil_capsule::payload_hash(&payload.salt, payload.text.as_bytes());
        ensure!(
            hash == stored.header.payload().hash(),
            "the content of version {seq} is not what was sealed"
        );
        let world = World::try_from(admit(payload.text.as_bytes(), Limits::CONTENT)?)?;
        ensure!(
            canonical(&world.state())? == *expected,
            "version {seq} says something else"
        );
        let place = self.store.chain_of(world.world_id()).await?;
        ensure!(
            place == Some((self.chain, seq)),
            "version {seq} is found elsewhere"
        );
        Ok(())
    }
}

fn new_version(id: &str) -> Result<NewVersion, Fault> {
    Ok(NewVersion {
        world_id: WorldId::new(id)?,
        created_at: UnixMillis::new(1_700_000_000_000)?,
    })
}

/// Members that no version of the program knows are part of the state (decision 0007).
fn with_unknown_members(world: World) -> Result<World, Fault> {
    let mut content = world.content_value().clone();
    let members = content.as_object_mut().ok_or("a World that is no object")?;
    members.insert("unknownMember".into(), json!({ "kept": [1, "two"] }));
    Ok(World::try_from(content)?)
}

async fn many<F: Factory>(factory: &F) -> Outcome {
    let setup = Setup::new();
    let store = factory.open(&setup);
    let data = json!({ "text": "the key is under the pot", "count": 0, "log": [] });
    let mut model = Model::begin(&store, &setup, data).await?;
    for count in 1..200 {
        model
            .patch(json!([
                { "op": "replace", "path": "/count", "value": count },
                { "op": "add", "path": "/log/-", "value": format!("entry {count}") },
            ]))
            .await?;
    }
    model.check().await?;
    for seq in [0, 1, 63, 64, 65, 127, 128, 199] {
        verify_receipt(&setup, &fetch(&store, &format!("v-{seq}")).await?, None)?;
    }
    Ok(())
}

async fn walk<F: Factory>(factory: &F) -> Outcome {
    let setup = Setup::new();
    let store = factory.open(&setup);
    let mut model = Model::begin(&store, &setup, json!({ "a": 0 })).await?;
    let mut random = [0_u8; 4];
    for step in 0..150_u64 {
        setup.entropy.fill(&mut random)?;
        let [choice, name, value, long] = random;
        if choice % 4 == 0 {
            let seq = usize::from(value) % model.states.len();
            model.back(seq).await?;
            continue;
        }
        let name = format!("/{}", char::from(b'a' + name % 6));
        let value = match long % 16 {
            0 => json!("x".repeat(300 + usize::from(value))),
            1..4 => json!({ "at": step, "list": [value, null, true] }),
            _ => json!(value),
        };
        model
            .patch(json!([{ "op": "add", "path": name, "value": value }]))
            .await?;
    }
    model.check().await
}

async fn back<F: Factory>(factory: &F) -> Outcome {
    let setup = Setup::new();
    let store = factory.open(&setup);
    let mut model = Model::begin(&store, &setup, json!({ "text": "zero" })).await?;
    for text in ["one", "two", "three"] {
        model
            .patch(json!([{ "op": "replace", "path": "/text", "value": text }]))
            .await?;
    }
    let restored = model.back(1).await?;
    model
        .patch(json!([{ "op": "add", "path": "/after", "value": 1 }]))
        .await?;
    let again = model.back(3).await?;
    model.check().await?;
    let versions = store.chain(&restored.chain).await?;
    let hashes: Vec<_> = versions.iter().map(|version| version.capsule).collect();
    for (place, target) in [(&restored, 1), (&again, 3)] {
        let stored = store.capsule(place.index).await?.ok_or("no capsule")?;
        ensure!(
            stored.header.extensions().rollback_to == hashes.get(target).copied(),
            "a rollback does not name the version that it restores"
        );
    }
    let snapshots = [1, 4].map(|seq: u64| state_at(&store, &restored.chain, seq));
    let [old, new] = snapshots;
    let (old, new) = (old.await?, new.await?);
    ensure!(
        old.snapshot_hash() == new.snapshot_hash() && old.world_id() != new.world_id(),
        "a restored state has another snapshot, or no name of its own"
    );
    let refused = roll_back(
        &store,
        setup.agent(1),
        &restored.chain,
        99,
        new_version("x")?,
    )
    .await;
    ensure!(
        matches!(refused, Err(StoreError::UnknownVersion { seq: 99, .. })),
        "a version that never was is answered with {refused:?}"
    );
    Ok(())
}

async fn large<F: Factory>(factory: &F) -> Outcome {
    let setup = Setup::new();
    let store = factory.open(&setup);
    let mut model = Model::begin(&store, &setup, json!({ "text": "short" })).await?;
    for letter in ["a", "b"] {
        let data = json!({ "text": letter.repeat(200_000) });
        model.change(Change::Replacement(&data)).await?;
    }
    model
        .patch(json!([{ "op": "add", "path": "/after", "value": 1 }]))
        .await?;
    model.back(1).await?;
    model.check().await?;
    let stored = store.version(&model.chain, 2).await?.ok_or("no version")?;
    let delta = stored.delta.ok_or("a version without a delta")?;
    ensure!(
        delta.text.len() < 400 && delta.text.contains("new_hash"),
        "a change beyond the limits is not {REPLACE}"
    );
    Ok(())
}

async fn derived<F: Factory>(factory: &F) -> Outcome {
    let setup = Setup::new();
    let store = factory.open(&setup);
    let first = store
        .append(setup.agent(1), vec![draft("a", "mine")?])
        .await?
        .remove(0);
    let patch = json!([{ "op": "replace", "path": "/text", "value": "yours" }]);
    let change = Change::Patch(&patch);
    let refused = mutate(
        &store,
        setup.agent(2),
        &first.chain,
        Part::Data,
        change,
        new_version("b")?,
    )
    .await;
    ensure!(
        matches!(refused, Err(StoreError::ForeignChain { .. })),
        "another agent extended the chain: {refused:?}"
    );
    let own = derive(
        &store,
        setup.agent(2),
        (&first.chain, 0),
        Some((Part::Data, change)),
        new_version("b")?,
    )
    .await?;
    let stored = store.capsule(own.index).await?.ok_or("no capsule")?;
    ensure!(
        own.chain != first.chain && stored.header.extensions().derived_from == [first.capsule],
        "a derived chain does not say where it comes from"
    );
    let text = fetch(&store, "b")
        .await?
        .data()
        .cloned()
        .unwrap_or_default();
    ensure!(
        text.get("text") == Some(&json!("yours")),
        "the change is lost"
    );
    ensure!(
        store.chain(&first.chain).await?.len() == 1,
        "the source grew"
    );
    Ok(())
}

async fn race<F: Factory>(factory: &F) -> Outcome {
    let setup = Setup::new();
    let store = factory.open(&setup);
    let first = store
        .append(setup.agent(1), vec![draft("a", "a")?])
        .await?
        .remove(0);
    let patches: Vec<Value> = (0..8)
        .map(|number| json!([{ "op": "replace", "path": "/text", "value": number }]))
        .collect();
    let updates = patches.iter().zip(0..).map(|(patch, number)| {
        let (store, setup, chain) = (&store, &setup, &first.chain);
        async move {
            let new = new_version(&format!("b-{number}")).map_err(|_| StoreError::Bug("id"))?;
            mutate(
                store,
                setup.agent(1),
                chain,
                Part::Data,
                Change::Patch(patch),
                new,
            )
            .await
        }
    });
    let answers = all(updates).await;
    let lost = answers.iter().filter_map(|answer| answer.as_ref().err());
    for error in lost {
        ensure!(
            matches!(error, StoreError::HeadMoved { .. }),
            "the one who came second was told {error}"
        );
    }
    // Without waiting anywhere they follow one another; with it one wins each round.
    let won: u64 = answers
        .iter()
        .filter(|answer| answer.is_ok())
        .count()
        .try_into()?;
    let head = store.head(&first.chain).await?.ok_or("no head")?;
    ensure!(
        won >= 1 && head.seq == won,
        "{won} updates won and the head is number {}",
        head.seq
    );
    Ok(())
}

async fn unfit<F: Factory>(factory: &F) -> Outcome {
    let setup = Setup::new();
    let store = factory.open(&setup);
    let first = store
        .append(setup.agent(1), vec![Draft::new(world("a", "a")?)])
        .await?
        .remove(0);
    for patch in [
        json!([{ "op": "replace", "path": "/absent", "value": 1 }]),
        json!([{ "op": "test", "path": "/text", "value": "b" }]),
        json!([{ "op": "add", "path": "/text/0", "value": 1 }]),
        json!({ "not": "a patch" }),
    ] {
        let (change, new) = (Change::Patch(&patch), new_version("b")?);
        let signer = setup.agent(1);
        let refused = mutate(&store, signer, &first.chain, Part::Data, change, new).await;
        ensure!(
            matches!(refused, Err(StoreError::Change(_))),
            "{patch} was answered with {refused:?}"
        );
    }
    let ends = Change::Replacement(&Value::Null);
    let new = new_version("b")?;
    let refused = mutate(&store, setup.agent(1), &first.chain, Part::State, ends, new).await;
    ensure!(
        matches!(refused, Err(StoreError::NoWorld(_))),
        "what is no World was answered with {refused:?}"
    );
    ensure!(
        store.size().await? == 1,
        "a refused change has grown the log"
    );
    Ok(())
}
