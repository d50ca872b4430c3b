//! Implementation of the port [`EvidenceSource`]: findings for the URLs of each memory (R11; docs/format/exchange.md §8.3).

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use async_trait::async_trait;
use counterfoil_exchange::checks::{CheckResult, FailCode, SkipReason};
use counterfoil_exchange::documents::EvidenceLink;
use counterfoil_exchange::trust::Level;
use counterfoil_peer::asking::EvidenceSource;
use counterfoil_web::WebClient;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::budget::{Budget, FetchLimits, Lookup};
use crate::client::{Fetched, PublicClient, SystemResolver};
use crate::target::Target;

/// Fetcher of evidence with its limits and its cache; one for a process.
pub struct Fetcher {
    client: PublicClient,
    limits: FetchLimits,
    at_once: Semaphore,
    /// Least level of a responder whose URLs are fetched.
    least: Level,
    budget: Mutex<Budget>,
}

impl Default for Fetcher {
    /// Returns a fetcher that uses the system's resolver and certificate authorities.
    fn default() -> Self {
        let client = PublicClient {
            resolver: Box::new(SystemResolver),
            web: WebClient::new(Vec::new()).ok(),
            #[cfg(test)]
            instead: std::collections::HashMap::new(),
        };
        Self::new(client, FetchLimits::default())
    }
}

impl Fetcher {
    fn new(client: PublicClient, limits: FetchLimits) -> Self {
        Self {
            client,
            at_once: Semaphore::new(limits.at_once),
            limits,
            least: Level::Identified,
            budget: Mutex::default(),
        }
    }

    /// Fetches the URLs of unsigned answers, too: their author learns that the answer was read (case 112), so only where the user
    /// asks for it.
    #[must_use]
    pub fn dangerously_for_anyone(mut self) -> Self {
        self.least = Level::Anonymous;
        self
    }

    /// Returns the finding of one URL, from the cache or the network.
    async fn find(&self, evidence: &EvidenceLink) -> CheckResult {
        let Some(target) = Target::read(evidence.url.as_str()) else {
            return CheckResult::NOT_FETCHED;
        };
        let expected = evidence.hash.map(|hash| *hash.digest().as_bytes());
        let asked: Lookup = (target.url().as_str().to_owned(), expected);
        if let Some(known) = self.budget().known(&asked, Instant::now(), &self.limits) {
            return known;
        }
        let fetched = timeout(self.limits.time, self.follow(target)).await;
        let finding = match fetched.unwrap_or(Fetched::Unavailable) {
            Fetched::Body(hash) => match expected {
                None => CheckResult::Skip(SkipReason::Weak),
                Some(expected) if expected == hash => CheckResult::Pass,
                Some(_) => CheckResult::Fail(FailCode::Mismatch),
            },
            Fetched::Gone => CheckResult::Fail(FailCode::Dead),
            Fetched::Forbidden => CheckResult::NOT_FETCHED,
            Fetched::Redirect(_) | Fetched::Unavailable => CheckResult::UNREACHABLE,
        };
        self.budget().add(asked, finding, Instant::now());
        finding
    }

    /// Follows redirects, each tested, resolved and counted as a new target.
    async fn follow(&self, first: Target) -> Fetched {
        let Ok(_permit) = self.at_once.acquire().await else {
            return Fetched::Unavailable;
        };
        let mut target = first;
        for _ in 0..=self.limits.redirects {
            let now = Instant::now();
            if !self.budget().take(target.host(), now, &self.limits) {
                return Fetched::Unavailable;
            }
            match self.client.get(&target, self.limits.bytes).await {
                Fetched::Redirect(next) => target = next,
                fetched => return fetched,
            }
        }
        Fetched::Unavailable
    }

    fn budget(&self) -> std::sync::MutexGuard<'_, Budget> {
        self.budget.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl EvidenceSource for Fetcher {
    /// Returns one finding a memory: of several URLs the one that counts most against it, then one that fits.
    async fn look(&self, memories: &[&[EvidenceLink]], level: Level) -> Vec<CheckResult> {
        let mut left = self.limits.urls;
        let mut findings = Vec::with_capacity(memories.len());
        for evidence in memories {
            let mut finding = CheckResult::NOT_FETCHED;
            for one in evidence.iter().filter(|_| level >= self.least) {
                if left == 0 {
                    break;
                }
                left -= 1;
                let found = self.find(one).await;
                if weight(found) > weight(finding) {
                    finding = found;
                }
            }
            findings.push(finding);
        }
        findings
    }
}

const fn weight(finding: CheckResult) -> u8 {
    match finding {
        CheckResult::UNREACHABLE => 1,
        CheckResult::Skip(SkipReason::Weak) => 2,
        CheckResult::Skip(_) => 0,
        CheckResult::Pass => 3,
        CheckResult::Fail(FailCode::Dead) => 4,
        CheckResult::Fail(_) => 5,
    }
}

#[cfg(test)]
mod tests;
