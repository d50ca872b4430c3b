//! Asking other agents: a question, the checks of its answer, and what is kept of it.

use std::fmt::Display;
use std::future::poll_fn;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::{Duration, Instant};

use counterfoil_capsule::Timestamp;
use counterfoil_exchange::conversation::render_request;
use counterfoil_exchange::documents::{
    Domain, Filters, Format, MemoryQuery, Request, RequestId, Text,
};
use counterfoil_exchange::trust::Records;
use counterfoil_http::client::ClientSettings;
use counterfoil_peer::asking::{CONVERSATION, StorePolicy};
use counterfoil_peer::{ExchangeQuestion, ExchangeReport, Host, Transport};
use counterfoil_store::{ExchangeStore, StoredExchange};
use counterfoil_types::DidKey;

use super::document::{document, transitions};
use super::way::Way;
use super::{host, settings};
use crate::error::{Error, ErrorKind};
use crate::files;
use crate::memory::Memory;
use crate::report::{Report, object};
use crate::when::rfc3339;

/// Time limit of a question for a conversation, which a person has to carry, in microseconds.
const CONVERSED_US: u64 = 300_000_000;
/// Most keywords of a question (docs/format/exchange.md §2).
const MAX_KEYWORDS: usize = 16;
/// Most exchanges that are searched for the beginning of an id.
const LOOKED_AT: usize = 1_000;
/// Largest file of certificates, in bytes.
const MAX_PEM: usize = 1 << 20;
/// Time between two looks at the interruption flag during a wait.
const LOOK: Duration = Duration::from_millis(100);

/// Begin, inclusive, and end, exclusive, of a span of time.
type Span = (Option<Timestamp>, Option<Timestamp>);

/// Form of a question, demands on the answer, and the way to the agent.
#[derive(Debug, Clone)]
pub struct AskOptions {
    /// Domain of the question.
    pub domain: Option<Domain>,
    /// Words to search for beside those of the question, at most 16.
    pub keywords: Vec<String>,
    /// Only memories from this time on, in microseconds since 1970.
    pub from_us: Option<u64>,
    /// Only memories from before this time, in microseconds since 1970.
    pub until_us: Option<u64>,
    /// Asks for evidence, with attestations for receipts, too. Default: with attestations alone.
    pub include_evidence: Option<bool>,
    /// Asks for the vouches for the agent. Default: with [`require_vouches`](Self::require_vouches) alone.
    pub include_vouches: Option<bool>,
    /// Most memories in the answer, 1 to 100. Default: 5.
    pub max: u8,
    /// Cursor of an earlier answer to the same question.
    pub cursor: Option<String>,
    /// Form of the answer. Default: attestations.
    pub format: Format,
    /// Time to wait, 1 to 600 s. Default: 30 s.
    pub timeout: Duration,
    /// Memories of the answer that are stored. Default: attested ones.
    pub store: StorePolicy,
    /// Only memories with evidence that was checked.
    pub require_evidence: bool,
    /// Only memories of agents that are vouched for.
    pub require_vouches: bool,
    /// Least level of trust in the source of a memory, 0 to 3.
    pub min_level: u8,
    /// Asks without a signature.
    pub anonymous: bool,
    /// Fetches evidence that memories point to, from public addresses.
    pub fetch_evidence: bool,
    /// Allows plain HTTP to other machines.
    pub plain_http: bool,
    /// File of certificate authorities trusted beside the system's, in PEM.
    pub ca: Option<PathBuf>,
    /// Most agents that [`Memory::who_knows`] asks, 1 to 32. Default: 8.
    pub max_agents: u8,
    /// Lets [`Memory::who_knows`] ask agents to whom others refer, over at most 2 hops and at most
    /// [`max_agents`](Self::max_agents) of them. Default: false.
    pub follow_referrals: bool,
    /// Allows agents to whom others refer at private addresses and over plain HTTP. Default: false.
    pub private_addresses: bool,
}

impl Default for AskOptions {
    fn default() -> Self {
        Self {
            domain: None,
            keywords: Vec::new(),
            from_us: None,
            until_us: None,
            include_evidence: None,
            include_vouches: None,
            max: 5,
            cursor: None,
            format: Format::Attestation,
            timeout: Duration::from_secs(30),
            store: StorePolicy::Attested,
            require_evidence: false,
            require_vouches: false,
            min_level: 0,
            anonymous: false,
            fetch_evidence: false,
            plain_http: false,
            ca: None,
            max_agents: 8,
            follow_referrals: false,
            private_addresses: false,
        }
    }
}

