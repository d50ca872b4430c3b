//! `--deep`: what lies in archive segments, against its stubs, the log and its own signatures (C9, D53, D55).

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use counterfoil_capsule::dangerous::in_order;
use counterfoil_capsule::{
    CapsuleDocument, ChainId, Check, Code, Header, IndeterminateReason, Surroundings, Tip, Verdict,
};
use counterfoil_store::StoreError;
use counterfoil_types::Blake3Hash;
use counterfoil_types::json::{Limits, Value, parse};
use rusqlite::Connection;

use super::known::{Lost, RecordIndex, delta_erased, target_erased};
use super::links::{invalid, named_stub};
use super::pass::PassState;
use super::tally::Tally;
use crate::archive::{read_segment, trusted_manifest};
use crate::rows;
use crate::statement::Statements;
use crate::stubs::Stub;

/// Judges capsules that are here as stubs alone by the segments in `folder`.
pub(super) fn validate(
    connection: &Connection,
    folder: &Path,
    outcome: &PassState,
    tally: &mut Tally,
) -> Result<(), StoreError> {
    let known = RecordIndex::read(connection)?;
    let mut by_receipt: BTreeMap<u64, Vec<&Stub>> = BTreeMap::new();
    for stub in &outcome.links.stubs {
        by_receipt.entry(stub.receipt).or_default().push(stub);
    }
    let mut past = Past::new(connection, folder, outcome);
    for (receipt, stubs) in by_receipt {
        let (name, segment) = segment(connection, folder, receipt)?;
        let documents = match &segment {
            Segment::Here(documents) => documents.as_slice(),
            Segment::Missing => {
                tally.missing(name);
                &[]
            }
            Segment::Refused => &[],
        };
        let lines = documents.iter().map(|document| {
            let header = document.header();
            ((header.chain(), header.seq()), document)
        });
        let lines: Lines<'_> = lines.collect();
        for stub in stubs {
            let (recorded, found) = match (&segment, lines.get(&(stub.chain, stub.seq))) {
                (Segment::Missing, _) => (false, vec![ARCHIVED]),
                (_, None) => (false, vec![invalid(Check::Body, Code::State)]),
                (_, Some(document)) => {
                    let lacks = lacking(document);
                    let found = judge(stub, document, &lines, &mut past, &known)?;
                    (known.records(stub.index, None, lacks), found)
                }
            };
            tally.add(
                stub.index,
                Some(named_stub(stub)),
                in_order(found),
                recorded,
            );
        }
    }
    Ok(())
}

const ARCHIVED: Verdict = Verdict::Indeterminate {
    reason: IndeterminateReason::BodyArchived,
};
const MISSING: Verdict = Verdict::Indeterminate {
    reason: IndeterminateReason::MissingParent,
};

/// Missing bodies of an archived capsule.
fn lacking(document: &CapsuleDocument) -> Lost {
    let mutated = document.header().previous().is_some();
    Lost {
        payload: document.payload().is_none(),
        delta: mutated && document.delta().is_none(),
    }
}

enum Segment {
    Here(Vec<CapsuleDocument>),
    /// Its file is not in the folder.
    Missing,
    /// It is another document than the archived one.
    Refused,
}

/// The segment of a receipt, and the name of its file.
fn segment(
    connection: &Connection,
    folder: &Path,
    receipt: u64,
) -> Result<(Option<String>, Segment), StoreError> {
    let name: Option<String> =
        connection.find("SELECT name FROM receipt WHERE idx = ?1", [receipt])?;
    let Some(name) = name else {
        return Ok((None, Segment::Missing));
    };
    if !folder.join(&name).exists() {
        return Ok((Some(name), Segment::Missing));
    }
    let read = trusted_manifest(connection, folder, &name)
        .and_then(|(manifest, _)| read_segment(folder, &manifest));
    let segment = match read {
        Ok(documents) => Segment::Here(documents),
        Err(StoreError::SegmentRefused { .. } | StoreError::Corrupt { .. }) => Segment::Refused,
        Err(other) => return Err(other),
    };
    Ok((Some(name), segment))
}

/// The lines of a segment by their places.
type Lines<'d> = HashMap<(ChainId, u64), &'d CapsuleDocument>;

