//! The selector over the real store and index, with proofs that an authority would accept.
#![expect(clippy::unwrap_used, reason = "a test stops at a surprise")]

use std::sync::Arc;

use counterfoil_capsule::{AgentSigner, SecretKey, World};
use counterfoil_conformance::{check_prover, check_selector, check_store, check_verifier};
use counterfoil_life::Life as _;
use counterfoil_prover::{HashProver, MemoryVerifier, MerkleProver};
use counterfoil_selector::{MemorySelector, SelectError, TextSelector};
use counterfoil_sqlite::{Options, SqliteStore, System};
use counterfoil_store::log::NoteSigner;
use counterfoil_store::{AppendReport, CapsuleLog, Draft, MemoryStore};
use counterfoil_types::{
    ActorKind, ActorRef, MemoryRef, Query, SelectionConstraints, SelectionRequest, SelectionResult,
    UnixMillis, VerificationMethod, WorldId,
};
use counterfoil_verifier::{Anchors, Examiner, HashVerifier, LogAnchor, MerkleVerifier};
use serde_json::json;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// 8 May 2023, a Monday.
const START_MS: u64 = 1_683_504_000_000;
const DAY_MS: u64 = 86_400_000;

struct Rig {
    store: Arc<SqliteStore>,
    selector: TextSelector,
    anchors: Anchors,
    runtime: Runtime,
    _folder: TempDir,
}

impl Rig {
    fn empty() -> Self {
        let folder = TempDir::new().unwrap();
        let signer = NoteSigner::new("test.example/log", SecretKey::from_seed([1; 32])).unwrap();
        let log = LogAnchor::new(signer.verifier_key().clone());
        let anchors = Anchors::new(vec![log]).unwrap();
        let database = folder.path().join("memory.db");
        let options = Options::writable(database, signer, folder.path().join("guard"));
        let store = Arc::new(SqliteStore::create(options).unwrap());
        let selector = selector(&store, anchors.clone());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        Self {
            store,
            selector,
            anchors,
            runtime,
            _folder: folder,
        }
    }

    /// A store of six turns, three days apart, in two sessions.
    fn new() -> Self {
        let rig = Self::empty();
        rig.append([
            turn(0, "1", 0, "We moved to the harbour last week"),
            turn(1, "1", 1, "How is the new flat?"),
            turn(2, "1", 2, "Small, but the kitchen has a window"),
            turn(3, "2", 0, "I painted the kitchen blue"),
            turn(4, "2", 1, "Send me a picture"),
            turn(5, "2", 2, "The harbour is closed for repairs"),
        ]);
        rig
    }

    fn append(&self, drafts: impl IntoIterator<Item = Draft>) -> Vec<AppendReport> {
        let signer = Arc::new(AgentSigner::new(SecretKey::from_seed([2; 32])));
        let appended = self.store.append(signer, drafts.into_iter().collect());
        self.runtime.block_on(appended).unwrap()
    }

    fn try_recall(
        &self,
        query: &str,
        at: &str,
        constraints: SelectionConstraints,
    ) -> Result<SelectionResult, SelectError> {
        let actor = ActorRef::new("ada", ActorKind::Agent).unwrap();
        let at = WorldId::new(at).unwrap();
        let request = SelectionRequest::new(Query::new(query).unwrap(), at, actor);
        let request = request.with_constraints(constraints);
        Ok(self.runtime.block_on(self.selector.select(&request))?)
    }

    fn recall_at(&self, query: &str, at: &str) -> SelectionResult {
        let unconstrained = SelectionConstraints::default();
        self.try_recall(query, at, unconstrained).unwrap()
    }

    fn recall(&self, query: &str) -> SelectionResult {
        self.recall_at(query, "world-5")
    }
}

fn selector(store: &Arc<SqliteStore>, anchors: Anchors) -> TextSelector {
    let prover = Arc::new(MerkleProver::new(MerkleVerifier::new(anchors)));
    TextSelector::new(store.clone(), store.clone(), prover, Arc::new(System))
}

fn turn(day: u64, session: &str, position: u64, text: &str) -> Draft {
    let id = WorldId::new(format!("world-{day}")).unwrap();
    let at = UnixMillis::new(START_MS + 3 * day * DAY_MS).unwrap();
    let speaker = match position % 2 {
        0 => "ada",
        _ => "bruno",
    };
    let source = json!({"conversation": "c", "session": session, "position": position});
    let data = json!({"kind": "turn", "speaker": speaker, "text": text, "source": source});
    Draft::new(counterfoil_capsule::remember(id, at, data).unwrap())
}

