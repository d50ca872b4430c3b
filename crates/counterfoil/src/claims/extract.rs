//! Claims read out of memories: proposals of a model's standing, anchored in the memory that they were read from; the gate
//! decides (I5).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use counterfoil_capsule::Kind;
use counterfoil_claims::ports::{Change, Passage};
use counterfoil_claims::{ClaimError, Disposition, Settings};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog, ClaimStore, StoreError};
use counterfoil_types::json::Value;
use counterfoil_types::{Scope, WorldId};
use serde::Serialize;

use super::access::ClaimWriter;
use super::bulk::{self, Hint, Hints, Judged, Tally};
use super::reader::{self, Reader, Turn};
use super::settings;
use super::settle::{Batch, Lines, Proposed, said_at_us};
use crate::error::{Error, ErrorKind};
use crate::memory::Memory;
use crate::report::Report;
use crate::words::count;
use crate::{text, versions};

/// Conversation, session and scope of a turn.
type Conversation = (Option<String>, Option<String>, Scope);

/// Number of names fetched at a time.
const PAGE: usize = 1000;
/// Most proposals, and most memories that could not be read, that are listed; all are counted.
const LISTED: usize = 1000;

/// Reader, and extent of an extraction.
#[derive(Debug, Clone, Default)]
pub struct ExtractOptions {
    /// Asks the model that `extract.toml` names. Default: sentence patterns, on this machine.
    pub with_model: bool,
    /// Reports the proposals, and writes nothing.
    pub dry_run: bool,
    /// Most memories, those recorded last; all by default.
    pub max: Option<usize>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Extraction {
    with: &'static str,
    dry_run: bool,
    /// Memories that were read.
    read: u64,
    /// Memories without text, and claims, which are not read again.
    left_out: u64,
    proposals: u64,
    #[serde(flatten)]
    tally: Tally,
    refused: u64,
    listed: Vec<ProposalView>,
    /// Number of memories that the reader could not read, and the first of them.
    unreadable_count: u64,
    unreadable: Vec<UnreadView>,
    /// Parts of the model's answers that were no proposals.
    skipped: Vec<UnreadView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hints: Vec<Hint>,
    interrupted: bool,
    /// Dates of the listed proposals, for people.
    #[serde(skip)]
    when: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProposalView {
    memory: WorldId,
    subject: String,
    /// Name in the text, where that is another one of the subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    said_of: Option<String>,
    predicate: String,
    value: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid: Option<ValidView>,
    cardinality: &'static str,
    /// Effect on the line: `replaces` or `ends`.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<&'static str>,
    /// Place of the statement in the memory's text, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<[usize; 2]>,
    /// `proposed` in a dry run, `refused` when the gate never judged it, else the disposition.
    became: &'static str,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<WorldId>,
    new: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

#[derive(Serialize)]
struct ValidView {
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    confidence: f64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UnreadView {
    memory: WorldId,
    why: String,
}

impl Memory {
    /// Reads claims out of one memory, or out of all that are current, and submits them to the gate as proposals of a model.
    /// A second reading adds nothing. Detail `when`: the dates of each listed proposal.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for a memory without text and for a reader that cannot be opened.
    pub async fn extract(
        &self,
        id: Option<&str>,
        options: &ExtractOptions,
    ) -> Result<Report, Error> {
        let (whole, scope) = (self.whole(), self.scope());
        whole.must_exist()?;
        let store = whole.reader()?;
        let agent = self.home().agent_public()?;
        let ids = match id {
            Some(id) => {
                let (_, id) = self.reaching(id).await?;
                vec![versions::locate(&store, &id).await?.world_id]
            }
            None => current(&store, (&agent, scope), options.max).await?,
        };
        let reader = Reader::open(options.with_model, self.home()).await?;
        let hints = Hints::over(store.predicates(agent, None, scope.clone()).await?);
        let settings = Arc::new(Settings {
            aliases: whole.read_logged_settings().await?.aliases,
            ..settings::read(self.home())?
        });
        let writer = match options.dry_run {
            true => None,
            false => Some(ClaimWriter::open(self).await?),
        };
        let mut extractor = Extractor {
            lines: Lines::new(Arc::clone(&store), settings, agent),
            store,
            writer,
            reader,
            hints,
            batch: Batch::default(),
            report: Extraction {
                with: if options.with_model {
                    "endpoint"
                } else {
                    "rules"
                },
                dry_run: options.dry_run,
                ..Extraction::default()
            },
        };
        let ended = extractor.read_all(self, &ids, id.is_some()).await;
        let mut report = extractor.report;
        report.hints = extractor.hints.given;
        let problem = match ended {
            Err(error)
                if report.read == 0
                    && report.left_out == 0
                    && error.kind() != ErrorKind::Interrupted =>
            {
                return Err(error);
            }
            Err(error) => {
                report.interrupted = error.kind() == ErrorKind::Interrupted;
                Some(error)
            }
            Ok(()) => report.unreadable.first().map(|first| {
                let unread = count(report.unreadable_count, "memory", "memories");
                let UnreadView { memory, why } = first;
                Error::input(
                    format_args!("{unread} could not be read, the first of them {memory} ({why})"),
                    "all others were",
                )
            }),
        };
        Ok(Report::new(&report)?
            .with("when", &report.when)
            .but(problem))
    }
}

struct Extractor {
    store: Arc<SqliteStore>,
    /// `None` in a dry run.
    writer: Option<ClaimWriter>,
    reader: Reader,
    hints: Hints,
    lines: Lines,
    batch: Batch,
    report: Extraction,
}

impl Extractor {
    /// Reads memories. A memory that was named must have a text; of all, those that have one are read.
    async fn read_all(
        &mut self,
        memory: &Memory,
        ids: &[WorldId],
        named: bool,
    ) -> Result<(), Error> {
        let (mut turns, mut scopes, mut bytes) = (Vec::new(), Vec::new(), 0);
        let mut last: Option<(Conversation, Passage)> = None;
        for id in ids {
            if memory.interruption().load(Ordering::Relaxed) {
                return Err(Error::new(
                    ErrorKind::Interrupted,
                    "interrupted; run the same again to read the rest",
                ));
            }
            match passage(&self.store, id).await? {
                Ok((passage, conversation)) => {
                    if self.reader.is_full(turns.len(), bytes + passage.text.len()) {
                        self.read(std::mem::take(&mut turns), std::mem::take(&mut scopes))
                            .await?;
                        bytes = 0;
                    }
                    bytes += passage.text.len();
                    let follows = |(other, _): &(Conversation, Passage)| {
                        *other == conversation && conversation.0.is_some()
                    };
                    let before = last.take().filter(follows);
                    scopes.push(conversation.2.clone());
                    last = Some((conversation, passage.clone()));
                    turns.push(Turn {
                        before: before.map(|(_, before)| before),
                        passage,
                    });
                }
                Err(why) if named => return Err(why),
                Err(_) => self.report.left_out += 1,
            }
        }
        self.read(turns, scopes).await?;
        self.submit().await
    }

    /// Reads turns together, and collects the proposals.
    async fn read(&mut self, turns: Vec<Turn>, scopes: Vec<Scope>) -> Result<(), Error> {
        if turns.is_empty() {
            return Ok(());
        }
        let passages: Vec<Passage> = turns.iter().map(|turn| turn.passage.clone()).collect();
        let read = match self.reader.read(turns).await {
            Ok(read) => read,
            Err(why) => {
                // Proposals of earlier memories are kept.
                self.submit().await?;
                return Err(why);
            }
        };
        for ((passage, scope), proposed) in passages.into_iter().zip(scopes).zip(read) {
            self.take((passage, scope), proposed).await?;
        }
        Ok(())
    }

    /// Collects the proposals of a memory.
    async fn take(
        &mut self,
        (passage, scope): (Passage, Scope),
        proposed: Result<reader::Proposed, String>,
    ) -> Result<(), Error> {
        let read = Passage {
            text: String::new(),
            ..passage
        };
        let unread = |why| UnreadView {
            memory: read.world.clone(),
            why,
        };
        self.report.read += 1;
        match proposed {
            Ok((proposals, skipped)) => {
                let room = LISTED.saturating_sub(self.report.skipped.len());
                let skipped = skipped.into_iter().take(room).map(unread);
                self.report.skipped.extend(skipped);
                for proposal in proposals {
                    let aliases = &self.lines.settings.aliases;
                    let proposed = Proposed::new((&read, &scope), proposal, aliases);
                    let line = proposed.line(self.lines.agent);
                    if self.batch.is_full_for(&line) {
                        self.submit().await?;
                    }
                    self.batch.push(line, proposed);
                }
            }
            Err(why) => {
                self.report.unreadable_count += 1;
                if self.report.unreadable.len() < LISTED {
                    self.report.unreadable.push(unread(why));
                }
            }
        }
        Ok(())
    }

    /// Submits the collected proposals to the gate, each planned against its line.
    async fn submit(&mut self) -> Result<(), Error> {
        let batch = self.batch.take();
        let Some(writer) = &self.writer else {
            for proposed in batch {
                self.report.take(&proposed, None, &mut self.hints);
            }
            return Ok(());
        };
        let (mut plans, mut requests) = (Vec::new(), Vec::new());
        for proposed in &batch {
            let mut plan = self.lines.plan(proposed).await?;
            let asked = std::mem::take(&mut plan.requests);
            plans.push((plan, asked.len()));
            requests.extend(asked);
        }
        let mut answers = bulk::submit(writer, requests).await?.into_iter();
        let (mut yielding, mut yields) = (Vec::new(), Vec::new());
        for (proposed, (plan, asked)) in batch.iter().zip(plans) {
            // Of several requests the first answers for the proposal.
            let mut own = answers.by_ref().take(asked);
            let answer = own.next();
            own.for_each(drop);
            let answer = answer.or_else(|| plan.known.map(|known| Ok((known, false))));
            if let (Some(later), Some(Ok((outcome, true)))) = (plan.later, &answer) {
                yielding.push(proposed.world.clone());
                yields.push(proposed.yields(outcome.reference.clone(), later)?);
            }
            self.report.take(proposed, Some(answer), &mut self.hints);
        }
        if yields.is_empty() {
            return Ok(());
        }
        let answers = bulk::submit(writer, yields).await?;
        for (memory, answer) in yielding.into_iter().zip(answers) {
            if let (Err(refusal), true) = (answer, self.report.skipped.len() < LISTED) {
                let why = refusal.to_string();
                self.report.skipped.push(UnreadView { memory, why });
            }
        }
        Ok(())
    }
}

impl Extraction {
    /// Counts and lists a proposal; `answer` is that of the gate, `None` in a dry run. The inner one is `None` where there was
    /// nothing to end.
    fn take(
        &mut self,
        proposed: &Proposed,
        answer: Option<Option<Result<Judged, ClaimError>>>,
        hints: &mut Hints,
    ) {
        let (memory, proposal) = (proposed.world.clone(), &proposed.proposal);
        self.proposals += 1;
        hints.look(&proposal.predicate);
        let (became, reference, new, why) = match answer {
            None => ("proposed", None, false, None),
            Some(None) => (Disposition::NoChange.name(), None, false, None),
            Some(Some(Ok(judged))) => {
                self.tally.count(&judged);
                let (outcome, new) = judged;
                (
                    outcome.disposition.name(),
                    Some(outcome.reference),
                    new,
                    None,
                )
            }
            Some(Some(Err(refusal))) => {
                self.refused += 1;
                ("refused", None, false, Some(refusal.to_string()))
            }
        };
        if self.listed.len() >= LISTED {
            return;
        }
        let valid = proposal.valid.as_ref();
        self.when.push(valid.map_or_else(String::new, text::valid));
        self.listed.push(ProposalView {
            memory,
            subject: proposed.subject.to_string(),
            said_of: (proposed.subject != proposal.subject).then(|| proposal.subject.to_string()),
            predicate: proposal.predicate.to_string(),
            value: proposal.value.to_json(),
            valid: valid.map(|valid| ValidView {
                from: valid.from.map(|from| from.to_string()),
                until: valid.until.map(|until| until.to_string()),
                confidence: valid.confidence.value(),
            }),
            cardinality: proposal.cardinality.name(),
            change: match proposal.change {
                Change::None => None,
                Change::Replaces => Some("replaces"),
                Change::Ends => Some("ends"),
            },
            span: proposal.span.as_ref().map(|span| [span.start, span.end]),
            became,
            reference,
            new,
            why,
        });
    }
}

/// Ids of the current memories, at most the newest `max` without claims, in the order of recording.
async fn current(
    store: &SqliteStore,
    (agent, scope): (&counterfoil_types::DidKey, &Scope),
    max: Option<usize>,
) -> Result<Vec<WorldId>, Error> {
    let most = max.unwrap_or(usize::MAX);
    let mut ids = Vec::new();
    let Some(last) = store.size().await?.checked_sub(1) else {
        return Ok(ids);
    };
    let mut seen = 0;
    while ids.len() < most {
        let found = store.current_at(last, agent, scope, (seen, PAGE)).await?;
        if found.is_empty() {
            break;
        }
        seen += found.len();
        for id in found {
            if ids.len() >= most {
                break;
            }
            // Claims do not count towards the limit.
            if max.is_some()
                && let Some(index) = store.index_of(&id).await?
                && let Some(stored) = StoreError::skip_withheld(store.capsule(index).await)?
                && matches!(stored.header.kind(), Kind::Claim)
            {
                continue;
            }
            ids.push(id);
        }
    }
    ids.reverse();
    Ok(ids)
}

/// Reads the text of a memory, with its author and time; the inner error says why it has none. Of a turn or note these are
/// the words, without the caption, a machine's description of a picture; of other records all texts.
async fn passage(
    store: &SqliteStore,
    id: &WorldId,
) -> Result<Result<(Passage, Conversation), Error>, Error> {
    let no_content = || {
        Error::input(
            format_args!("the content of {id} is not here"),
            "restore it if it is archived, or name another memory",
        )
    };
    let stored = StoreError::skip_withheld(versions::stored(store, id).await)?;
    let Some(stored) = stored else {
        return Ok(Err(no_content()));
    };
    if matches!(stored.header.kind(), Kind::Claim) {
        return Ok(Err(Error::input(
            format_args!("{id} is a claim itself"),
            "name the memory that it was read from",
        )));
    }
    let Some(world) = versions::content(&stored)? else {
        return Ok(Err(no_content()));
    };
    let data = world.data().unwrap_or(&Value::Null);
    let member = |name: &str| data.get(name).and_then(Value::as_str);
    let (speaker, text) = if matches!(member("kind"), Some("turn" | "note")) {
        let speaker = member("speaker").map(str::to_owned);
        (speaker, member("text").unwrap_or_default().to_owned())
    } else {
        let mut lines = Vec::new();
        strings(data, &mut lines);
        (None, lines.join("\n"))
    };
    if text.trim().is_empty() {
        return Ok(Err(Error::input(
            format_args!("there is no text in {id}"),
            "name another memory",
        )));
    }
    let source = |name: &str| {
        let named = data.get("source").and_then(|source| source.get(name));
        named.and_then(Value::as_str).map(str::to_owned)
    };
    let scope = Scope::of(Some(data));
    let conversation = (source("conversation"), source("session"), scope);
    let passage = Passage {
        world: id.clone(),
        speaker,
        text,
        said_at_us: said_at_us(&world),
    };
    Ok(Ok((passage, conversation)))
}

/// Collects the strings of a value, members in the order of their names. The depth of a World's data is bounded by its
/// canonical form, so this may recurse.
fn strings<'v>(value: &'v Value, lines: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => lines.push(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, lines)),
        Value::Object(members) => {
            let sorted: BTreeMap<&String, &Value> = members.iter().collect();
            sorted.into_values().for_each(|item| strings(item, lines));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
