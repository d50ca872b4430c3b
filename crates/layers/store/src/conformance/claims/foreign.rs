//! Cases: what another agent claims, here or elsewhere, and units without content (I1, I4; docs/format/capsule.md).

use counterfoil_capsule::{CapsuleId, Kind, Position, Signer, Stamp, Timestamp, seal_claim};
use counterfoil_claims::belief::BeliefStatus;
use counterfoil_claims::{Assertion, ClaimError, ClaimRef, Disposition, Target};
use counterfoil_types::{Scope, UnixMillis, WorldId};
use serde_json::{Value, json};

use super::super::support::{Fault, elsewhere, opened, verify};
use super::super::{Factory, Outcome, Setup};
use super::rig::{Rig, START_US, as_of, dated, fact, sides};
use crate::{AsOf, CapsuleLog, ClaimRequest, ClaimStore, MemoryStore, StoredCapsule};

/// Everything in the log of a store, as it is handed to another.
async fn exported(store: &dyn CapsuleLog) -> Result<Vec<StoredCapsule>, Fault> {
    let mut capsules = Vec::new();
    for index in 0..store.size().await? {
        let stored = store.capsule(index).await?.ok_or("there is no capsule")?;
        capsules.push(stored);
    }
    Ok(capsules)
}

pub(super) async fn apart<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let (rig, other) = (Rig::new(&store, &setup, 1), Rig::new(&store, &setup, 2));
    let mine = rig.user_says("Ada", "lives in", "Lisbon").await?;
    let hers = other.user_says("Ada", "lives in", "Porto").await?;
    ensure_eq!(hers.disposition, Disposition::Committed);
    for (rig, value) in [(&rig, r#""Lisbon""#), (&other, r#""Porto""#)] {
        let belief = rig.believe("Ada", "lives in", AsOf::default()).await?;
        ensure!(belief.status == BeliefStatus::Resolved && sides(&belief) == [value]);
        let entries = store
            .ledger(rig.agent(), Scope::new(), None, None, 10)
            .await?;
        ensure_eq!(entries.len(), 1);
    }
    let user = other.channels.user();
    let over = fact(&user, "Ada", "lives in", "Faro")?.superseding(vec![mine.reference.clone()])?;
    let from =
        fact(&user, "Ada", "lives in", "Faro")?.derived_from(vec![mine.reference.clone()])?;
    let end = Assertion::end(&user, Target::Claim(mine.reference.clone()), None);
    for request in [
        ClaimRequest::Submit(over),
        ClaimRequest::Submit(from),
        ClaimRequest::Assert(end),
    ] {
        let refused = other.ask(request).await?;
        ensure_matches!(refused, Err(ClaimError::ClaimNotFound(_)));
    }
    let unit = store.unit_of(&mine.reference).await?.ok_or("no unit")?;
    ensure!(unit.line().agent == rig.agent(), "a unit of nobody");
    let nobody = Rig::new(&store, &setup, 3);
    ensure!(
        store
            .predicates(nobody.agent(), None, Scope::new())
            .await?
            .is_empty()
    );
    ensure!(store.last_recorded(nobody.agent()).await?.is_none());
    Ok(())
}

