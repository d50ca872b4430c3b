//! Checks one capsule as it is stored, in the fixed order of capsules 4.8.

use alloc::vec::Vec;

use counterfoil_types::json::{self, JsonError, Limits, Value};
use ed25519_dalek::{Signature, VerifyingKey};

use crate::digest::payload_hash;
use crate::error::CapsuleError;
use crate::field_tree::FieldTree;
use crate::header::{Header, Kind, Unlinked};
use crate::log_entry::LogEntry;
use crate::timestamp::Timestamp;
use crate::verdict::{Check, Code, IndeterminateReason, Verdict};
use crate::world::World;

/// How far ahead of the clock a capsule may be: five minutes, in microseconds.
const MAX_AHEAD: u64 = 300_000_000;

/// The bytes of one capsule, as some store gave them.
#[derive(Clone, Copy, Default)]
pub struct StoredParts<'a> {
    /// The canonical header, without signature.
    pub header: &'a [u8],
    /// The entry.
    pub entry: &'a [u8],
    /// The agent's signature over the entry.
    pub signature: Option<&'a [u8]>,
    /// The canonical content; `None` once it is erased.
    pub payload: Option<&'a [u8]>,
    /// The salt of the content address; `None` once it is erased.
    pub salt: Option<&'a [u8; 32]>,
}

/// What is known around the capsule. By default nothing is, and what depends on it stays open.
#[derive(Debug, Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// The capsule before it in its chain. Not looked at for a seed.
    pub predecessor: Option<&'a Header>,
    /// The latest timestamp of the agent before this capsule, over all of its chains.
    pub agent_before: Option<Timestamp>,
    /// The time at which is judged. Without it no capsule is too far ahead.
    pub now: Option<Timestamp>,
}

/// Checks a capsule and gives the first failure; without one, the first thing that is missing.
///
/// `Valid` says: this agent signed exactly this content under this WorldId at this place of its
/// chain. It does not say that the content is true, nor that the capsule is in a log, nor, for a
/// seed, that the agent has no other chain.
#[must_use]
pub fn check_capsule(parts: &StoredParts<'_>, around: &Surroundings<'_>) -> Verdict {
    let found = check_all(parts, around);
    let failure = found
        .iter()
        .find(|verdict| matches!(verdict, Verdict::Invalid { .. }));
    failure.or(found.first()).copied().unwrap_or(Verdict::Valid)
}

/// Every failure and every missing thing, in the order of the checks; empty when there is none.
#[must_use]
pub fn check_all(parts: &StoredParts<'_>, around: &Surroundings<'_>) -> Vec<Verdict> {
    match Unlinked::parse(parts.header) {
        Err(error) => alloc::vec![verdict_of(&error)],
        Ok(header) => {
            let mut examination = Examination {
                parts,
                around,
                found: Vec::new(),
            };
            examination.run(header);
            examination.found
        }
    }
}

struct Examination<'a> {
    parts: &'a StoredParts<'a>,
    around: &'a Surroundings<'a>,
    found: Vec<Verdict>,
}

