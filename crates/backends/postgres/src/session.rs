//! Connections: each with a count of the warnings that the server has sent, as one on COMMIT says that it may be lost.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use counterfoil_store::StoreError;
use deadpool::managed::{Manager, Metrics, Object, Pool, PoolError, RecycleError, RecycleResult};
use tokio_postgres::{AsyncMessage, Client, Config, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::address;
use crate::error::{failed, unavailable};
use crate::settings::GroundSettings;

pub(crate) const CONNECTING: &str = "connecting to the shared ground";

/// One connection.
pub(crate) struct Session {
    pub(crate) client: Arc<Client>,
    warnings: Arc<AtomicU64>,
    /// Statements that are prepared, by the place of their text in memory.
    prepared: Vec<(&'static str, Statement)>,
}

impl Session {
    /// Returns the number of warnings so far.
    pub(crate) fn warnings(&self) -> u64 {
        self.warnings.load(Ordering::Acquire)
    }

    /// Returns a statement, which is prepared once for each connection.
    pub(crate) async fn statement(
        &mut self,
        sql: &'static str,
    ) -> Result<Statement, tokio_postgres::Error> {
        if let Some((_, known)) = self
            .prepared
            .iter()
            .find(|(text, _)| std::ptr::eq(*text, sql))
        {
            return Ok(known.clone());
        }
        let prepared = self.client.prepare(sql).await?;
        self.prepared.push((sql, prepared.clone()));
        Ok(prepared)
    }
}

/// Makes the connections of one database.
pub(crate) struct Sessions {
    config: Config,
    tls: MakeRustlsConnect,
    set_up: String,
}

/// The connections of one database.
pub(crate) struct Database {
    pool: Pool<Sessions>,
    shown: String,
}

impl Database {
    pub(crate) fn new(url: &str, settings: &GroundSettings) -> Result<Self, StoreError> {
        let config = address::parse(url, settings)?;
        let (statement, lock) = (settings.statement.as_millis(), settings.lock.as_millis());
        let shown = address::shown(&config);
        let sessions = Sessions {
            config,
            tls: address::tls(settings.root_certificate.as_deref())?,
            set_up: format!(
                "SET statement_timeout = {statement}; SET lock_timeout = {lock}; \
                 SET idle_in_transaction_session_timeout = {statement}; \
                 SELECT set_config('synchronous_commit', 'on', false) \
                 WHERE current_setting('synchronous_commit') = 'off'"
            ),
        };
        let wait = settings.connect.saturating_add(settings.lock);
        let pool = Pool::builder(sessions)
            .max_size(settings.connections.max(1))
            .wait_timeout(Some(wait))
            .create_timeout(Some(
                settings.connect.saturating_add(Duration::from_secs(1)),
            ))
            .runtime(deadpool::Runtime::Tokio1)
            .build();
        let pool = pool.map_err(|error| unavailable(CONNECTING, error))?;
        Ok(Self { pool, shown })
    }

    /// The address, without user and password.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    pub(crate) async fn session(&self) -> Result<Object<Sessions>, StoreError> {
        self.pool.get().await.map_err(|error| {
            let error = match error {
                PoolError::Backend(error) => failed(CONNECTING, &error),
                PoolError::Timeout(_) => {
                    unavailable(CONNECTING, "no answer in time, or too few connections")
                }
                other => unavailable(CONNECTING, other),
            };
            match error {
                StoreError::Unavailable { doing, detail } => unavailable(
                    doing,
                    format_args!(
                        "{}: {detail}; check the address, and that the server runs",
                        self.shown
                    ),
                ),
                other => other,
            }
        })
    }
}

impl Manager for Sessions {
    type Type = Session;
    type Error = tokio_postgres::Error;

    async fn create(&self) -> Result<Session, Self::Error> {
        let (client, mut connection) = self.config.connect(self.tls.clone()).await?;
        let warnings = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&warnings);
        let read = poll_fn(move |context| {
            loop {
                match connection.poll_message(context) {
                    Poll::Ready(Some(Ok(AsyncMessage::Notice(notice)))) => {
                        if notice.severity() == "WARNING" || notice.code().code().starts_with("01")
                        {
                            counted.fetch_add(1, Ordering::Release);
                        }
                    }
                    Poll::Ready(Some(Ok(_))) => {}
                    Poll::Ready(None | Some(Err(_))) => return Poll::Ready(()),
                    Poll::Pending => return Poll::Pending,
                }
            }
        });
        tokio::spawn(read);
        client.batch_execute(&self.set_up).await?;
        Ok(Session {
            client: Arc::new(client),
            warnings,
            prepared: Vec::new(),
        })
    }

    async fn recycle(&self, session: &mut Session, _: &Metrics) -> RecycleResult<Self::Error> {
        match session.client.is_closed() {
            true => Err(RecycleError::message("the connection has ended")),
            false => Ok(()),
        }
    }
}
