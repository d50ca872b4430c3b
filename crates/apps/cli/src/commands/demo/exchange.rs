//! Two agents with stores and keys of their own, and a folder between them: what one says is checked by the other, a forged
//! answer is passed over, a contradiction shows, and one's own words that come back count for nothing.

use std::fs;
use std::sync::Arc;

use async_trait::async_trait;
use counterfoil::Memory;
use counterfoil_capsule::World;
use counterfoil_claims::belief::{Belief, BeliefStatus};
use counterfoil_claims::{ClaimOutcome, FactValue, Submission};
use counterfoil_exchange::checks::{CheckKind, CheckResult, Flag};
use counterfoil_exchange::documents::{Filters, Format, MemoryQuery, Text};
use counterfoil_exchange::machine::{ExchangeState, Notice};
use counterfoil_exchange::trust::LocalRecord;
use counterfoil_mailbox::{FolderResponder, FolderTransport};
use counterfoil_peer::asking::{ReceivedMemory, StorePolicy};
use counterfoil_peer::{
    Answering, Asking, ExchangeQuestion, ExchangeReport, Transport, TransportError,
};
use counterfoil_store::{AsOf, CapsuleLog, ClaimRequest, Draft};
use counterfoil_types::json::Value;
use serde_json::json;

use super::Demo;
use super::claims::{held, told};
use crate::args::ChannelName;
use crate::claims::access::{ClaimReader, ClaimWriter, predicate, subject};
use crate::claims::refusals::refused;
use crate::commands::answer;
use crate::exchange::settings::{self, FILE};
use crate::exchange::{host, peers};
use crate::failure::Failure;
use crate::files::write_file;
use crate::home::Home;
use crate::output::text;
use crate::remember::random_id;
use crate::when;

/// Share policy of the mill: for every agent that shows a key.
const MILL: &str = r#"
[agent]
name = "Bryn Mill"
[[share]]
to = "*"
labels = ["customers"]
[share_claims]
predicates = ["delivery_day", "flour_supplier"]
"#;
/// Share policy of the bakery.
const BAKERY: &str = r#"
[agent]
name = "the bakery"
[[share]]
to = "*"
labels = ["suppliers"]
[share_claims]
predicates = ["flour_supplier"]
"#;
const WHEEL: &str = "The river is high: our wheel stands still until the ninth";
/// A text of the memory, and its forgery in transit.
const FORGERY: (&str, &str) = ("until the ninth", "until Christmas");
/// Waiting time for an answer, in microseconds.
const TIMEOUT_US: u64 = 30_000_000;

impl Demo {
    /// A memory of another agent comes through a folder, behind a forged copy of itself.
    pub(super) async fn ask(&mut self) -> Result<(), Failure> {
        let (log, key) = self.meet().await?;
        remember(&self.mill, WHEEL).await?;
        let question = "Why does the wheel stand still?";
        let report = self.asked(&self.home, question, Some(FORGERY)).await?;
        let kept = report.memories.first();
        let dropped = report.notices.get(&Notice::Ignored).copied();
        let dropped = dropped.unwrap_or_default();
        let mut lines = vec![
            format!("Bryn Mill\t{key}"),
            format!("its log\t{log}"),
            format!("\"{question}\""),
            format!(
                "an answer comes that says \"{}\": {dropped} passed over, the exchange waits on",
                FORGERY.1
            ),
        ];
        lines.extend(kept.map(|memory| said(memory, &report)));
        lines.extend(kept.map(checks));
        let proven = kept.is_some_and(|memory| {
            memory.stored.is_some() && memory.judged.checks.evidence == CheckResult::Pass
        });
        let caught = proven && dropped == 1 && report.state == ExchangeState::Stored;
        let name = "14. Another agent is asked, and someone on the way changes its answer.";
        self.tell_forgery(name, caught, lines);
        Ok(())
    }

