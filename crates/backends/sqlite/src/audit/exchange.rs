//! Audits what is kept of exchanges: documents under their own hashes, rows that follow one another, memories that are
//! there (docs/format/exchange.md §9).

use counterfoil_exchange::documents::DocumentHash;
use counterfoil_exchange::machine::{ExchangeLimits, ItemState, fold};
use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::Connection;

use super::report::Findings;
use crate::error::at;
use crate::exchange;
use crate::statement::{FromRow, Statements};

/// Tables of documents, and of each row its number, its hash and its bytes.
const DOCUMENTS: [(&str, &str); 2] = [
    (
        "trust_record",
        "SELECT number, hash, document FROM trust_record ORDER BY number",
    ),
    (
        "exchange_answer",
        "SELECT exchange, hash, document FROM exchange_answer WHERE document IS NOT NULL
         ORDER BY exchange, number",
    ),
];

/// Queries for rows that should not exist: table, detail, and the numbers of the rows.
const WRONG: [(&str, &str, &str); 9] = [
    (
        "trust_record",
        "a document before it is missing",
        "SELECT number FROM
         (SELECT number, row_number() OVER (ORDER BY number) - 1 AS place FROM trust_record)
         WHERE number <> place LIMIT 1",
    ),
    (
        "exchange",
        "an exchange before it is missing",
        "SELECT number FROM
         (SELECT number, row_number() OVER (ORDER BY number) - 1 AS place FROM exchange)
         WHERE number <> place LIMIT 1",
    ),
    (
        "exchange",
        "it has no row",
        "SELECT number FROM exchange
         WHERE NOT EXISTS (SELECT 1 FROM exchange_transition AS row
                           WHERE row.exchange = exchange.number)",
    ),
    (
        "exchange_answer",
        "an answer before it is missing",
        "SELECT exchange FROM exchange_answer GROUP BY exchange HAVING count(*) <> max(number) + 1",
    ),
    (
        "exchange_answer",
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
        "exchange_item",
        "a row before it is missing",
        "SELECT exchange FROM exchange_item GROUP BY exchange, item
         HAVING count(*) <> max(number) + 1",
    ),
    (
        "exchange_item",
        "it is said to be stored, and no such memory is there",
        "SELECT exchange FROM exchange_item WHERE state = 'stored'
         AND NOT EXISTS (SELECT 1 FROM world WHERE world.id = exchange_item.world)",
    ),
    (
        "claim_heard",
        "a claim is said to be stored, and no such memory is there or on its way",
        "SELECT 0 FROM claim_heard WHERE world IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM world WHERE world.id = claim_heard.world)
         AND NOT EXISTS (SELECT 1 FROM exchange_item WHERE exchange_item.world = claim_heard.world)",
    ),
    (
        "request_seen_count",
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

const NUMBERS: (&str, &str) = ("exchange", "SELECT number FROM exchange ORDER BY number");
const STATES: (&str, &str) = (
    "exchange_item",
    "SELECT DISTINCT state FROM exchange_item ORDER BY state",
);

pub(super) fn examine(connection: &Connection, findings: &mut Findings) -> Result<(), StoreError> {
    let wrong = WRONG.iter().map(|(table, _, sql)| (*table, *sql));
    for (table, sql) in wrong.chain(DOCUMENTS).chain([NUMBERS, STATES]) {
        if connection.prepare(sql).is_err() {
            findings.add(table, None, "its rows cannot be read");
            return Ok(());
        }
    }
    for (table, sql) in DOCUMENTS {
        let checked = documents(connection, table, sql, findings);
        findings.damage(checked)?;
    }
    for (table, what, sql) in WRONG {
        let numbers = all::<i64>(connection, table, sql);
        for number in findings.damage(numbers)?.into_iter().flatten() {
            findings.add(table, u64::try_from(number).ok(), what);
        }
    }
    let states = all::<String>(connection, STATES.0, STATES.1);
    for state in findings.damage(states)?.into_iter().flatten() {
        if state.parse::<ItemState>().is_err() {
            findings.add(STATES.0, None, format!("the state {state:?} is none"));
        }
    }
    rows(connection, findings)
}

/// Requires each document to be stored under the hash of its bytes.
fn documents(
    connection: &Connection,
    table: &'static str,
    sql: &str,
    findings: &mut Findings,
) -> Result<(), StoreError> {
    let mut read = || -> rusqlite::Result<()> {
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (number, hash, document): (i64, [u8; 32], Vec<u8>) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            if *DocumentHash::of(&document).digest().as_bytes() != hash {
                let detail = "the document is not the one that its hash names";
                findings.add(table, u64::try_from(number).ok(), detail);
            }
        }
        Ok(())
    };
    read().map_err(at(StoreLocation::table(table)))
}

/// The rows of each exchange are ones that its machine writes.
fn rows(connection: &Connection, findings: &mut Findings) -> Result<(), StoreError> {
    let numbers = all::<i64>(connection, NUMBERS.0, NUMBERS.1);
    for number in findings.damage(numbers)?.into_iter().flatten() {
        let rows = findings.damage(exchange::transitions(connection, number))?;
        let Some(rows) = rows else { continue };
        if let Err(error) = fold(&rows, ExchangeLimits::default()) {
            let detail = format!("row {} does not follow from those before it", error.number);
            findings.add("exchange_transition", u64::try_from(number).ok(), detail);
        }
    }
    Ok(())
}

fn all<T: FromRow>(
    connection: &Connection,
    table: &'static str,
    sql: &str,
) -> Result<Vec<T>, StoreError> {
    connection
        .list(sql, [])
        .map_err(at(StoreLocation::table(table)))
}
