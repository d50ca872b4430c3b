//! To ask: drives the machine, verifies what comes, and keeps what may be kept (MRP 1-5; R1, R6, R7, R16, R17).

mod begin;
mod compare;
mod drive;
mod item;
mod keep;
mod names;
mod race;
mod received;
mod recording;
mod tell;
mod terms;
mod times;
mod verify;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_exchange::checks::{Demands, EvidenceFinding, FreshnessLimits, JudgedMemory};
use counterfoil_exchange::documents::{
    Evidence, Format, Query, Request, RequestId, Response, Text,
};
use counterfoil_exchange::machine::{Event, ExchangeState, ItemState, Notice};
use counterfoil_exchange::trust::Level;
use counterfoil_types::{DidKey, WorldId};

use crate::transport::{Arrival, Bound};
use crate::{Host, PeerError, Transport};
use drive::Drive;
pub use received::RECEIVED;

/// The address of what is asked and answered in a conversation.
pub const CONVERSATION: &str = "conversation";

/// What is asked, of whom, and what is to be done with the answer.
#[derive(Debug, Clone)]
pub struct Question {
    /// What is asked.
    pub query: Query,
    /// In which form the answer is wanted.
    pub format: Format,
    /// At most so many memories, 1 to 100.
    pub max_results: u8,
    /// Where the answer goes on, by an earlier one to the same question.
    pub cursor: Option<Text<1024>>,
    /// The key that is asked; `None`: whoever answers there.
    pub peer: Option<DidKey>,
    /// Where: a URL, a folder, or [`CONVERSATION`].
    pub address: String,
    /// How long to wait, 1 to 600 s, in microseconds.
    pub timeout_us: u64,
    /// Whether what passes is kept.
    pub keeping: Keeping,
}

/// Whether what passes is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeping {
    /// Nothing is stored: only shown.
    Nothing,
    /// What is at least `StoredUnverified`.
    Attested,
    /// What is raw, too: as texts.
    AlsoRaw,
}

/// How an exchange went.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Its id.
    pub id: RequestId,
    /// Its state.
    pub state: ExchangeState,
    /// Who answered, as far as that was shown.
    pub responder: Option<DidKey>,
    /// How far the responder is trusted now.
    pub level: Level,
    /// The answer that counts; `None` also where a memory that came with it was erased since.
    pub response: Option<Arc<Response>>,
    /// Each memory of it that was not erased.
    pub memories: Vec<KeptMemory>,
    /// What was noticed, and how often; of an earlier process only what was written down.
    pub notices: BTreeMap<Notice, u32>,
    /// What the transport said last, or what was wrong with what came; only of this process.
    pub failure: Option<String>,
}

/// A memory of an answer, and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptMemory {
    /// Which, from 0 on, in the order of the answer.
    pub number: u32,
    /// Its state.
    pub state: ItemState,
    /// What the checks found, and what follows: as it was at receipt.
    pub judged: JudgedMemory,
    /// Where it is stored: a World, or the unit of a claim. What was heard before, or is one's own, stands there already.
    pub stored: Option<WorldId>,
    /// What the gate said to a claim: its disposition, or the code of its refusal.
    pub gate: Option<String>,
    /// The gate wrote nothing: it is an echo, of a source that is counted already, or of one of too little trust to count.
    pub unchanged: bool,
    /// The sides of the belief that it contradicts, as canonical JSON values, at most 16.
    pub sides: Vec<String>,
    /// Received memories of the same agent whose place it says to take: links, which change nothing.
    pub supersedes: Vec<WorldId>,
    /// How often its claim was heard, this time included.
    pub heard: u64,
}

/// The port to whoever fetches evidence; without one nothing is fetched.
#[async_trait]
pub trait EvidenceSource: Send + Sync {
    /// What is found at the URLs of each memory of one answer by an agent of at least level 1, in their order.
    async fn look(&self, memories: &[&[Evidence]], level: Level) -> Vec<EvidenceFinding>;
}

/// How a request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Asker {
    /// Signed by this agent.
    #[default]
    Signed,
    /// As nobody.
    Nobody,
}

/// Asks in the name of one agent.
#[derive(Clone)]
pub struct Asking {
    host: Host,
    demands: Demands,
    freshness: FreshnessLimits,
    evidence: Option<Arc<dyn EvidenceSource>>,
    asker: Asker,
}

impl Asking {
    /// Asks for this host.
    #[must_use]
    pub fn new(host: Host) -> Self {
        Self {
            host,
            demands: Demands::default(),
            freshness: FreshnessLimits::default(),
            evidence: None,
            asker: Asker::Signed,
        }
    }

    /// For whom it asks.
    #[must_use]
    pub const fn host(&self) -> &Host {
        &self.host
    }

    /// Demands more than the table. It stands in the request, as its filters, and so holds after a restart.
    #[must_use]
    pub const fn demanding(mut self, demands: Demands) -> Self {
        self.demands = demands;
        self
    }