    /// The other agent says otherwise: both sides stay, and neither is settled.
    pub(super) async fn differ(&mut self) -> Result<(), Failure> {
        let line = ("Bryn Mill", "delivery_day");
        let ours = state(&self.home, line, "Tuesday").await?;
        state(&self.mill, line, "Thursday").await?;
        let question = "On which day do you deliver?";
        let report = self.asked(&self.home, question, None).await?;
        let contested = report.memories.iter().find(|memory| {
            memory.judged.flags.contains(&Flag::Contested) && memory.stored.is_some()
        });
        let belief = believe(&self.home, line).await?;
        let mut lines = vec![
            format!("the bakery, Tuesday\t{}", told(&ours)),
            format!("\"{question}\""),
        ];
        lines.extend(contested.map(|memory| said(memory, &report)));
        lines.push(held(&belief));
        let both = belief.status == BeliefStatus::Contested && belief.sides.len() == 2;
        let name = "15. Two agents contradict each other: both sides stay.";
        self.tell(name, both && contested.is_some(), lines);
        Ok(())
    }

    /// Sends an agent its own memory back through another agent.
    pub(super) async fn come_back(&mut self) -> Result<(), Failure> {
        let line = ("bakery", "flour_supplier");
        let question = "Who is the flour supplier of the bakery?";
        let before = believe(&self.home, line).await?;
        let there = self.asked(&self.mill, question, None).await?;
        let told = there.memories.iter().any(|memory| memory.stored.is_some());
        let size = CapsuleLog::size(&self.home.reader()?).await?;
        let report = self.asked(&self.home, question, None).await?;
        let after = believe(&self.home, line).await?;
        let written = CapsuleLog::size(&self.home.reader()?)
            .await?
            .saturating_sub(size);
        let mut lines = vec![format!(
            "the mill asks the bakery, and then is asked: \"{question}\""
        )];
        lines.extend(report.memories.iter().map(|memory| said(memory, &report)));
        let gained = after.sides != before.sides;
        lines.push(format!(
            "{written} units written; what supports it is {}",
            if gained { "CHANGED" } else { "as it was" }
        ));
        let came = told && !report.memories.is_empty();
        let name = "16. What an agent has told another comes back from there.";
        self.tell_forgery(name, came && written == 0 && !gained, lines);
        Ok(())
    }

    /// The other agent's store, and what each knows of the other. Gives its log's key and its own.
    async fn meet(&self) -> Result<(String, String), Failure> {
        let builder = Memory::builder(self.mill.dir()).log_name("mill.example/memory");
        let (_, made) = builder.create().await?;
        fs::create_dir(&self.between).map_err(|error| {
            Failure::place(error, "set TMPDIR to a folder that you may write to")
        })?;
        write_file(&self.mill.dir().join(FILE), MILL)?;
        write_file(&self.home.dir().join(FILE), BAKERY)?;
        introduce(&self.home, "Bryn Mill", &self.mill).await?;
        introduce(&self.mill, "the bakery", &self.home).await?;
        let [log, key] = ["verifierKey", "agent"].map(|name| text(made.value(), name));
        Ok((log, key))
    }

    /// One of the two asks the other through the folder; the first answer may be changed on its way.
    async fn asked(
        &self,
        asker: &Home,
        question: &str,
        change: Option<(&'static str, &'static str)>,
    ) -> Result<ExchangeReport, Failure> {
        let other = if asker.dir() == self.home.dir() {
            &self.mill
        } else {
            &self.home
        };
        let (ours, theirs) = (settings::read(asker)?, settings::read(other)?);
        let asking = Asking::new(host::open(asker, &ours).await?);
        let responder = host::open(other, &theirs).await?;
        let key = responder.signer.key();
        let index = Arc::new(other.reader()?);
        let answering = Answering::new(responder, index, theirs.answering).await?;
        let answering = Arc::new(answering);
        let opened = FolderResponder::open(&self.between, answering, &key);
        let responder = opened.map_err(answer::failure)?;
        let opened = FolderTransport::open(&self.between).map_err(answer::failure)?;
        let mut way = Tampered {
            inner: opened,
            change,
            honest: None,
        };
        let question = ExchangeQuestion {
            query: query(question)?,
            format: Format::Attestation,
            max_results: 5,
            cursor: None,
            peer: Some(key),
            address: self.between.display().to_string(),
            timeout_us: TIMEOUT_US,
            store_policy: StorePolicy::Attested,
        };
        tokio::select! {
            report = asking.ask(question, &mut way) => Ok(report?),
            failure = answers(&responder) => Err(failure),
        }
    }
}

