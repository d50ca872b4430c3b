//! Answering: admission, replay protection, share policy, recall, and a signed answer with receipts (R3, R4, R14, R15, R22).

mod cache;
mod charging;
mod excerpt;
mod in_flight;
mod memory;
mod query;
mod recall;
mod referring;
mod retractions;
mod settings;
mod testimony;
mod trusted;
mod writing;

use std::fmt::Display;
use std::net::IpAddr;
use std::sync::Arc;

use counterfoil_capsule::Timestamp;
use counterfoil_exchange::answering::{
    CursorKey, Refusal, Share, Sighting, admit, applying, remembered_until_us,
};
use counterfoil_exchange::documents::{
    Agent, Capability, CapabilityParts, Domain, Request, RequestHeader, Text,
};
use counterfoil_exchange::trust::Level;
use counterfoil_selector::SelectError;
use counterfoil_store::text_index::{TextIndex, TextQuery};
use counterfoil_store::{RequestState, StoreError};
use counterfoil_types::{DidKey, Sha256Hash};

pub use settings::AnsweringSettings;

use crate::{Host, PeerError, RateTable};
use cache::MemoryCache;
use in_flight::{Answer, InFlight, Turn, Work};
use recall::{Recalled, Search};
use trusted::TrustCache;

/// Most memories of an answer to an anonymous request.
const MOST_ANONYMOUS: u8 = 3;
/// `Retry-After` when the table of answered requests is full, in seconds.
const SEEN_FULL_S: u32 = 60;

/// Answers in the name of one agent, with caches and rates; one for a process.
pub struct Answering {
    host: Host,
    settings: AnsweringSettings,
    index: Arc<dyn TextIndex>,
    cache: Arc<MemoryCache>,
    trust: TrustCache,
    cursors: CursorKey,
    /// Beginning of words that occur nowhere.
    decoy: String,
    in_flight: InFlight,
    strangers: RateTable<Option<IpAddr>>,
    all_strangers: RateTable<()>,
    sightings: RateTable<Option<IpAddr>>,
    keys: RateTable<DidKey>,
    rules: RateTable<(DidKey, usize)>,
}

/// Asker of a request, and the rules for the answer.
struct Access<'a> {
    /// Key of the agent that asks; `None` for an anonymous one.
    asker: Option<DidKey>,
    level: Level,
    /// Rules that apply; the last one limits number and rate.
    rules: Vec<&'a Share>,
    /// Offset and log size of the cursor.
    page: Option<(u32, u64)>,
    /// Time of arrival by the monotonic clock, in microseconds.
    came_us: u64,
}

impl Answering {
    /// Returns the answering part of this host. `index` is that of its store. Reads the secret of cursors and the trust records.
    ///
    /// # Errors
    /// [`PeerError::Store`], [`PeerError::Records`].
    pub async fn new(
        host: Host,
        index: Arc<dyn TextIndex>,
        settings: AnsweringSettings,
    ) -> Result<Self, PeerError> {
        let mut drawn = [0; 32];
        host.entropy.fill(&mut drawn)?;
        let cursors = CursorKey::from_bytes(host.store.exchange_secret(drawn).await?);
        let trust = TrustCache::default();
        trust.read(&host).await?;
        let mut decoy = [0; 16];
        host.entropy.fill(&mut decoy)?;
        Ok(Self {
            cache: Arc::new(MemoryCache::new(Arc::clone(&index))),
            index,
            trust,
            cursors,
            decoy: query::decoy(decoy),
            in_flight: InFlight::new(settings.held_bytes),
            strangers: RateTable::default(),
            all_strangers: RateTable::default(),
            sightings: RateTable::default(),
            keys: RateTable::default(),
            rules: RateTable::default(),
            host,
            settings,
        })
    }

