//! Two agents with stores and keys of their own, and a folder between them: what one says is checked by the other, a forged
//! answer is passed over, a contradiction shows, and one's own words that come back count for nothing.

use std::fs;
use std::path::Path;

use async_trait::async_trait;
use counterfoil::{AskOptions, FloorChoice, Memory, Note, PeerOptions, Report};
use counterfoil_claims::belief::BeliefStatus;
use counterfoil_exchange::checks::CheckKind;
use counterfoil_peer::{PeerError, Transport};
use counterfoil_types::json::{Limits, Value, parse};

use super::claims::{Said, held, say, told};
use super::{Demo, memory};
use crate::commands::ask::human::level;
use crate::failure::{ErrorKind, Failure};
use crate::output::{items, number, text};
use counterfoil::write_file;

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
pass_on = true
[share_claims]
predicates = ["flour_supplier"]
"#;
const WHEEL: &str = "The river is high: our wheel stands still until the ninth";
/// A text of the memory, and its forgery in transit.
const FORGERY: (&str, &str) = ("until the ninth", "until Christmas");

impl Demo {
    /// A memory of another agent comes through a folder, behind a forged copy of itself.
    pub(super) async fn ask(&mut self) -> Result<(), Failure> {
        let builder = Memory::builder(&self.mill).log_name("mill.example/memory");
        let (_, made) = builder.create().await?;
        fs::create_dir(&self.between).map_err(|error| {
            Failure::place(error, "set TMPDIR to a folder that you may write to")
        })?;
        write_file(&self.mill.join("exchange.toml"), MILL)?;
        write_file(&self.home.join("exchange.toml"), BAKERY)?;
        introduce(&self.home, "Bryn Mill", &self.mill).await?;
        introduce(&self.mill, "the bakery", &self.home).await?;
        let [log, key] = ["verifierKey", "agent"].map(|name| text(made.value(), name));
        let wheel = Note::from(WHEEL).shared("customers");
        memory(&self.mill).remember(wheel).await?;
        let question = "Why does the wheel stand still?";
        let report = self.asked(&self.home, question, Some(FORGERY)).await?;
        let exchange = report.value();
        let kept = items(exchange, "memories").first();
        let dropped = number(exchange, "/notices/ignored");
        let mut lines = vec![
            format!("Bryn Mill\t{key}"),
            format!("its log\t{log}"),
            format!("\"{question}\""),
            format!(
                "an answer comes that says \"{}\": {dropped} passed over, the exchange waits on",
                FORGERY.1
            ),
        ];
        lines.extend(kept.map(said));
        lines.extend(kept.map(|memory| {
            let checks = CheckKind::ALL.map(|kind| {
                let name = kind.name();
                let found = |member| text(memory, &format!("/checks/{name}/{member}"));
                let why = found("code") + &found("reason");
                let why = Some(why).filter(|why| !why.is_empty());
                let why = why.map_or_else(String::new, |why| format!(" ({why})"));
                format!("{name} {}{why}", found("result"))
            });
            checks.join(", ")
        }));
        let proven = kept.is_some_and(|memory| {
            memory.get("stored").is_some() && text(memory, "/checks/record/result") == "pass"
        });
        let caught = proven && dropped == 1 && exchange["state"] == "stored";
        let name = "14. Another agent is asked, and someone on the way changes its answer.";
        self.tell_forgery(name, caught, lines);
        Ok(())
    }

