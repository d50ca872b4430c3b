//! The log in the ground, for a node: read, locked, settled, confirmed.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use counterfoil_life::ground::{Destination, Ground, GroundNode, GroundTxn, Outcome};
use counterfoil_store::StoreError;
use sha2::{Digest, Sha256};
use tokio::time::sleep;

use crate::engine::LogGround;
use crate::error::{failed, unavailable};
use crate::migrate::{GROUND, require};
use crate::row::{READING, WRITING, column, get};
use crate::transaction::LogTransaction;

/// Time between two looks for a commit whose outcome is not known.
const PAUSE: Duration = Duration::from_millis(200);

impl LogGround {
    /// Takes another node out of the list that erasures wait for. Returns false where there is none of that name. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when it cannot be written.
    pub fn forget(&self, node: &str) -> Result<bool, StoreError> {
        match node == self.node {
            true => Ok(false),
            false => self.take_out(node),
        }
    }

    /// Takes this node out of the list. Blocks.
    ///
    /// # Errors
    /// As [`LogGround::forget`].
    pub fn leave(&self) -> Result<(), StoreError> {
        self.take_out(&self.node).map(drop)
    }

    fn take_out(&self, node: &str) -> Result<bool, StoreError> {
        self.block(async {
            let sql = "DELETE FROM counterfoil.node WHERE log_id = $1 AND name = $2";
            let session = self.database().session().await?;
            let gone = session.client.execute(sql, &[&self.id(), &node]).await;
            Ok(gone.map_err(|error| failed(WRITING, &error))? > 0)
        })
    }

    /// Closes the log: no node writes to it any more. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when it cannot be written.
    pub fn close(&self) -> Result<(), StoreError> {
        self.block(async {
            let sql = "UPDATE counterfoil.log SET closed = true WHERE log_id = $1";
            let session = self.database().session().await?;
            let closed = session.client.execute(sql, &[&self.id()]).await;
            closed.map_err(|error| failed(WRITING, &error))?;
            self.ground.has_closed.store(true, Ordering::SeqCst);
            Ok(())
        })
    }

    /// Makes the place of the log, and that of the node, where they are missing.
    async fn make_places(&self) -> Result<(), StoreError> {
        if self.is_known.load(Ordering::Relaxed) {
            return Ok(());
        }
        require(self.database(), GROUND).await?;
        let to = |error: tokio_postgres::Error| failed(WRITING, &error);
        let session = self.database().session().await?;
        let root: Vec<u8> = Sha256::digest([]).to_vec();
        let sql = "INSERT INTO counterfoil.log (log_id, verifier_key, number, id, size, root, checkpoint) \
                   VALUES ($1, $2, 0, '', 0, $3, '') ON CONFLICT DO NOTHING";
        session
            .client
            .execute(sql, &[&self.id(), &self.verifier_key, &root])
            .await
            .map_err(to)?;
        let sql = "INSERT INTO counterfoil.node (log_id, name, number) VALUES ($1, $2, 0) ON CONFLICT DO NOTHING";
        session
            .client
            .execute(sql, &[&self.id(), &self.node])
            .await
            .map_err(to)?;
        self.is_known.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Refuses a log that goes on elsewhere: this node would go stale without a sign.
    fn must_be_open(
        &self,
        begun: &LogTransaction<'_>,
        doing: &'static str,
    ) -> Result<(), StoreError> {
        match begun.found().is_some_and(|found| found.is_closed) {
            true => Err(unavailable(
                doing,
                "the log was moved out of it into a folder of its own, where it goes on",
            )),
            false => Ok(()),
        }
    }

    /// Looks for a commit under the lock of the head, and commits something small: all commits before it are then as durable.
    async fn look_for(&self, number: u64, id: &str) -> Result<bool, StoreError> {
        let mut transaction = LogTransaction::begin(self, true).await?;
        let is_there = transaction.name_of(number).await?.as_deref() == Some(id);
        let sql = "UPDATE counterfoil.log SET settled = settled + 1 WHERE log_id = $1";
        let settled = transaction
            .session()?
            .client
            .execute(sql, &[&self.id()])
            .await;
        settled.map_err(|error| failed(WRITING, &error))?;
        match transaction.end().await {
            Outcome::Committed => Ok(is_there),
            _ => Err(unavailable(WRITING, "the standby has not confirmed it")),
        }
    }
}

impl Ground for LogGround {
    fn lock(&self) -> Result<Box<dyn GroundTxn + '_>, StoreError> {
        let locked = self.block(async {
            self.make_places().await?;
            let locked = LogTransaction::begin(self, true).await?;
            self.must_be_open(&locked, WRITING)?;
            if locked.found().is_some_and(|found| found.has_condemned) {
                self.destroy_condemned().await?;
            }
            Ok(locked)
        })?;
        Ok(Box::new(locked))
    }

