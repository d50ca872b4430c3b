//! The logs of one database, and one of them.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use counterfoil_store::StoreError;
use sha2::{Digest, Sha256};
use tokio::runtime::{Builder, Runtime};
use tokio::task::AbortHandle;

use crate::error::{failed, unavailable};
use crate::keys::{ADD_KEYS, destroy, key_columns};
use crate::migrate::{GROUND, KEYS, migrate, require};
use crate::row::{READING, get};
use crate::session::Database;
use crate::settings::GroundSettings;

/// The logs in one database of PostgreSQL, and the connections of this process to it.
pub struct PostgresGround {
    runtime: Option<Runtime>,
    pub(crate) database: Database,
    pub(crate) keys: Option<Database>,
    pub(crate) settings: GroundSettings,
    /// True where this process has closed a log, and reads the last of it.
    pub(crate) has_closed: AtomicBool,
}

/// One log in a database, as one node has it.
pub struct LogGround {
    pub(crate) ground: Arc<PostgresGround>,
    id: [u8; 32],
    pub(crate) verifier_key: String,
    pub(crate) node: String,
    /// True once the place of the log and the node are known to be there.
    pub(crate) is_known: AtomicBool,
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

    /// Runs work apart from the caller.
    pub(crate) fn spawn(
        &self,
        work: impl Future<Output = ()> + Send + 'static,
    ) -> Option<AbortHandle> {
        let runtime = self.ground.runtime.as_ref()?;
        Some(runtime.spawn(work).abort_handle())
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
}
