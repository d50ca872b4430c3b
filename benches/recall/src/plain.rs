//! What ours is compared with: BM25 over one column, all words of the question, stemmed.

use anyhow::Result;
use rusqlite::{Connection, params};

use crate::corpus::Corpus;

/// Plain full text over the turns' texts.
pub struct Plain {
    connection: Connection,
}

impl Plain {
    /// Indexes the texts of a corpus, in memory.
    ///
    /// # Errors
    /// When SQLite can't.
    pub fn of(corpus: &Corpus) -> Result<Self> {
        let connection = Connection::open_in_memory()?;
        connection
            .execute_batch("CREATE VIRTUAL TABLE turn USING fts5(text, tokenize = 'porter')")?;
        let mut insert = connection.prepare("INSERT INTO turn (rowid, text) VALUES (?1, ?2)")?;
        for (row, turn) in (0_i64..).zip(&corpus.turns) {
            insert.execute(params![row, turn.text])?;
        }
        drop(insert);
        Ok(Self { connection })
    }

    /// The best `limit` turns for any of the question's words.
    ///
    /// # Errors
    /// When SQLite can't.
    pub fn search(&self, question: &str, limit: usize) -> Result<Vec<usize>> {
        let words: Vec<String> = question
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(|word| format!("\"{word}\""))
            .collect();
        let mut statement = self.connection.prepare_cached(
            "SELECT rowid FROM turn WHERE turn MATCH ?1 ORDER BY bm25(turn), rowid LIMIT ?2",
        )?;
        let rows = statement
            .query_map(params![words.join(" OR "), i64::try_from(limit)?], |row| {
                row.get::<_, i64>(0)
            })?
            .collect::<Result<Vec<i64>, _>>()?;
        Ok(rows
            .into_iter()
            .map(usize::try_from)
            .collect::<Result<_, _>>()?)
    }
}
