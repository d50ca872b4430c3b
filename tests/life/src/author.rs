//! Author that seals capsules without any store, and import of them.

use std::sync::Arc;

use counterfoil_capsule::documents::{Contradiction, RedactedField, Redaction};
use counterfoil_capsule::keys::{KeyDocument, KeyHistory, KeyInception};
use counterfoil_capsule::{
    AgentSigner, BodyRef, CapsuleDocument, CapsuleId, Document, Extensions, Header, Position,
    RecordKind, SaltedBody, SealedCapsule, SecretKey, Signer, Stamp, Timestamp, World, header_hash,
    seal_record, seal_world,
};
use counterfoil_store::{AppendReport, CapsuleLog, Draft};
use counterfoil_types::json::canonical;
use counterfoil_types::{Blake3Hash, DidKey};
use serde_json::Value;

use crate::support::{START, agent, block_on, world};
use counterfoil_life::{Life, LineReport, ReceiveReport, Selection};

/// Signer with the key of that seed.
pub fn key(seed: u8) -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([seed; 32]))
}

/// Record of a key chain as a draft.
pub fn of_keys(document: &KeyDocument) -> Draft {
    Draft::record(document.kind(), document.to_value().clone()).with(document.extensions())
}

/// Begins the key chain of an author, whose next key is 90 and whose recovery key is 91.
pub fn begun<S: Life + CapsuleLog>(store: &S, author: &Author) -> (KeyHistory, AppendReport) {
    let now = Timestamp::from_micros(START).unwrap();
    let (next, recovery) = (key(90).key(), key(91).key());
    let inception = KeyInception::sign(&*author.signer, &next, &recovery, now).unwrap();
    let draft = of_keys(&KeyDocument::Inception(inception.clone()));
    let place = block_on(store.append(author.signer.clone(), vec![draft])).unwrap();
    let stored = block_on(store.capsule(place[0].index)).unwrap().unwrap();
    let history = KeyHistory::begin(&stored.header, &inception).unwrap();
    (history, place[0].clone())
}

/// The first capsule of the chain of that name, with content of that name.
pub(crate) fn seed_by(signer: &AgentSigner, chain: u8, name: &str) -> CapsuleDocument {
    let stamp = Stamp::next(START, None).unwrap();
    let position = Position::seed(CapsuleId::from_parts(1_780_272_000_000, [chain; 10]), stamp);
    let sealed = seal_world(&world(name, name), &position, [1; 32], signer).unwrap();
    CapsuleDocument::of(&sealed, None)
}

/// A record by which an author takes the content of a capsule away.
pub fn redaction(by: &mut Author, of: &CapsuleDocument) -> String {
    let fields = vec![RedactedField::Payload, RedactedField::PayloadSalt];
    let world = of.header().world().cloned();
    let document = Redaction::new(hash(of), world, 0, fields, "asked for", by.did()).unwrap();
    by.record(RecordKind::Redaction, &document.to_value(), 99_000_000)
        .to_text()
}

/// Checks the kind of the event and the agent that it blames, if any.
#[track_caller]
pub(crate) fn has_kind(event: &Value, kind: &str, attributable: bool) {
    let found = (event["kind"].as_str(), event["attributable"].as_bool());
    assert_eq!(found, (Some(kind), Some(attributable)));
}

pub(crate) fn detector() -> DidKey {
    agent(200).agent()
}

/// Hands documents in, and gives what became of each.
pub fn import<S: Life>(store: &S, documents: &[String]) -> Vec<LineReport> {
    let batch = import_batch(store, documents);
    batch.outcomes.into_iter().map(|(_, it, _)| it).collect()
}

pub(crate) fn import_batch<S: Life>(store: &S, documents: &[String]) -> ReceiveReport {
    let lines = (1..).zip(documents.iter().map(|text| text.clone().into_bytes()));
    let lines = lines.collect();
    let mut batch = block_on(store.import_capsules(detector(), "import test", lines)).unwrap();
    while batch.more {
        let next = block_on(store.settle(detector(), "import test")).unwrap();
        batch.settled.extend(next.settled);
        batch.refused.extend(next.refused);
        batch.more = next.more;
    }
    batch
}

