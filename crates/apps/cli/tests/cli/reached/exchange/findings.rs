//! What is found at the URLs of memories: a host that looks for itself, on the store of the command line.

use std::collections::VecDeque;
use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_capsule::Signer;
use counterfoil_claims::{Channels, Settings};
use counterfoil_exchange::checks::{CheckResult, FailCode, FreshnessLimits, SkipReason};
use counterfoil_exchange::documents::{EvidenceLink, Format, MemoryQuery, Request, Text};
use counterfoil_exchange::machine::Moment;
use counterfoil_exchange::trust::{Level, TrustSettings};
use counterfoil_peer::asking::{EvidenceSource, StorePolicy};
use counterfoil_peer::{ExchangeQuestion, Host, PeerError, Timer, Transport};
use counterfoil_sqlite::System;
use serde_json::json;

use super::super::{Met, host};
use super::stage::{Stage, agent_of, canonical, read, time};

/// Gone, there without a hash, and out of reach.
pub(super) fn at_urls(met: &mut Met) {
    for finding in [
        CheckResult::Fail(FailCode::Dead),
        CheckResult::Skip(SkipReason::Weak),
        CheckResult::UNREACHABLE,
    ] {
        let stage = Stage::new();
        let signer = Arc::new(agent_of(&stage.ann));
        let host = Host {
            store: Arc::new(host::store(&stage.ann)),
            own_keys: vec![signer.agent()].into(),
            signer,
            name: Text::new("ann").unwrap(),
            channels: Arc::new(Channels::of_host().peers()),
            claims: Arc::new(Settings::default()),
            trust: TrustSettings::default(),
            freshness: FreshnessLimits::default(),
            evidence: Some(Arc::new(Found(finding))),
            timer: Arc::new(Standing),
            entropy: Arc::new(System),
        };
        let question = question(&stage);
        let mut way = Scripted {
            stage: &stage,
            coming: VecDeque::new(),
        };
        let report = host::wait(host.ask(question, &mut way)).unwrap();
        drop(host);
        let shown = stage.ann.json(["exchange", "show", report.id.as_str()]);
        read(met, &shown);
    }
}

fn question(stage: &Stage) -> ExchangeQuestion {
    ExchangeQuestion {
        query: MemoryQuery::new(Text::new("what of it?").unwrap()),
        format: Format::Attestation,
        max_results: 5,
        cursor: None,
        peer: Some(stage.signer.key()),
        address: "https://nowhere.invalid".to_owned(),
        timeout_us: 30_000_000,
        store_policy: StorePolicy::Attested,
        is_anonymous: false,
    }
}

struct Found(CheckResult);

#[async_trait]
impl EvidenceSource for Found {
    async fn look(&self, memories: &[&[EvidenceLink]], _level: Level) -> Vec<CheckResult> {
        vec![self.0; memories.len()]
    }
}

/// A clock at which nothing is waited for.
struct Standing;

#[async_trait]
impl Timer for Standing {
    fn now(&self) -> Moment {
        Moment {
            monotonic_us: 0,
            wall_us: time(0).micros(),
        }
    }

    async fn sleep_until(&self, _monotonic_us: u64) {
        std::future::pending().await
    }
}

struct Scripted<'a> {
    stage: &'a Stage,
    coming: VecDeque<Vec<u8>>,
}

#[async_trait]
impl Transport for Scripted<'_> {
    async fn send(&mut self, request: &[u8]) -> Result<(), PeerError> {
        let request = Request::parse(request).unwrap();
        let memory = self.stage.says("m", |memory| {
            memory["evidence"] = json!([{ "url": "https://nowhere.invalid/note" }]);
        });
        let answer = self.stage.answer(&request, vec![memory]);
        self.coming.push_back(canonical(&answer).into_bytes());
        Ok(())
    }

    async fn receive(&mut self) -> Result<Vec<u8>, PeerError> {
        match self.coming.pop_front() {
            Some(bytes) => Ok(bytes),
            None => std::future::pending().await,
        }
    }
}
