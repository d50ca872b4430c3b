//! Erasure reaches the branches beside a chain, and documents that wait to follow it (capsules 4.6, C20): the
//! capsule itself, and the deltas of those after it, which hold the content before.

use counterfoil_capsule::{CapsuleDocument, Header};
use counterfoil_store::StoreError;
use counterfoil_types::Blake3Hash;

use super::branches;
use crate::bodies::take_delta;
use crate::entries::present_header;
use crate::port::rows::{CollectedRow, ForkRow, HeldRow};
use crate::port::{Select, Txn};

/// Takes away the capsule's content outside of its own row and that of the one after it in the chain. Returns true if an
/// entry of the log lost its delta by that.
pub(crate) fn take_bodies(txn: &dyn Txn, erased: &Header) -> Result<bool, StoreError> {
    for branch in branches::around(txn, erased.hash())? {
        if let Some(left) = left_of(&branch.document, erased) {
            update(txn, branch.header().hash(), &left)?;
        }
    }
    take_held(txn, erased)?;
    let mut taken = false;
    for index in branches::abandoned(txn, &erased.chain())? {
        // What is archived has no body here.
        if let Ok(header) = present_header(txn, index)
            && header.previous() == Some(erased.hash())
        {
            taken |= take_delta(txn, index)?;
        }
    }
    Ok(taken)
}

/// Keeps header and signature of a branch's capsule whose content is in the log now.
pub(crate) fn keep_header(txn: &dyn Txn, document: &CapsuleDocument) -> Result<(), StoreError> {
    let bare = document.clone().without_bodies();
    match bare == *document {
        true => Ok(()),
        false => update(txn, document.header().hash(), &bare),
    }
}

/// Returns a document without its erased parts; `None` when nothing of it is erased.
fn left_of(document: &CapsuleDocument, erased: &Header) -> Option<CapsuleDocument> {
    let header = document.header();
    let left = if header.hash() == erased.hash() {
        document.clone().without_bodies()
    } else if header.previous() == Some(erased.hash()) {
        CapsuleDocument::new(
            header.clone(),
            *document.signature()?,
            document.fields(),
            document.payload().cloned(),
            None,
        )
    } else {
        return None;
    };
    (left != *document).then_some(left)
}

fn take_held(txn: &dyn Txn, erased: &Header) -> Result<(), StoreError> {
    let (capsule, chain) = (erased.hash().to_string(), erased.chain().to_string());
    let (mut left, mut gone) = (Vec::new(), Vec::new());
    txn.each(&Select::of::<HeldRow>(), |row: HeldRow| {
        // Waiting documents of a version that this program cannot read go as a whole, where they name the chain.
        let unread = row.class == "pending" && row.capsule.is_none();
        if unread && row.document.contains(&chain) {
            gone.push((row.hash, row.code, row.at));
            return Ok(true);
        }
        // A refused document may claim any place in the chain, but not the hash of a capsule.
        let numbers = erased.seq()..=erased.seq().saturating_add(1);
        let is_near = row.chain == Some(*erased.chain().as_bytes())
            && row.seq.is_some_and(|seq| numbers.contains(&seq));
        if is_near || row.document.contains(&capsule) {
            let document = CapsuleDocument::parse(row.document.as_bytes()).ok();
            let document = document.and_then(|document| left_of(&document, erased));
            left.extend(document.map(|document| HeldRow {
                document: document.to_text(),
                ..row
            }));
        }
        Ok(true)
    })?;
    for row in left {
        txn.put(&row)?;
    }
    for (hash, code, at) in gone {
        txn.add(&CollectedRow { hash, code, at })?;
        txn.remove::<HeldRow>(&[&hash])?;
    }
    Ok(())
}

/// Replaces the document of a branch's capsule.
fn update(txn: &dyn Txn, hash: Blake3Hash, document: &CapsuleDocument) -> Result<(), StoreError> {
    let row: Option<ForkRow> = txn.find(&[&hash])?;
    row.map_or(Ok(()), |row| {
        txn.put(&ForkRow {
            document: document.to_text(),
            ..row
        })
    })
}
