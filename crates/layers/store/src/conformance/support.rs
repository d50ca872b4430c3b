//! Shared by the cases: Worlds to append, a small join, and the check that an authority would make.

use std::future::Future;
use std::pin::Pin;
use std::task::Poll;

use counterfoil_capsule::{Receipt, World};
use counterfoil_types::{Sha256Hash, UnixMillis, VerificationMethod, VerificationProof, WorldId};
use counterfoil_verifier::checkpoint::Checkpoint;
use counterfoil_verifier::payload::merkle_payload;
use counterfoil_verifier::{Anchors, Examiner, Expected, LogAnchor, MerkleVerifier};
use serde_json::json;

use super::{Factory, Outcome, Setup, seeded_entropy};
use crate::{AppendReport, CapsuleLog, Draft, MemoryStore};

pub(super) type Fault = Box<dyn std::error::Error + Send + Sync>;

/// Ends the case with `Err(detail)` unless the condition holds.
macro_rules! ensure {
    ($condition:expr) => {
        ensure!($condition, "`{}` does not hold ({}:{})", stringify!($condition), file!(), line!())
    };
    ($condition:expr, $($detail:tt)+) => {
        if !$condition {
            return Err(format!($($detail)+).into());
        }
    };
}

/// Ends the case unless a value is the expected one.
macro_rules! ensure_eq {
    ($found:expr, $expected:expr) => {{
        let found = $found;
        let (name, place) = (stringify!($found), (file!(), line!()));
        ensure!(found == $expected, "`{name}` is {found:?} ({place:?})");
    }};
}

/// Ends the case unless a value has the pattern.
macro_rules! ensure_matches {
    ($found:expr, $pattern:pat) => {{
        let (found, place) = (&$found, (file!(), line!()));
        ensure!(matches!(found, $pattern), "{found:?} ({place:?})");
    }};
}

/// Ends the case when one of the calls answers with `Ok`.
macro_rules! ensure_fails {
    ($($call:expr),+ $(,)?) => {
        $(ensure!($call.await.is_err(), "`{}` answered", stringify!($call));)+
    };
}

/// A new store, and what it was given.
pub(super) fn opened<F: Factory>(factory: &F) -> (Setup, F::Store) {
    let setup = Setup::new();
    let store = factory.open(&setup);
    (setup, store)
}

/// A setup whose ids are others.
pub(super) fn elsewhere() -> Setup {
    let mut setup = Setup::new();
    setup.entropy = seeded_entropy(2);
    setup
}

/// A World that says `text`.
pub(super) fn world(id: &str, text: &str) -> Result<World, Fault> {
    let created_at = UnixMillis::new(1_700_000_000_000)?;
    Ok(counterfoil_capsule::remember(
        WorldId::new(id)?,
        created_at,
        json!({ "kind": "note", "text": text }),
    )?)
}

/// A draft of such a World, in a chain of its own.
pub(super) fn draft(id: &str, text: &str) -> Result<Draft, Fault> {
    world(id, text).map(Draft::new)
}

/// `count` drafts with different ids.
pub(super) fn drafts(prefix: &str, count: u64) -> Result<Vec<Draft>, Fault> {
    (0..count)
        .map(|number| draft(&format!("{prefix}-{number}"), "something"))
        .collect()
}

/// Appends a draft in the name of agent 1.
pub(super) async fn put<S>(store: &S, setup: &Setup, draft: Draft) -> Result<AppendReport, Fault>
where
    S: CapsuleLog + ?Sized,
{
    Ok(store.append_one(setup.agent(1), draft).await?)
}

/// Verifies the receipt of a World as an authority does: offline, from the log's key alone, and
/// from a floor if there is one.
pub(super) fn verify_receipt(
    setup: &Setup,
    world: &World,
    floor: Option<(u64, Sha256Hash)>,
) -> Outcome {
    let receipt = Receipt::of(world)?.ok_or("a World without a receipt")?;
    let tlog_proof = receipt
        .tlog_proof()
        .ok_or("a receipt without a place in the log")?;
    let payload = merkle_payload(receipt.entry(), tlog_proof, None, receipt.consistency());
    let proof = VerificationProof::new(VerificationMethod::Merkle, Some(payload))?;
    let mut log = LogAnchor::new(setup.note_signer()?.verifier_key().clone());
    if let Some((size, root)) = floor {
        log = log.with_floor(size, root)?;
    }
    let verifier = MerkleVerifier::new(Anchors::new(vec![log])?);
    let expected = Expected::World(world.world_id());
    verifier.examine(&proof, expected, &mut counterfoil_verifier::Session::new())?;
    Ok(())
}

/// Fetches a World that must be there.
pub(super) async fn fetch(store: &dyn MemoryStore, id: &str) -> Result<World, Fault> {
    let world_id = WorldId::new(id)?;
    Ok(store
        .get(&world_id)
        .await?
        .ok_or_else(|| format!("{id} is not there"))?)
}

/// Verifies the receipt of the World `id`.
pub(super) async fn verify<S: MemoryStore>(store: &S, setup: &Setup, id: &str) -> Outcome {
    verify_receipt(setup, &fetch(store, id).await?, None)
}

/// The present checkpoint, which must be signed by the log's key.
pub(super) async fn checkpoint(
    setup: &Setup,
    store: &dyn CapsuleLog,
) -> Result<(u64, Sha256Hash), Fault> {
    let note = store
        .checkpoint()
        .await?
        .ok_or("a log with entries and no checkpoint")?;
    let signed = setup
        .note_signer()?
        .recognise(&note)
        .ok_or("a checkpoint of another signer")?;
    let read = Checkpoint::from_note(&note)?;
    ensure!(read == signed, "a checkpoint that is not what it says");
    Ok((signed.size(), signed.root()))
}

/// Waits for all, polling each whenever one can go on: so all of them are under way at once.
pub(super) async fn all<T>(futures: impl IntoIterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut waiting: Vec<(Pin<Box<_>>, Option<T>)> = futures
        .into_iter()
        .map(|future| (Box::pin(future), None))
        .collect();
    std::future::poll_fn(|context| {
        let mut pending = false;
        for (future, done) in &mut waiting {
            if done.is_none() {
                match future.as_mut().poll(context) {
                    Poll::Ready(value) => *done = Some(value),
                    Poll::Pending => pending = true,
                }
            }
        }
        if pending {
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    })
    .await;
    waiting.into_iter().filter_map(|(_, done)| done).collect()
}