fn ids(result: &SelectionResult) -> Vec<String> {
    let memories = result.selected().iter();
    let ids = memories.map(|memory| memory.memory_ref().world_id().to_string());
    ids.collect()
}

/// CR-06, CR-17, M-12: what is recalled is proven to whoever trusts the log.
#[test]
fn what_is_recalled_is_proven_to_whoever_trusts_the_log() {
    let rig = Rig::new();
    let result = rig.recall("When did Ada paint the kitchen?");
    assert_eq!(ids(&result)[0], "world-3");
    let verifier = MerkleVerifier::new(rig.anchors.clone());
    for memory in result.selected() {
        assert!(memory.verified());
        let evidence = memory.evidence().unwrap();
        assert_eq!(evidence.method(), &VerificationMethod::Merkle);
        assert!(verifier.verifies(&evidence.to_proof()));
        assert!(evidence.verified_at() <= result.selected_at());
    }
}

#[test]
fn the_reason_and_the_confidence_say_what_was_found_where() {
    let rig = Rig::new();
    let result = rig.recall("Was the kitchen of the flat painted on a Sunday?");
    let best = &result.selected()[0];
    assert_eq!(ids(&result)[0], "world-2");
    assert_eq!(
        best.reason().to_string(),
        r#"says "kitchen"; dated "sunday"; nearby: "flat""#,
    );
    let next = &result.selected()[1];
    assert!(best.confidence().value() > 0.8 && next.confidence().value() < 0.2);
}

/// A time is relative to that of asking, and no time at all to a selector that does not know when it is asked.
#[test]
fn what_was_said_at_a_named_time_is_recalled() {
    let mut rig = Rig::new();
    assert_eq!(ids(&rig.recall("what was yesterday?")), [""; 0]);
    let asked_at = UnixMillis::new(START_MS + 10 * DAY_MS).unwrap();
    rig.selector = rig.selector.asked_at(asked_at);
    let result = rig.recall("what was yesterday?");
    assert_eq!(ids(&result), ["world-3"]);
    assert_eq!(
        result.selected()[0].reason().to_string(),
        r#"dated "yesterday"; read as well: "yesterday" as "2023-05-17""#,
    );
}

/// `atWorldId` bounds what may be recalled, if it is a World of the store and not of the application alone.
#[test]
fn nothing_recorded_after_the_world_of_the_request_is_recalled() {
    let rig = Rig::new();
    let at = |world| rig.try_recall("harbour", world, SelectionConstraints::default());
    assert!(ids(&at("world-5").unwrap()).contains(&"world-5".to_owned()));
    assert!(!ids(&at("world-4").unwrap()).contains(&"world-5".to_owned()));
    assert!(ids(&at("elsewhere").unwrap()).contains(&"world-5".to_owned()));
}

#[test]
fn the_whole_store_is_searched_when_the_application_says_so() {
    let mut rig = Rig::new();
    rig.selector = selector(&rig.store, rig.anchors.clone()).of_whole_store();
    let result = rig.recall_at("harbour", "world-4");
    assert!(ids(&result).contains(&"world-5".to_owned()));
}

#[test]
fn a_store_under_another_key_is_recalled_and_not_verified() {
    let mut rig = Rig::new();
    let other = NoteSigner::new("test.example/log", SecretKey::from_seed([3; 32])).unwrap();
    let log = LogAnchor::new(other.verifier_key().clone());
    let anchors = Anchors::new(vec![log]).unwrap();
    rig.selector = selector(&rig.store, anchors);
    let result = rig.recall("harbour");
    assert!(!result.selected().is_empty());
    assert!(result.selected().iter().all(|memory| !memory.verified()));
    let strict = SelectionConstraints::default().with_required_verification();
    let none = rig.try_recall("harbour", "world-5", strict).unwrap();
    assert!(none.selected().is_empty());
}

