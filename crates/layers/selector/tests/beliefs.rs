//! Claims among memories: what recall says of them (I3, I6, I7).
#![expect(clippy::unwrap_used, reason = "a test stops at a surprise")]

use std::sync::Arc;

use counterfoil_capsule::{AgentSigner, SecretKey, Signer};
use counterfoil_claims::ports::OracleVerdict;
use counterfoil_claims::time::{Boundary, ValidTime};
use counterfoil_claims::{
    Aliases, Assertion, Cardinality, Channel, Channels, ClaimOutcome, ClaimRef, Disposition,
    FactValue, Identifier, Settings, Submission, Target,
};
use counterfoil_prover::MerkleProver;
use counterfoil_selector::{MemorySelector, TextSelector};
use counterfoil_sqlite::{Options, SqliteStore, System};
use counterfoil_store::log::NoteSigner;
use counterfoil_store::{CapsuleLog, ClaimRequest, ClaimStore, Draft};
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
            .with_beliefs(store.clone(), Arc::new(Settings::default()))
            .with_answers_first();
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
        let (signer, settings) = (self.signer.clone(), Arc::new(Settings::default()));
        let sent = self.store.submit(signer, settings, vec![request]);
        self.runtime.block_on(sent).unwrap().remove(0).unwrap()
    }

    fn says(&self, channel: &Channel, value: &str) -> ClaimRef {
        self.send(ClaimRequest::Submit(lives_in(channel, value)))
            .reference
    }

    /// Appends a note.
    fn note(&self, id: &str, text: &str) -> WorldId {
        let id = WorldId::new(id).unwrap();
        let at = UnixMillis::new(1_790_000_000_000).unwrap();
        let data = json!({"kind": "note", "text": text});
        let draft = Draft::new(counterfoil_capsule::remember(id.clone(), at, data).unwrap());
        let appended = self.store.append_one(self.signer.clone(), draft);
        self.runtime.block_on(appended).unwrap();
        id
    }

    fn recall(&self, query: &str) -> Vec<SelectedMemory> {
        let latest = self.runtime.block_on(self.store.latest_world());
        self.recall_at(query, latest.unwrap().unwrap())
    }

    fn recall_at(&self, query: &str, at: WorldId) -> Vec<SelectedMemory> {
        let actor = ActorRef::new(self.signer.agent().to_string(), ActorKind::Agent).unwrap();
        let request = SelectionRequest::new(Query::new(query).unwrap(), at, actor);
        let result = self.runtime.block_on(self.selector.select(&request));
        result.unwrap().selected().to_vec()
    }
}

fn channels() -> Channels {
    Channels::of_host()
}

fn lives_in(channel: &Channel, value: &str) -> Submission {
    claims(channel, ["ann", "lives in"], value)
}

fn claims(channel: &Channel, [subject, predicate]: [&str; 2], value: &str) -> Submission {
    let [subject, predicate] = [("subject", subject), ("predicate", predicate)]
        .map(|(what, text)| Identifier::new(what, text).unwrap());
    let value = FactValue::new(&json!(value)).unwrap();
    Submission::new(channel, subject, predicate, value)
}

fn dated(from: &str, until: Option<&str>) -> ValidTime {
    let boundary = |text: &str| Boundary::parse(text).unwrap();
    ValidTime {
        from: Some(boundary(from)),
        until: until.map(boundary),
        confidence: Confidence::ONE,
    }
}

fn reason_of(memories: &[SelectedMemory], world: &ClaimRef) -> Option<String> {
    let mut memories = memories.iter();
    let memory = memories.find(|memory| memory.memory_ref().world_id() == world);
    memory.map(|memory| memory.reason().to_string())
}

/// Checks the begin of the reason of a memory, and returns the reason.
#[track_caller]
fn assert_begins(memories: &[SelectedMemory], world: &ClaimRef, begin: &str) -> String {
    let reason = reason_of(memories, world).unwrap();
    assert!(reason.starts_with(begin), "{reason}");
    reason
}

/// I7, CLM-51: all sides of a contest are in the reason of each, and none is settled.
#[test]
fn a_contested_line_is_never_recalled_as_settled() {
    let (rig, user) = (Rig::new(), channels().user());
    let sides = ["Lisbon", "Porto", "Faro"].map(|value| rig.says(&user, value));
    let found = rig.recall("where does ann live: Lisbon, Porto or Faro?");
    for side in &sides {
        let contested = "CONTESTED: 3 values are claimed and none is settled";
        let reason = assert_begins(&found, side, contested);
        for other in sides.iter().filter(|other| *other != side) {
            assert!(reason.contains(&other.to_string()), "{reason}");
        }
    }
}

