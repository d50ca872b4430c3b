//! How much is fetched: of one answer, of one host, at once; and what is known already (R11; cases 110, 111).

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use counterfoil_exchange::checks::EvidenceFinding;

/// How much is fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of one body.
    pub bytes: usize,
    /// The longest that one URL may take, redirects included.
    pub time: Duration,
    /// URLs of one answer.
    pub urls: usize,
    /// Fetches of one host a minute.
    pub per_host: usize,
    /// At once.
    pub at_once: usize,
    /// Redirects that are followed, each judged anew.
    pub redirects: usize,
    /// For how long a finding is held.
    pub held: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 1 << 20,
            time: Duration::from_secs(5),
            urls: 10,
            per_host: 2,
            at_once: 4,
            redirects: 3,
            held: Duration::from_hours(24),
        }
    }
}

/// The most findings that are held, and the most hosts.
const MOST: usize = 4096;
const MINUTE: Duration = Duration::from_mins(1);

/// What was fetched lately.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    findings: HashMap<Asked, (Instant, EvidenceFinding)>,
    order: VecDeque<Asked>,
    hosts: HashMap<String, VecDeque<Instant>>,
}

/// A URL, and the hash that is expected there.
pub(crate) type Asked = (String, Option<[u8; 32]>);

impl Budget {
    /// What was found there within the time that findings are held.
    pub(crate) fn known(
        &self,
        asked: &Asked,
        now: Instant,
        limits: &Limits,
    ) -> Option<EvidenceFinding> {
        let (at, finding) = self.findings.get(asked)?;
        (now.saturating_duration_since(*at) < limits.held).then_some(*finding)
    }

    /// Takes one fetch of this host, if there is one left in this minute.
    pub(crate) fn take(&mut self, host: &str, now: Instant, limits: &Limits) -> bool {
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

    /// Holds a finding. One that may be otherwise in a moment is not held.
    pub(crate) fn hold(&mut self, asked: Asked, finding: EvidenceFinding, now: Instant) {
        if matches!(
            finding,
            EvidenceFinding::Unreachable | EvidenceFinding::NotFetched
        ) {
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
        let (mut budget, limits, start) = (Budget::default(), Limits::default(), Instant::now());
        assert!(budget.take("a.com", start, &limits));
        assert!(budget.take("a.com", start, &limits));
        assert!(!budget.take("a.com", start + Duration::from_secs(59), &limits));
        assert!(budget.take("b.com", start, &limits));
        assert!(budget.take("a.com", start + Duration::from_secs(61), &limits));
    }

    #[test]
    fn hosts_and_findings_are_bounded() {
        let (mut budget, limits, start) = (Budget::default(), Limits::default(), Instant::now());
        for n in 0..2 * MOST {
            budget.take(&format!("{n}.com"), start, &limits);
            budget.hold(
                (format!("https://{n}.com"), None),
                EvidenceFinding::Weak,
                start,
            );
        }
        assert!(budget.hosts.len() <= MOST && budget.findings.len() <= MOST);
        assert!(budget.take("new.com", start + MINUTE, &limits));
    }

    #[test]
    fn a_finding_is_held_for_a_day_and_a_failure_not_at_all() {
        let (mut budget, limits, start) = (Budget::default(), Limits::default(), Instant::now());
        let asked = || (String::from("https://a.com"), None);
        budget.hold(asked(), EvidenceFinding::Unreachable, start);
        assert_eq!(budget.known(&asked(), start, &limits), None);
        budget.hold(asked(), EvidenceFinding::Dead, start);
        assert_eq!(
            budget.known(&asked(), start, &limits),
            Some(EvidenceFinding::Dead)
        );
        assert_eq!(budget.known(&asked(), start + limits.held, &limits), None);
    }
}
