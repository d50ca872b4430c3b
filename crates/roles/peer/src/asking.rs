//! Asking: drives the machine, verifies what arrives, and stores what the policy allows (MRP 1-5; R1, R6, R7, R16, R17).

mod begin;
mod compare;
mod drive;
mod item;
mod keep;
mod race;
mod received;
mod recording;
mod report;
mod retractions;
mod several;
mod testimony;
mod times;
mod verify;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_exchange::checks::{CheckResult, JudgedMemory};
use counterfoil_exchange::documents::{
    EvidenceLink, Format, MemoryQuery, Request, RequestId, Response, Text,
};
use counterfoil_exchange::machine::{Event, ExchangeState, ItemState, Notice};
use counterfoil_exchange::trust::Level;
use counterfoil_types::{DidKey, WorldId};
use serde::{Deserialize, Serialize};

use crate::{Host, PeerError, Transport};
use drive::{Bound, Drive};
pub use received::RECEIVED;
pub use several::Asked;

/// Address of a conversation, in place of a URL or folder.
pub const CONVERSATION: &str = "conversation";

/// Question, its recipient, and the use of the answer.
#[derive(Debug, Clone)]
pub struct ExchangeQuestion {
    /// Query of the request. Its filters are also demands on the memories beyond the disposition table.
    pub query: MemoryQuery,
    /// Wanted form of the answer.
    pub format: Format,
    /// Asks for the evidence of each memory, and with attestations for receipts.
    pub include_evidence: bool,
    /// Asks for the vouches for the responder.
    pub include_vouches: bool,
    /// Asks for other agents that may know of the topic.
    pub include_referrals: bool,
    /// Most memories in the answer, 1 to 100.
    pub max_results: u8,
    /// Cursor of an earlier answer to the same question.
    pub cursor: Option<Text<1024>>,
    /// Key of the asked agent; `None` asks any agent at the address.
    pub peer: Option<DidKey>,
    /// URL, folder, or [`CONVERSATION`].
    pub address: String,
    /// Time to wait, 1 to 600 s, in microseconds.
    pub timeout_us: u64,
    /// Memories to store.
    pub store_policy: StorePolicy,
    /// Asks without a signature, so that the responder treats the asker as level 0.
    pub is_anonymous: bool,
}

/// Memories of an answer that are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StorePolicy {
    /// None.
    #[serde(rename = "nothing")]
    None,
    /// Those of the disposition `StoredUnverified` or above.
    Attested,
    /// Those, and raw ones as texts.
    #[serde(rename = "also_raw")]
    All,
}

/// Result of an exchange.
#[derive(Debug, Clone, PartialEq)]
pub struct ExchangeReport {
    /// Id of the request.
    pub id: RequestId,
    /// State of the exchange.
    pub state: ExchangeState,
    /// Key of the responder, if it was shown.
    pub responder: Option<DidKey>,
    /// Current level of trust in the responder.
    pub level: Level,
    /// The accepted answer; `None` also if one of its memories was erased.
    pub response: Option<Arc<Response>>,
    /// Its memories that were not erased.
    pub memories: Vec<ReceivedMemory>,
    /// Notices with their counts; of an earlier process only those that were written down.
    pub notices: BTreeMap<Notice, u32>,
    /// Last failure of the transport, or fault of an arrival, in this process.
    pub failure: Option<String>,
}

/// Memory of an answer, its checks and its storage.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceivedMemory {
    /// Index in the answer, from 0.
    pub number: u32,
    /// State of the memory.
    pub state: ItemState,
    /// Results of the checks and the disposition, as of receipt.
    pub judged: JudgedMemory,
    /// World, or unit of a claim, in which it is stored. A memory that was known before is stored in an earlier one.
    pub stored: Option<WorldId>,
    /// Answer of the gate to a claim: its disposition, or the code of its refusal.
    pub gate: Option<String>,
    /// True if the gate wrote nothing: for an echo, a source that is counted already, or too little trust to count.
    pub unchanged: bool,
    /// Sides of the belief that it contradicts, as canonical JSON values, at most 16.
    pub sides: Vec<String>,
    /// Received memories of the same agent that it claims to supersede. The links change nothing.
    pub supersedes: Vec<WorldId>,
    /// Number of times that its claim was received, including this one.
    pub heard: u64,
}

/// Port to a fetcher of evidence; without one nothing is fetched.
#[async_trait]
pub trait EvidenceSource: Send + Sync {
    /// Returns the finding at the URLs of each memory of one answer, in their order: Pass for content of the named hash, a Fail if
    /// it has another or is gone, else a Skip. `level` is that of the responder.
    async fn look(&self, memories: &[&[EvidenceLink]], level: Level) -> Vec<CheckResult>;
}

