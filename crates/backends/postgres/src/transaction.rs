//! Transactions of one log.

use std::sync::Arc;

use counterfoil_life::ground::{
    GroundCommit, GroundHead, GroundRow, GroundTxn, Outcome, WrappedKey,
};
use counterfoil_store::StoreError;
use counterfoil_types::Sha256Hash;
use deadpool::managed::Object;
use tokio::task::AbortHandle;
use tokio::time::sleep;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::engine::LogGround;
use crate::error::{failed, is_outcome_unknown, unavailable};
use crate::keys::{ADD_KEYS, KEYS, destroy, key_columns, root_of};
use crate::row::{READING, WRITING, column, get, number};
use crate::session::{Session, Sessions};

/// Head of a log, its last erasure, and the last one that this node has confirmed.
macro_rules! head {
    ($end:literal) => {
        concat!(
            "SELECT l.number, l.id, l.size, l.root, l.checkpoint, l.erased, \
             (SELECT n.number FROM counterfoil.node n WHERE n.log_id = l.log_id AND n.name = $2), \
             EXISTS (SELECT 1 FROM counterfoil.condemned c WHERE c.log_id = l.log_id), l.closed \
             FROM counterfoil.log l WHERE l.log_id = $1",
            $end
        )
    };
}
const HEAD: &str = head!("");
const LOCKED_HEAD: &str = head!(" FOR UPDATE OF l");

/// Moves the head from one commit to the next, and adds entries and rows; nothing at all where the head is another one.
const COMMIT: &str = "WITH moved AS (
    UPDATE counterfoil.log SET number = $2::bigint, id = $3, size = $4, root = $5, checkpoint = $6,
        erased = CASE WHEN $7 THEN $2::bigint ELSE erased END
    WHERE log_id = $1 AND number = $2::bigint - 1 AND id = $8 AND size = $9 RETURNING 1
), noted AS (
    INSERT INTO counterfoil.commit (log_id, number, id, size, root, node)
    SELECT $1, $2, $3, $4, $5, $10 FROM moved
), added AS (
    INSERT INTO counterfoil.entry (log_id, idx, line)
    SELECT $1, e.idx, e.line FROM moved, unnest($11::bigint[], $12::text[]) AS e (idx, line)
), changed AS (
    INSERT INTO counterfoil.beside (log_id, part, key, number, place, gone, line)
    SELECT $1, b.part, b.key, $2, b.place, b.gone, b.line
    FROM moved, unnest($13::text[], $14::text[], $15::bigint[], $16::boolean[], $17::text[])
        AS b (part, key, place, gone, line)
    ON CONFLICT (log_id, part, key) DO UPDATE
    SET number = EXCLUDED.number, place = EXCLUDED.place, gone = EXCLUDED.gone, line = EXCLUDED.line
) SELECT count(*) FROM moved";

const ADD_ENTRIES: &str = "INSERT INTO counterfoil.entry (log_id, idx, line)
    SELECT $1, e.idx, e.line FROM unnest($2::bigint[], $3::text[]) AS e (idx, line)";

const CHANGE_ENTRIES: &str = "UPDATE counterfoil.entry SET line = e.line
    FROM unnest($2::bigint[], $3::text[]) AS e (idx, line) WHERE entry.log_id = $1 AND entry.idx = e.idx";

const CONDEMN: &str = "INSERT INTO counterfoil.condemned (log_id, slot)
    SELECT $1, s.slot FROM unnest($2::text[]) AS s (slot) ON CONFLICT DO NOTHING";

const COMMIT_NAME: &str = "SELECT id FROM counterfoil.commit WHERE log_id = $1 AND number = $2";

const ENTRIES: &str = "SELECT idx, line FROM counterfoil.entry
    WHERE log_id = $1 AND idx >= $2 ORDER BY idx LIMIT $3";

const ROWS: &str = "SELECT number, place, part, key, gone, line FROM counterfoil.beside
    WHERE log_id = $1 AND (number, place) > ($2, $3) ORDER BY number, place LIMIT $4";
const ROWS_OF: &str = "SELECT number, place, part, key, gone, line FROM counterfoil.beside
    WHERE log_id = $1 AND (number, place) > ($2, $3) AND part = $5 ORDER BY number, place LIMIT $4";

/// A transaction; dropped, it changes nothing.
pub(crate) struct LogTransaction<'g> {
    ground: &'g LogGround,
    session: Option<Object<Sessions>>,
    /// Keeps the server from ending the transaction while jobs run. A node that has stopped keeps nothing.
    keeper: Option<AbortHandle>,
    found: Option<FoundHead>,
}

pub(crate) struct FoundHead {
    head: Option<GroundHead>,
    erased: i64,
    confirmed: Option<i64>,
    pub(crate) has_condemned: bool,
    pub(crate) is_closed: bool,
}