impl Examination<'_> {
    fn run(&mut self, header: Unlinked) {
        if let Kind::Unknown(_) = header.kind() {
            self.pending(IndeterminateReason::UnknownKind);
            return;
        }
        let entry = core::str::from_utf8(self.parts.entry);
        let entry = entry.ok().and_then(|entry| LogEntry::parse(entry).ok());
        if entry.is_none() {
            self.invalid(Check::Schema, Code::EntryForm);
        }
        self.key_and_signature(&header);
        if entry.as_ref().is_some_and(|entry| !names(entry, &header)) {
            self.invalid(Check::Signature, Code::Entry);
        }
        match header.link() {
            Err(error) => self.found.push(verdict_of(&error)),
            Ok(header) => {
                self.sequence(&header);
                // The place of the delta: its hash, and that it leads from the state before to this one.
                self.chronology(&header);
                self.body(&header, entry.as_ref());
            }
        }
    }

    fn key_and_signature(&mut self, header: &Unlinked) {
        let key = VerifyingKey::from_bytes(header.agent.public_key());
        let Some(key) = key.ok().filter(|key| !key.is_weak()) else {
            return self.invalid(Check::Key, Code::KeyWeak);
        };
        match self.parts.signature {
            None | Some([]) => self.invalid(Check::Signature, Code::SignatureMissing),
            Some(bytes) if !holds(&key, self.parts.entry, bytes) => {
                self.invalid(Check::Signature, Code::Signature);
            }
            Some(_) => {}
        }
    }

    fn sequence(&mut self, header: &Header) {
        let Some(previous) = header.previous() else {
            return;
        };
        let Some(predecessor) = self.around.predecessor else {
            return self.pending(IndeterminateReason::MissingParent);
        };
        if header.agent() != predecessor.agent() {
            return self.invalid(Check::Sequence, Code::Agent);
        }
        if header.chain() != predecessor.chain() || header.seq() <= predecessor.seq() {
            return self.invalid(Check::Sequence, Code::Sequence);
        }
        if header.seq() - predecessor.seq() > 1 {
            return self.pending(IndeterminateReason::MissingParent);
        }
        if previous != predecessor.hash() {
            self.invalid(Check::Sequence, Code::Previous);
        }
    }

    fn chronology(&mut self, header: &Header) {
        let follows = header
            .previous()
            .and(self.around.predecessor)
            .map(Header::timestamp);
        let earliest = follows.max(self.around.agent_before);
        if earliest.is_some_and(|before| header.timestamp() <= before) {
            self.invalid(Check::Chronology, Code::Chronology);
        }
        let ahead = |now: Timestamp| header.timestamp().micros().saturating_sub(now.micros());
        if self.around.now.is_some_and(|now| ahead(now) > MAX_AHEAD) {
            self.pending(IndeterminateReason::FutureTimestamp);
        }
    }

    fn body(&mut self, header: &Header, entry: Option<&LogEntry>) {
        let (Some(payload), Some(salt)) = (self.parts.payload, self.parts.salt) else {
            return self.pending(IndeterminateReason::BodyErased);
        };
        let same_size = u64::try_from(payload.len()) == Ok(header.payload().size());
        if !same_size || payload_hash(salt, payload) != header.payload().hash() {
            return self.invalid(Check::Body, Code::State);
        }
        match json::admit(payload, Limits::CONTENT) {
            Err(error) => self.found.push(json_verdict(&error, Check::Body)),
            Ok(value) => self.state(header, entry, &value, salt),
        }
    }

    fn state(&mut self, header: &Header, entry: Option<&LogEntry>, value: &Value, salt: &[u8; 32]) {
        let fields = FieldTree::build(value, salt);
        let same = |entry: &LogEntry| {
            fields.is_ok_and(|fields| {
                (fields.root(), fields.len()) == (entry.field_root(), entry.field_count())
            })
        };
        if entry.is_some_and(|entry| !same(entry)) {
            self.invalid(Check::State, Code::Fields);
        }
        let Some(named) = header.world() else {
            return;
        };
        let world = World::try_from(value.clone()).ok();
        if world.as_ref().map(World::world_id) != Some(named) {
            self.invalid(Check::State, Code::World);
        }
    }

    fn invalid(&mut self, check: Check, code: Code) {
        self.found.push(Verdict::invalid(check, code));
    }

    fn pending(&mut self, reason: IndeterminateReason) {
        self.found.push(Verdict::pending(reason));
    }
}

/// Strictly, so that every verifier of the world says the same (no small orders, no malleation).
fn holds(key: &VerifyingKey, entry: &[u8], signature: &[u8]) -> bool {
    let signature = Signature::from_slice(signature);
    signature.is_ok_and(|signature| key.verify_strict(entry, &signature).is_ok())
}

/// Whether the entry, which is signed, is about this header.
fn names(entry: &LogEntry, header: &Unlinked) -> bool {
    let same_kind = match header.kind() {
        Kind::World => entry.world() == header.world.as_ref(),
        Kind::Record(kind) => entry.as_record().is_some_and(|entry| entry.kind() == kind),
        Kind::Unknown(_) => false,
    };
    same_kind
        && entry.capsule() == header.hash
        && entry.content() == header.payload.hash()
        && entry.content_size() == header.payload.size()
}

fn verdict_of(error: &CapsuleError) -> Verdict {
    match error {
        CapsuleError::Json { source, .. } => json_verdict(source, Check::Canonical),
        CapsuleError::HeaderTooLarge { .. } | CapsuleError::BodyTooLarge { .. } => {
            Verdict::invalid(Check::Limits, Code::Limit)
        }
        CapsuleError::Version { .. } | CapsuleError::Algorithm { .. } => {
            Verdict::pending(IndeterminateReason::UnknownVersion)
        }
        CapsuleError::AgentKey(_) => Verdict::invalid(Check::Key, Code::KeyType),
        CapsuleError::Sequence(_) => Verdict::invalid(Check::Sequence, Code::Sequence),
        CapsuleError::Mutation(_) => Verdict::invalid(Check::Mutation, Code::Mutation),
        _ => Verdict::invalid(Check::Schema, Code::Schema),
    }
}

/// `canonical` is the check that a spelling belongs to: the header's own, or the body's.
fn json_verdict(error: &JsonError, canonical: Check) -> Verdict {
    match error {
        JsonError::TooLarge { .. }
        | JsonError::TooDeep { .. }
        | JsonError::TooManyValues { .. } => Verdict::invalid(Check::Limits, Code::Limit),
        JsonError::DuplicateMember { .. }
        | JsonError::UnsafeInteger
        | JsonError::ByteOrderMark
        | JsonError::NotCanonical { .. } => Verdict::invalid(canonical, Code::NotCanonical),
        _ => Verdict::invalid(Check::Schema, Code::Schema),
    }
}
