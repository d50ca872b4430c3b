//! `--deep`: capsules in archive segments against their stubs, the log and their own signatures (C9, D53, D55).

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use counterfoil_capsule::dangerous::in_order;
use counterfoil_capsule::{
    CapsuleDocument, ChainId, Check, Code, Header, Surroundings, Tip, Verdict,
};
use counterfoil_store::StoreError;
use counterfoil_types::Blake3Hash;
use counterfoil_types::json::{Limits, Value, parse};

use super::known::Lost;
use super::links::{ARCHIVED, MISSING, Place, invalid, named_stub};
use super::pass::PassState;
use super::tally::Tally;
use crate::archive::{read_segment, trusted_manifest};
use crate::entries;
use crate::port::rows::{ReceiptRow, StubRow};
use crate::port::{Select, Txn};

/// Judges capsules that are here as stubs alone by the segments in `folder`.
pub(super) fn validate(
    txn: &dyn Txn,
    folder: &Path,
    state: &PassState,
    tally: &mut Tally,
) -> Result<(), StoreError> {
    let mut by_receipt: BTreeMap<u64, Vec<&StubRow>> = BTreeMap::new();
    for stub in &state.links.stubs {
        by_receipt.entry(stub.receipt).or_default().push(stub);
    }
    let mut past = Past::new(txn, folder, state);
    for (receipt, stubs) in by_receipt {
        let (name, segment) = segment(txn, folder, receipt)?;
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
                    let found = judge(stub, document, &lines, &mut past)?;
                    (state.known.records(stub.idx, None, lacks), found)
                }
            };
            tally.add(stub.idx, Some(named_stub(stub)), in_order(found), recorded);
        }
    }
    Ok(())
}

fn lacking(document: &CapsuleDocument) -> Lost {
    let (payload, delta) = (document.payload(), document.delta());
    Lost::of(document.header(), payload.is_some(), delta.is_some())
}

enum Segment {
    Here(Vec<CapsuleDocument>),
    /// Its file is not in the folder.
    Missing,
    /// Another document than the archived one.
    Refused,
}

/// The segment of a receipt, and the name of its file.
fn segment(
    txn: &dyn Txn,
    folder: &Path,
    receipt: u64,
) -> Result<(Option<String>, Segment), StoreError> {
    let named = Select::of::<ReceiptRow>().with("idx", receipt);
    let Some(name) = txn.column::<String, 1>(named, &["name"])?.pop() else {
        return Ok((None, Segment::Missing));
    };
    if !folder.join(&name).exists() {
        return Ok((Some(name), Segment::Missing));
    }
    let read = trusted_manifest(txn, folder, &name)
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
    stub: &StubRow,
    document: &CapsuleDocument,
    lines: &Lines<'_>,
    past: &mut Past<'_>,
) -> Result<Vec<Verdict>, StoreError> {
    let header = document.header();
    let target = header.extensions().rollback_to;
    let before = past.version(stub, lines, header.previous())?.ok();
    let restored = past.version(stub, lines, target)?;
    let around = Surroundings {
        tip: before.as_ref().map(|(header, _)| Tip::of(header)),
        before: before.as_ref().and_then(|(_, content)| content.as_ref()),
        restored: restored
            .as_ref()
            .map(|(header, content)| (header, content.as_ref()))
            .ok(),
        key: past.state.known.key_of(header),
        ..Surroundings::default()
    };
    let mut found = document.check_all(&around);
    match &restored {
        // The chain was linked by its stubs: it is the content of the target alone that is not here.
        Err(instead) if target.is_some() => {
            found.retain(|verdict| *verdict != MISSING);
            found.push(*instead);
        }
        // The version before is in a segment that is not here: the stub was linked to it.
        _ if before.is_none() => found.retain(|verdict| *verdict != MISSING),
        _ => {}
    }
    if matches!(restored, Ok((_, None))) {
        lacking(document).explain_target(&mut found);
    }
    let place = usize::try_from(stub.idx).ok();
    let stored = place.and_then(|place| past.state.leaves.get(place));
    let entry = document.entry().ok().map(|entry| entry.leaf_hash());
    if !stub.is_of(header) || entry.as_ref() != stored {
        found.push(invalid(Check::Signature, Code::Entry));
    }
    lacking(document).explain_delta(&mut found);
    Ok(found)
}

/// Header and content of another version of the chain. The finding in its place says that it is in a segment that is not
/// here or not the archived one, or that the chain has none of this hash.
type Version = Result<(Header, Option<Value>), Verdict>;

/// Predecessor in a chain: in the same segment, in another one, or in the store.
struct Past<'p> {
    txn: &'p dyn Txn,
    folder: &'p Path,
    state: &'p PassState,
    receipts: HashMap<u64, u64>,
    /// The segment that was looked into last, besides the one that is judged.
    other: Option<(u64, Segment)>,
}

impl<'p> Past<'p> {
    fn new(txn: &'p dyn Txn, folder: &'p Path, state: &'p PassState) -> Self {
        let receipt = |stub: &StubRow| (stub.idx, stub.receipt);
        Self {
            txn,
            folder,
            state,
            receipts: state.links.stubs.iter().map(receipt).collect(),
            other: None,
        }
    }

    /// The version of the stub's chain before it that has this hash.
    fn version(
        &mut self,
        stub: &StubRow,
        lines: &Lines<'_>,
        hash: Option<Blake3Hash>,
    ) -> Result<Version, StoreError> {
        let mut way = self.state.links.back_from(&stub.chain, stub.idx);
        let found = way.find(|place| Some(place.hash) == hash);
        let Some(&Place {
            seq, index, hash, ..
        }) = found
        else {
            return Ok(Err(MISSING));
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
            let (_, segment) = segment(self.txn, self.folder, receipt)?;
            self.other = Some((receipt, segment));
        }
        let Some((_, Segment::Here(documents))) = &self.other else {
            return Ok(Err(ARCHIVED));
        };
        let found = documents.iter().find(|it| it.header().hash() == hash);
        Ok(found.map_or(Err(ARCHIVED), version))
    }

    fn stored(&self, index: u64) -> Result<Version, StoreError> {
        match entries::unchecked(self.txn, index) {
            Ok(Some(stored)) => Ok(version(&stored.document())),
            // Damage is reported at its own entry.
            Ok(None) | Err(StoreError::Corrupt { .. }) => Ok(Err(ARCHIVED)),
            Err(other) => Err(other),
        }
    }
}

fn version(document: &CapsuleDocument) -> Version {
    let payload = document.payload();
    let content = payload.and_then(|it| parse(it.text.as_bytes(), Limits::CONTENT).ok());
    Ok((document.header().clone(), content))
}
