//! A small log with real signatures, and proposals that use what is in it.
#![expect(dead_code, reason = "each test file uses its own part")]
#![expect(clippy::expect_used, reason = "helpers of tests may panic too")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use counterfoil_authority::types::json::Value;
use counterfoil_authority::types::{Blake3Hash, MemoryRef, Proposal, UnixMillis, WorldId};
use counterfoil_authority::verifier::envelope::{DEFAULT_AUDIENCE, binding};
use counterfoil_authority::verifier::map::{KeyMark, MemoryStanding, value_hash};
use counterfoil_authority::verifier::note::{Algorithm, cosignature_line, cosigned_message};
use counterfoil_authority::verifier::opened::EntrySignature;
use counterfoil_authority::verifier::{
    Anchors, Checkpoint, HashVerifier, KeyFingerprint, LogAnchor, MerkleVerifier,
    SignatureVerifier, TlogProof, VerifierKey, VerifierSet,
};
use counterfoil_authority::{Authority, Policy, Preset, ReviewReport};
use counterfoil_capsule::integrity::{Created, sign};
use counterfoil_capsule::keys::{KeyDocument, KeyHistory, KeyInception, KeyRotation};
use counterfoil_capsule::{AgentSigner, ChainId, SecretKey, Signer, Timestamp, World};
use counterfoil_prover::{HashProver, MemoryVerifier, MerkleProver, SignatureProver};
use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::conformance::block_on;
use counterfoil_store::log::NoteSigner;
use counterfoil_store::{CapsuleLog, Clock, Draft, MemoryStore, map};
use serde_json::json;
use tempfile::TempDir;

/// The World that proposals build on.
pub(crate) const BASE: &str = "world-base";
/// When memories are verified, selected, submitted and reviewed: one second apart.
pub(crate) const VERIFIED_AT: u64 = 1_800_000_000_000;
pub(crate) const SELECTED_AT: u64 = VERIFIED_AT + 1000;
pub(crate) const SUBMITTED_AT: u64 = VERIFIED_AT + 2000;
pub(crate) const NOW: u64 = VERIFIED_AT + 3000;

/// Nonce of the envelopes.
pub(crate) const NONCE: &str = "dGhlLW5vbmNlLW9mLWl0LWFsbA";

const ORIGIN: &str = "example.com/log";
const WITNESS: &str = "witness.example";

/// Worlds of one agent in one log, as they were when its store was closed.
pub(crate) struct Log {
    key: SecretKey,
    worlds: Vec<World>,
    checkpoint: String,
}

/// Author and standing of each memory of every log here, by its entry; and the lookup of the mark on its key.
static ATTESTED: Mutex<BTreeMap<String, (Value, Value)>> = Mutex::new(BTreeMap::new());

/// A clock that stands a day before everything else.
struct DayBefore;

impl Clock for DayBefore {
    fn now_micros(&self) -> u64 {
        (VERIFIED_AT - 86_400_000) * 1000
    }
}

impl Log {
    /// A log of `count` notes, `world-0` and so on.
    pub(crate) fn of(count: u8) -> Self {
        Self::with_text(count, "note")
    }

    /// A log of as many notes that begin with `text`, by the same keys.
    pub(crate) fn with_text(count: u8, text: &str) -> Self {
        Self::under_key(2, count, text)
    }

    /// The log under a key of its own, which no authority here trusts.
    pub(crate) fn foreign(count: u8) -> Self {
        Self::under_key(4, count, "note")
    }

    fn under_key(seed: u8, count: u8, text: &str) -> Self {
        let data = (0..count).map(|index| {
            let data = json!({"kind": "note", "text": format!("{text} {index}")});
            (agent(), data)
        });
        Self::by(seed, |_| (), data)
    }

    /// A log of memories by their authors, `world-0` and so on.
    pub(crate) fn of_authors(memories: impl IntoIterator<Item = (AgentSigner, Value)>) -> Self {
        Self::by(2, |_| (), memories)
    }