/// Turns that come one by one, late and out of order are found as if they had come at once.
#[test]
fn late_turns_become_neighbours() {
    let rig = Rig::new();
    rig.append([turn(9, "3", 2, "It rained")]);
    rig.append([turn(7, "3", 0, "We sailed to the island")]);
    rig.append([turn(8, "3", 1, "How was the weather?")]);
    let result = rig.recall_at("island", "world-8");
    assert_eq!(ids(&result), ["world-7", "world-8", "world-9"]);
    let before = rig.runtime.block_on(rig.store.derived_digest()).unwrap();
    let (_, _, after) = rig.runtime.block_on(rig.store.rebuild()).unwrap();
    assert_eq!(after, before);
    let again = rig.recall_at("island", "world-8");
    assert_eq!(ids(&again), ids(&result));
}

#[test]
fn a_proof_is_the_same_however_often_it_is_asked_for() {
    let rig = Rig::new();
    let proofs = || -> Vec<_> {
        let result = rig.recall("harbour");
        let memories = result.selected().iter();
        memories
            .map(|memory| memory.evidence().unwrap().to_proof())
            .collect()
    };
    assert_eq!(proofs(), proofs());
}

#[test]
fn prove_sees_the_world_that_the_store_gives() {
    let rig = Rig::new();
    let id = WorldId::new("world-3").unwrap();
    let world = rig.runtime.block_on(rig.store.get(&id)).unwrap().unwrap();
    let prover = MerkleProver::new(MerkleVerifier::new(rig.anchors.clone()));
    let result = prover.prove(&MemoryRef::new(id), &world);
    assert!(result.valid(), "{:?}", result.error());
}

/// Of a memory that was changed, the version that was current at `atWorldId`; an older one only for
/// what that does not say, and then the reason says so (I2).
#[test]
fn the_version_that_was_current_at_the_world_of_the_request_is_selected() {
    let rig = Rig::new();
    let say = |id: &str, text: &str| {
        let at = UnixMillis::new(START_MS).unwrap();
        let data = json!({"kind": "note", "text": text});
        Draft::new(counterfoil_capsule::remember(WorldId::new(id).unwrap(), at, data).unwrap())
    };
    let append = |draft: Draft| rig.append([draft]).remove(0);
    let first = append(say("flat-0", "The flat is in Lisbon"));
    append(say("between", "unrelated"));
    let next = say("flat-1", "The flat is in Porto").following(first.chain, first.capsule);
    append(next);
    let at = |query, world| {
        let result = rig.recall_at(query, world);
        let best = result.selected().first().cloned().unwrap();
        assert!(best.verified());
        (ids(&result)[0].clone(), best.reason().to_string())
    };
    assert_eq!(at("flat Porto", "flat-1").0, "flat-1");
    assert_eq!(at("flat Lisbon", "flat-1").0, "flat-1");
    let then = at("flat Lisbon", "between");
    assert_eq!(then, ("flat-0".into(), r#"says "flat", "lisbon""#.into()));
    let (older, reason) = at("Lisbon", "flat-1");
    assert_eq!(older, "flat-0");
    let begin = "an older version, replaced by flat-1 on ";
    assert!(reason.starts_with(begin), "{reason}");
}

/// Section 13: store, selector, provers and verifiers of this project, through the kit for applications.
#[test]
fn this_projects_own_parts_conform() {
    let rig = Rig::empty();
    rig.append(
        counterfoil_conformance::worlds()
            .into_iter()
            .map(Draft::new),
    );
    let anchors = Arc::new(rig.anchors.clone());
    let merkle = MerkleProver::new(MerkleVerifier::new(Arc::clone(&anchors)));
    let report = rig.runtime.block_on(check_store(&*rig.store));
    assert!(report.is_sound(), "{report}");
    let report = check_selector(&rig.selector, &*rig.store, &merkle);
    let report = rig.runtime.block_on(report);
    assert!(report.is_sound(), "{report}");
    let get = |world: World| {
        rig.runtime
            .block_on(rig.store.get(world.world_id()))
            .unwrap()
            .unwrap()
    };
    let worlds: Vec<World> = counterfoil_conformance::worlds()
        .into_iter()
        .map(get)
        .collect();
    let hash = HashProver::new(HashVerifier);
    let provers: [&dyn MemoryVerifier; 2] = [&merkle, &hash];
    for prover in provers {
        let report = check_prover(prover, &worlds);
        assert!(report.is_sound(), "{report}");
        let prove = |world: &World| prover.prove(&MemoryRef::new(world.world_id().clone()), world);
        let proofs: Vec<_> = worlds
            .iter()
            .map(|world| prove(world).into_proof().unwrap())
            .collect();
        let report = check_verifier(prover, &proofs[..2]);
        assert!(report.is_sound(), "{report}");
    }
}
