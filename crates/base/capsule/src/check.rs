//! Checks one capsule as it is stored, in the fixed order of capsules 4.8.

mod content;
pub(crate) mod refusal;
pub(crate) mod single;

use alloc::vec::Vec;

use counterfoil_types::json::Value;
use counterfoil_types::{Blake3Hash, DidKey};
use ed25519_dalek::{Signature, VerifyingKey};

use crate::extensions::key_number;
use crate::header::{Header, Kind, Unlinked};
use crate::id::ChainId;
use crate::log_entry::LogEntry;
use crate::timestamp::Timestamp;
use crate::verdict::{Check, Code, IndeterminateReason, Verdict};

/// Limit on how far a capsule may be ahead of the clock: five minutes, in microseconds.
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
    /// The canonical content; `None` when it is absent.
    pub payload: Option<&'a [u8]>,
    /// The salt of the content address.
    pub salt: Option<&'a [u8; 32]>,
    /// The canonical delta; `None` for a seed, or when it is absent.
    pub delta: Option<&'a [u8]>,
    /// The salt of the delta's address.
    pub delta_salt: Option<&'a [u8; 32]>,
}

/// Facts about the surroundings of the capsule. By default nothing is known, and checks that depend on it stay open.
#[derive(Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// The capsule before it in its chain. Not looked at for a seed.
    pub predecessor: Option<&'a Header>,
    /// Summary of the predecessor, for a store that has no header of it any more; the header counts if both are there.
    pub tip: Option<Tip>,
    /// The content of that capsule. Without it a delta is only undone, not applied.
    pub before: Option<&'a Value>,
    /// Header and content of the version that it restores, if it says so (`ext.rollback_to`); no content when that is erased
    /// or archived.
    pub restored: Option<(&'a Header, Option<&'a Value>)>,
    /// The agent's key of the number that the header names (`ext.key`). Number 0 is the key that
    /// the agent is named after and needs none.
    pub key: Option<DidKey>,
    /// The least number of a key that may sign here: the agent's current one, in the order of the log
    /// that is checked.
    pub least_key: u64,
    /// The latest timestamp of the agent before this capsule, over all of its chains.
    pub agent_before: Option<Timestamp>,
    /// The time at which is judged. Without it no capsule is too far ahead.
    pub now: Option<Timestamp>,
}

/// Summary of a capsule that the next one of its chain is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tip {
    /// Agent that wrote it.
    pub agent: DidKey,
    /// Its chain.
    pub chain: ChainId,
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub hash: Blake3Hash,
    /// Time of writing.
    pub timestamp: Timestamp,
    /// The number of the key that signed it; 0 where only a stub is left.
    pub key_number: u64,
    /// The address of its content; `None` where only a stub is left.
    pub payload: Option<Blake3Hash>,
    /// Set for a claim unit, which nothing follows.
    pub is_claim: bool,
}

impl Tip {
    /// Of a capsule whose header is at hand.
    pub fn of(header: &Header) -> Self {
        Self {
            agent: header.agent(),
            chain: header.chain(),
            seq: header.seq(),
            hash: header.hash(),
            timestamp: header.timestamp(),
            key_number: header.key_number(),
            payload: Some(header.payload().hash()),
            is_claim: header.kind() == Kind::Claim,
        }
    }
}

/// Checks a capsule and gives the first failure; without one, the first thing that is missing.
///
/// `Valid` says: this agent signed exactly this content under this WorldId at this place of its
/// chain. It does not say that the content is true, nor that the capsule is in a log, nor, for a
/// seed, that the agent has no other chain, nor that nothing is said against the key.
pub fn check_capsule(parts: &StoredParts<'_>, around: &Surroundings<'_>) -> Verdict {
    first_of(&check_all(parts, around))
}

/// Of several findings, in order, the one that counts; valid without any.
pub fn first_of(found: &[Verdict]) -> Verdict {
    let failure = found.iter().find(|verdict| verdict.is_invalid());
    failure.or(found.first()).copied().unwrap_or(Verdict::Valid)
}

/// Every failure and every missing thing, in the order of the checks; empty when there is none.
pub fn check_all(parts: &StoredParts<'_>, around: &Surroundings<'_>) -> Vec<Verdict> {
    match Unlinked::parse(parts.header) {
        Err(error) => alloc::vec![error.verdict()],
        Ok(header) => {
            let mut examination = Examination::new(parts, around);
            examination.run(header);
            examination.found
        }
    }
}

struct Examination<'a> {
    parts: &'a StoredParts<'a>,
    around: &'a Surroundings<'a>,
    /// The capsule before it.
    tip: Option<Tip>,
    found: Vec<Verdict>,
}