    /// A log of one memory, which the agent wrote after it had rotated to its key 1; and the documents of its key chain.
    pub(crate) fn of_rotated() -> (Self, Vec<Value>) {
        let mut documents = Vec::new();
        let rotated = AgentSigner::rotated(agent().agent(), 1, secret(11));
        let memories = [(rotated, json!({"kind": "note", "text": "note 0"}))];
        let log = Self::by(2, |store| documents = rotate(store), memories);
        (log, documents)
    }

    fn by(
        seed: u8,
        begin: impl FnOnce(&SqliteStore),
        memories: impl IntoIterator<Item = (AgentSigner, Value)>,
    ) -> Self {
        let note = NoteSigner::new(ORIGIN, secret(seed)).expect("a sound origin");
        let folder = folder();
        let (path, guard) = (folder.path().join("memory.db"), folder.path().join("guard"));
        let options = Options::writable(path, note, guard).with_clock(Arc::new(DayBefore));
        let store = SqliteStore::create(options).expect("a new store");
        begin(&store);
        let (mut count, mut authors) = (0, Vec::new());
        for (signer, data) in memories {
            let created_at = UnixMillis::new(VERIFIED_AT - 86_400_000).expect("a time");
            let world =
                counterfoil_capsule::remember(id(count), created_at, data).expect("a World");
            let sealed = block_on(store.append_one(Arc::new(signer), Draft::new(world)));
            let index = sealed.expect("room on disk").index;
            let stored = block_on(store.capsule(index)).expect("a store");
            let stored = stored.expect("a capsule");
            let signature = EntrySignature {
                key_id: KeyFingerprint::of(&stored.key),
                value: stored.signature,
            };
            let author = json!({"header": stored.header.canonical(), "signature": signature});
            authors.push((stored.entry.to_text(), author));
            count += 1;
        }
        let ids: Vec<WorldId> = (0..count).map(id).collect();
        let standings = block_on(store.standings(&ids)).expect("a store");
        let standings = standings.into_iter().flat_map(|standings| standings.of);
        for ((entry, author), lookups) in authors.into_iter().zip(standings) {
            let lookups = lookups.expect("a memory of this log");
            let standing = json!({"memory": lookups.memory, "key": 0});
            let attested = json!({"author": author, "standing": standing});
            let mut all = ATTESTED.lock().expect("no panic");
            all.insert(entry, (attested, json!(lookups.key)));
        }
        let world = |index| block_on(store.get(&id(index)));
        let worlds = (0..count).map(|index| world(index).expect("a store").expect("a World"));
        let checkpoint = block_on(store.checkpoint()).expect("a store");
        Self {
            key: secret(seed),
            worlds: worlds.collect(),
            checkpoint: checkpoint.unwrap_or_default(),
        }
    }

    /// Bytes of the content of the World at `index`, as its header has them.
    pub(crate) fn content_size(&self, index: usize) -> usize {
        let proposal = proposal(&[self.memory(index, "merkle")]);
        let header = format!("/trace/context/attestations/memories/world-{index}/author/header");
        let header = proposal.pointer(&header).and_then(Value::as_str);
        let header: Value = serde_json::from_str(header.expect("a header")).expect("JSON");
        let size = header.pointer("/payload/size").and_then(Value::as_u64);
        usize::try_from(size.expect("a size")).expect("64 bits")
    }

    /// What an authority trusts when it trusts this log and its agent.
    pub(crate) fn anchors(&self) -> Anchors {
        let log = LogAnchor::new(verifier_key(ORIGIN, Algorithm::Ed25519, &self.key));
        let anchors = Anchors::new(vec![log]).expect("a sound log");
        anchors
            .with_agents([agent().agent()])
            .expect("a sound agent")
    }

    /// Anchors that ask for one witness.
    pub(crate) fn witnessed_anchors(&self) -> Anchors {
        let witness = verifier_key(WITNESS, Algorithm::CosignatureV1, &secret(3));
        self.anchors()
            .with_witnesses(vec![witness], 1)
            .expect("a sound witness")
    }

