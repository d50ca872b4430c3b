//! To answer: admission, what was seen, share policy, recall, and a signed answer with receipts (R3, R4, R14, R15, R22).

mod attested;
mod charging;
mod desk;
mod others;
mod recall;
mod settings;
mod shelf;
mod testimony;
mod words;
mod writing;

use std::fmt::Display;
use std::sync::Arc;

use counterfoil_capsule::Timestamp;
use counterfoil_exchange::answering::{
    Admission, Admitted, Asker, CursorKey, Page, Refusal, SeenQuotas, Share, Sighting, admit,
};
use counterfoil_exchange::documents::{
    Capability, CapabilityParts, Format, Preferences, Request, RequestId, Text,
};
use counterfoil_exchange::trust::Level;
use counterfoil_selector::SelectError;
use counterfoil_store::RequestState;
use counterfoil_store::text_index::TextIndex;
use counterfoil_types::{DidKey, Sha256Hash};

pub use settings::{AnsweringSettings, Card, Origin};

use crate::{Host, PeerError, RateTable};
use charging::Way;
use desk::{Desk, Turn, Work};
use others::Others;
use recall::{Found, Recall, Wanted};
use shelf::Shelf;
use words::Words;
use writing::Terms;

/// The most memories of an anonymous answer.
const MOST_ANONYMOUS: u8 = 3;
/// So long whoever found no room for a sighting is asked to wait, in seconds.
const SEEN_FULL_S: u32 = 60;

/// Answers in the name of one agent. One for a process; it holds what it has answered lately.
pub struct Answering {
    host: Host,
    settings: AnsweringSettings,
    recall: Recall,
    shelf: Arc<Shelf>,
    others: Others,
    cursors: CursorKey,
    words: Words,
    desk: Desk,
    strangers: RateTable<Way>,
    all_strangers: RateTable<()>,
    keys: RateTable<DidKey>,
    rules: RateTable<(DidKey, usize)>,
}

/// What an answer is told by.
struct Telling<'a> {
    asker: Asker,
    level: Level,
    rule: Option<&'a Share>,
    /// Where it begins, if it goes on.
    page: Option<Page>,
    /// When the request came, by the monotonic clock.
    came_us: u64,
}

impl Answering {
    /// Answers for this host with what `index`, the one of its store, finds. Reads the secret of its cursors and the records.
    ///
    /// # Errors
    /// [`PeerError::Store`], [`PeerError::Entropy`], [`PeerError::Records`].
    pub async fn new(
        host: Host,
        index: Arc<dyn TextIndex>,
        settings: AnsweringSettings,
    ) -> Result<Self, PeerError> {
        let mut drawn = [0; 32];
        host.entropy.fill(&mut drawn)?;
        let cursors = CursorKey::from_bytes(host.store.exchange_secret(drawn).await?);
        let others = Others::default();
        others.read(&host).await?;
        let shelf = Arc::new(Shelf::new(Arc::clone(&index)));
        let shown = settings.shares.claims.clone();
        let recall = Recall::new(host.clone(), index, Arc::clone(&shelf), shown);
        let mut nowhere = [0; 16];
        host.entropy.fill(&mut nowhere)?;
        Ok(Self {
            recall,
            shelf,
            others,
            cursors,
            words: Words::nowhere(nowhere),
            desk: Desk::new(settings.held_bytes),
            strangers: RateTable::default(),
            all_strangers: RateTable::default(),
            keys: RateTable::default(),
            rules: RateTable::default(),
            host,
            settings,
        })
    }

    /// Answers the bytes of a `memory_request` with those of a `memory_response`.
    ///
    /// # Errors
    /// [`Refusal`]. Whoever may know nothing is answered, with `no_match`.
    pub async fn answer(&self, request: &[u8], origin: Origin) -> Result<Arc<[u8]>, Refusal> {
        let came_us = self.host.timer.now().monotonic_us;
        let admitted = admit(request, self.admission());
        let Admitted {
            request,
            asker,
            remember_until_us,
        } = self.charge(admitted, origin)?;
        let page = self.page(&request, asker)?;
        let domain = request.parts().query.domain.as_ref();
        let Asker::Key(key) = asker else {
            let rule = self.settings.shares.rule(asker, Level::Anonymous, domain);
            let told = Telling {
                asker,
                level: Level::Anonymous,
                rule,
                page,
                came_us,
            };
            return self.told(&request, &told).await;
        };
        let name = (key, request.parts().header.request_id.clone());
        let hash = *request.hash().digest();
        let work = match self.take_up(name, hash, remember_until_us).await? {
            Turn::Held(bytes) => return Ok(bytes),
            Turn::Answer(work) => work,
        };
        let level = self
            .others
            .level(&self.host, key, domain)
            .await
            .map_err(internal)?;
        let rule = self.settings.shares.rule(asker, level, domain);
        self.charge_rule(key, rule)?;
        let id = &request.parts().header.request_id;
        let work = self.see(work, (key, id, hash), remember_until_us, level);
        let work = work.await?;
        let bytes = self
            .told(
                &request,
                &Telling {
                    asker,
                    level,
                    rule,
                    page,
                    came_us,
                },
            )
            .await?;
        work.answered(&bytes);
        Ok(bytes)
    }

