//! Audits what is kept of exchanges: documents under their own hashes, rows that follow one another, memories that are
//! there (docs/format/exchange.md §9).

use counterfoil_exchange::documents::DocumentHash;
use counterfoil_exchange::machine::{ItemState, fold};
use counterfoil_life::AuditReport;
use counterfoil_store::StoreError;
use rusqlite::Connection;

use super::can_read;
use crate::exchange;
use crate::statement::{Statements, table_of};

/// Queries for documents: of each row its number, its hash and its bytes.
const DOCUMENTS: [&str; 2] = [
    "SELECT number, hash, document FROM trust_record ORDER BY number",
    "SELECT exchange, hash, document FROM exchange_answer WHERE document IS NOT NULL
     ORDER BY exchange, number",
];

/// Queries for rows that should not exist: detail, and the numbers of the rows.
const WRONG: [(&str, &str); 9] = [
    (
        "a document before it is missing",
        "SELECT number FROM
         (SELECT number, row_number() OVER (ORDER BY number) - 1 AS place FROM trust_record)
         WHERE number <> place LIMIT 1",
    ),
    (
        "an exchange before it is missing",
        "SELECT number FROM
         (SELECT number, row_number() OVER (ORDER BY number) - 1 AS place FROM exchange)
         WHERE number <> place LIMIT 1",
    ),
    (
        "it has no row",
        "SELECT number FROM exchange
         WHERE NOT EXISTS (SELECT 1 FROM exchange_transition AS row
                           WHERE row.exchange = exchange.number)",
    ),
    (
        "an answer before it is missing",
        "SELECT exchange FROM exchange_answer GROUP BY exchange HAVING count(*) <> max(number) + 1",
    ),
    (
        "an answer is gone, and nothing that came with it was erased",
        "SELECT DISTINCT exchange FROM exchange_answer WHERE document IS NULL AND NOT EXISTS
         (SELECT 1 FROM exchange_item AS came WHERE came.exchange = exchange_answer.exchange AND EXISTS
          (SELECT 1 FROM
           (SELECT world FROM exchange_item AS same WHERE same.claim = came.claim
            UNION SELECT world FROM claim_heard WHERE claim_heard.claim = came.claim) AS kept
           JOIN world ON world.id = kept.world JOIN body USING (idx)
           WHERE body.payload IS NULL AND body.salt IS NULL))",
    ),
    (
        "a row before it is missing",
        "SELECT exchange FROM exchange_item GROUP BY exchange, item
         HAVING count(*) <> max(number) + 1",
    ),
    (
        "it is said to be stored, and no such memory is there",
        "SELECT exchange FROM exchange_item WHERE state = 'stored'
         AND NOT EXISTS (SELECT 1 FROM world WHERE world.id = exchange_item.world)",
    ),
    (
        "a claim is said to be stored, and no such memory is there or on its way",
        "SELECT 0 FROM claim_heard WHERE world IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM world WHERE world.id = claim_heard.world)
         AND NOT EXISTS (SELECT 1 FROM exchange_item WHERE exchange_item.world = claim_heard.world)",
    ),
    (
        "the count is not that of the rows",
        "SELECT 0 FROM request_seen_count AS counted WHERE agent <> x'' AND times <>
         (SELECT count(*) FROM request_seen WHERE request_seen.agent = counted.agent)
         UNION ALL
         SELECT 0 WHERE (SELECT times FROM request_seen_count WHERE agent = x'') IS NOT
         (SELECT count(*) FROM request_seen)
         UNION ALL
         SELECT DISTINCT 0 FROM request_seen
         WHERE NOT EXISTS (SELECT 1 FROM request_seen_count AS counted
                           WHERE counted.agent = request_seen.agent)",
    ),
];

const NUMBERS: &str = "SELECT number FROM exchange ORDER BY number";
const STATES: &str = "SELECT DISTINCT state FROM exchange_item ORDER BY state";

pub(super) fn examine(connection: &Connection, report: &mut AuditReport) -> Result<(), StoreError> {
    let wrong = WRONG.iter().map(|(_, sql)| *sql);
    let queries = wrong.chain(DOCUMENTS).chain([NUMBERS, STATES]);
    if !can_read(connection, queries, report) {
        return Ok(());
    }
    for sql in DOCUMENTS {
        let checked = connection.each(sql, [], |row| {
            let (number, hash): (i64, [u8; 32]) = (row.get(0)?, row.get(1)?);
            let document: Vec<u8> = row.get(2)?;
            if *DocumentHash::of(&document).digest().as_bytes() != hash {
                let detail = "the document is not the one that its hash names";
                report.add(table_of(sql), u64::try_from(number).ok(), detail);
            }
            Ok(())
        });
        report.damage(checked)?;
    }
    for (detail, sql) in WRONG {
        let numbers: Option<Vec<i64>> = report.damage(connection.list(sql, []))?;
        for number in numbers.into_iter().flatten() {
            report.add(table_of(sql), u64::try_from(number).ok(), detail);
        }
    }
    let states: Option<Vec<String>> = report.damage(connection.list(STATES, []))?;
    for state in states.into_iter().flatten() {
        if state.parse::<ItemState>().is_err() {
            let detail = format!("the state {state:?} is none");
            report.add("exchange_item", None, detail);
        }
    }
    // The rows of each exchange are ones that its machine writes.
    let numbers: Option<Vec<i64>> = report.damage(connection.list(NUMBERS, []))?;
    for number in numbers.into_iter().flatten() {
        let rows = report.damage(exchange::transitions(connection, number))?;
        if let Some(rows) = rows
            && let Err(row) = fold(&rows)
        {
            let detail = format!("row {row} does not follow from those before it");
            report.add("exchange_transition", u64::try_from(number).ok(), detail);
        }
    }
    Ok(())
}
