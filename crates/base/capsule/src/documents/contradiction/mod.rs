//! `contradiction`: an observed fault, its evidence, and its attribution to an agent (capsules 4.8, C11).

mod blame;
mod kind;
mod parts;
mod suspect;

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_types::document::Fault;
use counterfoil_types::json::Value;
use counterfoil_types::{Blake3Hash, DidKey};
use serde::{Deserialize, Serialize};

use crate::digest::{CONTRADICTION, derived};
use crate::document::{self, Document};
use crate::error::CapsuleError;
use crate::id::CapsuleId;
use crate::integrity::{Binding, ProofError, sign};
use crate::key::Signer;
use crate::record::RecordKind;
use crate::timestamp::Timestamp;

pub use kind::ContradictionKind;
pub use parts::{Evidence, Observed, Source};
pub use suspect::{CapsuleName, Suspect};

const KIND: RecordKind = RecordKind::Contradiction;
/// Limit on a `code`, in bytes.
const MAX_WORD: usize = 128;

/// A contradiction as it was observed, before its blame is decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// Kind of the contradiction.
    pub kind: ContradictionKind,
    /// The word of the failed check, `E_` in front.
    pub code: String,
    /// Subject of the contradiction.
    pub subject: Suspect,
    /// Origin of the contradicting data.
    pub source: Source,
    /// Expected value.
    pub expected: Option<Observed>,
    /// Value that was found.
    pub actual: Option<Observed>,
    /// Evidence: one or two capsules without bodies, signed notes, or digests.
    pub evidence: Vec<Evidence>,
}

/// ```json
/// {"type":"contradiction","version":"1","id":"<uuid>","detector":"did:key:…","detected_at":"…",
///  "kind":"equivocation","code":"E_FORK","subject":{"agent":…,"chain":…,"seq":5,"capsule_hash":…},
///  "source":{"peer":null,"transport":"import"},"expected":"blake3:…","actual":"blake3:…",
///  "evidence":[{…exported, without bodies…},"blake3:…"],"attributable":true}
/// ```
/// Contents never get in: expected and actual are digests, numbers, times, keys and places, and
/// evidence is headers, signed notes and digests. So it stays below 64 KiB whatever came in.
///
/// `attributable` is computed from the evidence, never set by a caller. A capsule with a bad signature in the name of an
/// agent proves nothing about that agent; only its source is to be examined.
#[derive(Debug, Clone, PartialEq)]
pub struct Contradiction {
    seen: Observation,
    id: CapsuleId,
    detector: DidKey,
    detected_at: Timestamp,
    attributable: bool,
}

impl Contradiction {
    /// Code of two capsules of one agent for one place of a chain.
    pub const FORK: &str = "E_FORK";

    /// Makes a contradiction from an observation. Blame is decided here, by
    /// verifying: every item of evidence must be a capsule with a strictly valid signature of the
    /// accused agent's key, and together they must show the fault by themselves (equivocation,
    /// chronology, sequence), or be the one capsule whose body does not follow (state). Of a log,
    /// they are two checkpoints of one size that its key signed. `keys` is needed for signatures
    /// after a rotation; without it no agent is blamed.
    ///
    /// `id` is the name of the event, `detector` the agent that detected it. Evidence that is too large becomes its digest,
    /// and then blames no agent.
    ///
    /// # Errors
    /// [`CapsuleError::AboutContradiction`]; [`CapsuleError::Document`] for more or less
    /// than one or two items of evidence, or words that are too long.
    pub fn new(
        seen: Observation,
        id: CapsuleId,
        (detector, detected_at): (DidKey, Timestamp),
        keys: &BTreeMap<DidKey, Vec<DidKey>>,
    ) -> Result<Self, CapsuleError> {
        if seen.is_about_itself() {
            return Err(CapsuleError::AboutContradiction);
        }
        let printable = |byte: u8| byte.is_ascii_graphic() || byte == b' ';
        let fits = (1..=MAX_WORD).contains(&seen.code.len());
        if !fits || !seen.code.bytes().all(printable) {
            return Err(wrong("/code", "1 to 128 printable ASCII characters"));
        }
        if !seen.source.is_well_formed() {
            return Err(wrong(
                "/source/transport",
                "1 to 256 bytes without control characters",
            ));
        }
        if !(1..=2).contains(&seen.evidence.len()) {
            return Err(wrong("/evidence", "one or two items"));
        }
        let evidence = seen.evidence.into_iter().map(Evidence::fitting).collect();
        let seen = Observation { evidence, ..seen };
        let attributable = blame::shows(&seen, keys);
        Ok(Self {
            seen,
            id,
            detector,
            detected_at,
            attributable,
        })
    }

