//! Claims among memories: what recall says of them (I3, I6, I7).
#![expect(clippy::unwrap_used, reason = "a test stops at a surprise")]

use std::sync::Arc;

use counterfoil_capsule::{AgentSigner, SecretKey, Signer, World};
use counterfoil_claims::ports::OracleVerdict;
use counterfoil_claims::time::{Boundary, ValidTime};
use counterfoil_claims::{
    Assertion, Channel, Channels, ClaimOutcome, ClaimRef, Disposition, FactValue, Identifier, Line,
    Settings, Submission, Target,
};
use counterfoil_prover::MerkleProver;
use counterfoil_selector::{MemorySelector, TextSelector};
use counterfoil_sqlite::{Options, SqliteStore, System};
use counterfoil_store::log::NoteSigner;
use counterfoil_store::{AsOf, CapsuleLog, ClaimRequest, ClaimStore, Draft};
use counterfoil_types::{
    ActorKind, ActorRef, Confidence, Query, SelectedMemory, SelectionRequest, UnixMillis, WorldId,
};
use counterfoil_verifier::{Anchors, LogAnchor, MerkleVerifier};
use serde_json::json;
use tempfile::TempDir;
use tokio::runtime::Runtime;

struct Rig {
    store: Arc<SqliteStore>,
    selector: TextSelector,
    runtime: Runtime,
    signer: Arc<AgentSigner>,
    _folder: TempDir,
}

impl Rig {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let log = NoteSigner::new("test.example/log", SecretKey::from_seed([1; 32])).unwrap();
        let anchor = LogAnchor::new(log.verifier_key().clone());
        let anchors = Anchors::new(vec![anchor]).unwrap();
        let (database, guard) = (folder.path().join("memory.db"), folder.path().join("guard"));
        let store = SqliteStore::create(Options::writable(database, log, guard)).unwrap();
        let store = Arc::new(store);
        let prover = Arc::new(MerkleProver::new(MerkleVerifier::new(anchors)));
        let selector = TextSelector::new(store.clone(), store.clone(), prover, Arc::new(System))
            .with_beliefs(store.clone(), Arc::new(Settings::default()));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let signer = Arc::new(AgentSigner::new(SecretKey::from_seed([2; 32])));
        Self {
            store,
            selector,
            runtime,
            signer,
            _folder: folder,
        }
    }

    fn send(&self, request: ClaimRequest) -> ClaimOutcome {
        let sent = self.store.submit(
            self.signer.clone(),
            Arc::new(Settings::default()),
            vec![request],
        );
        self.runtime.block_on(sent).unwrap().remove(0).unwrap()
    }

    fn says(&self, channel: &Channel, value: &str) -> ClaimRef {
        self.send(ClaimRequest::Submit(lives_in(channel, value)))
            .reference
    }

    fn recall(&self, query: &str) -> Vec<SelectedMemory> {
        let latest = self
            .runtime
            .block_on(self.store.latest_world())
            .unwrap()
            .unwrap();
        self.recall_at(query, latest)
    }

    fn recall_at(&self, query: &str, at: WorldId) -> Vec<SelectedMemory> {
        let actor = ActorRef::new(self.signer.agent().to_string(), ActorKind::Agent).unwrap();
        let request = SelectionRequest::new(Query::new(query).unwrap(), at, actor);
        let result = self
            .runtime
            .block_on(self.selector.select(&request))
            .unwrap();
        result.selected().to_vec()
    }
}

fn channels() -> Channels {
    Channels::of_host()
}

fn lives_in(channel: &Channel, value: &str) -> Submission {
    let [subject, predicate] = [("subject", "ann"), ("predicate", "lives in")]
        .map(|(what, text)| Identifier::new(what, text).unwrap());
    Submission::new(
        channel,
        subject,
        predicate,
        FactValue::new(&json!(value)).unwrap(),
    )
}

fn dated(from: Option<&str>, until: Option<&str>) -> ValidTime {
    let boundary = |text: &str| Boundary::parse(text).unwrap();
    ValidTime {
        from: from.map(boundary),
        until: until.map(boundary),
        confidence: Confidence::ONE,
    }
}

fn reason_of<'m>(memories: &'m [SelectedMemory], world: &ClaimRef) -> Option<String> {
    let memory: Option<&'m SelectedMemory> = memories
        .iter()
        .find(|memory| memory.memory_ref().world_id() == world);
    memory.map(|memory| memory.reason().to_string())
}

/// I7, CLM-51: all sides of a contest are in the reason of each, and none is settled.
#[test]
fn a_contested_line_is_never_recalled_as_settled() {
    let (rig, user) = (Rig::new(), channels().user());
    let sides = ["Lisbon", "Porto", "Faro"].map(|value| rig.says(&user, value));
    let found = rig.recall("where does ann live: Lisbon, Porto or Faro?");
    for side in &sides {
        let reason = reason_of(&found, side).unwrap();
        assert!(
            reason.starts_with("CONTESTED: 3 values are claimed and none is settled"),
            "{reason}"
        );
        for other in sides.iter().filter(|other| *other != side) {
            assert!(reason.contains(&other.to_string()), "{reason}");
        }
    }
}