    /// With other limits of freshness.
    #[must_use]
    pub const fn fresh_for(mut self, limits: FreshnessLimits) -> Self {
        self.freshness = limits;
        self
    }

    /// Fetches evidence.
    #[must_use]
    pub fn fetching(mut self, evidence: Arc<dyn EvidenceSource>) -> Self {
        self.evidence = Some(evidence);
        self
    }

    /// Asks without signing, as nobody: whoever answers takes it for level 0.
    #[must_use]
    pub const fn as_nobody(mut self) -> Self {
        self.asker = Asker::Nobody;
        self
    }

    /// Asks, waits, verifies and keeps. To drop it in the middle loses nothing: [`resume`](Self::resume) goes on.
    ///
    /// # Errors
    /// [`PeerError`]; what the peer did is in the report.
    pub async fn ask(
        &self,
        question: Question,
        transport: &mut dyn Transport,
    ) -> Result<Report, PeerError> {
        let id = self.draw()?;
        self.ask_under(id, question, transport).await
    }

    /// An id for [`ask_under`](Self::ask_under): whoever may be interrupted knows then what to resume.
    ///
    /// # Errors
    /// [`PeerError::Entropy`].
    pub fn draw(&self) -> Result<RequestId, PeerError> {
        Ok(self.host.draw_id()?)
    }

    /// Asks under an id that was drawn before.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub async fn ask_under(
        &self,
        id: RequestId,
        question: Question,
        transport: &mut dyn Transport,
    ) -> Result<Report, PeerError> {
        let timeout_us = question.timeout_us;
        let begun = self.begun(id, question)?;
        let mut drive = Drive::begin(self, begun).await?.by(transport);
        drive.run(Event::Ask { timeout_us }).await?;
        drive.report().await
    }

    /// The request of a question as it would be sent, for whoever carries it otherwise. Nothing is written down.
    ///
    /// # Errors
    /// [`PeerError`].
    pub fn request(&self, question: Question) -> Result<Request, PeerError> {
        let id = self.draw()?;
        Ok(self.begun(id, question)?.request)
    }

    /// Goes on with an exchange after a restart. Of one that has ended, what came late is written down.
    ///
    /// # Errors
    /// [`PeerError::NoExchange`], and as [`ask`](Self::ask).
    pub async fn resume(
        &self,
        id: &RequestId,
        transport: &mut dyn Transport,
    ) -> Result<Report, PeerError> {
        let mut drive = Drive::reread(self, id).await?.by(transport);
        drive.run(Event::Restarted).await?;
        drive.listen_late().await?;
        drive.report().await
    }

    /// Gives up.
    ///
    /// # Errors
    /// [`PeerError::NoExchange`].
    pub async fn cancel(&self, id: &RequestId) -> Result<Report, PeerError> {
        self.alone(id, Event::Cancel).await
    }

    /// Takes a late answer after all, within 24 hours.
    ///
    /// # Errors
    /// [`PeerError::NoExchange`].
    pub async fn adopt(&self, id: &RequestId) -> Result<Report, PeerError> {
        let mut drive = Drive::reread(self, id).await?;
        match drive.exchange().late().copied() {
            Some(hash) => drive.run(Event::Adopt { hash }).await?,
            None => drive.notice(Notice::CannotAdopt),
        }
        drive.report().await
    }

    /// How an exchange went, from what was written down.
    ///
    /// # Errors
    /// [`PeerError::NoExchange`].
    pub async fn report(&self, id: &RequestId) -> Result<Report, PeerError> {
        Drive::reread(self, id).await?.report().await
    }

    /// Judges an answer that came by itself, as in a conversation, to `question`; keeps what may be kept. An answer to
    /// what was asked under its id is judged as that: by another way than the request went it has to be signed.
    ///
    /// # Errors
    /// [`PeerError`].
    pub async fn hear(&self, question: Question, response: Response) -> Result<Report, PeerError> {
        let id = response.parts().header.request_id.clone();
        let timeout_us = question.timeout_us;
        let (mut drive, bound) = match self.host.store.exchange(&id).await? {
            Some(stored) => {
                let drive = Drive::of_stored(self, stored).await?;
                let bound = match drive.address() == CONVERSATION {
                    true => Bound::SameWay,
                    false => Bound::Unknown,
                };
                (drive, bound)
            }
            None => {
                let begun = self.clone().as_nobody().begun(id, question)?;
                let mut drive = Drive::begin(self, begun).await?;
                drive.run(Event::Ask { timeout_us }).await?;
                (drive, Bound::SameWay)
            }
        };
        let bytes = response.bytes().to_vec();
        drive.hear(Arrival { bytes, bound }).await?;
        drive.report().await
    }

    /// One event, without a transport.
    async fn alone(&self, id: &RequestId, event: Event) -> Result<Report, PeerError> {
        let mut drive = Drive::reread(self, id).await?;
        drive.run(event).await?;
        drive.report().await
    }
}