/// Asking in the name of the agent.
impl Host {
    /// Asks, waits, verifies and stores. Dropping the future loses nothing: [`resume`](Self::resume) continues.
    ///
    /// # Errors
    /// [`PeerError`]; faults of the peer are in the report.
    pub async fn ask(
        &self,
        question: ExchangeQuestion,
        transport: &mut dyn Transport,
    ) -> Result<ExchangeReport, PeerError> {
        let id = self.draw()?;
        self.ask_under(id, question, transport).await
    }

    /// Draws an id for [`ask_under`](Self::ask_under), by which an interrupted caller can resume.
    ///
    /// # Errors
    /// [`PeerError::Store`] when no random bytes can be had.
    pub fn draw(&self) -> Result<RequestId, PeerError> {
        Ok(self.draw_id()?)
    }

    /// Asks under an id of [`draw`](Self::draw).
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub async fn ask_under(
        &self,
        id: RequestId,
        question: ExchangeQuestion,
        transport: &mut dyn Transport,
    ) -> Result<ExchangeReport, PeerError> {
        let timeout_us = question.timeout_us;
        let mut drive = self.drive(id, question).await?.by(transport);
        drive.run(Event::Ask { timeout_us }).await?;
        drive.take_retractions().await?;
        drive.report().await
    }

    /// Returns the driver of a new exchange, whose request names what is kept of the asked agent.
    async fn drive(
        &self,
        id: RequestId,
        question: ExchangeQuestion,
    ) -> Result<Drive<'_>, PeerError> {
        let held = match question.peer.filter(|_| !question.is_anonymous) {
            Some(peer) => self.held_from(peer).await?,
            None => Vec::new(),
        };
        let held = held.into_iter().map(|(id, _)| id).collect();
        Drive::begin(self, self.begun(id, question, held)?).await
    }

    /// Returns the request of a question for another transport. Nothing is stored.
    ///
    /// # Errors
    /// [`PeerError`].
    pub fn request(&self, question: ExchangeQuestion) -> Result<Request, PeerError> {
        let id = self.draw()?;
        Ok(self.begun(id, question, Vec::new())?.request)
    }

    /// Continues an exchange after a restart. If it has ended, late answers are stored.
    ///
    /// # Errors
    /// [`PeerError::NoExchange`], and as [`ask`](Self::ask).
    pub async fn resume(
        &self,
        id: &RequestId,
        transport: &mut dyn Transport,
    ) -> Result<ExchangeReport, PeerError> {
        let mut drive = Drive::reread(self, id).await?.by(transport);
        drive.run(Event::Restarted).await?;
        drive.listen_late().await?;
        drive.take_retractions().await?;
        drive.report().await
    }

    /// Cancels an exchange.
    ///
    /// # Errors
    /// [`PeerError::NoExchange`].
    pub async fn cancel(&self, id: &RequestId) -> Result<ExchangeReport, PeerError> {
        let mut drive = Drive::reread(self, id).await?;
        drive.run(Event::Cancel).await?;
        drive.report().await
    }

    /// Accepts a late answer, within 24 hours.
    ///
    /// # Errors
    /// [`PeerError::NoExchange`].
    pub async fn adopt(&self, id: &RequestId) -> Result<ExchangeReport, PeerError> {
        let mut drive = Drive::reread(self, id).await?;
        match drive.exchange.late().copied() {
            Some(hash) => drive.run(Event::Adopt { hash }).await?,
            None => drive.notice(Notice::CannotAdopt),
        }
        drive.report().await
    }

    /// Returns the result of an exchange from the store.
    ///
    /// # Errors
    /// [`PeerError::NoExchange`].
    pub async fn report(&self, id: &RequestId) -> Result<ExchangeReport, PeerError> {
        Drive::reread(self, id).await?.report().await
    }

    /// Verifies and stores an answer to `question` that arrived by itself, as in a conversation. If a request of its id was
    /// sent, it is an answer to that; then it must be signed unless it comes by the way of the request.
    ///
    /// # Errors
    /// [`PeerError`].
    pub async fn hear(
        &self,
        mut question: ExchangeQuestion,
        response: Response,
    ) -> Result<ExchangeReport, PeerError> {
        let id = response.parts().header.request_id.clone();
        let timeout_us = question.timeout_us;
        let (mut drive, bound) = match self.store.exchange(&id).await? {
            Some(stored) => {
                let drive = Drive::of_stored(self, stored).await?;
                let bound = match drive.begun.address == CONVERSATION {
                    true => Bound::SameWay,
                    false => Bound::Unknown,
                };
                (drive, bound)
            }
            None => {
                question.is_anonymous = true;
                let begun = self.begun(id, question, Vec::new())?;
                let mut drive = Drive::begin(self, begun).await?;
                drive.run(Event::Ask { timeout_us }).await?;
                (drive, Bound::SameWay)
            }
        };
        drive.hear(response.bytes(), bound).await?;
        drive.report().await
    }
}
