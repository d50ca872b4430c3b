//! The port that exchanges ask: what is found at the URLs of each memory (R11; docs/format/exchange.md §8.3).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use async_trait::async_trait;
use counterfoil_exchange::checks::EvidenceFinding;
use counterfoil_exchange::documents::Evidence;
use counterfoil_exchange::trust::Level;
use counterfoil_peer::asking::EvidenceSource;
use reqwest::Certificate;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::budget::{Asked, Budget, Limits};
use crate::client::{Dial, Found, Resolve, SystemResolver, get};
use crate::target::Target;

/// Fetches evidence. One for a process: it holds what it has fetched and whom it has asked.
pub struct Fetcher {
    resolver: Arc<dyn Resolve>,
    dial: Dial,
    limits: Limits,
    at_once: Semaphore,
    budget: Mutex<Budget>,
}

/// With what a [`Fetcher`] is made.
pub struct FetchSetup {
    /// How much is fetched.
    pub limits: Limits,
    /// Who turns names into addresses.
    pub resolver: Arc<dyn Resolve>,
    /// Roots that are trusted beside the system's.
    pub roots: Vec<Certificate>,
}

impl Default for FetchSetup {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            resolver: Arc::new(SystemResolver),
            roots: Vec::new(),
        }
    }
}

impl Fetcher {
    /// Fetches so.
    #[must_use]
    pub fn new(setup: FetchSetup) -> Self {
        Self {
            resolver: setup.resolver,
            dial: Dial::trusting(setup.roots),
            limits: setup.limits,
            at_once: Semaphore::new(setup.limits.at_once),
            budget: Mutex::default(),
        }
    }

    /// What is found at one URL.
    async fn one(&self, evidence: &Evidence) -> EvidenceFinding {
        let Some(target) = Target::read(evidence.url.as_str()) else {
            return EvidenceFinding::NotFetched;
        };
        let expected = evidence.hash.map(|hash| *hash.as_bytes());
        let asked: Asked = (target.url().as_str().to_owned(), expected);
        if let Some(known) = self.budget().known(&asked, Instant::now(), &self.limits) {
            return known;
        }
        let found = timeout(self.limits.time, self.follow(target)).await;
        let finding = match found.unwrap_or(Found::Unavailable) {
            Found::Body(hash) => match expected {
                None => EvidenceFinding::Weak,
                Some(expected) if expected == hash => EvidenceFinding::Fits,
                Some(_) => EvidenceFinding::Mismatch,
            },
            Found::Gone => EvidenceFinding::Dead,
            Found::Forbidden => EvidenceFinding::NotFetched,
            Found::Elsewhere(_) | Found::Unavailable => EvidenceFinding::Unreachable,
        };
        self.budget().hold(asked, finding, Instant::now());
        finding
    }

    /// Follows redirects, each judged, resolved and counted anew.
    async fn follow(&self, first: Target) -> Found {
        let Ok(_turn) = self.at_once.acquire().await else {
            return Found::Unavailable;
        };
        let mut target = first;
        for _ in 0..=self.limits.redirects {
            if !self
                .budget()
                .take(target.host(), Instant::now(), &self.limits)
            {
                return Found::Unavailable;
            }
            let of_one = (self.limits.bytes, self.limits.time);
            match get(&target, self.resolver.as_ref(), &self.dial, of_one).await {
                Found::Elsewhere(next) => target = next,
                found => return found,
            }
        }
        Found::Unavailable
    }

    fn budget(&self) -> std::sync::MutexGuard<'_, Budget> {
        self.budget.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl EvidenceSource for Fetcher {
    /// Of a memory with several URLs what speaks against it counts, then one that fits, then what shows less.
    async fn look(&self, memories: &[&[Evidence]], level: Level) -> Vec<EvidenceFinding> {
        let mut left = self.limits.urls;
        let mut findings = Vec::with_capacity(memories.len());
        for evidence in memories {
            let mut finding = EvidenceFinding::NotFetched;
            for one in evidence.iter().filter(|_| level >= Level::Identified) {
                if left == 0 {
                    break;
                }
                left -= 1;
                finding = worse(finding, self.one(one).await);
            }
            findings.push(finding);
        }
        findings
    }
}

/// The one that counts of two.
fn worse(one: EvidenceFinding, other: EvidenceFinding) -> EvidenceFinding {
    let weight = |finding| match finding {
        EvidenceFinding::NotFetched => 0,
        EvidenceFinding::Unreachable => 1,
        EvidenceFinding::Weak => 2,
        EvidenceFinding::Fits => 3,
        EvidenceFinding::Dead => 4,
        EvidenceFinding::Mismatch => 5,
    };
    if weight(other) > weight(one) {
        other
    } else {
        one
    }
}

#[cfg(test)]
mod tests;
