//! Agents by number, and what they sign.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use counterfoil_capsule::{AgentSigner, SecretKey, Signer, Timestamp};
use counterfoil_exchange::documents::{
    Agent, Competence, DocumentHash, Domain, RequestId, Revocation, RevocationParts, Text, Vouch,
    VouchConfidence, VouchParts,
};
use counterfoil_exchange::trust::{
    Level, LocalRecord, Mark, Record, Records, TrustReport, TrustSettings,
};
use counterfoil_types::DidKey;
use serde_json::{Value, json};

/// Now, in all tests: in the year 2027.
pub(crate) const NOW: u64 = 1_800_000_000_000_000;
pub(crate) const SECOND: u64 = 1_000_000;
pub(crate) const DAY: u64 = 86_400 * SECOND;
/// The agent whose store it is.
pub(crate) const ME: u32 = 0;

pub(crate) use VouchConfidence::{High, Low, Medium};

pub(crate) fn signer(agent: u32) -> AgentSigner {
    let mut seed = [7; 32];
    seed[..4].copy_from_slice(&agent.to_be_bytes());
    AgentSigner::new(SecretKey::from_seed(seed))
}

pub(crate) fn key(agent: u32) -> DidKey {
    static KEYS: LazyLock<Mutex<HashMap<u32, DidKey>>> = LazyLock::new(Mutex::default);
    *KEYS
        .lock()
        .unwrap()
        .entry(agent)
        .or_insert_with(|| signer(agent).key())
}

pub(crate) fn time(micros: u64) -> Timestamp {
    Timestamp::from_micros(micros).unwrap()
}

pub(crate) fn domain(text: &str) -> Domain {
    text.parse().unwrap()
}

pub(crate) fn id(number: u32) -> RequestId {
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&number.to_be_bytes());
    RequestId::from_bytes(bytes)
}

fn named<const MAX: usize>(agent: u32) -> Text<MAX> {
    Text::new(format!("agent {agent}")).unwrap()
}

fn by(agent: u32) -> Agent {
    Agent {
        agent_id: named(agent),
        public_key: key(agent),
    }
}

/// A vouch as most tests want it; what matters is changed.
pub(crate) fn parts(voucher: u32, subject: u32, confidence: VouchConfidence) -> VouchParts {
    VouchParts {
        id: id(voucher << 16 | subject),
        created_at: time(NOW - DAY),
        voucher: by(voucher),
        subject: by(subject),
        capability_id: None,
        domain: domain("memory-systems"),
        statement: Text::new("knows what it does").unwrap(),
        level: Competence::Expert,
        context: None,
        interaction_refs: Vec::new(),
        outcome: None,
        confidence,
        reason: None,
        valid_until: None,
        conditions: None,
    }
}

pub(crate) fn received(bytes: &[u8], at: u64) -> Record {
    Record::receive(bytes, &[key(ME)], at).unwrap()
}

pub(crate) fn signed(parts: VouchParts, voucher: u32) -> Vouch {
    Vouch::sign(parts, &signer(voucher)).unwrap()
}

/// A vouch with these parts, received an hour ago.
pub(crate) fn vouched(parts: VouchParts, voucher: u32) -> Record {
    received(signed(parts, voucher).bytes(), NOW - DAY / 24)
}

/// A vouch about `memory-systems`, received an hour ago.
pub(crate) fn vouch(voucher: u32, subject: u32, confidence: VouchConfidence) -> Record {
    type Key = (u32, u32, VouchConfidence);
    static SIGNED: LazyLock<Mutex<HashMap<Key, Record>>> = LazyLock::new(Mutex::default);
    let made = || vouched(parts(voucher, subject, confidence), voucher);
    let mut signed = SIGNED.lock().unwrap();
    signed
        .entry((voucher, subject, confidence))
        .or_insert_with(made)
        .clone()
}

/// A revocation by `by` of a vouch, received `at`.
pub(crate) fn revocation(by: u32, of: &Record, vouch_id: RequestId, at: u64) -> Record {
    received(revoking(by, of.hash(), vouch_id).bytes(), at)
}

pub(crate) fn revoking(by: u32, vouch_hash: DocumentHash, vouch_id: RequestId) -> Revocation {
    let parts = RevocationParts {
        id: id(u32::MAX - by),
        created_at: time(NOW - DAY),
        vouch_id,
        vouch_hash,
        voucher: self::by(by),
        reason: None,
        effective_from: Some(time(NOW - 100 * DAY)),
    };
    Revocation::sign(parts, &signer(by)).unwrap()
}

/// A decision or an observation, as its signed document states it.
pub(crate) fn local(record: Value) -> LocalRecord {
    serde_json::from_value(record).unwrap()
}

/// What this agent recorded, `at`.
pub(crate) fn own(record: Value, at: u64) -> Record {
    Record::local(local(record), time(at), &signer(ME)).unwrap()
}

/// Trust in everything, since two days.
pub(crate) fn trust(agent: u32) -> Record {
    trust_in(agent, None, NOW - 2 * DAY)
}

pub(crate) fn trust_in(agent: u32, about: Option<&str>, at: u64) -> Record {
    own(
        json!({ "direct_trust": { "key": key(agent), "domain": about } }),
        at,
    )
}

pub(crate) fn distrust(agent: u32, about: Option<&str>, at: u64) -> Record {
    own(
        json!({ "distrust": { "key": key(agent), "domain": about } }),
        at,
    )
}

pub(crate) fn dispute(by: u32, agent: u32, about: Option<&str>, at: u64) -> Record {
    let dispute = json!({ "by": key(by), "key": key(agent), "domain": about });
    own(json!({ "dispute": dispute }), at)
}

pub(crate) fn mark(agent: u32, mark: Mark, at: u64) -> Record {
    own(json!({ "mark": { "key": key(agent), "mark": mark } }), at)
}

pub(crate) fn clear(agent: u32, mark: Mark, at: u64) -> Record {
    own(json!({ "clear": { "key": key(agent), "mark": mark } }), at)
}

pub(crate) fn contact(agent: u32, at: u64) -> Record {
    own(json!({ "contact": { "key": key(agent) } }), at)
}

pub(crate) fn succession(from: u32, to: u32) -> Record {
    let succession = json!({ "from": key(from), "to": key(to) });
    own(json!({ "succession": succession }), NOW - DAY / 2)
}

/// Trust in these, and vouches of these for those.
pub(crate) fn graph(roots: &[u32], vouches: &[(u32, u32, VouchConfidence)]) -> Vec<Record> {
    let vouches = vouches.iter().map(|(by, of, how)| vouch(*by, *of, *how));
    roots
        .iter()
        .map(|root| trust(*root))
        .chain(vouches)
        .collect()
}

/// What these records say of an agent about `memory-systems`, now.
pub(crate) fn explained(records: impl IntoIterator<Item = Record>, agent: u32) -> TrustReport {
    explained_with(records, agent, &TrustSettings::default())
}

pub(crate) fn explained_with(
    records: impl IntoIterator<Item = Record>,
    agent: u32,
    settings: &TrustSettings,
) -> TrustReport {
    let domain = domain("memory-systems");
    Records::gather(records).level(&key(agent), Some(&domain), NOW, settings)
}

pub(crate) fn level(records: impl IntoIterator<Item = Record>, agent: u32) -> Level {
    explained(records, agent).level
}