pub(super) async fn received<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, other) = (elsewhere(), Setup::new());
    let (from, into) = (factory.open(&setup), factory.open(&other));
    let hers = Rig::new(&from, &setup, 2)
        .user_says("Ada", "lives in", "Porto")
        .await?;
    let mine = Rig::new(&into, &other, 1);
    mine.user_says("Ada", "lives in", "Lisbon").await?;
    into.receive("peer", exported(&from).await?).await?;
    let belief = mine.believe("Ada", "lives in", AsOf::default()).await?;
    ensure!(sides(&belief) == [r#""Lisbon""#], "{:?}", sides(&belief));
    let unit = into
        .unit_of(&hers.reference)
        .await?
        .ok_or("it was not kept as a unit")?;
    ensure!(unit.index() == 1, "it stands at {}", unit.index());
    verify(&into, &other, &hers.reference.to_string()).await?;
    let here = Rig::new(&into, &other, 2);
    let belief = here.believe("Ada", "lives in", AsOf::default()).await?;
    ensure!(sides(&belief) == [r#""Porto""#], "{:?}", sides(&belief));
    let size = into.size().await?;
    into.receive("peer", exported(&from).await?).await?;
    ensure!(into.size().await? == size, "what was here came in again");
    Ok(())
}

/// A claim capsule that no gate has seen, by `signer`.
fn forged(signer: &dyn Signer, number: u8, data: Value) -> Result<StoredCapsule, Fault> {
    let micros = START_US + u64::from(number);
    let id = WorldId::new(format!("forged-{number}"))?;
    let world = counterfoil_capsule::remember(id, UnixMillis::new(1_700_000_000_000)?, data)?;
    let before = Timestamp::from_micros(micros - 1)?;
    let id = CapsuleId::from_parts(micros / 1000, [number; 10]);
    let position = Position::seed(id, Stamp::next(micros, Some(before))?);
    let sealed = seal_claim(&world, &position, [number; 32], signer)?;
    Ok(StoredCapsule::new(0, sealed, None))
}

/// Units of agent 2 that name a claim of agent 1 in every way that there is.
fn attacks(claim: &ClaimRef) -> Vec<Value> {
    let claim = claim.to_string();
    let target = claim.as_str();
    let acts = [
        json!({
            "act": "claim", "value": "Porto", "valid": { "from": "2019", "confidence": 1 },
            "cardinality": { "said": "one", "registered": "many" }, "supersedes": [target],
            "disposition": "committed", "row": 5,
        }),
        json!({ "act": "bound", "target": target, "at": "2000", "disposition": "bounded" }),
        json!({ "act": "deny", "target": target, "disposition": "denied" }),
        json!({
            "act": "supersede", "target": target, "by": "forged-0", "disposition": "superseded",
        }),
        json!({
            "act": "affirm", "target": "forged-0", "rivals": [target], "disposition": "affirmed",
        }),
    ];
    let unit = |(number, act): (u64, Value)| {
        let mut unit = json!({
            "kind": "claim", "format": "counterfoil/claim/v1", "subject": "Ada",
            "predicate": "lives in", "number": number, "row": 0,
            "provenance": { "class": "user_asserted" },
        });
        if let (Some(unit), Value::Object(act)) = (unit.as_object_mut(), act) {
            unit.extend(act);
            if let Some(before) = number.checked_sub(1) {
                unit.insert("previous".into(), format!("forged-{before}").into());
            }
        }
        unit
    };
    (0..).zip(acts).map(unit).collect()
}

pub(super) async fn attacked<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    let mine = rig.user_says("Ada", "lives in", "Lisbon").await?;
    let asked = as_of(START_US + 3_600_000_000);
    let belief = rig.believe("Ada", "lives in", asked).await?;
    let history = rig.history("lives in", asked).await?;
    let agent = setup.agent(2);
    let mut units = 0;
    for (number, data) in (0..).zip(attacks(&mine.reference)) {
        let capsule = forged(&*agent, number, data)?;
        let world = capsule.entry.world().cloned().ok_or("no World")?;
        store.receive("mallory", vec![capsule]).await?;
        ensure!(store.exists(&world).await?);
        units += usize::from(store.unit_of(&world).await?.is_some());
    }
    ensure_eq!(units, 5);
    let now = rig.believe("Ada", "lives in", asked).await?;
    ensure!(now == belief, "another agent has changed a belief: {now:?}");
    ensure_eq!(rig.history("lives in", asked).await?, history);
    ensure_eq!(rig.numbers("lives in").await?, [0]);
    let about = Some(mine.reference.clone());
    let entries = store
        .ledger(rig.agent(), Scope::new(), about, None, 10)
        .await?;
    ensure!(entries.len() == 1, "another agent is in the ledger");
    // The gate sees nothing of it either.
    let again = rig.user_says("Ada", "lives in", "Lisbon").await?;
    ensure!(again.reference == mine.reference && again.written.is_none());
    let rival = rig.user_says("Ada", "lives in", "Faro").await?;
    ensure!(rival.disposition == Disposition::Contested, "{rival:?}");
    ensure_eq!(rival.because.rivals, [mine.reference]);
    Ok(())
}

pub(super) async fn no_unit<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 2);
    for (number, data) in [
        (0, json!({ "kind": "claim", "subject": "Ada" })),
        (1, json!("a claim")),
        (
            2,
            json!({ "kind": "claim", "format": "counterfoil/claim/v2", "act": "claim" }),
        ),
    ] {
        let capsule = forged(&*rig.signer, number, data)?;
        let world = capsule.entry.world().cloned().ok_or("no World")?;
        store.receive("peer", vec![capsule]).await?;
        ensure!(store.exists(&world).await?, "it was not kept");
        ensure!(store.unit_of(&world).await?.is_none(), "it is a unit");
    }
    let last = store.capsule(2).await?.ok_or("there is no capsule")?;
    ensure!(last.header.kind() == Kind::Claim, "another kind");
    ensure!(
        store
            .predicates(rig.agent(), None, Scope::new())
            .await?
            .is_empty()
    );
    let told = rig.user_says("Ada", "lives in", "Lisbon").await?;
    ensure!(told.disposition == Disposition::Committed, "{told:?}");
    Ok(())
}

