//! Audits what no tree covers: branches, events, what is held, and the stubs' receipts (C8, C9, C10).

use std::collections::BTreeMap;

use counterfoil_capsule::dangerous::check_signature;
use counterfoil_capsule::documents::{ArchiveReceipt, Contradiction};
use counterfoil_capsule::{CapsuleDocument, Document, Header, RecordKind, Verdict, key_of};
use counterfoil_store::StoreError;
use counterfoil_types::DidKey;
use counterfoil_types::json::{Limits, parse};
use counterfoil_verifier::merkle;
use rusqlite::{Connection, Result, Row};

use super::AuditReport;
use crate::records::content_of;
use crate::rows;
use crate::statement::Statements;
use crate::validate::agent_keys;

const FORKS: &str = "SELECT rowid, hash, agent, chain, seq, document, previous
     FROM fork ORDER BY rowid";
const HELD: &str = "SELECT rowid, capsule, agent, chain, seq, document, hash, class
     FROM held ORDER BY rowid";
const EVENTS: &str = "SELECT id, dedupe, kind, source, document FROM event ORDER BY id";

pub(super) fn examine(
    connection: &Connection,
    report: &mut AuditReport,
) -> std::result::Result<(), StoreError> {
    let keys = agent_keys(connection)?;
    if !report.can_read(connection, [FORKS, HELD, EVENTS]) {
        return Ok(());
    }
    connection.each(FORKS, [], |row| {
        let detail = of_fork(row, &keys)?;
        add(report, "fork", row, detail)
    })?;
    connection.each(HELD, [], |row| {
        let detail = of_held(row)?;
        add(report, "held", row, detail)
    })?;
    connection.each(EVENTS, [], |row| {
        if let Some(detail) = of_event(row, &keys)? {
            let number: i64 = row.get(0)?;
            report.add("event", u64::try_from(number).ok(), detail);
        }
        Ok(())
    })?;
    of_stubs(connection, report)
}

fn add(report: &mut AuditReport, table: &str, row: &Row<'_>, detail: Option<String>) -> Result<()> {
    let number: i64 = row.get(0)?;
    if let Some(detail) = detail {
        report.add(table, None, format!("row {number}: {detail}"));
    }
    Ok(())
}

/// Tests whether the columns of a row that names the place of a capsule are those of its header.
fn is_of(row: &Row<'_>, header: &Header) -> Result<bool> {
    let (capsule, agent): (Option<Vec<u8>>, Option<String>) = (row.get(1)?, row.get(2)?);
    let (chain, seq): (Option<Vec<u8>>, Option<i64>) = (row.get(3)?, row.get(4)?);
    Ok(capsule.as_deref() == Some(header.hash().as_bytes())
        && agent == Some(header.agent().to_string())
        && chain.as_deref() == Some(header.chain().as_bytes())
        && seq.and_then(|seq| u64::try_from(seq).ok()) == Some(header.seq()))
}

fn of_fork(row: &Row<'_>, keys: &BTreeMap<DidKey, Vec<DidKey>>) -> Result<Option<String>> {
    let detail = |what: &str| Ok(Some(what.to_owned()));
    let (document, previous): (String, Option<Vec<u8>>) = (row.get(5)?, row.get(6)?);
    let Ok(document) = CapsuleDocument::parse(document.as_bytes()) else {
        return detail("the branch is no capsule any more");
    };
    let header = document.header();
    if !is_of(row, header)? || previous != header.previous().map(|it| it.as_bytes().to_vec()) {
        return detail("the columns are not those of the capsule");
    }
    let entry = document.entry().map(|entry| entry.to_text());
    let entry = entry.unwrap_or_default();
    let signature = document.signature().map(<[u8; 64]>::as_slice);
    let key = key_of(header, keys);
    let found = check_signature(key.as_ref(), entry.as_bytes(), signature);
    let invalid = found.filter(Verdict::is_invalid);
    Ok(invalid.map(|invalid| invalid.to_string()))
}

fn of_held(row: &Row<'_>) -> Result<Option<String>> {
    let detail = |what: &str| Ok(Some(what.to_owned()));
    let (text, hash, class): (String, Vec<u8>, String) = (row.get(5)?, row.get(6)?, row.get(7)?);
    let whole = if row.get::<_, Option<Vec<u8>>>(1)?.is_none() {
        // Of what is refused only the beginning is kept.
        class == "pending"
    } else {
        let Ok(document) = CapsuleDocument::parse(text.as_bytes()) else {
            return detail("what is held is no capsule any more");
        };
        if !is_of(row, document.header())? {
            return detail("the columns are not those of the capsule");
        }
        // What is refused is kept without bodies, and an erasure takes those of what waits.
        let mutated = document.header().previous().is_some();
        document.payload().is_some() && (!mutated || document.delta().is_some())
    };
    match whole && *merkle::leaf_hash(text.as_bytes()).as_bytes() != *hash {
        true => detail("the document is not what came in"),
        false => Ok(None),
    }
}

fn of_event(row: &Row<'_>, keys: &BTreeMap<DidKey, Vec<DidKey>>) -> Result<Option<String>> {
    let columns: (Vec<u8>, String, String) = (row.get(1)?, row.get(2)?, row.get(3)?);
    let document: String = row.get(4)?;
    let Ok(value) = parse(document.as_bytes(), Limits::CONTENT) else {
        return Ok(Some("the document cannot be read".to_owned()));
    };
    Ok(match Contradiction::parse(&value, keys) {
        Err(error) => Some(format!("the document is no event any more: {error}")),
        Ok(event) => {
            let seen = event.observation();
            let dedupe = seen.dedupe_key().as_bytes().to_vec();
            let same = columns == (dedupe, seen.kind.name().to_owned(), seen.source.key());
            (!same).then(|| "the columns are not those of the document".to_owned())
        }
    })
}

/// A stub has to be among what its receipt says was moved: in its range, and not more than its number.
fn of_stubs(
    connection: &Connection,
    report: &mut AuditReport,
) -> std::result::Result<(), StoreError> {
    let moved: Vec<(u64, u64, u64, u64)> = connection.list(
        "SELECT receipt, min(idx), max(idx), count(*) FROM stub GROUP BY receipt",
        [],
    )?;
    for (receipt, first, last, number) in moved {
        let Ok(Some(Some(stored))) = report.damage(rows::capsule(connection, receipt)) else {
            // Archived itself, or damaged: that is reported elsewhere.
            continue;
        };
        let document = content_of(
            &stored.header,
            stored.payload.as_ref(),
            RecordKind::ArchiveReceipt,
        );
        let Some(document) = document.and_then(|it| ArchiveReceipt::parse(&it).ok()) else {
            report.add("stub", Some(first), "what it names is no receipt");
            continue;
        };
        let within = |(from, to)| from <= first && last <= to;
        if number > document.count || !document.entries().is_none_or(within) {
            report.add("stub", Some(first), "its receipt names other entries");
        }
    }
    Ok(())
}