/// All lines of an export of everything, branches included.
pub(crate) fn export<S: Life>(store: &S) -> Vec<String> {
    let mut plan = block_on(store.export_plan(Selection::All)).unwrap();
    let mut lines = Vec::new();
    while !plan.is_empty() {
        lines.extend(block_on(store.export_lines(&mut plan)).unwrap().0);
    }
    lines.extend(block_on(store.export_branches(Selection::All)).unwrap());
    lines
}

/// All events. Each is a document of the format, and blames no agent that its evidence does not show.
pub(crate) fn events<S: Life>(store: &S) -> Vec<Value> {
    let events = block_on(store.events(0, None)).unwrap();
    let events: Vec<Value> = events.into_iter().map(|(.., event)| event).collect();
    for event in &events {
        let agent = event.pointer("/subject/agent");
        let agent = agent.and_then(|agent| agent.as_str()?.parse().ok());
        let keys = agent.and_then(|agent| block_on(store.key_history(agent)).unwrap());
        let keys = keys.map(|keys| keys.by_agent()).unwrap_or_default();
        let read = Contradiction::parse(event, &keys);
        let read = read.unwrap();
        assert_eq!(read.to_value(), *event);
    }
    events
}

/// Agent that seals capsules and keeps them in no store.
pub struct Author {
    /// Key of the agent.
    pub signer: Arc<AgentSigner>,
    drawn: u64,
}

impl Author {
    /// Author with a key and a stock of random numbers of their own.
    pub fn new(number: u8) -> Self {
        Self {
            signer: Arc::new(key(number)),
            drawn: u64::from(number) << 32,
        }
    }

    /// The agent.
    pub fn did(&self) -> DidKey {
        self.signer.agent()
    }

    fn draw(&mut self) -> u64 {
        self.drawn += 1;
        self.drawn
    }

    fn id(&mut self) -> CapsuleId {
        let mut random = [0; 10];
        random[..8].copy_from_slice(&self.draw().to_be_bytes());
        CapsuleId::from_parts(1_780_272_000_000, random)
    }

    fn salt(&mut self) -> [u8; 32] {
        let mut salt = [9; 32];
        salt[..8].copy_from_slice(&self.draw().to_be_bytes());
        salt
    }

    /// The first capsule of a chain, at `START` plus `after` microseconds.
    pub(crate) fn seed(&mut self, id: &str, after: u64) -> CapsuleDocument {
        self.derived(id, after, Vec::new())
    }

    /// The same, made from these capsules.
    pub(crate) fn derived(
        &mut self,
        id: &str,
        after: u64,
        derived_from: Vec<Blake3Hash>,
    ) -> CapsuleDocument {
        let stamp = Stamp::next(START + after, None).unwrap();
        let position = Position::seed(self.id(), stamp).with(Extensions {
            derived_from,
            ..Extensions::default()
        });
        let sealed = seal_world(&world(id, id), &position, self.salt(), &*self.signer);
        CapsuleDocument::of(&sealed.unwrap(), None)
    }

    /// The capsule after `before`, whose content is replaced.
    pub fn next(&mut self, before: &CapsuleDocument, id: &str, after: u64) -> CapsuleDocument {
        let world = world(id, id);
        let (sealed, delta) = self.sealed_after(before.header(), before, &world, after);
        CapsuleDocument::of(&sealed, Some(delta))
    }