/// A folder in which somebody changes the first answer: it is handed over changed, and then as it is.
struct Tampered {
    inner: FolderTransport,
    change: Option<(&'static str, &'static str)>,
    honest: Option<Vec<u8>>,
}

#[async_trait]
impl Transport for Tampered {
    async fn send(&mut self, request: &[u8]) -> Result<(), TransportError> {
        self.inner.send(request).await
    }

    async fn receive(&mut self) -> Result<Vec<u8>, TransportError> {
        if let Some(honest) = self.honest.take() {
            return Ok(honest);
        }
        let arrival = self.inner.receive().await?;
        let Some((from, to)) = self.change.take() else {
            return Ok(arrival);
        };
        let changed = String::from_utf8_lossy(&arrival).replace(from, to);
        self.honest = Some(arrival);
        Ok(changed.into_bytes())
    }
}

/// Answers in the folder, until it cannot.
async fn answers(responder: &FolderResponder) -> Failure {
    loop {
        if let Err(error) = responder.once().await {
            return answer::failure(error);
        }
        responder.rest().await;
    }
}

/// Records the other agent, and the log that it is checked against.
async fn introduce(to: &Home, name: &str, other: &Home) -> Result<(), Failure> {
    let fault = |_| Failure::bug("the demo's name is none");
    let mut desk = peers::Desk::open(to).await?;
    let record = LocalRecord::Peer {
        name: Text::new(name).map_err(fault)?,
        key: other.agent_public()?,
        addresses: Vec::new(),
        log: Some(other.log_public()?),
        domains: Vec::new(),
    };
    desk.keep(record).await?;
    Ok(())
}

async fn remember(home: &Home, text: &str) -> Result<(), Failure> {
    let data = json!({ "kind": "note", "text": text, "share": ["customers"] });
    let world = World::remember(random_id()?, when::now()?, data)
        .map_err(|_| Failure::bug("the demo's memory is none"))?;
    home.writer()?
        .append_one(home.agent()?, Draft::new(world))
        .await?;
    Ok(())
}

async fn state(home: &Home, line: (&str, &str), value: &str) -> Result<ClaimOutcome, Failure> {
    let value = FactValue::new(&Value::from(value)).map_err(refused)?;
    let user = ChannelName::User.channel();
    let submission = Submission::new(&user, subject(line.0)?, predicate(line.1)?, value);
    let writer = ClaimWriter::open(&super::memory(home))?;
    Ok(writer.submit(ClaimRequest::Submit(submission)).await?)
}

async fn believe(home: &Home, line: (&str, &str)) -> Result<Belief, Failure> {
    let desk = ClaimReader::looking(&super::memory(home))?;
    let line = desk.line(line.0, line.1)?;
    Ok(desk.believe(line, AsOf::default()).await?)
}

fn query(question: &str) -> Result<MemoryQuery, Failure> {
    Ok(MemoryQuery {
        natural: Text::new(question).map_err(|_| Failure::bug("the demo's question is none"))?,
        domain: None,
        keywords: Vec::new(),
        time_range: None,
        filters: Filters::default(),
    })
}

/// A memory of an answer, how far its source is trusted, and what became of it.
fn said(memory: &ReceivedMemory, report: &ExchangeReport) -> String {
    let place = usize::try_from(memory.number).unwrap_or(usize::MAX);
    let results = report.response.as_ref();
    let result = results.and_then(|response| response.parts().results.get(place));
    let content = result.map(|result| result.attestation.parts().claim.content.as_str());
    let judged = &memory.judged;
    let flags = judged.flags.iter().map(|flag| flag.name());
    let became = [judged.disposition.name()].into_iter().chain(flags);
    format!(
        "\"{}\"\ttrust {}: {}",
        content.unwrap_or_default(),
        judged.level(),
        became.collect::<Vec<_>>().join(", ").replace('_', " ")
    )
}

fn checks(memory: &ReceivedMemory) -> String {
    let checks =
        CheckKind::ALL.map(|kind| format!("{} {}", kind.name(), memory.judged.checks.of(kind)));
    checks.join(", ")
}