/// CLM-40: memories and beliefs come together, and the reference of a belief is the World of its unit, proven.
#[test]
fn memories_and_beliefs_are_recalled_together() {
    let rig = Rig::new();
    let note = rig.note("note", "ann sent a card from Lisbon");
    let claim = lives_in(&channels().user(), "Lisbon").valid(dated("2020", None));
    let claim = rig.send(ClaimRequest::Submit(claim.unwrap()));
    let found = rig.recall("ann Lisbon");
    assert!(found.iter().all(SelectedMemory::verified));
    assert!(!reason_of(&found, &note).unwrap().contains("believed"));
    assert_begins(&found, &claim.reference, "believed; ");
}

/// CLM-33: an undated claim says that its time is uncertain; CLM-36: a model's is called inferred.
#[test]
fn the_reason_says_how_certain_a_belief_is() {
    let rig = Rig::new();
    let inferred = rig.says(&channels().model(), "Lisbon");
    let found = rig.recall("Lisbon");
    assert_begins(
        &found,
        &inferred,
        "inferred by a model; since when is uncertain",
    );
    let stated = rig.says(&channels().user(), "Porto");
    let found = rig.recall("Lisbon Porto");
    let believed = "believed; since when is uncertain; a model says otherwise";
    assert_begins(&found, &stated, believed);
    let aside = assert_begins(&found, &inferred, "NOT BELIEVED: a model's claim");
    assert!(aside.contains(&stated.to_string()), "{aside}");
}

/// CLM-34: what was denied is not recalled; what has ended is, and is called so.
#[test]
fn what_does_not_hold_any_more_is_called_so_or_left_out() {
    let (rig, user) = (Rig::new(), channels().user());
    let ended = lives_in(&user, "Lisbon").valid(dated("2018", Some("2019")));
    let ended = rig.send(ClaimRequest::Submit(ended.unwrap()));
    let found = rig.recall("Lisbon");
    assert_begins(
        &found,
        &ended.reference,
        "no longer believed: ended on 2020-01-01;",
    );
    // It answers, and is listed once.
    let found = rig.recall("did ann live in Lisbon?");
    assert_eq!(order(&found), [ended.reference.to_string()]);

    let evidence = rig.note("letter", "a letter");
    let (kept, denied) = (rig.says(&user, "Porto"), rig.says(&user, "Faro"));
    let verdict =
        Assertion::verdict(&user, denied.clone(), OracleVerdict::Deny, vec![evidence]).unwrap();
    let denial = rig.send(ClaimRequest::Assert(verdict));
    assert_eq!(denial.disposition, Disposition::Denied);
    let found = rig.recall("Porto Faro");
    assert_begins(&found, &kept, "believed");
    assert_eq!(reason_of(&found, &denied), None);
    let end = Assertion::end(&user, Target::Claim(kept.clone()), None);
    let end = rig.send(ClaimRequest::Assert(end));
    assert_eq!(end.disposition, Disposition::Bounded);
    let ended = assert_begins(
        &rig.recall("Porto"),
        &kept,
        "no longer believed: ended on 20",
    );
    assert!(ended.contains(" by "), "{ended}");
}

/// CLM-42: as of an earlier World, what was recorded later does not count.
#[test]
fn a_selection_at_an_earlier_world_knows_what_was_believed_then() {
    let (rig, user) = (Rig::new(), channels().user());
    let first = rig.says(&user, "Lisbon");
    rig.says(&user, "Porto");
    assert_begins(&rig.recall("Lisbon"), &first, "CONTESTED");
    let then = rig.recall_at("Lisbon Porto", first.clone());
    assert_eq!(then.len(), 1);
    assert_begins(&then, &first, "believed");
}