impl<'g> LogTransaction<'g> {
    /// Begins a transaction with the head of the log, which it holds if it `locks` it.
    pub(crate) async fn begin(ground: &'g LogGround, locks: bool) -> Result<Self, StoreError> {
        let mut session = ground.database().session().await?;
        let (begin, sql) = match locks {
            true => ("BEGIN ISOLATION LEVEL READ COMMITTED", LOCKED_HEAD),
            false => ("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", HEAD),
        };
        let to = |error: tokio_postgres::Error| failed(READING, &error);
        let head = session.statement(sql).await.map_err(to)?;
        let mut transaction = Self {
            ground,
            keeper: locks.then(|| kept(ground, &session)).flatten(),
            session: Some(session),
            found: None,
        };
        let session = transaction.session()?;
        let key: [&(dyn ToSql + Sync); 2] = [&ground.id(), &ground.node()];
        let (begun, found) = tokio::join!(
            biased;
            session.client.batch_execute(begin),
            session.client.query_opt(&head, &key)
        );
        begun.map_err(to)?;
        transaction.found = found.map_err(to)?.map(|row| found_head(&row)).transpose()?;
        Ok(transaction)
    }

    pub(crate) const fn found(&self) -> Option<&FoundHead> {
        self.found.as_ref()
    }

    pub(crate) fn session(&mut self) -> Result<&mut Session, StoreError> {
        let session = self
            .session
            .as_mut()
            .ok_or(StoreError::Bug("a transaction after its end"))?;
        Ok(&mut *session)
    }

    fn take_session(&mut self) -> Option<Object<Sessions>> {
        if let Some(keeper) = self.keeper.take() {
            keeper.abort();
        }
        self.session.take()
    }

