//! Which words a World says, as the index would say it: the text goes into a scratch index in
//! memory, with the same tokenizer, and is asked.

use counterfoil_capsule::World;
use counterfoil_store::text_index::TermPlace;
use rusqlite::{Connection, Result};

use super::TOKENIZER;
use super::matching::{in_column, quoted};
use super::source;

/// The text of one World at a time.
pub(super) struct Words {
    scratch: Connection,
}

impl Words {
    pub(super) fn new() -> Result<Self> {
        let scratch = Connection::open_in_memory()?;
        scratch.execute_batch(&format!(
            "CREATE VIRTUAL TABLE said USING fts5(turn, date, content = '', {TOKENIZER})"
        ))?;
        Ok(Self { scratch })
    }

    /// Returns the place of each term in the World itself: its text or its date.
    pub(super) fn places(&self, world: &World, terms: &[String]) -> Result<Vec<Option<TermPlace>>> {
        let (turn, date) = source::whole(world);
        self.scratch
            .prepare_cached("INSERT INTO said (said) VALUES ('delete-all')")?
            .execute([])?;
        self.scratch
            .prepare_cached("INSERT INTO said (rowid, turn, date) VALUES (1, ?1, ?2)")?
            .execute([turn, date])?;
        terms.iter().map(|term| self.place(term)).collect()
    }

    fn place(&self, term: &str) -> Result<Option<TermPlace>> {
        if !self.matches(&quoted(term))? {
            return Ok(None);
        }
        let in_turn = self.matches(&in_column("turn", &quoted(term)))?;
        Ok(Some(if in_turn {
            TermPlace::Turn
        } else {
            TermPlace::Date
        }))
    }

    fn matches(&self, expression: &str) -> Result<bool> {
        self.scratch
            .prepare_cached("SELECT 1 FROM said WHERE said MATCH ?1")?
            .exists([expression])
    }
}