/// A memory with another name of the subject in question is found by it, and the reason says so.
#[test]
fn other_names_of_a_subject_find_memories() {
    let mut rig = Rig::new();
    rig.note("swans", "Bob Dole will feed the swans");
    rig.note("herons", "Robert will feed the herons");
    let before = rig.recall("did Bob feed herons?")[0].confidence();
    let named = |name| Identifier::new("subject", name).unwrap();
    let aliases = Aliases::new([(named("Bob"), 0, Some(named("Robert Smith")))]);
    let settings = Settings {
        aliases: Arc::new(aliases),
        ..Settings::default()
    };
    let claims = rig.store.clone();
    rig.selector = rig.selector.with_beliefs(claims, Arc::new(settings));
    let found = rig.recall("did Bob feed herons?");
    assert_eq!(order(&found)[0], "herons");
    assert!(found[0].confidence() > before, "{found:?}");
    assert_eq!(
        found[0].reason().to_string(),
        r#"says "bob", "feed", "herons"; read as well: "Bob" as "Robert Smith""#
    );
}

/// Notes that repeat a question word by word: the index ranks each above any claim.
fn crowd(rig: &Rig, text: &str) {
    for number in 0..12 {
        rig.note(&format!("crowd-{number}"), text);
    }
}

fn order(memories: &[SelectedMemory]) -> Vec<String> {
    let ids = memories.iter().map(|memory| memory.memory_ref().world_id());
    ids.map(ToString::to_string).collect()
}

/// The claim comes first, what it rests on below it, each once, and nothing is written.
#[test]
fn a_belief_that_answers_is_above_what_it_rests_on() {
    let (rig, user) = (Rig::new(), channels().user());
    let source = rig.note("source", "where does ann live? In Lisbon, says her aunt");
    let claim = lives_in(&user, "Lisbon").citing(vec![source.clone()]);
    let claim = rig.send(ClaimRequest::Submit(claim.unwrap())).reference;
    crowd(&rig, "where does ann live? does ann live here?");
    let latest = || rig.runtime.block_on(rig.store.latest_world()).unwrap();
    let before = latest();
    let found = rig.recall("where does ann live?");
    assert_eq!(
        (order(&found).remove(0), found.len()),
        (claim.to_string(), 10)
    );
    let believed = "believed; since when is uncertain; says \"ann\", \"live\"";
    assert_begins(&found, &claim, believed);
    assert!(found[0].confidence().value() > 0.9, "{found:?}");
    let both = order(&rig.recall("where does ann live, says the aunt?"));
    assert!(both.contains(&source.to_string()), "{both:?}");
    let distinct: std::collections::BTreeSet<&String> = both.iter().collect();
    assert_eq!(distinct.len(), both.len(), "{both:?}");
    assert_eq!(latest(), before);
}

/// All sides of a contest come first; of a line without a value that holds the last that has ended, which says so.
#[test]
fn what_answers_is_called_what_it_is() {
    let (rig, user) = (Rig::new(), channels().user());
    let source = rig.note(
        "source",
        "ann: I live in Lisbon. ann will live in Lisbon for ever",
    );
    let claim = lives_in(&user, "Lisbon").citing(vec![source.clone()]);
    let lisbon = rig.send(ClaimRequest::Submit(claim.unwrap())).reference;
    let porto = rig.says(&channels().first_hand(), "Porto");
    crowd(&rig, "does ann live here? does ann live there?");
    let found = rig.recall("where does ann live?");
    assert_eq!(
        order(&found)[..2],
        [&porto, &lisbon].map(ToString::to_string)
    );
    for side in [&porto, &lisbon] {
        assert_begins(&found, side, "CONTESTED: 2 values");
    }
    let drawn = format!("CONTESTED: {lisbon}, which was drawn from it; ");
    let of_source = |rig: &Rig| rig.recall("where does ann live: in Lisbon?");
    assert_begins(&of_source(&rig), &source, &drawn);
    for claim in [&porto, &lisbon] {
        let end = Assertion::end(&user, Target::Claim(claim.clone()), None);
        rig.send(ClaimRequest::Assert(end));
    }
    let found = rig.recall("where does ann live?");
    let first = order(&found).remove(0);
    assert!([&porto, &lisbon].iter().any(|it| it.to_string() == first));
    let reason = found[0].reason().to_string();
    assert!(
        reason.starts_with("no longer believed: ended on 20"),
        "{reason}"
    );
    let ended = order(&found)
        .into_iter()
        .filter(|it| it.starts_with("mem_"));
    assert_eq!(ended.count(), 1, "one ended value of a line is preferred");
    let drawn = format!("NOT BELIEVED: {lisbon}, which was drawn from it; ");
    assert_begins(&of_source(&rig), &source, &drawn);
}