impl AskOptions {
    pub(super) fn question(&self, question: &str) -> Result<ExchangeQuestion, Error> {
        let natural = Text::new(question).map_err(|error| {
            Error::input(format_args!("the question: {error}"), "write another one")
        })?;
        let cursor = self.cursor.as_deref().map(Text::new).transpose();
        Ok(ExchangeQuestion {
            query: MemoryQuery {
                natural,
                domain: self.domain.clone(),
                keywords: self.keywords()?,
                time_range: self.time_range()?,
                filters: Filters {
                    min_trust_level: Some(self.min_level).filter(|level| *level > 0),
                    require_evidence: self.require_evidence,
                    require_vouches: self.require_vouches,
                },
            },
            format: self.format,
            include_evidence: self
                .include_evidence
                .unwrap_or(self.format == Format::Attestation),
            include_vouches: self.include_vouches.unwrap_or(self.require_vouches),
            include_referrals: false,
            max_results: self.max,
            cursor: cursor.map_err(|error| {
                Error::input(
                    format_args!("--cursor is none ({error})"),
                    "give the one of the answer before, whole",
                )
            })?,
            peer: None,
            address: CONVERSATION.to_owned(),
            timeout_us: CONVERSED_US,
            store_policy: self.store,
            is_anonymous: self.anonymous,
        })
    }

    fn keywords(&self) -> Result<Vec<Text<64>>, Error> {
        if self.keywords.len() > MAX_KEYWORDS {
            return Err(Error::input(
                format_args!("more than {MAX_KEYWORDS} keywords"),
                "give the most telling ones",
            ));
        }
        let keywords = self.keywords.iter().map(|word| Text::new(word.as_str()));
        keywords.collect::<Result<_, _>>().map_err(|error| {
            Error::input(format_args!("--keyword: {error}"), "write a shorter one")
        })
    }

    fn time_range(&self) -> Result<Option<Span>, Error> {
        if self.from_us.is_none() && self.until_us.is_none() {
            return Ok(None);
        }
        if self
            .from_us
            .zip(self.until_us)
            .is_some_and(|(from, until)| from >= until)
        {
            return Err(Error::input(
                "the span of time ends before it begins",
                "give --from a date before --until",
            ));
        }
        let instant = |at: Option<u64>| at.map(Timestamp::from_micros).transpose();
        let range = instant(self.from_us).and_then(|from| Ok((from, instant(self.until_us)?)));
        range
            .map(Some)
            .map_err(|error| Error::input(error, "write a date before 10000"))
    }
}

impl Memory {
    /// Asks another agent, checks the answer, and stores what may be kept of it. `target` is its name, key, URL or folder.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for a target that cannot be asked, [`ErrorKind::Interrupted`] once the interruption flag is set.
    pub async fn ask(
        &self,
        target: &str,
        question: &str,
        options: &AskOptions,
    ) -> Result<Report, Error> {
        self.must_be_unbound()?;
        let begun = Instant::now();
        let mut question = options.question(question)?;
        let (host, records) = self.asking(options).await?;
        let net = client_settings(options.plain_http, options.ca.as_deref())?;
        let patience = (options.timeout / 2, self.home().notices());
        let mut way = Way::find(&records, target, &net, patience).await?;
        question.peer = way.peer;
        question.address = way.address;
        let left = options.timeout.saturating_sub(begun.elapsed());
        question.timeout_us = u64::try_from(left.as_micros()).unwrap_or(u64::MAX);
        let id = host.draw()?;
        let asked = host.ask_under(id.clone(), question, way.transport.as_mut());
        let report = self.unless_interrupted(going_on(&id), asked).await??;
        self.described(&host, &report).await
    }