    /// The other agent, which is trusted, says otherwise: both sides stay, and neither is settled.
    pub(super) async fn differ(&mut self) -> Result<(), Failure> {
        let line = ("Bryn Mill", "delivery_day");
        let ours = say(&memory(&self.home), line, &Said::by_user("Tuesday")).await?;
        say(&memory(&self.mill), line, &Said::by_user("Thursday")).await?;
        let question = "On which day do you deliver?";
        let (_, key) = identity(&self.mill).await?;
        memory(&self.home).trust_peer(&key, None, None).await?;
        let report = self.asked(&self.home, question, None).await?;
        let mut memories = items(report.value(), "memories").iter();
        let contested = memories
            .find(|memory| memory.get("contradicts").is_some() && memory.get("stored").is_some());
        let belief = self.belief(line).await?;
        let mut lines = vec![
            format!("the bakery, Tuesday\t{}", told(&ours)),
            format!("the bakery trusts the mill, and asks it: \"{question}\""),
        ];
        lines.extend(contested.map(said));
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
        let before = self.belief(line).await?;
        let (_, key) = identity(&self.home).await?;
        memory(&self.mill).trust_peer(&key, None, None).await?;
        let there = self.asked(&self.mill, question, None).await?;
        let mut there = items(there.value(), "memories").iter();
        let told = there.any(|memory| memory.get("stored").is_some());
        let size = number(
            memory(&self.home).stats(true).await?.value(),
            "/database/entries",
        );
        let report = self.asked(&self.home, question, None).await?;
        let after = self.belief(line).await?;
        let written = number(
            memory(&self.home).stats(true).await?.value(),
            "/database/entries",
        );
        let written = written.saturating_sub(size);
        let mut lines = vec![format!(
            "the mill, which trusts the bakery, asks it, and then is asked: \"{question}\""
        )];
        let memories = items(report.value(), "memories");
        lines.extend(memories.iter().map(said));
        let gained = after.sides != before.sides;
        lines.push(format!(
            "{written} units written; what supports it is {}",
            if gained { "CHANGED" } else { "as it was" }
        ));
        let came = told && !memories.is_empty();
        let name = "16. What an agent has told another comes back from there.";
        self.tell_forgery(name, came && written == 0 && !gained, lines);
        Ok(())
    }

    /// One of the two asks the other through the folder; the first answer may be changed on its way.
    async fn asked(
        &self,
        asker: &Path,
        question: &str,
        change: Option<(&'static str, &'static str)>,
    ) -> Result<Report, Failure> {
        let other = if asker == self.home {
            &self.mill
        } else {
            &self.home
        };
        let (_, key) = identity(other).await?;
        let key = key
            .parse()
            .map_err(|_| Failure::bug("the demo's key is none"))?;
        let inner = counterfoil_mailbox::transport(&self.between, None)
            .map_err(|error| Failure::new(ErrorKind::Input, error))?;
        let mut way = Tampered {
            inner,
            change,
            honest: None,
        };
        let (asker, other) = (memory(asker), memory(other));
        let (address, options) = (self.between.display().to_string(), AskOptions::default());
        tokio::select! {
            report = asker.ask_through((key, &address), &mut way, question, &options) => Ok(report?),
            ended = other.answer_folder(&self.between, true, |_| true) => {
                ended?;
                Err(Failure::bug("nobody answers any more"))
            }
        }
    }
}

/// A folder in which somebody changes the first answer: it is handed over changed, and then as it is.
struct Tampered {
    inner: Box<dyn Transport>,
    change: Option<(&'static str, &'static str)>,
    honest: Option<Vec<u8>>,
}

#[async_trait]
impl Transport for Tampered {
    async fn send(&mut self, request: &[u8]) -> Result<(), PeerError> {
        self.inner.send(request).await
    }

    async fn receive(&mut self) -> Result<Vec<u8>, PeerError> {
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

/// Records the other agent, and the log that it is checked against.
async fn introduce(to: &Path, name: &str, other: &Path) -> Result<(), Failure> {
    let (log, key) = identity(other).await?;
    let options = PeerOptions {
        log: Some(log),
        ..PeerOptions::default()
    };
    memory(to).add_peer(name, &key, options).await?;
    Ok(())
}

/// Key of the log of a store, and of its agent.
async fn identity(of: &Path) -> Result<(String, String), Failure> {
    let (anchors, _) = memory(of).anchors(FloorChoice::None).await?;
    let anchors = parse(anchors.as_bytes(), Limits::DOCUMENT)
        .map_err(|_| Failure::bug("the demo's anchors are none"))?;
    let [log, key] = ["/logs/0/verifierKey", "/agents/0"].map(|at| text(&anchors, at));
    Ok((log, key))
}

/// A memory of an answer, the trust in its source, and its disposition.
fn said(memory: &Value) -> String {
    let flags = items(memory, "flags").iter().map(|flag| text(flag, ""));
    let became: Vec<_> = [text(memory, "disposition")]
        .into_iter()
        .chain(flags)
        .collect();
    format!(
        "\"{}\"\ttrust {}: {}",
        text(memory, "content"),
        level(memory),
        became.join(", ").replace('_', " ")
    )
}
