//! A unit as it was recorded: the claim or assertion, the decision of the gate, and its time (I1, I9).

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use counterfoil_types::{DidKey, WorldId, text_form};
use serde::{Deserialize, Serialize};

use crate::{Act, Disposition, Line, Provenance, Reasons, SourceKey};

/// Reference of a unit by users and other units: its WorldId.
pub type ClaimRef = WorldId;

/// Microseconds since 1970, UTC: the time at which the unit's capsule was recorded, increasing per agent.
///
/// Transaction time (I2): when the store recorded a unit. Without a public constructor: it is read from the unit's capsule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransactionTime(u64);

impl TransactionTime {
    pub(crate) const fn recorded(micros: u64) -> Self {
        Self(micros)
    }

    /// Microseconds since 1970.
    pub const fn micros(self) -> u64 {
        self.0
    }
}

/// World that a claim cites, with its chain: versions of one memory are one source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Anchor {
    /// World that is cited.
    pub(crate) world: WorldId,
    /// Id of its chain, 1 to 250 bytes.
    #[serde(deserialize_with = "crate::limits::chain")]
    pub(crate) source: String,
}

/// Unit that was recorded: a claim or an assertion, with the decision of the gate.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    pub(crate) reference: ClaimRef,
    pub(crate) index: u64,
    pub(crate) line: Line,
    pub(crate) stamp: TransactionTime,
    pub(crate) number: u64,
    pub(crate) previous: Option<ClaimRef>,
    pub(crate) act: Act,
    pub(crate) provenance: Provenance,
    pub(crate) via: Vec<DidKey>,
    pub(crate) disposition: Disposition,
    pub(crate) row: u8,
    pub(crate) because: Reasons,
    pub(crate) anchors: Vec<Anchor>,
    pub(crate) derived_from: Vec<ClaimRef>,
    pub(crate) key: Option<Keyed>,
}

/// An idempotency key, and the fingerprint of the request that was made under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Keyed {
    pub(crate) key: String,
    pub(crate) request: Fingerprint,
}

/// BLAKE3 hash of the request that a key was used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fingerprint(pub(crate) [u8; 32]);

impl Fingerprint {
    /// Reads 64 lower-case hexadecimal digits.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let hash = blake3::Hash::from_hex(text).ok()?;
        (hash.to_hex().as_str() == text).then(|| Self(*hash.as_bytes()))
    }
}

text_form! {
    Fingerprint: "64 lower-case hexadecimal digits", = Fingerprint::parse;
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl Unit {
    /// Reference of the unit.
    pub const fn reference(&self) -> &ClaimRef {
        &self.reference
    }

    /// Log index.
    pub const fn index(&self) -> u64 {
        self.index
    }

    /// The line that it is of.
    pub const fn line(&self) -> &Line {
        &self.line
    }

    /// Transaction time.
    pub const fn stamp(&self) -> TransactionTime {
        self.stamp
    }

    /// Lets the unit count as recorded at `at_us`, where it is dated later: the clock was ahead, and a correction says so
    /// (docs/format/capsule.md, Time).
    pub fn recorded_by(&mut self, at_us: u64) {
        self.stamp = self.stamp.min(TransactionTime::recorded(at_us));
    }

    /// Number on the line.
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// Order among the units of its line. Units that were sealed elsewhere may share a number.
    pub(crate) const fn order(&self) -> (u64, &ClaimRef) {
        (self.number, &self.reference)
    }

    /// The unit before it on the line.
    pub const fn previous(&self) -> Option<&ClaimRef> {
        self.previous.as_ref()
    }

    /// Act of the unit.
    pub const fn act(&self) -> &Act {
        &self.act
    }

    /// Provenance.
    pub const fn provenance(&self) -> Provenance {
        self.provenance
    }

    /// Agents that handed on what another agent has said, from that agent on; at most 16.
    pub fn via(&self) -> &[DidKey] {
        &self.via
    }

    /// Result of the gate.
    pub const fn disposition(&self) -> Disposition {
        self.disposition
    }

    /// Row of the gate that decided.
    pub const fn row(&self) -> u8 {
        self.row
    }

    /// Why.
    pub const fn because(&self) -> &Reasons {
        &self.because
    }

    /// Worlds that it cites.
    pub fn cited(&self) -> impl ExactSizeIterator<Item = &WorldId> {
        self.anchors.iter().map(|anchor| &anchor.world)
    }

    /// Claims that it was derived from.
    pub fn derived_from(&self) -> &[ClaimRef] {
        &self.derived_from
    }

    /// The idempotency key of its request.
    pub fn key(&self) -> Option<&str> {
        self.key.as_ref().map(|keyed| keyed.key.as_str())
    }

    /// The sources that stand behind it (docs/format/claims.md 1); none for a model that cites nothing.
    pub fn sources(&self) -> Vec<SourceKey> {
        match &self.act {
            Act::Corroborate { sources, .. } => sources.clone(),
            _ => SourceKey::of(self.provenance, &self.anchors),
        }
    }
}