    /// Asks the agent of a key through a transport of the caller's, of which `address` is recorded.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub async fn ask_through(
        &self,
        (peer, address): (DidKey, &str),
        transport: &mut dyn Transport,
        question: &str,
        options: &AskOptions,
    ) -> Result<Report, Error> {
        self.must_be_unbound()?;
        let mut question = options.question(question)?;
        let (host, _) = self.asking(options).await?;
        question.peer = Some(peer);
        address.clone_into(&mut question.address);
        question.timeout_us = u64::try_from(options.timeout.as_micros()).unwrap_or(u64::MAX);
        let report = host.ask(question, transport).await?;
        self.described(&host, &report).await
    }

    /// Asks an agent what it states of its memory `id`. The answer is signed and bound to this request, and yet the agent's own word:
    /// it is shown, and neither counted nor recorded.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for an agent without a URL or a known key, and for an id that is too long; no authentic answer in time.
    pub async fn verify_memory(
        &self,
        target: &str,
        id: &str,
        options: &AskOptions,
    ) -> Result<Report, Error> {
        self.must_be_unbound()?;
        let begun = Instant::now();
        let id = Text::new(id).map_err(|error| {
            Error::input(
                format_args!("the memory: {error}"),
                "give the id of the answer",
            )
        })?;
        let (host, records) = self.asking(options).await?;
        let net = client_settings(options.plain_http, options.ca.as_deref())?;
        let patience = (options.timeout / 2, self.home().notices());
        let way = Way::find(&records, target, &net, patience).await?;
        let Some(peer) = way.peer else {
            return Err(Error::input(
                "the key of this agent is unknown, so its answer could be anybody's",
                "add it first: `counterfoil peer add URL`",
            ));
        };
        let mut transport = way.for_verification(&net)?;
        let left = options.timeout.saturating_sub(begun.elapsed());
        let left_us = u64::try_from(left.as_micros()).unwrap_or(u64::MAX);
        let result = host.verify(peer, id, left_us, transport.as_mut());
        let result = result.await?;
        let parts = result.parts();
        let checks = parts.checks.iter();
        let checks: Vec<_> = checks
            .map(|(check, said)| object().with("check", *check).with("said", *said))
            .collect();
        let name = records.of_key(&peer).and_then(|known| known.name);
        Report::new(
            &object()
                .with("agent", object().with("key", peer).with_some("name", name))
                .with("memory", &parts.attestation_id)
                .with("saidAt", parts.header.timestamp)
                .with("testimony", checks),
        )
    }

    /// Returns an anonymous question as text for a conversation. Nothing is sent or recorded.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub async fn question_text(
        &self,
        target: &str,
        question: &str,
        options: &AskOptions,
    ) -> Result<String, Error> {
        self.must_be_unbound()?;
        let mut question = options.question(question)?;
        question.is_anonymous = true;
        let (host, records) = self.asking(options).await?;
        client_settings(options.plain_http, options.ca.as_deref())?;
        let named = records.named(target).and_then(|known| known.name);
        let to = named.map_or_else(|| target.to_owned(), |name| name.to_string());
        let request = host.request(question)?;
        Ok(render_request(&to, &request).unwrap_or_else(|| {
            let document = String::from_utf8_lossy(request.bytes());
            format!("```json\n{document}\n```\n")
        }))
    }

    /// Lists the newest exchanges, at most `max`.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn exchanges(&self, max: usize) -> Result<Report, Error> {
        let newest = self.reader()?.exchanges(None, max).await?;
        let rows = newest.into_iter().map(|stored| {
            let begun = stored.begun;
            let last = stored.transitions.last();
            let request = Request::parse(&begun.request).ok();
            let question = request.map(|request| request.parts().query.natural.to_string());
            object()
                .with("exchange", begun.id)
                .with("state", last.map_or("idle", |row| row.to.name()))
                .with("begunAt", rfc3339(begun.begun_us))
                .with_some("asked", begun.peer)
                .with("address", begun.address)
                .with_some("question", question)
                .with("memories", stored.items.len())
        });
        Report::new(&object().with("exchanges", rows.collect::<Vec<_>>()))
    }

    /// Reports an exchange and each state that it was in. `id` may be the beginning of its id.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for an id that no exchange or more than one has.
    pub async fn exchange(&self, id: &str) -> Result<Report, Error> {
        let (host, stored) = self.begun(id).await?;
        let report = host.report(&stored.begun.id).await?;
        self.document_of(&host, &report, true).await
    }

    /// Gives an exchange up.
    ///
    /// # Errors
    /// As [`exchange`](Self::exchange); [`ErrorKind::Refused`] for an exchange that has ended.
    pub async fn cancel_exchange(&self, id: &str) -> Result<Report, Error> {
        let (host, stored) = self.begun(id).await?;
        let id = stored.begun.id;
        let report = host.report(&id).await?;
        if report.state.is_final() {
            let state = report.state.name().replace('_', " ");
            return Err(Error::refused(
                format_args!("this exchange has ended ({state}): nothing is left to give up"),
                format_args!("`counterfoil exchange show {id}` tells how it went"),
            ));
        }
        let report = host.cancel(&id).await?;
        self.described(&host, &report).await
    }

    /// Accepts an answer that came too late, within 24 hours.
    ///
    /// # Errors
    /// As [`exchange`](Self::exchange).
    pub async fn adopt_exchange(&self, id: &str) -> Result<Report, Error> {
        let (host, stored) = self.begun(id).await?;
        let report = host.adopt(&stored.begun.id).await?;
        self.described(&host, &report).await
    }

    /// Continues an exchange that was interrupted.
    ///
    /// # Errors
    /// As [`exchange`](Self::exchange) and [`ask`](Self::ask).
    pub async fn resume_exchange(
        &self,
        id: &str,
        plain_http: bool,
        ca: Option<&Path>,
    ) -> Result<Report, Error> {
        let (host, stored) = self.begun(id).await?;
        let begun = stored.begun;
        let net = client_settings(plain_http, ca)?;
        let mut way = Way::to(begun.peer, &begun.address, &net, Some(&begun.id))?;
        let resumed = host.resume(&begun.id, way.transport.as_mut());
        let report = self
            .unless_interrupted(going_on(&begun.id), resumed)
            .await??;
        self.described(&host, &report).await
    }

    /// The host with these options, and the records about other agents.
    pub(super) async fn asking(&self, options: &AskOptions) -> Result<(Host, Arc<Records>), Error> {
        self.must_exist()?;
        let mut settings = settings::read(self.home())?;
        settings.fetch_evidence |= options.fetch_evidence;
        let host = host::open(self, &settings).await?;
        Ok((host, self.trust_records().await?))
    }

    /// The host, and the exchange of an id or of an id that begins so.
    async fn begun(&self, id: &str) -> Result<(Host, StoredExchange), Error> {
        let (host, _) = self.asking(&AskOptions::default()).await?;
        let unknown = || {
            Error::input(
                format_args!("there is no exchange {id}"),
                "`counterfoil exchange list` shows those there are",
            )
        };
        let store = self.writer()?;
        if let Ok(whole) = id.parse::<RequestId>() {
            let stored = store.exchange(&whole).await?.ok_or_else(unknown)?;
            return Ok((host, stored));
        }
        let newest = store.exchanges(None, LOOKED_AT).await?;
        let mut fitting = newest
            .into_iter()
            .filter(|stored| !id.is_empty() && stored.begun.id.as_str().starts_with(id));
        match (fitting.next(), fitting.next()) {
            (Some(one), None) => Ok((host, one)),
            (None, _) => Err(unknown()),
            (Some(_), Some(_)) => Err(Error::input(
                format_args!("more than one exchange begins with {id}"),
                "write more of its id",
            )),
        }
    }

    async fn described(&self, host: &Host, report: &ExchangeReport) -> Result<Report, Error> {
        self.document_of(host, report, false).await
    }

    /// The document of an exchange. Detail `results`: number of memories in the answer.
    pub(super) async fn document_of(
        &self,
        host: &Host,
        report: &ExchangeReport,
        with_states: bool,
    ) -> Result<Report, Error> {
        let stored = host.store.exchange(&report.id).await?;
        let records = self.trust_records().await?;
        let begun = stored.as_ref().map(|stored| &stored.begun);
        let mut shown = document(report, begun, &records);
        if let (true, Some(members)) = (with_states, shown.as_object_mut()) {
            let rows = stored.map(|stored| stored.transitions).unwrap_or_default();
            members.insert("transitions".into(), transitions(&rows));
        }
        let response = report.response.as_ref();
        let results = response.map(|response| response.parts().results.len());
        Ok(Report::new(&shown)?.with("results", results))
    }

    /// Waits for `task` unless the interruption flag is set, when the task is dropped. `next` names the commands that go on.
    pub(super) async fn unless_interrupted<T>(
        &self,
        next: impl Display,
        task: impl Future<Output = T>,
    ) -> Result<T, Error> {
        let watch = async {
            while !self.interruption().load(Ordering::Relaxed) {
                tokio::time::sleep(LOOK).await;
            }
        };
        let (mut task, mut watch) = (pin!(task), pin!(watch));
        let done = poll_fn(|context| match task.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending => watch.as_mut().poll(context).map(|()| None),
        });
        done.await.ok_or_else(|| {
            Error::new(
                ErrorKind::Interrupted,
                format_args!("interrupted; nothing is lost: {next}"),
            )
        })
    }
}

/// Commands that go on with an exchange or give it up.
fn going_on(id: &RequestId) -> String {
    format!(
        "`counterfoil exchange resume {id}` goes on with it, `counterfoil exchange cancel {id}` gives it up"
    )
}

pub(super) fn client_settings(
    plain_http: bool,
    ca: Option<&Path>,
) -> Result<ClientSettings, Error> {
    let read = |path| files::read("certificates", path, MAX_PEM, ErrorKind::Input);
    Ok(ClientSettings {
        plain_http,
        extra_ca_pem: ca.map(read).transpose()?,
    })
}