    /// What this agent says of itself, signed: for the agent card.
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
            agent: (self.host.name.clone(), self.host.signer.key()),
            domains: self.settings.card.domains.clone(),
            description: self.settings.card.description.clone(),
            signs: true,
            log: self.settings.card.log.clone(),
            endpoint: endpoint
                .map_err(|_| PeerError::Bug("an endpoint of no or too many bytes"))?,
        };
        Ok(Capability::sign(parts, self.host.signer.as_ref())?)
    }

    /// Reads the records about others again. The driver calls it when they may have changed; answering does by itself at
    /// most every second.
    ///
    /// # Errors
    /// [`PeerError::Store`], [`PeerError::Records`].
    pub async fn reload(&self) -> Result<(), PeerError> {
        self.others.read(&self.host).await
    }

    fn admission(&self) -> Admission<'_> {
        Admission {
            own: &self.host.own_keys,
            now_us: self.host.timer.now().wall_us,
        }
    }

    async fn take_up(
        &self,
        name: (DidKey, RequestId),
        hash: Sha256Hash,
        until_us: u64,
    ) -> Result<Turn<'_>, Refusal> {
        let now_us = self.host.timer.now().wall_us;
        self.desk.take_up(name, hash, (now_us, until_us)).await
    }

    /// Writes down, durably, that a request was seen, unless this process has done so and given no answer.
    async fn see<'d>(
        &self,
        mut work: Work<'d>,
        (key, id, hash): (DidKey, &RequestId, Sha256Hash),
        until_us: u64,
        level: Level,
    ) -> Result<Work<'d>, Refusal> {
        if work.is_seen() {
            return Ok(work);
        }
        let now_us = self.host.timer.now().wall_us;
        let sighting = Sighting {
            key,
            request_id: id.clone(),
            hash,
            until_us,
        };
        let quotas = room(self.settings.quotas, level);
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
        Ok(work)
    }

    /// Recalls and writes the answer.
    async fn told(&self, request: &Request, told: &Telling<'_>) -> Result<Arc<[u8]>, Refusal> {
        let found = self.recalled(request, told).await.map_err(internal)?;
        let vouches = self.others.vouches();
        let (bytes, tells) = match (&found, told.rule) {
            (Some(found), Some(rule)) if !found.memories.is_empty() => {
                let terms = Terms {
                    asker: told.asker,
                    level: told.level,
                    format: format(told.asker, rule, &request.parts().preferences),
                    page: told.page.unwrap_or(Page {
                        offset: 0,
                        log_size: self.shelf.log_size(),
                    }),
                    vouches: vouches.as_deref(),
                    cursors: &self.cursors,
                };
                writing::write(&self.host, request, Some((found, &terms)))?
            }
            _ => writing::write(&self.host, request, None)?,
        };
        if !tells {
            self.wait_for_the_step(told.came_us).await;
        }
        Ok(Arc::from(bytes.into_bytes()))
    }

    /// Where the answer begins.
    fn page(&self, request: &Request, asker: Asker) -> Result<Option<Page>, Refusal> {
        let parts = request.parts();
        let Some(cursor) = &parts.preferences.cursor else {
            return Ok(None);
        };
        let now_us = self.host.timer.now().wall_us;
        self.cursors
            .read(cursor, asker, &parts.query, now_us)
            .map(Some)
    }

    /// What is found by the words of the question; where nothing may be shared, by as many that are nowhere.
    async fn recalled(
        &self,
        request: &Request,
        told: &Telling<'_>,
    ) -> Result<Option<Found>, SelectError> {
        self.shelf.refresh(&self.host).await?;
        let parts = request.parts();
        let words = words::of(&parts.query);
        let range = words::range(&parts.query);
        let (Some(rule), Some(range), false) = (told.rule, range, words.is_empty()) else {
            self.recall.nothing(&self.words.like(&words)).await?;
            return Ok(None);
        };
        let most = parts.preferences.max_results.min(rule.max);
        let most = match told.asker {
            Asker::Anonymous => most.min(MOST_ANONYMOUS),
            Asker::Key(_) => most,
        };
        let wanted = Wanted {
            words: &words,
            range,
            share: rule,
            offset: told
                .page
                .map_or(0, |page| usize::try_from(page.offset).unwrap_or(usize::MAX)),
            most: usize::from(most.max(1)),
            below: told.page.map(|page| page.log_size),
        };
        Ok(Some(self.recall.find(&wanted).await?))
    }

    /// What finds nothing takes as long as what may not be told (R14).
    async fn wait_for_the_step(&self, came_us: u64) {
        let now_us = self.host.timer.now().monotonic_us;
        let passed = now_us.saturating_sub(came_us);
        let Some(steps) = passed.checked_div(self.settings.no_match_step_us) else {
            return;
        };
        let end = steps
            .saturating_add(1)
            .saturating_mul(self.settings.no_match_step_us);
        self.host
            .timer
            .sleep_until(came_us.saturating_add(end))
            .await;
    }
}

/// The least of what is asked for, what the rule allows and what the asker may have.
fn format(asker: Asker, rule: &Share, asked: &Preferences) -> Format {
    let all = match asker {
        Asker::Anonymous => [asked.format, rule.format, Format::Raw],
        Asker::Key(_) => [asked.format, rule.format, Format::Attestation],
    };
    match () {
        () if all.contains(&Format::Summary) => Format::Summary,
        () if all.contains(&Format::Raw) => Format::Raw,
        () => Format::Attestation,
    }
}

/// The room for sightings. Anyone can make keys, and fill it: the last tenth is for those who are trusted.
fn room(all: SeenQuotas, level: Level) -> SeenQuotas {
    let kept_free = match level {
        Level::Anonymous | Level::Identified => all.in_all / 10,
        Level::Vouched | Level::Direct => 0,
    };
    SeenQuotas {
        in_all: all.in_all.saturating_sub(kept_free),
        ..all
    }
}

/// The store failed, or there is a bug: for the responder's own log.
fn internal(error: impl Display) -> Refusal {
    Refusal::Internal {
        detail: error.to_string(),
    }
}
