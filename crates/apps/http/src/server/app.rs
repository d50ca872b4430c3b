//! What all routes share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Semaphore;

use super::addresses::Addresses;
use super::card::CardCache;
use super::cooling::Cooling;
use super::metrics::Metrics;
use super::{LogFiles, Responder, ServerLimits};

/// What all routes share.
pub(super) struct App {
    pub(super) responder: Arc<dyn Responder>,
    pub(super) log: Arc<dyn LogFiles>,
    pub(super) limits: ServerLimits,
    pub(super) behind_proxy: bool,
    /// The URL by which others reach this server.
    pub(super) url: String,
    pub(super) addresses: Addresses,
    pub(super) cooling: Cooling,
    pub(super) answers: Semaphore,
    pub(super) large_bodies: Semaphore,
    pub(super) card: CardCache,
    pub(super) metrics: Metrics,
    pub(super) stopping: AtomicBool,
}

impl App {
    pub(super) fn new(
        (responder, log): (Arc<dyn Responder>, Arc<dyn LogFiles>),
        limits: ServerLimits,
        (url, behind_proxy): (String, bool),
    ) -> Self {
        Self {
            responder,
            log,
            limits,
            behind_proxy,
            url,
            addresses: Addresses::new(&limits),
            cooling: Cooling::default(),
            answers: Semaphore::new(limits.answers),
            large_bodies: Semaphore::new(limits.large_bodies),
            card: CardCache::default(),
            metrics: Metrics::new(),
            stopping: AtomicBool::new(false),
        }
    }

    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }
}
