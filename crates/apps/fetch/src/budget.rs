//! Limits of fetching for one answer and one host, and the cache of findings (R11; cases 110, 111).

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use counterfoil_exchange::checks::CheckResult;

/// Limits of fetching.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FetchLimits {
    /// Most bytes of one body (1 MiB).
    pub(crate) bytes: usize,
    /// Time for one URL, redirects included (5 s).
    pub(crate) time: Duration,
    /// URLs of one answer (10).
    pub(crate) urls: usize,
    /// Fetches from one host a minute (2).
    pub(crate) per_host: usize,
    /// Fetches at once (4).
    pub(crate) at_once: usize,
    /// Redirects followed, each tested as a new target (3).
    pub(crate) redirects: usize,
    /// Age up to which a finding is used again (24 h).
    pub(crate) fresh: Duration,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self {
            bytes: 1 << 20,
            time: Duration::from_secs(5),
            urls: 10,
            per_host: 2,
            at_once: 4,
            redirects: 3,
            fresh: Duration::from_hours(24),
        }
    }
}

/// Most findings in the cache, and most hosts.
const MOST: usize = 4096;
const MINUTE: Duration = Duration::from_mins(1);

/// Recent findings, and recent fetches of each host.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    findings: HashMap<Lookup, (Instant, CheckResult)>,
    order: VecDeque<Lookup>,
    hosts: HashMap<String, VecDeque<Instant>>,
}

/// URL with the expected SHA-256 of its body.
pub(crate) type Lookup = (String, Option<[u8; 32]>);

impl Budget {
    /// Returns the finding of an earlier fetch, if it is fresh.
    pub(crate) fn known(
        &self,
        asked: &Lookup,
        now: Instant,
        limits: &FetchLimits,
    ) -> Option<CheckResult> {
        let (at, finding) = self.findings.get(asked)?;
        (now.saturating_duration_since(*at) < limits.fresh).then_some(*finding)
    }

    /// Counts a fetch from this host; false if it had the most in the last minute, or the table of hosts is full.
    pub(crate) fn take(&mut self, host: &str, now: Instant, limits: &FetchLimits) -> bool {
        if self.hosts.len() >= MOST {
            self.hosts
                .retain(|_, times| times.back().is_some_and(|last| recent(*last, now)));
        }
        if self.hosts.len() >= MOST && !self.hosts.contains_key(host) {
            return false;
        }
        let times = self.hosts.entry(host.to_owned()).or_default();
        while times.front().is_some_and(|first| !recent(*first, now)) {
            times.pop_front();
        }
        if times.len() >= limits.per_host {
            return false;
        }
        times.push_back(now);
        true
    }

    /// Caches a finding, unless it is a failure that may pass.
    pub(crate) fn add(&mut self, asked: Lookup, finding: CheckResult, now: Instant) {
        if [CheckResult::UNREACHABLE, CheckResult::NOT_FETCHED].contains(&finding) {
            return;
        }
        if self
            .findings
            .insert(asked.clone(), (now, finding))
            .is_none()
        {
            self.order.push_back(asked);
        }
        while self.order.len() > MOST {
            if let Some(oldest) = self.order.pop_front() {
                self.findings.remove(&oldest);
            }
        }
    }
}

fn recent(at: Instant, now: Instant) -> bool {
    now.saturating_duration_since(at) < MINUTE
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adversarial case H111: two a minute, whatever path is asked.
    #[test]
    fn a_host_is_asked_twice_a_minute() {
        let (mut budget, limits, start) =
            (Budget::default(), FetchLimits::default(), Instant::now());
        assert!(budget.take("a.com", start, &limits));
        assert!(budget.take("a.com", start, &limits));
        assert!(!budget.take("a.com", start + Duration::from_secs(59), &limits));
        assert!(budget.take("b.com", start, &limits));
        assert!(budget.take("a.com", start + Duration::from_secs(61), &limits));
    }

    #[test]
    fn hosts_and_findings_are_bounded() {
        let (mut budget, limits, start) =
            (Budget::default(), FetchLimits::default(), Instant::now());
        for n in 0..2 * MOST {
            budget.take(&format!("{n}.com"), start, &limits);
            budget.add((format!("https://{n}.com"), None), CheckResult::Pass, start);
        }
        assert!(budget.hosts.len() <= MOST && budget.findings.len() <= MOST);
        assert!(budget.take("new.com", start + MINUTE, &limits));
    }

    #[test]
    fn a_finding_is_held_for_a_day_and_a_failure_not_at_all() {
        let (mut budget, limits, start) =
            (Budget::default(), FetchLimits::default(), Instant::now());
        let asked = || (String::from("https://a.com"), None);
        budget.add(asked(), CheckResult::UNREACHABLE, start);
        assert_eq!(budget.known(&asked(), start, &limits), None);
        budget.add(asked(), CheckResult::Pass, start);
        assert_eq!(
            budget.known(&asked(), start, &limits),
            Some(CheckResult::Pass)
        );
        assert_eq!(budget.known(&asked(), start + limits.fresh, &limits), None);
    }
}