impl<'a> Examination<'a> {
    fn new(parts: &'a StoredParts<'a>, around: &'a Surroundings<'a>) -> Self {
        Self {
            parts,
            around,
            tip: around.predecessor.map(Tip::of).or(around.tip),
            found: Vec::new(),
        }
    }

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
            Err(error) => self.found.push(error.verdict()),
            Ok(header) => {
                self.sequence(&header);
                self.chronology(&header);
                self.content(&header, entry.as_ref());
            }
        }
    }

    /// Key-at-seq: the key of the number that the header names, never the key of some moment.
    fn key_and_signature(&mut self, header: &Unlinked) {
        // The form was checked when the header was read.
        let number = key_number(&header.ext).unwrap_or_default();
        self.authorised(number, header.chain);
        let key = match number {
            0 => Some(header.agent),
            _ => self.around.key,
        };
        match key {
            Some(key) => self.signature(&key),
            None if self.unsigned() => self.invalid(Check::Signature, Code::SignatureMissing),
            None => self.pending(IndeterminateReason::MissingKey),
        }
    }

    /// Along a chain, and in a log, key numbers only grow.
    fn authorised(&mut self, number: u64, chain: ChainId) {
        let before = self.tip.filter(|before| before.chain == chain);
        let least = before.map_or(0, |before| before.key_number);
        if number < least.max(self.around.least_key) {
            self.invalid(Check::Key, Code::KeyNotAuthorised);
        }
    }

    fn signature(&mut self, key: &DidKey) {
        let key = VerifyingKey::from_bytes(key.public_key());
        let Some(key) = key.ok().filter(|key| !key.is_weak()) else {
            return self.invalid(Check::Key, Code::KeyWeak);
        };
        match self.parts.signature {
            _ if self.unsigned() => self.invalid(Check::Signature, Code::SignatureMissing),
            Some(bytes) if holds(&key, self.parts.entry, bytes) => {}
            _ => self.invalid(Check::Signature, Code::Signature),
        }
    }

    const fn unsigned(&self) -> bool {
        matches!(self.parts.signature, None | Some([]))
    }

    fn sequence(&mut self, header: &Header) {
        // Only a seed continues another chain, and no claim does: its time is that of its agent.
        let may_continue = header.previous().is_none() && header.kind() != Kind::Claim;
        if header.extensions().continues.is_some() && !may_continue {
            self.invalid(Check::Sequence, Code::Sequence);
        }
        let Some(previous) = header.previous() else {
            return;
        };
        let Some(predecessor) = self.tip else {
            return self.pending(IndeterminateReason::MissingParent);
        };
        if header.agent() != predecessor.agent {
            return self.invalid(Check::Sequence, Code::Agent);
        }
        let not_after = header.chain() != predecessor.chain || header.seq() <= predecessor.seq;
        if not_after || predecessor.is_claim {
            return self.invalid(Check::Sequence, Code::Sequence);
        }
        if header.seq() - predecessor.seq > 1 {
            return self.pending(IndeterminateReason::MissingParent);
        }
        if previous != predecessor.hash {
            self.invalid(Check::Sequence, Code::Previous);
        }
    }

    fn chronology(&mut self, header: &Header) {
        let follows = header.previous().and(self.tip).map(|tip| tip.timestamp);
        // A chain that continues one whose clock ran ahead begins its time anew (C39).
        let anew = header.previous().is_none() && header.extensions().continues.is_some();
        let elsewhere = self.around.agent_before.filter(|_| !anew);
        let earliest = follows.max(elsewhere);
        if earliest.is_some_and(|before| header.timestamp() <= before) {
            self.invalid(Check::Chronology, Code::Chronology);
        }
        let ahead = |now: Timestamp| header.recorded().micros().saturating_sub(now.micros());
        if self.around.now.is_some_and(|now| ahead(now) > MAX_AHEAD) {
            self.pending(IndeterminateReason::FutureTimestamp);
        }
    }

    fn invalid(&mut self, check: Check, code: Code) {
        self.found.push(Verdict::invalid(check, code));
    }

    /// Reports each missing piece once, even if several checks need it.
    fn pending(&mut self, reason: IndeterminateReason) {
        let verdict = Verdict::pending(reason);
        if !self.found.contains(&verdict) {
            self.found.push(verdict);
        }
    }
}

/// Strictly, so that every verifier of the world says the same (no small orders, no malleation).
fn holds(key: &VerifyingKey, entry: &[u8], signature: &[u8]) -> bool {
    let signature = Signature::from_slice(signature);
    signature.is_ok_and(|signature| key.verify_strict(entry, &signature).is_ok())
}

/// Verifies the signature of `key` over `message` strictly; keys of small order are refused.
pub(crate) fn is_signed(key: &DidKey, message: &[u8], signature: &[u8; 64]) -> bool {
    let key = VerifyingKey::from_bytes(key.public_key());
    let key = key.ok().filter(|key| !key.is_weak());
    key.is_some_and(|key| holds(&key, message, signature))
}

/// Compares the signed entry with this header.
fn names(entry: &LogEntry, header: &Unlinked) -> bool {
    let same_kind = match header.kind() {
        Kind::World | Kind::Claim => entry.world() == header.world.as_ref(),
        Kind::Record(kind) => entry.record() == Some(kind),
        Kind::Unknown(_) => false,
    };
    same_kind
        && entry.capsule == header.hash
        && entry.content == header.payload.hash()
        && entry.content_size == header.payload.size()
}