    async fn list(
        &mut self,
        sql: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, StoreError> {
        let to = |error: tokio_postgres::Error| failed(READING, &error);
        let session = self.session()?;
        let statement = session.statement(sql).await.map_err(to)?;
        session.client.query(&statement, values).await.map_err(to)
    }

    pub(crate) async fn name_of(&mut self, number: u64) -> Result<Option<String>, StoreError> {
        let (log, number) = (self.ground.id().to_vec(), column(number)?);
        let found = self.list(COMMIT_NAME, &[&log, &number]).await?;
        found.first().map(|row| get(row, 0)).transpose()
    }

    /// Ends the transaction with COMMIT and returns its outcome: a warning says that it may be on no standby.
    pub(crate) async fn end(&mut self) -> Outcome {
        let Some(session) = self.take_session() else {
            return Outcome::Unknown;
        };
        let before = session.warnings();
        match session.client.batch_execute("COMMIT").await {
            Ok(()) if session.warnings() == before => Outcome::Committed,
            Ok(()) => Outcome::Unknown,
            Err(error) if is_outcome_unknown(&error) => Outcome::Unknown,
            Err(_) => Outcome::Moved,
        }
    }

    async fn write(&mut self, commit: &GroundCommit) -> Result<Outcome, StoreError> {
        let to = |error: tokio_postgres::Error| failed(WRITING, &error);
        let (ground, log) = (self.ground, self.ground.id());
        ground.add_keys_apart(&commit.keys).await?;
        let changed = changed_entries(commit)?;
        let erases = !commit.destroyed.is_empty();
        let is_all = !erases && changed.0.is_empty();
        let sent = self.send(commit, is_all).await?;
        if is_all || sent != Outcome::Committed {
            return Ok(sent);
        }
        let is_apart = ground.keys_database().is_some();
        let session = self.session()?;
        let condemned: [&(dyn ToSql + Sync); 2] = [&log, &commit.destroyed];
        let client = &session.client;
        match (erases, is_apart) {
            (false, _) => {}
            (true, true) => drop(client.execute(CONDEMN, &condemned).await.map_err(to)?),
            (true, false) => destroy(session, log, &commit.destroyed).await.map_err(to)?,
        }
        let values: [&(dyn ToSql + Sync); 3] = [&log, &changed.0, &changed.1];
        client.execute(CHANGE_ENTRIES, &values).await.map_err(to)?;
        let outcome = self.end().await;
        if outcome == Outcome::Committed && is_apart && erases {
            // What is left is destroyed before the next commit.
            drop(ground.destroy_condemned().await);
        }
        Ok(outcome)
    }

    /// Sends the parts that most commits have, and `ends` the transaction with it: one round trip. Where the head has moved nothing is
    /// written, and COMMIT keeps nothing.
    async fn send(&mut self, commit: &GroundCommit, ends: bool) -> Result<Outcome, StoreError> {
        let to = |error: tokio_postgres::Error| failed(WRITING, &error);
        let (ground, log) = (self.ground, self.ground.id());
        let (before, after) = (commit.before.as_ref(), &commit.after);
        let (number, size) = (column(after.number)?, column(after.size)?);
        let before_id = before.map_or("", |head| head.id.as_str());
        let before_size = column(before.map_or(0, |head| head.size))?;
        let (erases, root) = (
            !commit.destroyed.is_empty(),
            after.root.as_bytes().as_slice(),
        );
        let ((indices, lines), rows) = (entry_columns(&commit.entries)?, RowColumns::of(commit)?);
        let values: [&(dyn ToSql + Sync); 17] = [
            &log,
            &number,
            &after.id,
            &size,
            &root,
            &after.checkpoint,
            &erases,
            &before_id,
            &before_size,
            &ground.node(),
            &indices,
            &lines,
            &rows.part,
            &rows.key,
            &rows.place,
            &rows.gone,
            &rows.line,
        ];
        let adds_keys = ground.keys_database().is_none() && !commit.keys.is_empty();
        let session = self.session()?;
        let moved = session.statement(COMMIT).await.map_err(to)?;
        let add_keys = match adds_keys {
            true => Some(session.statement(ADD_KEYS).await.map_err(to)?),
            false => None,
        };
        let (roots, slots, wrapped) = key_columns(&commit.keys);
        let key_values: [&(dyn ToSql + Sync); 4] = [&log, &roots, &slots, &wrapped];
        let (client, warned) = (&session.client, session.warnings());
        let add = async {
            match &add_keys {
                Some(statement) => client.execute(statement, &key_values).await.map(drop),
                None => Ok(()),
            }
        };
        let end = async {
            match ends {
                true => client.batch_execute("COMMIT").await,
                false => Ok(()),
            }
        };
        let sent = tokio::join!(biased; client.query_one(&moved, &values), add, end);
        let is_warned = session.warnings() != warned;
        if ends {
            drop(self.take_session());
        }
        match sent {
            (Ok(row), Ok(()), Ok(())) => Ok(match get::<i64>(&row, 0)? {
                1 if ends && is_warned => Outcome::Unknown,
                1 => Outcome::Committed,
                _ => Outcome::Moved,
            }),
            // COMMIT of a transaction that has failed is a ROLLBACK.
            (Err(error), _, Ok(())) | (_, Err(error), Ok(())) => Err(to(error)),
            (_, _, Err(error)) if !is_outcome_unknown(&error) => Ok(Outcome::Moved),
            _ => Ok(Outcome::Unknown),
        }
    }
}

/// Says from time to time that a transaction is not left alone, until it is ended.
fn kept(ground: &LogGround, session: &Session) -> Option<AbortHandle> {
    let (client, limit) = (
        Arc::clone(&session.client),
        ground.ground.settings.statement,
    );
    ground.spawn(async move {
        loop {
            sleep(limit / 3).await;
            if client.batch_execute("SELECT 1").await.is_err() {
                return;
            }
        }
    })
}

impl Drop for LogTransaction<'_> {
    fn drop(&mut self) {
        if let Some(session) = self.take_session() {
            let _ = self.ground.spawn(async move {
                // A connection that is lost has ended the transaction.
                drop(session.client.batch_execute("ROLLBACK").await);
                drop(session);
            });
        }
    }
}

/// Columns of the rows of a commit.
#[derive(Default)]
struct RowColumns<'c> {
    part: Vec<&'c str>,
    key: Vec<&'c str>,
    place: Vec<i64>,
    gone: Vec<bool>,
    line: Vec<&'c str>,
}

impl<'c> RowColumns<'c> {
    fn of(commit: &'c GroundCommit) -> Result<Self, StoreError> {
        let mut columns = Self::default();
        for row in &commit.rows {
            columns.part.push(&row.part);
            columns.key.push(&row.key);
            columns.place.push(column(row.at.1)?);
            columns.gone.push(row.gone);
            columns.line.push(&row.line);
        }
        Ok(columns)
    }
}

fn entry_columns(entries: &[(u64, String)]) -> Result<(Vec<i64>, Vec<&str>), StoreError> {
    let columns = entries
        .iter()
        .map(|(index, line)| Ok((column(*index)?, line.as_str())));
    columns.collect()
}

/// Returns log index and line of the entries that a commit changes: the words of those that are erased are not in the table any more.
fn changed_entries(commit: &GroundCommit) -> Result<(Vec<i64>, Vec<&str>), StoreError> {
    let mut changed = (Vec::new(), Vec::new());
    for row in commit.rows.iter().filter(|row| row.part == "entry") {
        let index = row.key.trim_matches(['[', ']']).parse();
        changed
            .0
            .push(index.map_err(|_| StoreError::Bug("an entry without a log index"))?);
        changed.1.push(row.line.as_str());
    }
    Ok(changed)
}