    /// The checkpoint with the log's signature and the witness's.
    pub(crate) fn cosigned_checkpoint(&self) -> String {
        let note = self.checkpoint.clone();
        let text = Checkpoint::from_note(&note).expect("a note").to_text();
        let key = verifier_key(WITNESS, Algorithm::CosignatureV1, &secret(3));
        let signature = secret(3).sign(cosigned_message(1_800_000_000, &text).as_bytes());
        note + &cosignature_line(&key, 1_800_000_000, &signature)
    }

    /// Evidence of a method for the World at `index`, as a selector wraps it.
    pub(crate) fn evidence(&self, index: usize, method: &str) -> Value {
        let world = self.worlds.get(index).expect("a World of this log");
        let memory = MemoryRef::new(world.world_id().clone());
        let anchors = self.anchors();
        let merkle = MerkleProver::new(MerkleVerifier::new(anchors.clone()));
        let result = match method {
            "merkle" => merkle.disclosing([""]).prove(&memory, world),
            "withholding" => merkle
                .disclosing([""])
                .withholding(["/data/text"])
                .prove(&memory, world),
            "disclosed" => merkle.disclosing(["/data/text"]).prove(&memory, world),
            "dated" => merkle.disclosing(["/createdAt"]).prove(&memory, world),
            "undisclosed" => merkle.prove(&memory, world),
            "signature" => SignatureProver::new(SignatureVerifier::new(anchors))
                .disclosing([""])
                .prove(&memory, world),
            "hash" => HashProver::new(HashVerifier)
                .disclosing([""])
                .prove(&memory, world),
            other => {
                return json!({"method": other, "verifiedAt": VERIFIED_AT,
                                   "verifiedBy": planner()});
            }
        };
        let proof = result.into_proof().expect("an honest proof");
        let mut evidence = serde_json::to_value(proof).expect("JSON");
        let members = evidence.as_object_mut().expect("an object");
        members.insert("verifiedAt".into(), json!(VERIFIED_AT));
        members.insert("verifiedBy".into(), planner());
        evidence
    }

    /// A proposal with the memory at `index`, whose log signed a map in which it stands so, and the key that signed it.
    pub(crate) fn standing(
        &self,
        index: usize,
        memory: &MemoryStanding,
        key: Option<KeyMark>,
    ) -> Value {
        let place = MemoryStanding::key(&id(index));
        let mark = KeyMark::key(&agent().agent(), 0);
        let key = key.map(|key| key.to_text());
        let (rows, memory) = (RefCell::default(), memory.to_text());
        let changes = [
            Some((place, value_hash(&memory))),
            key.as_ref().map(|it| (mark, value_hash(it))),
        ];
        let root = map::update(&rows, &changes.into_iter().flatten().collect()).expect("rows");
        let memory = map::look_up(&rows, &place, Some(&memory)).expect("rows");
        let key = map::look_up(&rows, &mark, key.as_deref()).expect("rows");
        let proposal = proposal(&[self.memory(index, "merkle")]);
        let receipt = "/trace/context/memory/selected/0/evidence/proof/tlogProof";
        let text = proposal.pointer(receipt).and_then(Value::as_str);
        let mut tlog = TlogProof::parse(text.expect("a receipt")).expect("a receipt");
        let signed = Checkpoint::from_note(&tlog.checkpoint).expect("a checkpoint");
        let note = NoteSigner::new(ORIGIN, secret(2)).expect("a sound origin");
        let note = note.checkpoint_with_map((signed.size(), signed.root()), root);
        tlog.checkpoint = note.expect("a checkpoint");
        let proposal = with(proposal, receipt, tlog.to_text().into());
        let attested = format!("/trace/context/attestations/memories/world-{index}/standing");
        let proposal = with(proposal, &format!("{attested}/memory"), json!(memory));
        with(proposal, "/trace/context/attestations/marks/0", json!(key))
    }

    /// A selected memory with evidence of `method` for the World at `index`.
    pub(crate) fn memory(&self, index: usize, method: &str) -> Value {
        let mut memory = bare_memory(&format!("world-{index}"));
        let members = memory.as_object_mut().expect("an object");
        members.insert("evidence".into(), self.evidence(index, method));
        memory
    }
}

/// A new folder, in memory if there is such a place: these tests wait for no disk.
fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().expect("a folder"))
}

