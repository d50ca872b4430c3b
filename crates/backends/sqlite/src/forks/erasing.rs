//! Erasure reaches the branches beside a chain, and what waits to follow it (capsules 4.6, C20): the
//! capsule itself, and the deltas of those after it, which hold what was there before.

use counterfoil_capsule::{CapsuleDocument, Header};
use counterfoil_store::StoreError;
use rusqlite::{Connection, params};

use super::branches;
use crate::bodies::take_delta;
use crate::rows;
use crate::statement::Statements;

/// Takes away the capsule's content outside of its own row and that of the one after
/// it in the chain. Whether an entry of the log lost its delta by that.
pub(crate) fn take_bodies(connection: &Connection, erased: &Header) -> Result<bool, StoreError> {
    for branch in branches::around(connection, erased.hash())? {
        if let Some(left) = left_of(&branch.document, erased) {
            let hash = branch.header().hash();
            update(connection, "fork", hash.as_bytes(), &left)?;
        }
    }
    take_held(connection, erased)?;
    // Waiting documents of a version that this program cannot read go as a whole, where they name the chain.
    let named = erased.chain().to_string();
    for sql in [
        "INSERT INTO collected (hash, code, at) SELECT hash, code, at FROM held
             WHERE class = 'pending' AND capsule IS NULL AND instr(document, ?1) > 0",
        "DELETE FROM held
             WHERE class = 'pending' AND capsule IS NULL AND instr(document, ?1) > 0",
    ] {
        connection.run(sql, [&named])?;
    }
    let mut taken = false;
    for index in branches::abandoned(connection, &erased.chain())? {
        // What is archived has no body here.
        if let Ok(header) = rows::present_header(connection, index)
            && header.previous() == Some(erased.hash())
        {
            taken |= take_delta(connection, index)?;
        }
    }
    Ok(taken)
}

/// Keeps header and signature of a branch's capsule whose content is in the log now.
pub(crate) fn keep_header(
    connection: &Connection,
    document: &CapsuleDocument,
) -> Result<(), StoreError> {
    let bare = document.clone().without_bodies();
    if bare == *document {
        return Ok(());
    }
    let hash = document.header().hash();
    update(connection, "fork", hash.as_bytes(), &bare)
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

fn take_held(connection: &Connection, erased: &Header) -> Result<(), StoreError> {
    // Where it claims to stand is what a refused one says of itself: its hash is not.
    let named = erased.hash().to_string();
    let rows: Vec<([u8; 32], String)> = connection.list(
        "SELECT hash, document FROM held
         WHERE (chain = ?1 AND seq BETWEEN ?2 AND ?2 + 1) OR instr(document, ?3) > 0",
        params![erased.chain().as_bytes(), erased.seq(), named],
    )?;
    for (hash, document) in rows {
        let document = CapsuleDocument::parse(document.as_bytes()).ok();
        if let Some(left) = document.and_then(|document| left_of(&document, erased)) {
            update(connection, "held", &hash, &left)?;
        }
    }
    Ok(())
}

fn update(
    connection: &Connection,
    table: &str,
    hash: &[u8; 32],
    document: &CapsuleDocument,
) -> Result<(), StoreError> {
    connection.run(
        &format!("UPDATE {table} SET document = ?2 WHERE hash = ?1"),
        params![hash, document.to_text()],
    )
}