/// A claim that lacks a word of the question, whose subject is not named, or that is another agent's stays at its rank.
#[test]
fn a_claim_that_does_not_answer_is_not_preferred() {
    let rig = Rig::new();
    let claim = rig.says(&channels().user(), "Lisbon, where the river meets the sea");
    crowd(
        &rig,
        "where does ann live? ann: kayaks on the river, the river meets the sea",
    );
    let first = |query, actor: &str| {
        let actor = ActorRef::new(actor, ActorKind::Agent).unwrap();
        let latest = rig
            .runtime
            .block_on(rig.store.latest_world())
            .unwrap()
            .unwrap();
        let request = SelectionRequest::new(Query::new(query).unwrap(), latest, actor);
        let found = rig.runtime.block_on(rig.selector.select(&request)).unwrap();
        order(found.selected()).remove(0) == claim.to_string()
    };
    let own = rig.signer.agent().to_string();
    assert!(first("where does ann live?", &own));
    for query in [
        "does ann kayak on the river?",
        "does the river meet the sea?",
        "ann",
    ] {
        assert!(!first(query, &own), "{query}");
    }
    assert!(!first("where does ann live?", "did:key:another"));
}

/// Words of a question and of a name are compared as the index compares words.
#[test]
fn a_claim_answers_in_its_own_spelling_and_writing() {
    let (rig, user) = (Rig::new(), channels().user());
    let claim = |names, value| rig.send(ClaimRequest::Submit(claims(&user, names, value)));
    let zoe = claim(["Zoë", "doctor"], "Ida").reference;
    let wei = claim(["张小伟", "生日"], "5月3日").reference;
    crowd(
        &rig,
        "the doctor of zoe, zoe's doctor? 张小伟的生日是什么时候？",
    );
    for (query, claim) in [
        ("who is the doctor of ZOE?", &zoe),
        ("张小伟的生日是什么时候？", &wei),
    ] {
        let first = order(&rig.recall(query)).remove(0);
        assert_eq!(first, claim.to_string(), "{query}");
    }
}

/// What a question requires or excludes, it requires or excludes of claims as well.
#[test]
fn a_claim_that_a_filter_excludes_does_not_answer() {
    let (rig, user) = (Rig::new(), channels().user());
    for city in ["Lisbon", "Porto"] {
        let claim = lives_in(&user, city).cardinality(Cardinality::Many);
        rig.send(ClaimRequest::Submit(claim));
    }
    crowd(&rig, "does ann live near Braga?");
    let claims = |query| {
        let found = order(&rig.recall(query));
        found.iter().filter(|it| it.starts_with("mem_")).count()
    };
    assert_eq!(claims("where does ann live"), 2);
    assert_eq!(claims("where does ann live -Porto"), 1);
    assert_eq!(claims("where does ann live -in"), 0);
    assert_eq!(claims("where does ann live \"in Porto\""), 1);
    assert_eq!(claims("where does ann live \"near Braga\""), 0);
}

/// A claim is shorter than what it was drawn from, and says less.
#[test]
fn a_claim_that_does_not_answer_is_below_a_memory_with_the_same_words() {
    let rig = Rig::new();
    let claim = rig.says(&channels().user(), "river");
    let note = rig.note(
        "note",
        "on a sunny day ann likes to sit at the river with a book, and a friend",
    );
    let found = rig.recall("does ann kayak on the river?");
    assert_eq!(order(&found), [note.to_string(), claim.to_string()]);
    // The claim has the higher score, which counts less.
    assert!(found[0].confidence() > found[1].confidence(), "{found:?}");
    let alone = rig.recall("river lisbon");
    assert_eq!(order(&alone), [note.to_string(), claim.to_string()]);
    assert_eq!(
        order(&rig.recall("river lives"))[0],
        claim.to_string(),
        "it has more of the words"
    );
}

/// Of a line of many values half of the selection is left to memories.
#[test]
fn beliefs_leave_half_of_the_selection() {
    let (rig, user) = (Rig::new(), channels().user());
    for number in 0..12 {
        let claim = lives_in(&user, &format!("city {number}"));
        rig.send(ClaimRequest::Submit(claim.cardinality(Cardinality::Many)));
    }
    crowd(&rig, "where does ann live? does ann live here?");
    let found = rig.recall("where does ann live?");
    let crowd = |id: &String| id.starts_with("crowd");
    assert_eq!(order(&found).iter().position(crowd), Some(5));
}
