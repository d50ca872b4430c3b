//! State of the server that all requests share, and the ends of sessions and imports with their keys (MCP-3).

use std::sync::Arc;

use counterfoil::Memory;
use counterfoil_mcp::HttpServer;
use counterfoil_web::metrics::Metrics;
use tokio::sync::Semaphore;

use crate::jobs::Jobs;
use crate::keys::ApiKeys;

/// Requests that are answered at once; further ones wait.
const ANSWERS: usize = 32;
/// Bodies with proofs in memory at once.
const LARGE: usize = 4;
/// Exports at once.
const EXPORTS: usize = 4;

/// State that all requests share.
pub(crate) struct App {
    pub(crate) memory: Memory,
    pub(crate) keys: ApiKeys,
    pub(crate) hosts: Vec<String>,
    pub(crate) answers: Arc<Semaphore>,
    pub(crate) large: Semaphore,
    pub(crate) mcp: HttpServer,
    pub(crate) jobs: Jobs,
    pub(crate) metrics: Metrics,
    pub(crate) exports: Arc<Semaphore>,
}

impl App {
    pub(crate) fn new(memory: Memory, keys: ApiKeys, hosts: Vec<String>) -> Self {
        let answers = Arc::new(Semaphore::new(ANSWERS));
        Self {
            mcp: HttpServer::new(memory.clone(), Arc::clone(&answers)),
            jobs: Jobs::default(),
            metrics: Metrics::default(),
            exports: Arc::new(Semaphore::new(EXPORTS)),
            memory,
            keys,
            hosts,
            answers,
            large: Semaphore::new(LARGE),
        }
    }

    /// Ends sessions, streams and imports of keys that were revoked or have expired. Of a file of keys that cannot be used all are.
    pub(crate) fn end_with_their_keys(&self) {
        if self.mcp.is_empty() && self.jobs.is_empty() {
            return;
        }
        let alive = self.keys.alive().unwrap_or_default();
        let is_alive = |id: &str| alive.iter().any(|key| key.id() == id);
        self.mcp.retain(is_alive);
        self.jobs.retain(is_alive);
    }

    /// Ends all sessions, streams and imports.
    pub(crate) fn end(&self) {
        self.mcp.retain(|_| false);
        self.jobs.end();
    }
}
