//! Exchanges with other agents, beside the log and without proof (docs/format/exchange.md §9, §10; R4).

pub(crate) mod rows;
pub(crate) mod seen;

use counterfoil_store::StoreError;
use counterfoil_types::WorldId;
use rusqlite::Connection;

use crate::statement::Statements;

/// Takes away each answer that says what the World said, and what the reports of it hold. To be called when its content
/// is gone, in the same transaction.
pub(crate) fn take_away(connection: &Connection, world: &WorldId) -> Result<(), StoreError> {
    let world = world.to_string();
    for sql in [ANSWERS, REPORTS] {
        connection.run(sql, [&world])?;
    }
    Ok(())
}

const ANSWERS: &str = "UPDATE main.exchange_answer SET document = NULL
    WHERE document IS NOT NULL AND exchange IN
          (SELECT exchange FROM exchange_item WHERE world = ?1 OR claim IN
                  (SELECT claim FROM exchange_item WHERE world = ?1
                   UNION SELECT claim FROM claim_heard WHERE world = ?1))";

const REPORTS: &str = "UPDATE main.exchange_item SET report = NULL
    WHERE report IS NOT NULL AND (world = ?1 OR claim IN
          (SELECT claim FROM exchange_item WHERE world = ?1
           UNION SELECT claim FROM claim_heard WHERE world = ?1))";