fn judge(
    stub: &Stub,
    document: &CapsuleDocument,
    lines: &Lines<'_>,
    past: &mut Past<'_>,
    known: &RecordIndex,
) -> Result<Vec<Verdict>, StoreError> {
    let header = document.header();
    let before = match header.previous() {
        Some(previous) => past.version(stub, lines, previous)?,
        None => Version::Unknown,
    };
    let restored = match header.extensions().rollback_to {
        Some(target) => past.version(stub, lines, target)?,
        None => Version::Unknown,
    };
    let around = Surroundings {
        tip: before.header().map(Tip::of),
        before: before.content(),
        restored: restored.header().map(|header| (header, restored.content())),
        key: known.key_of(header),
        ..Surroundings::default()
    };
    let mut found = document.check_all(&around);
    let without_target = header.extensions().rollback_to.is_some() && restored.header().is_none();
    if without_target {
        // The chain was linked by its stubs, so it is only the content of the target that is not here.
        let instead = match restored {
            Version::Elsewhere => ARCHIVED,
            _ => MISSING,
        };
        found.retain(|verdict| *verdict != MISSING);
        found.push(instead);
    } else if before.header().is_none() {
        // What came before is in a segment that is not here: the stub was linked to it.
        found.retain(|verdict| *verdict != MISSING);
    }
    if restored.header().is_some() && restored.content().is_none() {
        target_erased(&mut found, lacking(document));
    }
    let place = usize::try_from(stub.index).ok();
    let stored = place.and_then(|place| past.outcome.leaves.get(place));
    let entry = document.entry().ok().map(|entry| entry.leaf_hash());
    if !stub.is_of(header) || entry.as_ref() != stored {
        found.push(invalid(Check::Signature, Code::Entry));
    }
    delta_erased(&mut found, lacking(document));
    Ok(found)
}

/// A version of the chain that is being judged.
enum Version {
    Here(Box<Header>, Option<Value>),
    /// In a segment that is not here, or not the archived one.
    Elsewhere,
    /// The chain has none of this hash.
    Unknown,
}

impl Version {
    fn header(&self) -> Option<&Header> {
        match self {
            Self::Here(header, _) => Some(header),
            _ => None,
        }
    }

    const fn content(&self) -> Option<&Value> {
        match self {
            Self::Here(_, content) => content.as_ref(),
            _ => None,
        }
    }
}

/// Predecessor in a chain: in the same segment, in another one, or in the store.
struct Past<'p> {
    connection: &'p Connection,
    folder: &'p Path,
    outcome: &'p PassState,
    receipts: HashMap<u64, u64>,
    /// The segment that was looked into last, besides the one that is judged.
    other: Option<(u64, Segment)>,
}

impl<'p> Past<'p> {
    fn new(connection: &'p Connection, folder: &'p Path, outcome: &'p PassState) -> Self {
        let receipt = |stub: &Stub| (stub.index, stub.receipt);
        Self {
            connection,
            folder,
            outcome,
            receipts: outcome.links.stubs.iter().map(receipt).collect(),
            other: None,
        }
    }

    /// The version of the stub's chain before it that has this hash.
    fn version(
        &mut self,
        stub: &Stub,
        lines: &Lines<'_>,
        hash: Blake3Hash,
    ) -> Result<Version, StoreError> {
        let mut way = self.outcome.links.back_from(&stub.chain, stub.seq);
        let Some((seq, index, _)) = way.find(|(.., found)| *found == hash) else {
            return Ok(Version::Unknown);
        };
        let near = lines.get(&(stub.chain, seq)).copied();
        if let Some(document) = near.filter(|document| document.header().hash() == hash) {
            return Ok(version(document));
        }
        match self.receipts.get(&index).copied() {
            Some(receipt) => self.archived(receipt, hash),
            None => self.stored(index),
        }
    }

    fn archived(&mut self, receipt: u64, hash: Blake3Hash) -> Result<Version, StoreError> {
        if self.other.as_ref().is_none_or(|(at, _)| *at != receipt) {
            let (_, segment) = segment(self.connection, self.folder, receipt)?;
            self.other = Some((receipt, segment));
        }
        let Some((_, Segment::Here(documents))) = &self.other else {
            return Ok(Version::Elsewhere);
        };
        let found = documents.iter().find(|it| it.header().hash() == hash);
        Ok(found.map_or(Version::Elsewhere, version))
    }

    fn stored(&self, index: u64) -> Result<Version, StoreError> {
        match rows::capsule(self.connection, index) {
            Ok(Some(stored)) => {
                let payload = stored.payload.as_ref();
                let content = payload.and_then(|payload| content(&payload.text));
                Ok(Version::Here(Box::new(stored.header), content))
            }
            // Damage there is told there.
            Ok(None) | Err(StoreError::Corrupt { .. }) => Ok(Version::Elsewhere),
            Err(other) => Err(other),
        }
    }
}

fn version(document: &CapsuleDocument) -> Version {
    let payload = document.payload();
    let content = payload.and_then(|payload| content(&payload.text));
    Version::Here(Box::new(document.header().clone()), content)
}

fn content(payload: &str) -> Option<Value> {
    parse(payload.as_bytes(), Limits::CONTENT).ok()
}
