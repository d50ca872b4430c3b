//! The server's process: the store, what recall and signatures cost alone on this core, and then answers until its input ends.

use counterfoil_life::Life as _;
use std::hint::black_box;
use std::io::Read as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use async_trait::async_trait;
use counterfoil_bench_recall::rig::{Rig, actor};
use counterfoil_capsule::Signer;
use counterfoil_claims::{Channels, Settings};
use counterfoil_exchange::answering::{PassOn, SeenQuotas, Share};
use counterfoil_exchange::checks::FreshnessLimits;
use counterfoil_exchange::documents::{Format, Request, Text};
use counterfoil_exchange::machine::Moment;
use counterfoil_exchange::trust::{Level, TrustSettings};
use counterfoil_http::server::{LogFiles, Server, ServerSettings};
use counterfoil_peer::answering::AnsweringSettings;
use counterfoil_peer::{Answering, Host, Timer};
use counterfoil_selector::{MemorySelector, text_query};
use counterfoil_sqlite::{SqliteStore, System};
use counterfoil_store::log::Tile;
use counterfoil_store::text_index::TextIndex;
use counterfoil_store::{CapsuleLog, Clock, Draft, StoreError};
use counterfoil_types::{Query, Scope, SelectionConstraints, SelectionRequest};
use serde_json::json;
use tokio::sync::oneshot;

use super::core;
use super::questions::{self, Asker, LABEL};
use crate::answer::{MEMORIES, answerer};
use crate::measure::{median, micros, time};

/// How many questions are asked of the index alone.
const ALONE: usize = 600;
/// What stands in nobody's way.
const MANY: u32 = 100_000_000;
const MANY_CONNECTIONS: usize = 512;
/// How often the key that floods may ask, a minute.
const FLOOD_A_MINUTE: u32 = 60;
const BATCH: usize = 4_096;

/// Serves until the input ends.
pub(super) fn serve() -> Result<()> {
    core::keep(true)?;
    let rig = Rig::new()?;
    let signer = Arc::new(answerer());
    let mut worlds = questions::worlds()?.into_iter().peekable();
    while worlds.peek().is_some() {
        let drafts: Vec<Draft> = worlds.by_ref().take(BATCH).map(Draft::new).collect();
        rig.wait(rig.store.append(signer.clone(), drafts))?;
    }
    let asked = questions::read()?.context("questions")?;
    let told = json!({
        "of_one_name": Alone::measure(&rig, &asked.of_one_name)?.told(),
        "of_two_words": Alone::measure(&rig, &asked.of_two_words)?.told(),
        "of_people": Alone::measure(&rig, &asked.of_people)?.told(),
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let answering = Answering::new(host(&rig.store)?, rig.store.clone(), settings()).await?;
        let mut settings = ServerSettings::at("127.0.0.1:0".parse()?);
        (settings.requests_per_second, settings.burst) = (MANY, MANY);
        settings.connections = MANY_CONNECTIONS;
        settings.connections_per_address = MANY_CONNECTIONS;
        let files = Arc::new(Files(rig.store.clone()));
        let server = Server::bind(settings, Arc::new(answering), files).await?;
        println!(
            "{}",
            json!({"address": server.address().to_string(), "alone": told})
        );
        server.run(end_of_input()).await;
        Ok(())
    })
}

/// Means of what is done for one request, alone and on this core.
struct Alone {
    recall: Duration,
    index: Duration,
    signatures: Duration,
}

impl Alone {
    fn measure(rig: &Rig, questions: &Arc<[String]>) -> Result<Self> {
        let asker = Asker::new(questions::other(), Arc::clone(questions));
        let at = rig.latest()?;
        let constraints = SelectionConstraints::default()
            .with_max_results(MEMORIES)?
            .with_required_verification();
        let (mut recall, mut index, mut signatures) = (Vec::new(), Vec::new(), Vec::new());
        for question in questions.iter().take(ALONE) {
            let request = SelectionRequest::new(Query::new(question)?, at.clone(), actor()?)
                .with_constraints(constraints.clone());
            let (took, selected) = time(|| rig.wait(rig.selector.select(&request)));
            black_box(selected.map_err(anyhow::Error::from_boxed)?);
            recall.push(took);
            let query = text_query(question)?.page(0, MEMORIES);
            let (took, found) = time(|| rig.wait(rig.store.search(&query)));
            black_box(found?);
            index.push(took);
            let request = asker.next()?;
            signatures.push(time(|| two(&request)).0);
        }
        Ok(Self {
            recall: mean(&recall),
            index: mean(&index),
            signatures: median(signatures),
        })
    }

    fn told(&self) -> serde_json::Value {
        json!({
            "recall_us": micros(self.recall),
            "index_us": micros(self.index),
            "signatures_us": micros(self.signatures),
        })
    }
}

/// The signature of a request checked, and one made.
fn two(request: &Request) {
    black_box(request.signature());
    black_box(answerer().sign(black_box(&[7; 64])));
}

fn mean(times: &[Duration]) -> Duration {
    let count = u32::try_from(times.len()).unwrap_or(u32::MAX).max(1);
    times.iter().sum::<Duration>() / count
}

fn host(store: &Arc<SqliteStore>) -> Result<Host> {
    let signer = Arc::new(answerer());
    Ok(Host {
        store: store.clone(),
        own_keys: Arc::from([signer.agent()]),
        signer,
        name: Text::new("answerer")?,
        channels: Arc::new(Channels::of_host().peers()),
        claims: Arc::new(Settings::default()),
        trust: TrustSettings::default(),
        freshness: FreshnessLimits::default(),
        evidence: None,
        timer: Arc::new(SystemTimer(Instant::now())),
        entropy: Arc::new(System),
    })
}

/// Nothing stands in anybody's way, but of the key that floods.
fn settings() -> AnsweringSettings {
    let everyone = Share {
        pass_on: PassOn::Refused,
        to: None,
        level: Level::Identified,
        domains: Vec::new(),
        labels: vec![LABEL.to_owned()],
        format: Format::Attestation,
        max: 100,
        per_minute: MANY,
        predicates: Vec::new(),
        scope: Scope::new(),
        continues: false,
        refer: false,
    };
    let flooder = Share {
        to: Some(vec![questions::flooder().agent()]),
        per_minute: FLOOD_A_MINUTE,
        ..everyone.clone()
    };
    AnsweringSettings {
        shares: vec![flooder, everyone],
        quotas: SeenQuotas {
            per_key: MANY,
            in_all: MANY,
        },
        per_minute: MANY,
        ..AnsweringSettings::default()
    }
}

/// Ends with the input: with the process that started this one.
async fn end_of_input() {
    let (ending, ended) = oneshot::channel();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        drop(ending);
    });
    let _: Result<(), _> = ended.await;
}

/// The clocks of the system.
struct SystemTimer(Instant);

#[async_trait]
impl Timer for SystemTimer {
    fn now(&self) -> Moment {
        Moment {
            monotonic_us: u64::try_from(self.0.elapsed().as_micros()).unwrap_or(u64::MAX),
            wall_us: System.now_micros(),
        }
    }

    async fn sleep_until(&self, monotonic_us: u64) {
        let until = self.0 + Duration::from_micros(monotonic_us);
        tokio::time::sleep_until(until.into()).await;
    }
}

struct Files(Arc<SqliteStore>);

#[async_trait]
impl LogFiles for Files {
    async fn checkpoint(&self) -> Result<Option<String>, StoreError> {
        self.0.checkpoint().await
    }

    async fn tile(&self, tile: Tile) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.tile(tile).await
    }
}