/// A number beyond its stamp is that of no unit; one that is not, and everything after it, leaves the line writable.
pub(super) async fn numbered<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 2);
    let told = rig.user_says("Ada", "eats", "rice").await?;
    for (at, number, is_unit) in [
        (8, 9_007_199_254_740_991, false),
        (9, START_US + 10, false),
        (10, START_US + 10, true),
    ] {
        let data = json!({
            "kind": "claim", "format": "counterfoil/claim/v1", "subject": "Ada", "predicate": "eats",
            "number": number, "previous": told.reference.to_string(), "row": 5, "act": "claim",
            "value": "bread", "provenance": { "class": "user_asserted" },
            "cardinality": { "said": "unknown" }, "disposition": "committed",
        });
        let capsule = forged(&*rig.signer, at, data)?;
        let world = capsule.entry.world().cloned().ok_or("no World")?;
        store.receive("peer", vec![capsule]).await?;
        ensure!(
            store.unit_of(&world).await?.is_some() == is_unit,
            "{number} at {at}"
        );
        let value = format!("fish {at}");
        let told = rig.user_says("Ada", "eats", &value).await?;
        ensure!(told.disposition == Disposition::Contested, "{told:?}");
    }
    let numbers = [0, 1, 2, START_US + 10, START_US + 11];
    ensure_eq!(rig.numbers("eats").await?, numbers);
    Ok(())
}

/// I1: an erased unit leaves a gap, and the line goes on.
pub(super) async fn erased<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, other) = (elsewhere(), Setup::new());
    let (from, into) = (factory.open(&setup), factory.open(&other));
    let there = Rig::new(&from, &setup, 1);
    let first = there.user_says("Ada", "lives in", "Lisbon").await?;
    there.user_says("Ada", "lives in", "Porto").await?;
    let mut capsules = exported(&from).await?;
    if let Some(first) = capsules.first_mut() {
        first.payload = None;
    }
    into.receive("backup", capsules).await?;
    let rig = Rig::new(&into, &other, 1);
    ensure!(into.unit_of(&first.reference).await?.is_none());
    let belief = rig.believe("Ada", "lives in", AsOf::default()).await?;
    ensure_eq!(belief.status, BeliefStatus::Resolved);
    ensure!(sides(&belief) == [r#""Porto""#], "{:?}", sides(&belief));
    ensure_eq!(rig.numbers("lives in").await?, [1]);
    let told = rig
        .tell(dated(&rig.channels.user(), "Ada", "lives in", "Faro")?)
        .await?;
    ensure!(told.disposition == Disposition::Contested, "{told:?}");
    ensure_eq!(rig.numbers("lives in").await?, [1, 2]);
    let gone = Assertion::end(&rig.channels.user(), Target::Claim(first.reference), None);
    let refused = rig.ask(ClaimRequest::Assert(gone)).await?;
    ensure_matches!(refused, Err(ClaimError::ClaimNotFound(_)));
    Ok(())
}
