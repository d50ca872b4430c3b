//! Messages of a conversation. A question is answered in its form, an answer is judged like any (R18;
//! docs/format/transports.md §3).

use std::sync::Arc;

use counterfoil_capsule::Timestamp;
use counterfoil_exchange::checks::is_suspicious;
use counterfoil_exchange::conversation::{
    MessageProposal, ProposalSource, answer_draft, block, interpret, question_parts,
    render_response,
};
use counterfoil_exchange::documents::{
    Format, MemoryQuery, Nonce, Preferences, Request, RequestHeader, Response, Text,
};
use counterfoil_fetch::Fetcher;
use counterfoil_peer::asking::{CONVERSATION, StorePolicy};
use counterfoil_peer::{Answering, ExchangeQuestion, Host};
use counterfoil_types::json::Value;
use serde_json::json;

use super::settings;
use crate::error::Error;
use crate::memory::Memory;
use crate::report::Report;

/// Waiting time of a question in words, in microseconds.
const PATIENCE_US: u64 = 30_000_000;
/// Speaker of a message without a name.
const SOMEBODY: &str = "somebody";
/// Question recorded for an answer that came unasked.
const UNASKED: &str = "(heard in a conversation)";

/// Message of a conversation: its speaker, and the treatment of an answer in it.
#[derive(Debug, Clone)]
pub struct HearOptions {
    /// Speaker, as the conversation names it.
    pub from: Option<String>,
    /// Memories that are stored: raw ones only with [`StorePolicy::All`]. Default: none.
    pub store: StorePolicy,
    /// Fetches the links in answers, in unsigned ones too, from public addresses; their author may learn of it. Default: false.
    pub fetch_evidence: bool,
}

impl Default for HearOptions {
    fn default() -> Self {
        Self {
            from: None,
            store: StorePolicy::None,
            fetch_evidence: false,
        }
    }
}

/// Listener to a conversation: it answers questions and judges answers.
struct Listener<'m> {
    memory: &'m Memory,
    host: Host,
    answering: Answering,
    from: Text<128>,
    store_policy: StorePolicy,
}

impl Memory {
    /// Takes the message of a speaker in a conversation: answers its questions, and checks and stores its answers. Detail `results`: for each part, the number of memories in its answer.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused) for a message that is neither.
    pub async fn hear(&self, message: &str, options: &HearOptions) -> Result<Report, Error> {
        self.must_be_unbound()?;
        self.must_exist()?;
        let settings = settings::read(self.home())?;
        let proposals = interpret(message, &settings.vocabulary);
        if proposals.is_empty() {
            return Err(Error::refused(
                "this is neither a question for memories nor an answer",
                "send a JSON block, `@NAME memory_request: QUESTION`, or `what do you know about …`",
            ));
        }
        let from = Text::new(options.from.as_deref().unwrap_or(SOMEBODY))
            .map_err(|error| Error::input(format_args!("--from: {error}"), "shorten it"))?;
        let (mut host, answering) = self.answering(settings).await?;
        if options.fetch_evidence {
            host.evidence = Some(Arc::new(Fetcher::default().dangerously_for_anyone()));
        }
        let listener = Listener {
            memory: self,
            host,
            answering,
            from,
            store_policy: options.store,
        };
        let (mut heard, mut results, mut notices) = (Vec::new(), Vec::new(), Vec::new());
        for proposal in proposals {
            let (document, result, notice) = listener.take(proposal).await?;
            heard.push(document);
            results.push(result);
            notices.extend(notice.map(str::to_owned));
        }
        let report = Report::new(&json!({ "heard": heard }))?;
        Ok(report.with("results", results).noticed(notices))
    }
}

/// Document of a part of a message, number of memories in its answer, and a remark.
type Taken = (Value, Value, Option<&'static str>);

impl Listener<'_> {
    async fn take(&self, proposal: MessageProposal) -> Result<Taken, Error> {
        let heard = proposal.source();
        match proposal {
            MessageProposal::Request(request) => self.answer(heard, &request).await,
            MessageProposal::Question {
                query, max_results, ..
            } => {
                let mut nonce = [0; 16];
                let drawn = self.host.entropy.fill(&mut nonce);
                drawn.map_err(|error| Error::place(error, "try again"))?;
                let now = self.host.timer.now().wall_us;
                let header = RequestHeader {
                    request_id: self.host.draw()?,
                    nonce: Some(Nonce::from_bytes(nonce)),
                    timestamp: instant(now)?,
                    expires: instant(now.saturating_add(PATIENCE_US))?,
                };
                let parts = question_parts(query, max_results, header, self.from.clone());
                let request = Request::anonymous(parts);
                let request = request.map_err(|_| Error::bug("a question that is no document"))?;
                self.answer(heard, &request).await
            }
            MessageProposal::Response(response) => self.judge(heard, response).await,
            MessageProposal::Answer { text, results, .. } => {
                let (id, now) = (self.host.draw()?, self.host.timer.now().wall_us);
                let draft = answer_draft(&text, &results, &id, &self.from, instant(now)?);
                let draft = draft
                    .map_err(|error| Error::input(error, "ask for it over HTTP or in a folder"))?;
                self.judge(heard, draft).await
            }
        }
    }

    /// Answers in the form of the question: a document with a document, words with words where they are enough.
    async fn answer(&self, heard: ProposalSource, request: &Request) -> Result<Taken, Error> {
        let question = request.parts().query.natural.as_str();
        let notice = is_suspicious(question)
            .then_some("the question holds characters that hide or reorder text");
        let answered = self.answering.answer(request.bytes(), None);
        let answered = match answered.await {
            Ok(answered) => answered,
            Err(refusal) => {
                let document = json!({
                    "heardAs": heard.name(),
                    "question": question,
                    "problem": refusal.word(),
                    "detail": refusal.to_string(),
                });
                return Ok((document, Value::Null, notice));
            }
        };
        let response =
            Response::parse(&answered).map_err(|_| Error::bug("an answer that is no document"))?;
        let to: Vec<&str> = self.from.as_str().split_whitespace().collect();
        let said = match heard {
            ProposalSource::Document => None,
            _ => render_response(&to.join("-"), &response),
        };
        let text = said.or_else(|| block(&answered)).ok_or_else(|| {
            Error::refused(
                "the answer has more than 64 KiB",
                "ask over HTTP, in a folder, or for fewer memories",
            )
        })?;
        let document = json!({ "heardAs": heard.name(), "question": question, "answer": text });
        Ok((document, Value::Null, notice))
    }

    async fn judge(&self, heard: ProposalSource, response: Response) -> Result<Taken, Error> {
        let natural = Text::new(UNASKED).map_err(|_| Error::bug("no question"))?;
        let most = u8::try_from(response.parts().results.len()).unwrap_or(u8::MAX);
        let question = ExchangeQuestion {
            query: MemoryQuery::new(natural),
            format: Format::Attestation,
            include_evidence: true,
            include_vouches: false,
            include_referrals: false,
            max_results: most.clamp(Preferences::default().max_results, 100),
            cursor: None,
            peer: None,
            address: CONVERSATION.to_owned(),
            timeout_us: PATIENCE_US,
            store_policy: self.store_policy,
            is_anonymous: true,
        };
        let report = self.host.hear(question, response).await?;
        let shown = self.memory.document_of(&self.host, &report, false).await?;
        let document = json!({ "heardAs": heard.name(), "exchange": shown.value() });
        Ok((document, shown.detail("results").clone(), None))
    }
}

fn instant(micros: u64) -> Result<Timestamp, Error> {
    Timestamp::from_micros(micros).map_err(|_| Error::place("the clock shows no time", "set it"))
}