pub(crate) fn secret(seed: u8) -> SecretKey {
    SecretKey::from_seed([seed; 32])
}

/// Appends the inception of the agent's key chain and its rotation to the key of seed 11.
fn rotate(store: &SqliteStore) -> Vec<Value> {
    let [next, then, recovery] = [11, 12, 13].map(|seed| AgentSigner::new(secret(seed)).key());
    let at = Timestamp::from_micros(DayBefore.now_micros()).expect("a time");
    let append = |document: &KeyDocument, after: Option<(ChainId, Blake3Hash)>| {
        let draft = Draft::record(document.kind(), document.to_value().clone());
        let draft = draft.with(document.extensions());
        let draft = after
            .into_iter()
            .fold(draft, |draft, (chain, head)| draft.following(chain, head));
        let appended = block_on(store.append_one(Arc::new(agent()), draft)).expect("room on disk");
        let stored = block_on(store.capsule(appended.index)).expect("a store");
        stored.expect("a capsule").header
    };
    let inception = KeyInception::sign(&agent(), &next, &recovery, at).expect("an inception");
    let first = KeyDocument::Inception(inception.clone());
    let header = append(&first, None);
    let history = KeyHistory::begin(&header, &inception).expect("a history");
    let by = AgentSigner::rotated(agent().agent(), 1, secret(11));
    let rotation = KeyRotation::sign(&history, &agent(), &by, &then, at).expect("a rotation");
    let second = KeyDocument::Rotation(rotation);
    append(&second, Some((history.chain(), history.head())));
    [first, second]
        .map(|document| document.to_value().clone())
        .to_vec()
}

/// The agent of every log here, unless its authors are named.
pub(crate) fn agent() -> AgentSigner {
    AgentSigner::new(secret(1))
}

fn id(index: usize) -> WorldId {
    WorldId::new(format!("world-{index}")).expect("an id")
}

fn verifier_key(name: &str, algorithm: Algorithm, key: &SecretKey) -> VerifierKey {
    VerifierKey::new(name, algorithm, &key.public_key()).expect("a sound key")
}

pub(crate) fn planner() -> Value {
    json!({"actorId": "planner", "kind": "agent"})
}

/// A selected memory without evidence, whose selector claims that it was verified.
pub(crate) fn bare_memory(world: &str) -> Value {
    json!({"ref": {"worldId": world}, "reason": "mentions it", "confidence": 0.5,
           "verified": true})
}

/// The trace of one recall by `planner` at the base World.
pub(crate) fn trace(selected: &[Value]) -> Value {
    json!({"selector": planner(), "query": "what was noted", "selectedAt": SELECTED_AT,
           "atWorldId": BASE, "selected": selected})
}

/// A proposal of `planner` with this trace context.
pub(crate) fn proposal_with(context: Option<Value>) -> Value {
    let mut proposal = json!({
        "proposalId": "prop-1", "actor": planner(), "baseWorld": BASE,
        "submittedAt": SUBMITTED_AT, "status": "submitted",
        "intent": {"body": {"type": "note.add"}, "intentId": "intent-1", "intentKey": "key",
                   "meta": {"origin": {"projectionId": "test", "actor": planner(),
                                       "source": {"kind": "agent", "eventId": "e"}}}},
    });
    if let (Some(mut context), Some(members)) = (context, proposal.as_object_mut()) {
        if let (Some(attestations), Some(context)) =
            (attestations(&context), context.as_object_mut())
        {
            context.entry("attestations").or_insert(attestations);
        }
        members.insert("trace".into(), json!({"summary": "s", "context": context}));
    }
    proposal
}