    /// Answers the bytes of a `memory_request` with those of a `memory_response`. `from` is the address from which it came; `None`
    /// is a folder or a conversation.
    ///
    /// # Errors
    /// [`Refusal`]. An asker without access is answered with `no_match`.
    pub async fn answer(&self, request: &[u8], from: Option<IpAddr>) -> Result<Arc<[u8]>, Refusal> {
        let came_us = self.host.timer.now().monotonic_us;
        let admitted = admit(request, &self.host.own_keys, self.host.timer.now().wall_us);
        self.charge(admitted.as_ref().map(|(_, asker)| *asker), from)?;
        let (request, asker) = admitted?;
        let page = self.page(&request, asker)?;
        let parts = request.parts();
        let domain = parts.query.domain.as_ref();
        let rules = |level| applying(&self.settings.shares, asker, level, domain);
        let limits = |level| rules(level).last().copied();
        let (work, level) = match asker {
            None => (None, Level::Anonymous),
            Some(key) => {
                let hash = *request.hash().digest();
                match self
                    .take_up((key, from), &parts.header, hash, domain, limits)
                    .await?
                {
                    Turn::Answered(answer) => return Ok(answer.bytes),
                    Turn::Answer((work, level)) => (Some(work), level),
                }
            }
        };
        let access = Access {
            asker,
            level,
            rules: rules(level),
            page,
            came_us,
        };
        let found = match self.recalled(&request, &access).await {
            Ok(found) => self.with_retractions(found, &request, asker).await,
            error => error,
        };
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                // It is not held as the answer: the same request may be sent again.
                tracing::error!(%error, "an answer failed");
                self.pad_to_timing_step(access.came_us).await;
                return Ok(Arc::from(self.write_failure(&request)?.into_bytes()));
            }
        };
        let vouches = self.trust.vouches();
        let (bytes, has_results) = self.write(&request, &access, &found, vouches.as_deref())?;
        if let Err(error) = self.note_readers(&found, asker).await {
            tracing::error!(%error, "who was given claims was not counted");
        }
        if !has_results {
            self.pad_to_timing_step(access.came_us).await;
        }
        let bytes = Arc::from(bytes.into_bytes());
        if let Some(work) = work {
            let memories = found.memories.iter();
            let memories = memories.map(|found| found.memory.world.world_id().clone());
            work.answered(&bytes, memories.collect());
        }
        Ok(bytes)
    }

    /// Returns the signed self-description of this agent, for the agent card.
    ///
    /// # Errors
    /// [`PeerError`].
    pub async fn capability(&self, endpoint: Option<&str>) -> Result<Capability, PeerError> {
        let now = self.host.timer.now().wall_us;
        let endpoint = endpoint.map(Text::new).transpose();
        let parts = CapabilityParts {
            id: self.host.draw_id()?,
            created_at: Timestamp::from_micros(now)
                .map_err(|_| PeerError::Bug("the clock shows no time"))?,
            agent: Agent {
                agent_id: self.host.name.clone(),
                public_key: self.host.signer.key(),
            },
            domains: self.settings.domains.clone(),
            description: self.settings.description.clone(),
            signs: true,
            log: self.settings.log.clone(),
            endpoint: endpoint
                .map_err(|_| PeerError::Bug("an endpoint of no or too many bytes"))?,
        };
        Ok(Capability::sign(parts, self.host.signer.as_ref())?)
    }

    /// Takes up a request of `key`: returns its answer if it has one, else the work with the level of trust in the key about
    /// `domain`. Charges the rule of that level, and durably records that the request was seen, unless this process did so
    /// before without answering.
    async fn take_up<'s>(
        &'s self,
        (key, from): (DidKey, Option<IpAddr>),
        header: &RequestHeader,
        hash: Sha256Hash,
        domain: Option<&Domain>,
        rule: impl FnOnce(Level) -> Option<&'s Share>,
    ) -> Result<Turn<(Work<'s>, Level)>, Refusal> {
        let until_us = remembered_until_us(header);
        let times = (self.host.timer.now().wall_us, until_us);
        let name = (key, header.request_id.clone());
        let mut work = match self.in_flight.take_up(name.clone(), hash, times).await? {
            Turn::Answer(work) => work,
            Turn::Answered(answer) if self.is_whole(&answer).await.map_err(internal)? => {
                return Ok(Turn::Answered(answer));
            }
            Turn::Answered(_) => {
                self.in_flight.drop_answer(&name);
                return Err(Refusal::Replayed);
            }
        };
        let level = self.trust.level(&self.host, key, domain).await;
        let level = level.map_err(internal)?;
        self.charge_rule(key, rule(level))?;
        if work.is_seen() {
            return Ok(Turn::Answer((work, level)));
        }
        let now_us = self.host.timer.now().wall_us;
        let sighting = Sighting {
            key,
            request_id: header.request_id.clone(),
            hash,
            until_us,
        };
        // Anyone can make keys and fill the table, so an address has a budget, and the last tenth is reserved for trusted keys.
        let mut quotas = self.settings.quotas;
        if level < Level::Vouched {
            self.charge_sighting(from)?;
            quotas.in_all = quotas.in_all.saturating_sub(quotas.in_all / 10);
        }
        let seen = self.host.store.see(sighting, now_us, quotas).await;
        match seen.map_err(internal)? {
            RequestState::New => work.seen(),
            RequestState::Same => return Err(Refusal::Replayed),
            RequestState::Other => return Err(Refusal::IdConflict),
            RequestState::Full => {
                return Err(Refusal::SeenFull {
                    retry_after_s: SEEN_FULL_S,
                });
            }
        }
        Ok(Turn::Answer((work, level)))
    }

    /// Returns false for an answer of which a memory was erased or changed since: it is not given again.
    async fn is_whole(&self, answer: &Answer) -> Result<bool, StoreError> {
        for id in answer.memories.iter() {
            match self.host.store.get(id).await.map_err(StoreError::from) {
                Ok(None) | Err(StoreError::Withheld { .. }) => return Ok(false),
                Ok(Some(_)) | Err(StoreError::Archived { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Reads the cursor of a request.
    fn page(
        &self,
        request: &Request,
        asker: Option<DidKey>,
    ) -> Result<Option<(u32, u64)>, Refusal> {
        let parts = request.parts();
        let Some(cursor) = &parts.preferences.cursor else {
            return Ok(None);
        };
        let now_us = self.host.timer.now().wall_us;
        self.cursors
            .read(cursor, asker, &parts.query, now_us)
            .map(Some)
    }

    /// Recalls by the words of the question; without access, searches for as many words that occur nowhere (R14).
    async fn recalled(
        &self,
        request: &Request,
        access: &Access<'_>,
    ) -> Result<Recalled, SelectError> {
        self.cache.refresh(&self.host).await?;
        let parts = request.parts();
        let now_us = self.host.timer.now().wall_us;
        let asked = query::text_query_of(&parts.query, now_us);
        let words = asked.as_ref().map_or(0, |query| query.terms().len());
        let range = query::range(&parts.query);
        let (Some(rule), Some(range), Some(query)) = (access.rules.last(), range, asked) else {
            let decoys = TextQuery::new(query::decoys(&self.decoy, words))?;
            let query = query::own(&self.host, decoys).page(0, 1);
            self.index.search(&query).await?;
            return Ok(Recalled::default());
        };
        let mut query = query::own(&self.host, query);
        query.time_range = range;
        let most = parts.preferences.max_results.min(rule.max);
        let most = match access.asker {
            None => most.min(MOST_ANONYMOUS),
            Some(_) => most,
        };
        let page = access.page;
        let search = Search {
            query: &query,
            shares: &access.rules,
            offset: page.map_or(0, |(offset, _)| {
                usize::try_from(offset).unwrap_or(usize::MAX)
            }),
            most: usize::from(most.max(1)),
            below: page.map(|(_, log_size)| log_size),
        };
        self.find(&search).await
    }

    /// Waits until the next multiple of the timing step, so that `no_match` takes as long without access as without a match
    /// (R14).
    async fn pad_to_timing_step(&self, came_us: u64) {
        let step_us = self.settings.no_match_step_us;
        let now_us = self.host.timer.now().monotonic_us;
        let passed = now_us.saturating_sub(came_us);
        if let Some(steps) = passed.checked_div(step_us) {
            let end = steps.saturating_add(1).saturating_mul(step_us);
            let until = came_us.saturating_add(end);
            self.host.timer.sleep_until(until).await;
        }
    }
}

/// Returns the refusal for a failing store or a bug; its detail is for this agent's own log.
fn internal(error: impl Display) -> Refusal {
    Refusal::Internal {
        detail: error.to_string(),
    }
}
