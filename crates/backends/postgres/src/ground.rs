//! The ground of many logs in one database, and that of one of them.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use counterfoil_life::commit::{Destination, Ground, GroundNode, GroundTxn, Outcome};
use counterfoil_store::StoreError;
use sha2::{Digest, Sha256};
use tokio::runtime::{Builder, Runtime};
use tokio::time::sleep;

use crate::error::{failed, unavailable};
use crate::migrate::{GROUND, KEYS, migrate, require};
use crate::session::Database;
use crate::settings::GroundSettings;
use crate::transaction::{
    ADD_KEYS, LogTransaction, READING, WRITING, column, destroy, get, key_columns,
};

/// Time between two looks for a commit whose outcome is not known.
const PAUSE: Duration = Duration::from_millis(200);

/// The logs in one database of PostgreSQL, and the connections of this process to it.
pub struct PostgresGround {
    runtime: Option<Runtime>,
    database: Database,
    keys: Option<Database>,
    settings: GroundSettings,
    /// True where this process has closed a log, and reads the last of it.
    has_closed: AtomicBool,
}

/// One log in a database, as one node has it.
pub struct LogGround {
    ground: Arc<PostgresGround>,
    id: [u8; 32],
    verifier_key: String,
    node: String,
    /// True once the place of the log and the node are known to be there.
    is_known: AtomicBool,
}

impl PostgresGround {
    /// The ground with these settings. Nothing is connected before it is used.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] for an address that is none, or a certificate that cannot be read.
    pub fn new(settings: GroundSettings) -> Result<Self, StoreError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("counterfoil-ground")
            .enable_all()
            .build()
            .map_err(|error| unavailable("starting the thread of the shared ground", error))?;
        let database = Database::new(&settings.url, &settings)?;
        let keys = settings.keys_url.as_ref();
        let keys = keys.map(|url| Database::new(url, &settings)).transpose()?;
        Ok(Self {
            runtime: Some(runtime),
            database,
            keys,
            settings,
            has_closed: AtomicBool::new(false),
        })
    }

    /// Makes the tables, or brings them to the newest version. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when the database cannot be reached, the role may not, or the tables are of a newer program.
    pub fn migrate(&self) -> Result<(), StoreError> {
        self.block(async {
            migrate(&self.database, GROUND).await?;
            migrate(self.keys.as_ref().unwrap_or(&self.database), KEYS).await
        })
    }

    /// Returns the setting for the durability of a commit (`synchronous_commit`), and the names of the standbys that it waits for; empty
    /// where it waits for none. Refuses tables of another version. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] as for [`migrate`](Self::migrate).
    pub fn durability(&self) -> Result<(String, String), StoreError> {
        self.block(async {
            require(&self.database, GROUND).await?;
            require(self.keys.as_ref().unwrap_or(&self.database), KEYS).await?;
            let session = self.database.session().await?;
            let sql = "SELECT current_setting('synchronous_commit'), \
                       coalesce(current_setting('synchronous_standby_names', true), '')";
            let row = session.client.query_one(sql, &[]).await;
            let row = row.map_err(|error| failed(READING, &error))?;
            Ok((get(&row, 0)?, get(&row, 1)?))
        })
    }

    /// The address, without user and password.
    pub fn shown(&self) -> &str {
        self.database.shown()
    }

    /// Returns true if the keys of content have a database of their own: backups of the other one open nothing that was erased.
    pub const fn has_keys_apart(&self) -> bool {
        self.keys.is_some()
    }

    /// The log with this verifier key (C2SP vkey), for the node `node`.
    pub fn log(self: &Arc<Self>, verifier_key: &str, node: &str) -> LogGround {
        LogGround {
            ground: Arc::clone(self),
            id: Sha256::digest(verifier_key).into(),
            verifier_key: verifier_key.to_owned(),
            node: node.to_owned(),
            is_known: AtomicBool::new(false),
        }
    }

    fn block<T>(&self, work: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        let runtime = self.runtime.as_ref();
        let runtime = runtime.ok_or(StoreError::Bug("a ground after its end"))?;
        runtime.block_on(work)
    }
}

impl Drop for PostgresGround {
    fn drop(&mut self) {
        // It may be dropped by a task, where its threads cannot be waited for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl std::fmt::Debug for PostgresGround {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("PostgresGround")
            .field(&self.shown())
            .finish()
    }
}

impl std::fmt::Debug for LogGround {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("LogGround")
            .field(&self.verifier_key)
            .finish()
    }
}

impl LogGround {
    pub(crate) const fn id(&self) -> &[u8] {
        self.id.as_slice()
    }

    pub(crate) fn node(&self) -> &str {
        &self.node
    }

    pub(crate) fn database(&self) -> &Database {
        &self.ground.database
    }

    pub(crate) fn keys_database(&self) -> Option<&Database> {
        self.ground.keys.as_ref()
    }

    pub(crate) fn block<T>(
        &self,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        self.ground.block(work)
    }

    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &self.ground.runtime {
            drop(runtime.spawn(work));
        }
    }

    /// Tells nodes that listen that the log has grown. One that does not hear it looks from time to time.
    pub(crate) fn wake(&self) {
        let ground = Arc::clone(&self.ground);
        let log: String = self.id.iter().map(|byte| format!("{byte:02x}")).collect();
        self.spawn(async move {
            if let Ok(session) = ground.database.session().await {
                let sql = "SELECT pg_notify('counterfoil', $1)";
                drop(session.client.execute(sql, &[&log]).await);
            }
        });
    }

    /// Writes keys down before what they seal, where they have a database of their own.
    pub(crate) async fn add_keys_apart(
        &self,
        keys: &[(String, Vec<u8>)],
    ) -> Result<(), StoreError> {
        let Some(database) = self.keys_database().filter(|_| !keys.is_empty()) else {
            return Ok(());
        };
        let to = |error: tokio_postgres::Error| failed("writing the keys of content", &error);
        let mut session = database.session().await?;
        let statement = session.statement(ADD_KEYS).await.map_err(to)?;
        let (roots, slots, wrapped) = key_columns(keys);
        let warned = session.warnings();
        session
            .client
            .execute(&statement, &[&self.id(), &roots, &slots, &wrapped])
            .await
            .map_err(to)?;
        match session.warnings() == warned {
            true => Ok(()),
            false => Err(unavailable(
                "writing the keys of content",
                "they may be lost: do it again",
            )),
        }
    }

    /// Destroys the keys that an erasure has condemned, where they have a database of their own.
    pub(crate) async fn destroy_condemned(&self) -> Result<(), StoreError> {
        let Some(database) = self.keys_database() else {
            return Ok(());
        };
        let to = |error: tokio_postgres::Error| failed("destroying keys of content", &error);
        let ground = self.database().session().await?;
        let sql = "SELECT slot FROM counterfoil.condemned WHERE log_id = $1 LIMIT 10000";
        let found = ground.client.query(sql, &[&self.id()]).await.map_err(to)?;
        let slots = found.iter().map(|row| get(row, 0));
        let slots: Vec<String> = slots.collect::<Result<_, _>>()?;
        let keys = database.session().await?;
        destroy(&keys, self.id(), &slots).await.map_err(to)?;
        let sql = "DELETE FROM counterfoil.condemned WHERE log_id = $1 AND slot = ANY($2)";
        ground
            .client
            .execute(sql, &[&self.id(), &slots])
            .await
            .map_err(to)?;
        Ok(())
    }

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

    /// Refuses a log that goes on elsewhere: what is here would go stale without a sign.
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

    /// Looks for a commit under the lock of the head, and commits something small: what was committed before is then as durable.
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