/// CLM-40: memories and beliefs come together, and the reference of a belief is the World of its unit, proven.
#[test]
fn memories_and_beliefs_are_recalled_together() {
    let rig = Rig::new();
    let note = WorldId::new("note").unwrap();
    let said = json!({"kind": "note", "text": "ann sent a card from Lisbon"});
    let world = World::remember(
        note.clone(),
        UnixMillis::new(1_790_000_000_000).unwrap(),
        said,
    )
    .unwrap();
    rig.runtime
        .block_on(
            rig.store
                .append(rig.signer.clone(), vec![Draft::new(world)]),
        )
        .unwrap();
    let claim = rig.send(ClaimRequest::Submit(
        lives_in(&channels().user(), "Lisbon")
            .valid(dated(Some("2020"), None))
            .unwrap(),
    ));
    let found = rig.recall("ann Lisbon");
    assert!(found.iter().all(SelectedMemory::verified));
    assert!(!reason_of(&found, &note).unwrap().contains("believed"));
    assert!(
        reason_of(&found, &claim.reference)
            .unwrap()
            .starts_with("believed; ")
    );
}

/// CLM-33: an undated claim says that its time is uncertain; CLM-36: a model's is called inferred.
#[test]
fn the_reason_says_how_certain_a_belief_is() {
    let rig = Rig::new();
    let inferred = rig.says(&channels().model(), "Lisbon");
    let reason = reason_of(&rig.recall("Lisbon"), &inferred).unwrap();
    assert!(
        reason.starts_with("inferred by a model; since when is uncertain"),
        "{reason}"
    );
    let stated = rig.says(&channels().user(), "Porto");
    let found = rig.recall("Lisbon Porto");
    let reason = reason_of(&found, &stated).unwrap();
    assert!(
        reason.starts_with("believed; since when is uncertain; a model says otherwise"),
        "{reason}"
    );
    let aside = reason_of(&found, &inferred).unwrap();
    assert!(
        aside.starts_with("NOT BELIEVED: a model's claim"),
        "{aside}"
    );
    assert!(aside.contains(&stated.to_string()), "{aside}");
}

/// CLM-34: what was denied is not recalled; what has ended is, and is called so.
#[test]
fn what_does_not_hold_any_more_is_called_so_or_left_out() {
    let (rig, user) = (Rig::new(), channels().user());
    let ended = rig.send(ClaimRequest::Submit(
        lives_in(&user, "Lisbon")
            .valid(dated(Some("2018"), Some("2019")))
            .unwrap(),
    ));
    let reason = reason_of(&rig.recall("Lisbon"), &ended.reference).unwrap();
    assert!(reason.starts_with("no longer believed: ended"), "{reason}");

    let evidence = WorldId::new("letter").unwrap();
    let letter = json!({"kind": "note", "text": "a letter"});
    let at = UnixMillis::new(1_790_000_000_000).unwrap();
    let world = World::remember(evidence.clone(), at, letter).unwrap();
    rig.runtime
        .block_on(
            rig.store
                .append(rig.signer.clone(), vec![Draft::new(world)]),
        )
        .unwrap();
    let (kept, denied) = (rig.says(&user, "Porto"), rig.says(&user, "Faro"));
    let verdict =
        Assertion::verdict(&user, denied.clone(), OracleVerdict::Deny, vec![evidence]).unwrap();
    assert_eq!(
        rig.send(ClaimRequest::Assert(verdict)).disposition,
        Disposition::Denied
    );
    let found = rig.recall("Porto Faro");
    assert!(reason_of(&found, &kept).unwrap().starts_with("believed"));
    assert_eq!(reason_of(&found, &denied), None);
    let end = Assertion::end(&user, Target::Claim(kept.clone()), None);
    assert_eq!(
        rig.send(ClaimRequest::Assert(end)).disposition,
        Disposition::Bounded
    );
    assert!(
        reason_of(&rig.recall("Porto"), &kept)
            .unwrap()
            .starts_with("no longer believed: ended by")
    );
}

/// CLM-42: as of an earlier World, what was recorded later does not count.
#[test]
fn a_selection_at_an_earlier_world_knows_what_was_believed_then() {
    let (rig, user) = (Rig::new(), channels().user());
    let first = rig.says(&user, "Lisbon");
    rig.says(&user, "Porto");
    assert!(
        reason_of(&rig.recall("Lisbon"), &first)
            .unwrap()
            .starts_with("CONTESTED")
    );
    let then = rig.recall_at("Lisbon Porto", first.clone());
    assert_eq!(then.len(), 1);
    assert!(reason_of(&then, &first).unwrap().starts_with("believed"));
}

/// CLM-14: what recall handed out comes back as a re-entry, whatever its channel.
#[test]
fn what_was_recalled_is_a_re_entry_when_it_comes_back() {
    let (rig, channels) = (Rig::new(), channels());
    let claim = rig.says(&channels.user(), "Lisbon");
    rig.recall("Lisbon");
    let again = rig.send(ClaimRequest::Submit(lives_in(
        &channels.first_hand(),
        "Lisbon",
    )));
    assert_eq!(
        (again.disposition, again.reference),
        (Disposition::Corroborated, claim)
    );
    assert_eq!(again.written, None, "an echo is no second source");
    let line = Line {
        agent: rig.signer.agent(),
        subject: Identifier::new("subject", "ann").unwrap(),
        predicate: Identifier::new("predicate", "lives in").unwrap(),
    };
    let belief = rig
        .store
        .believe(line, AsOf::default(), Arc::new(Settings::default()));
    assert_eq!(
        rig.runtime.block_on(belief).unwrap().sides[0].corroborations,
        0
    );
}