fn found_head(row: &Row) -> Result<FoundHead, StoreError> {
    let number_of_commit = number(row, 0)?;
    let root: [u8; 32] = get::<&[u8]>(row, 3)?
        .try_into()
        .map_err(|_| unavailable(READING, "a root has another length"))?;
    let head = GroundHead {
        number: number_of_commit,
        id: get(row, 1)?,
        size: number(row, 2)?,
        root: Sha256Hash::from_bytes(root),
        checkpoint: get(row, 4)?,
    };
    Ok(FoundHead {
        // A log whose place was made, and nothing more.
        head: (number_of_commit > 0).then_some(head),
        erased: get(row, 5)?,
        confirmed: get(row, 6)?,
        has_condemned: get(row, 7)?,
        is_closed: get(row, 8)?,
    })
}

impl GroundTxn for LogTransaction<'_> {
    fn head(&self) -> Option<&GroundHead> {
        self.found.as_ref()?.head.as_ref()
    }

    fn is_erasure_due(&self) -> bool {
        let found = self.found.as_ref();
        found.is_some_and(|found| found.erased > found.confirmed.unwrap_or(0))
    }

    fn id_of(&mut self, number: u64) -> Result<Option<String>, StoreError> {
        self.ground.block(self.name_of(number))
    }

    fn entries(&mut self, from: u64, count: usize) -> Result<Vec<(u64, String)>, StoreError> {
        let ground = self.ground;
        let (log, from, count) = (ground.id(), column(from)?, limit(count));
        let rows = ground.block(self.list(ENTRIES, &[&log, &from, &count]))?;
        rows.iter()
            .map(|row| Ok((number(row, 0)?, get(row, 1)?)))
            .collect()
    }

    fn rows(
        &mut self,
        part: Option<&str>,
        after: (u64, u64),
        count: usize,
    ) -> Result<Vec<GroundRow>, StoreError> {
        let ground = self.ground;
        let (log, at, count) = (ground.id(), column(after.0)?, limit(count));
        let place = i64::try_from(after.1).unwrap_or(i64::MAX);
        let rows = match part {
            None => ground.block(self.list(ROWS, &[&log, &at, &place, &count]))?,
            Some(part) => ground.block(self.list(ROWS_OF, &[&log, &at, &place, &count, &part]))?,
        };
        let read = |row: &Row| {
            Ok(GroundRow {
                at: (number(row, 0)?, number(row, 1)?),
                part: get(row, 2)?,
                key: get(row, 3)?,
                gone: get(row, 4)?,
                line: get(row, 5)?,
            })
        };
        rows.iter().map(read).collect()
    }

    fn keys(&mut self, slots: &[String]) -> Result<Vec<WrappedKey>, StoreError> {
        let ground = self.ground;
        let log = ground.id();
        let mut roots: Vec<&str> = slots.iter().map(|slot| root_of(slot)).collect();
        roots.dedup();
        let rows = match ground.keys_database() {
            None => ground.block(self.list(KEYS, &[&log, &roots]))?,
            Some(keys) => ground.block(async {
                let mut session = keys.session().await?;
                let to =
                    |error: tokio_postgres::Error| failed("reading the keys of content", &error);
                let statement = session.statement(KEYS).await.map_err(to)?;
                session
                    .client
                    .query(&statement, &[&log, &roots])
                    .await
                    .map_err(to)
            })?,
        };
        rows.iter()
            .map(|row| Ok((get(row, 0)?, get(row, 1)?)))
            .collect()
    }

    fn add(
        &mut self,
        entries: &[(u64, String)],
        keys: &[(String, Vec<u8>)],
    ) -> Result<(), StoreError> {
        let ground = self.ground;
        ground.block(async {
            let to = |error: tokio_postgres::Error| failed(WRITING, &error);
            ground.add_keys_apart(keys).await?;
            let is_apart = ground.keys_database().is_some();
            let (indices, lines) = entry_columns(entries)?;
            let log = ground.id();
            let session = self.session()?;
            session
                .client
                .execute(ADD_ENTRIES, &[&log, &indices, &lines])
                .await
                .map_err(to)?;
            if !is_apart {
                let (roots, slots, wrapped) = key_columns(keys);
                session
                    .client
                    .execute(ADD_KEYS, &[&log, &roots, &slots, &wrapped])
                    .await
                    .map_err(to)?;
            }
            Ok(())
        })
    }

    fn commit(mut self: Box<Self>, commit: &GroundCommit) -> Result<Outcome, StoreError> {
        let ground = self.ground;
        ground.block(self.write(commit))
    }
}

fn limit(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
