//! Audits rows of exchanges beyond the journal: answers that are gone, and rows that it does not link
//! (docs/format/database.md 9).

use counterfoil_exchange::documents::DocumentHash;
use counterfoil_life::AuditReport;
use counterfoil_store::StoreError;
use rusqlite::Connection;

use super::can_read;
use crate::statement::{Statements, table_of};

/// Query for documents about others: of each row its number, its hash and its bytes.
const DOCUMENTS: &str = "SELECT number, hash, document FROM trust_record ORDER BY number";

/// Queries for rows that should not exist: detail, and the numbers of the rows.
const WRONG: [(&str, &str); 4] = [
    (
        "a document before it is missing",
        "SELECT number FROM
         (SELECT number, row_number() OVER (ORDER BY number) - 1 AS place FROM trust_record)
         WHERE number <> place LIMIT 1",
    ),
    (
        "an answer or a report is gone, and nothing that came with it was erased",
        "SELECT DISTINCT exchange FROM
         (SELECT exchange FROM exchange_answer WHERE document IS NULL
          UNION SELECT exchange FROM exchange_item WHERE report IS NULL) AS gone WHERE NOT EXISTS
         (SELECT 1 FROM exchange_item AS came WHERE came.exchange = gone.exchange AND EXISTS
          (SELECT 1 FROM
           (SELECT world FROM exchange_item AS same WHERE same.claim = came.claim
            UNION SELECT world FROM claim_heard WHERE claim_heard.claim = came.claim) AS kept
           JOIN world ON world.id = kept.world JOIN body USING (idx)
           WHERE body.payload IS NULL AND body.salt IS NULL))
         AND NOT EXISTS (SELECT 1 FROM unopened
                         WHERE part IN ('exchange_answer', 'exchange_item') AND number = gone.exchange)",
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

pub(super) fn examine(connection: &Connection, report: &mut AuditReport) -> Result<(), StoreError> {
    let wrong = WRONG.iter().map(|(_, sql)| *sql);
    let queries = wrong.chain([DOCUMENTS]);
    if !can_read(connection, queries, report) {
        return Ok(());
    }
    let checked = connection.each(DOCUMENTS, [], |row| {
        let (number, hash): (i64, [u8; 32]) = (row.get(0)?, row.get(1)?);
        let document: Vec<u8> = row.get(2)?;
        if *DocumentHash::of(&document).digest().as_bytes() != hash {
            let detail = "the document is not the one that its hash names";
            report.add("trust_record", u64::try_from(number).ok(), detail);
        }
        Ok(())
    });
    report.damage(checked)?;
    for (detail, sql) in WRONG {
        let numbers: Option<Vec<i64>> = report.damage(connection.list(sql, []))?;
        for number in numbers.into_iter().flatten() {
            report.add(table_of(sql), u64::try_from(number).ok(), detail);
        }
    }
    Ok(())
}