    fn read(&self) -> Result<Box<dyn GroundTxn + '_>, StoreError> {
        let read = self.block(async {
            self.make_places().await?;
            let read = LogTransaction::begin(self, false).await?;
            if !self.ground.has_closed.load(Ordering::SeqCst) {
                self.must_be_open(&read, READING)?;
            }
            Ok(read)
        })?;
        Ok(Box::new(read))
    }

    fn settle(&self, number: u64, id: &str) -> Result<bool, StoreError> {
        let until = Instant::now() + self.ground.settings.settle;
        self.block(async {
            loop {
                match self.look_for(number, id).await {
                    Ok(is_there) => return Ok(is_there),
                    Err(error) if Instant::now() >= until => {
                        let detail = format!("its outcome is not known: {error}");
                        return Err(StoreError::NotConfirmed { detail });
                    }
                    Err(error) => {
                        tracing::warn!(%error, "a commit to the shared ground is looked for")
                    }
                }
                sleep(PAUSE).await;
            }
        })
    }

    fn confirm(&self, number: u64) -> Result<(), StoreError> {
        self.block(async {
            let number = column(number)?;
            let sql = "INSERT INTO counterfoil.node (log_id, name, number) VALUES ($1, $2, $3) \
                       ON CONFLICT (log_id, name) DO UPDATE SET at = current_timestamp, \
                       number = greatest(node.number, EXCLUDED.number)";
            let session = self.database().session().await?;
            let noted = session
                .client
                .execute(sql, &[&self.id(), &self.node, &number])
                .await;
            noted.map(drop).map_err(|error| failed(WRITING, &error))
        })
    }

    fn copies(&self) -> Result<Vec<Destination>, StoreError> {
        let others = self
            .nodes()?
            .into_iter()
            .filter(|node| node.name != self.node);
        let others = others.map(|node| Destination {
            folder: format!("node {}", node.name),
            keys: None,
            obstacle: (!node.has_confirmed).then(|| {
                "it has not taken the erasure in yet: it will when it runs next; `counterfoil reach nodes` shows it".to_owned()
            }),
        });
        let left = match self.ground.has_keys_apart() {
            true => self.block(self.destroy_condemned()).err().map(|error| {
                format!("its keys are not destroyed ({error}): erase again once they can be reached")
            }),
            false => Some(
                "its keys lie in the same database: copies of that from before the erasure still give the content".to_owned(),
            ),
        };
        let itself = Destination {
            folder: self.ground.shown().to_owned(),
            keys: self.keys_database().map(|keys| keys.shown().to_owned()),
            obstacle: left,
        };
        Ok([itself].into_iter().chain(others).collect())
    }

    fn nodes(&self) -> Result<Vec<GroundNode>, StoreError> {
        self.block(async {
            let sql = "SELECT n.name, n.number >= l.erased, n.at FROM counterfoil.node n \
                       JOIN counterfoil.log l ON l.log_id = n.log_id WHERE n.log_id = $1 ORDER BY n.name LIMIT 10000";
            let session = self.database().session().await?;
            let rows = session.client.query(sql, &[&self.id()]).await;
            let rows = rows.map_err(|error| failed(READING, &error))?;
            let read = |row: &tokio_postgres::Row| {
                let at: SystemTime = get(row, 2)?;
                let at = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
                Ok(GroundNode {
                    name: get(row, 0)?,
                    has_confirmed: get(row, 1)?,
                    at: u64::try_from(at).unwrap_or(u64::MAX),
                })
            };
            rows.iter().map(read).collect()
        })
    }
}