    fn sealed_after(
        &mut self,
        header: &Header,
        before: &CapsuleDocument,
        world: &World,
        after: u64,
    ) -> (SealedCapsule, SaltedBody) {
        let old = &before.payload().unwrap().text;
        let new = world.content().unwrap();
        let delta = SaltedBody {
            text: format!(r#"[{{"old":{old},"op":"replace","path":"","value":{new}}}]"#),
            salt: self.salt(),
        };
        let named = BodyRef::delta(&delta.salt, &delta.text, "rev-json-patch/1").unwrap();
        let stamp = Stamp::next(START + after, None).unwrap();
        let position = Position::after(header, named, self.id(), stamp);
        let sealed = seal_world(world, &position, self.salt(), &*self.signer).unwrap();
        (sealed, delta)
    }

    /// The capsule after `before` with members of its header replaced, signed as it is then.
    pub(crate) fn next_with(
        &mut self,
        before: &CapsuleDocument,
        id: &str,
        after: u64,
        members: &[(&str, Value)],
    ) -> String {
        let world = world(id, id);
        let (sealed, delta) = self.sealed_after(before.header(), before, &world, after);
        self.signed_with(&sealed, Some(delta), members)
    }

    /// A capsule with members of its header replaced, signed as it is then.
    fn signed_with(
        &self,
        sealed: &SealedCapsule,
        delta: Option<SaltedBody>,
        members: &[(&str, Value)],
    ) -> String {
        let replaced = |mut value: Value| {
            for (name, member) in members {
                value[name] = member.clone();
            }
            value
        };
        let header = serde_json::from_str(sealed.header.canonical()).unwrap();
        let mut entry = sealed.entry.as_world().unwrap();
        entry.capsule = header_hash(canonical(&replaced(header)).unwrap().as_bytes());
        let signature = self.signer.sign(entry.to_text().as_bytes());
        let document = CapsuleDocument::new(
            sealed.header.clone(),
            signature,
            (sealed.entry.field_root, sealed.entry.field_count),
            CapsuleDocument::of(sealed, None).payload().cloned(),
            delta,
        );
        let document = serde_json::from_str(&document.to_text()).unwrap();
        canonical(&replaced(document)).unwrap()
    }

    /// The first capsule of a chain that has the name of `named`.
    pub(crate) fn seed_named(&mut self, named: &Header, id: &str, after: u64) -> CapsuleDocument {
        let stamp = Stamp::next(START + after, None).unwrap();
        let position = Position::seed(named.id(), stamp);
        let sealed = seal_world(&world(id, id), &position, self.salt(), &*self.signer);
        CapsuleDocument::of(&sealed.unwrap(), None)
    }

    /// A chain of `length` capsules, a second apart.
    pub fn chain(&mut self, name: &str, length: u64) -> Vec<CapsuleDocument> {
        let mut chain = vec![self.seed(&format!("{name}-0"), 0)];
        for seq in 1..length {
            let next = self.next(
                chain.last().unwrap(),
                &format!("{name}-{seq}"),
                seq * 1_000_000,
            );
            chain.push(next);
        }
        chain
    }

    /// A record in a chain of its own.
    pub(crate) fn record(
        &mut self,
        kind: RecordKind,
        document: &Value,
        after: u64,
    ) -> CapsuleDocument {
        let stamp = Stamp::next(START + after, None).unwrap();
        let position = Position::seed(self.id(), stamp);
        let sealed = seal_record(kind, document, &position, self.salt(), &*self.signer).unwrap();
        CapsuleDocument::of(&sealed, None)
    }
}

pub fn texts(documents: &[CapsuleDocument]) -> Vec<String> {
    documents.iter().map(CapsuleDocument::to_text).collect()
}

/// The same document with one member replaced, canonical again.
pub(crate) fn with(document: &CapsuleDocument, pointer: &str, value: Value) -> String {
    let mut json: Value = serde_json::from_str(&document.to_text()).unwrap();
    *json.pointer_mut(pointer).unwrap() = value;
    canonical(&json).unwrap()
}

pub fn hash(document: &CapsuleDocument) -> Blake3Hash {
    document.header().hash()
}

pub(crate) fn refused(outcome: &LineReport) -> &str {
    match outcome {
        LineReport::Refused { code, .. } => code,
        other => panic!("not refused: {other:?}"),
    }
}

pub(crate) fn pending(outcome: &LineReport) -> &str {
    match outcome {
        LineReport::Pending { code } => code,
        other => panic!("not pending: {other:?}"),
    }
}

/// A document is refused, with that code.
#[track_caller]
pub(crate) fn is_refused<S: Life>(store: &S, document: String, code: &str) {
    assert_eq!(refused(&import(store, &[document])[0]), code);
}

/// A document waits, for a thing of that code.
#[track_caller]
pub(crate) fn waits<S: Life>(store: &S, document: String, code: &str) {
    assert_eq!(pending(&import(store, &[document])[0]), code);
}