    /// Reads one. A claim that its agent is to blame is checked against the evidence.
    ///
    /// # Errors
    /// [`CapsuleError::NotAttributable`], and as [`new`](Self::new).
    pub fn parse(
        value: &Value,
        keys: &BTreeMap<DidKey, Vec<DidKey>>,
    ) -> Result<Self, CapsuleError> {
        let read = read(value)?;
        let (by, claimed) = ((read.detector, read.detected_at), read.attributable);
        let read = Self::new(read.seen, read.id, by, keys)?;
        if claimed && !read.attributable {
            return Err(CapsuleError::NotAttributable);
        }
        Ok(Self {
            attributable: claimed,
            ..read
        })
    }

    /// Returns the capsule that a document names as the second one for its place (`equivocation`, [`E_FORK`](Self::FORK)), `None` for
    /// another document. Its form is checked alone, and not its evidence.
    pub fn forked(document: &Value) -> Option<CapsuleName> {
        let seen = read(document).ok()?.seen;
        let is_fork = seen.kind == ContradictionKind::Equivocation && seen.code == Self::FORK;
        seen.subject.capsule().copied().filter(|_| is_fork)
    }

    /// Checks the form alone.
    pub(super) fn is_well_formed(value: &Value) -> Result<(), CapsuleError> {
        read(value).map(drop)
    }

    /// The document.
    pub fn to_value(&self) -> Value {
        let seen = &self.seen;
        let evidence = seen.evidence.iter().map(Evidence::to_value).collect();
        let members = Members {
            id: self.id,
            detector: self.detector,
            detected_at: self.detected_at,
            kind: seen.kind,
            code: seen.code.clone(),
            subject: counterfoil_types::document::write(&seen.subject),
            source: seen.source.clone(),
            expected: seen.expected,
            actual: seen.actual,
            evidence,
            attributable: self.attributable,
        };
        members.to_value()
    }

    /// The document with a proof by its detector, so that it can be passed on.
    ///
    /// # Errors
    /// As [`integrity::sign`](crate::integrity::sign()).
    pub fn sign(&self, detector: &dyn Signer, created: Timestamp) -> Result<Value, ProofError> {
        sign(self.to_value(), detector, created, &Binding::ASSERTION)
    }

    /// Returns whether the evidence shows the accused agent to blame.
    pub const fn is_attributable(&self) -> bool {
        self.attributable
    }

    /// The observation.
    pub const fn observation(&self) -> &Observation {
        &self.seen
    }
}

impl Observation {
    /// Key under which an event is recorded once: kind, code and evidence, for all senders and repetitions
    /// (`H("contradiction", …)`).
    pub fn dedupe_key(&self) -> Blake3Hash {
        let hashes = self.evidence.iter().map(Evidence::hash);
        let mut hashes: Vec<String> = hashes.map(|hash| hash.to_string()).collect();
        hashes.sort_unstable();
        let (kind, code) = (self.kind.name(), self.code.as_str());
        let lines = [&[kind.to_string(), code.to_string()], hashes.as_slice()].concat();
        derived(CONTRADICTION, lines.join("\n").as_bytes())
    }

    /// Returns whether it is about a contradiction itself: two nodes would report each other forever (E63).
    pub fn is_about_itself(&self) -> bool {
        let own = |named: &CapsuleName| named.record == Some(KIND);
        let shown = self.evidence.iter().filter_map(Evidence::capsule);
        self.subject.capsule().is_some_and(own)
            || shown
                .map(|capsule| CapsuleName::of(capsule.header()))
                .any(|named| own(&named))
    }
}

fn wrong(member: &str, must: &str) -> CapsuleError {
    CapsuleError::at(Members::TYPE, member, must)
}

/// The document as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    id: CapsuleId,
    detector: DidKey,
    detected_at: Timestamp,
    kind: ContradictionKind,
    code: String,
    subject: Value,
    source: Source,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<Observed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<Observed>,
    evidence: Vec<Value>,
    attributable: bool,
}

impl Document for Members {
    const TYPE: &'static str = KIND.name();

    fn check(&self) -> Result<(), Fault> {
        match self.evidence.len() {
            1..=2 => Ok(()),
            _ => Err(Fault::new("/evidence", "one or two items")),
        }
    }
}

/// Reads a contradiction whose blame is not checked; a proof is passed over.
fn read(value: &Value) -> Result<Contradiction, CapsuleError> {
    let it: Members = document::read_beside(value, document::WITH_PROOF)?;
    let evidence = it.evidence.iter().map(Evidence::read);
    let seen = Observation {
        kind: it.kind,
        code: it.code,
        subject: Suspect::read(&it.subject)?,
        source: it.source,
        expected: it.expected,
        actual: it.actual,
        evidence: evidence.collect::<Result<_, _>>()?,
    };
    Ok(Contradiction {
        seen,
        id: it.id,
        detector: it.detector,
        detected_at: it.detected_at,
        attributable: it.attributable,
    })
}