/// Authors and standing of what was selected, as far as the proofs name entries of the logs here.
fn attestations(context: &Value) -> Option<Value> {
    let all = ATTESTED.lock().expect("no panic");
    let parts = context.get("memoryTraces").and_then(Value::as_array);
    let traces = context
        .get("memory")
        .into_iter()
        .chain(parts.into_iter().flatten());
    let selected = traces.filter_map(|trace| trace.get("selected")?.as_array());
    let attested = selected.flatten().filter_map(|memory| {
        let entry = memory.pointer("/evidence/proof/entry")?.as_str()?;
        let world = memory.pointer("/ref/worldId")?.as_str()?;
        Some((world.to_owned(), all.get(entry)?.clone()))
    });
    let (mut memories, mut marks) = (serde_json::Map::new(), Vec::new());
    for (world, (mut attested, mark)) in attested {
        let known = marks.iter().position(|known| *known == mark);
        let place = known.unwrap_or(marks.len());
        if known.is_none() {
            marks.push(mark);
        }
        *attested.pointer_mut("/standing/key").expect("a standing") = json!(place);
        memories.entry(world).or_insert(attested);
    }
    (!memories.is_empty()).then(|| {
        json!({"type": "counterfoil/attestations", "version": "1", "marks": marks, "memories": memories})
    })
}

/// A proposal whose one recall selected these memories.
pub(crate) fn proposal(selected: &[Value]) -> Value {
    proposal_with(Some(json!({"memory": trace(selected)})))
}

/// The proposal with the value at `pointer` replaced, or added to its object.
pub(crate) fn with(mut proposal: Value, pointer: &str, value: Value) -> Value {
    if let Some(place) = proposal.pointer_mut(pointer) {
        *place = value;
        return proposal;
    }
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
    let parent = proposal.pointer_mut(parent).and_then(Value::as_object_mut);
    parent.expect("an object").insert(name.into(), value);
    proposal
}

/// The proposal without the member at `pointer`.
pub(crate) fn without(mut proposal: Value, pointer: &str) -> Value {
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
    let parent = proposal.pointer_mut(parent).and_then(Value::as_object_mut);
    parent
        .expect("an object")
        .remove(name)
        .expect("a member to take away");
    proposal
}

/// A review by an authority that trusts `log`.
pub(crate) fn review(log: &Log, policy: Policy, proposal: &Value) -> ReviewReport {
    review_with(log.anchors(), policy, proposal)
}

/// The proposal with the envelope of the agent that every log here is of, for an authority without name.
pub(crate) fn signed(proposal: &Value) -> Value {
    sealed(proposal, 1, DEFAULT_AUDIENCE, NONCE)
}

/// The proposal with an envelope by the key of `seed`.
pub(crate) fn sealed(proposal: &Value, seed: u8, audience: &str, nonce: &str) -> Value {
    let (created, signer) = (SUBMITTED_AT * 1000, AgentSigner::new(secret(seed)));
    let binding = binding(audience, nonce);
    let signed = sign(
        proposal.clone(),
        &signer,
        Created::from_micros(created),
        &binding,
    );
    signed.expect("a canonical form")
}

/// A review under these anchors, one second after submission; an unsigned proposal is signed first.
pub(crate) fn review_with(anchors: Anchors, policy: Policy, proposal: &Value) -> ReviewReport {
    match proposal.get("proof") {
        Some(_) => review_as_is(anchors, policy, proposal),
        None => review_as_is(anchors, policy, &signed(proposal)),
    }
}

/// A review of the proposal as it is, one second after submission.
pub(crate) fn review_as_is(anchors: Anchors, policy: Policy, proposal: &Value) -> ReviewReport {
    let bytes = serde_json::to_vec(proposal).expect("JSON");
    let proposal = Proposal::from_json(&bytes).expect("a proposal");
    let now = UnixMillis::new(NOW).expect("a time");
    Authority::new(VerifierSet::new(anchors), policy).review(&proposal, now)
}

/// The policy of a preset.
pub(crate) fn preset(preset: Preset) -> Policy {
    Policy::preset(preset)
}

/// Codes of a report's grounds.
pub(crate) fn codes(report: &ReviewReport) -> Vec<&'static str> {
    report
        .decision()
        .reasons()
        .iter()
        .map(counterfoil_authority::DecisionReason::code)
        .collect()
}

/// Outcome or code of each memory.
pub(crate) fn outcomes(report: &ReviewReport) -> Vec<&'static str> {
    let outcomes = report.memories.iter().map(|memory| &memory.outcome);
    outcomes
        .map(|outcome| outcome.code().unwrap_or(outcome.name()))
        .collect()
}
