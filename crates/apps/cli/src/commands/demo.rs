//! `demo`: the main job on the bundled record, a memory that changes and one that is erased, what is believed of a
//! fact that is contradicted, what another agent says, and forgeries, each of which must be caught.

mod claims;
mod exchange;
mod forgery;
mod versions;

use std::fs;
use std::path::{Path, PathBuf};

use counterfoil::{CheckOptions, FloorChoice, Hit, Memory, RecallOptions, write_file};
use counterfoil_types::WorldId;
use counterfoil_types::document::object;
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_verify::{DEFAULT_AUDIENCE, MemoryOutcome, Verdict, VerifyArgs, review, terminal};
use serde::Serialize;

use self::forgery::{FORGERY, flip_bit, overwrite, swap_references};
use crate::commands::check::difference;
use crate::commands::recall::{excerpt, mark};
use crate::context::Context;
use crate::failure::{ErrorKind, Failure};
use crate::output::{items, json_text, number, text};

const RECORD: &str = include_str!("../../../../../samples/record.jsonl");
const QUESTION: &str = "Who supplies the strong white flour, and what does a sack cost?";
const SUMMARY: &str = "Order nine sacks of strong white from Bryn Mill at £23.75";
/// The most characters of a line.
const LIMIT: usize = 180;

#[derive(Serialize)]
struct Step {
    name: &'static str,
    ok: bool,
    lines: Vec<String>,
}

pub(crate) async fn run(context: &Context) -> Result<(), Failure> {
    let folder = tempfile::tempdir().map_err(|error| {
        Failure::place(
            format_args!("no temporary folder can be made ({error})"),
            "set TMPDIR to a folder that you may write to",
        )
    })?;
    let mut demo = Demo::new(folder.path());
    let victim = demo.main_job().await?;
    let changed = demo.change().await?;
    demo.roll_back(&changed).await?;
    demo.fork(&changed).await?;
    demo.erase().await?;
    let contradiction = demo.contradict(&victim).await?;
    demo.settle(&contradiction, &victim).await?;
    demo.prove().await?;
    demo.echo().await?;
    demo.ask().await?;
    demo.differ().await?;
    demo.come_back().await?;
    demo.forge_database(&victim).await?;
    demo.forge_proposal("18. Someone changes one bit of a proof.", |memories| {
        flip_bit(
            memories
                .first_mut()?
                .pointer_mut("/evidence/proof/tlogProof")?,
        )
    })?;
    demo.forge_proposal("19. Someone moves a proof to another memory.", |memories| {
        swap_references(memories)
    })?;
    let ok = demo.steps.iter().all(|step| step.ok);
    let told = object().with("ok", ok).with("steps", &demo.steps);
    context.out.answer(&told, |out| {
        for step in &demo.steps {
            writeln!(out, "{}", step.name)?;
            step.lines
                .iter()
                .try_for_each(|line| writeln!(out, "  {line}"))?;
            writeln!(out)?;
        }
        let end = if ok {
            "Every forgery was caught."
        } else {
            "SOMETHING WAS NOT CAUGHT."
        };
        writeln!(out, "{end}")
    })?;
    if ok {
        return Ok(());
    }
    Err(Failure::refused(
        "the demo did not end as it must",
        "report this as a fault",
    ))
}

struct Demo {
    home: PathBuf,
    /// The store of another agent.
    mill: PathBuf,
    /// The folder between the two.
    between: PathBuf,
    proposal: PathBuf,
    anchors: PathBuf,
    steps: Vec<Step>,
}

impl Demo {
    fn new(folder: &Path) -> Self {
        Self {
            home: folder.join("store"),
            mill: folder.join("mill"),
            between: folder.join("between"),
            proposal: folder.join("proposal.json"),
            anchors: folder.join("anchors.json"),
            steps: Vec::new(),
        }
    }

    fn tell(&mut self, name: &'static str, ok: bool, lines: Vec<String>) {
        // Cells are set apart by tabs: runs of spaces are ours alone.
        let in_columns = |line: &String| {
            let cells = line.split('\t').map(|cell| terminal::plain(cell, LIMIT));
            cells.collect::<Vec<_>>().join("  ")
        };
        let lines = lines.iter().map(in_columns).collect();
        self.steps.push(Step { name, ok, lines });
    }

    fn tell_forgery(&mut self, name: &'static str, caught: bool, mut lines: Vec<String>) {
        lines.push(if caught { "-> caught" } else { "-> NOT CAUGHT" }.to_owned());
        self.tell(name, caught, lines);
    }

    /// Import, recall with proof, propose, decide.
    ///
    /// Returns a memory that says the price.
    async fn main_job(&mut self) -> Result<WorldId, Failure> {
        let builder = Memory::builder(&self.home).log_name("demo.example/memory");
        let (memory, made) = builder.program("counterfoil-cli").create().await?;
        let keys = vec![
            format!("log\t{}", text(made.value(), "verifierKey")),
            format!("agent\t{}", text(made.value(), "agent")),
        ];
        self.tell("1. A store with a signed log.", true, keys);
        let report = memory.import_text(RECORD).await?;
        if let Some(problem) = report.problem() {
            return Err(problem.clone().into());
        }
        let added = number(report.value(), "added");
        let imported = vec![format!(
            "{added} turns, {} to {}; facts change on the way",
            day(RECORD.lines().next()),
            day(RECORD.lines().next_back())
        )];
        self.tell(
            "2. The record of a bakery is imported.",
            added > 0,
            imported,
        );
        let (anchors, _) = memory.anchors(FloorChoice::Kept).await?;
        write_file(&self.anchors, &anchors)?;
        let victim = self.recall_and_propose().await?;
        let (verdict, lines) = self.decide(&self.proposal)?;
        let name = "5. An authority decides, with the anchors and no database.";
        self.tell(name, verdict == Verdict::Approved, lines);
        Ok(victim)
    }

    async fn recall_and_propose(&mut self) -> Result<WorldId, Failure> {
        let memory = memory(&self.home);
        let recalled = memory.recall(QUESTION, &select()).await?;
        let proven = recalled.hits().iter().all(|hit| hit.verified);
        let mut lines = vec![format!("\"{QUESTION}\"")];
        lines.extend(recalled.hits().iter().map(told));
        let ok = proven && !recalled.hits().is_empty();
        let priced = recalled
            .hits()
            .iter()
            .find(|hit| hit.text.contains(FORGERY.0));
        let priced = priced.map(|hit| hit.id.clone());
        self.tell("3. Recall, with proof.", ok, lines);
        let proposal = memory
            .propose(
                SUMMARY,
                &[QUESTION],
                None,
                Some(DEFAULT_AUDIENCE),
                &select(),
            )
            .await?;
        let text = json_text(&proposal)?;
        let lines = vec![
            format!("\"{SUMMARY}\""),
            format!("{} bytes with the trace", text.len()),
        ];
        write_file(&self.proposal, &text)?;
        self.tell("4. A proposal carries the trace of it.", true, lines);
        priced.ok_or(Failure::bug("the bundled record names no price"))
    }

    /// The verdict on a proposal, and what to tell of it.
    fn decide(&self, proposal: &Path) -> Result<(Verdict, Vec<String>), Failure> {
        let args = VerifyArgs {
            document: proposal.to_owned(),
            anchors: self.anchors.clone(),
            policy: None,
            nonces: None,
            now: None,
        };
        let report =
            review(&args).map_err(|error| Failure::new(ErrorKind::Place, error.to_string()))?;
        let decision = report.decision();
        let grounds: Vec<String> = decision.reasons().iter().map(ToString::to_string).collect();
        let verdict = decision.verdict().name().to_uppercase();
        let mut lines = vec![format!("{verdict}: {}", grounds.join("; "))];
        lines.extend(
            report
                .memories
                .iter()
                .find_map(|memory| match &memory.outcome {
                    MemoryOutcome::Refused(why) => Some(format!("because {why}")),
                    _ => None,
                }),
        );
        Ok((decision.verdict(), lines))
    }

    async fn forge_database(&mut self, victim: &WorldId) -> Result<(), Failure> {
        let index = overwrite(&self.home.join("memory.db"), victim)?;
        let memory = memory(&self.home);
        let recalled = memory.recall(QUESTION, &select()).await?;
        let is_recalled = recalled.hits().iter().any(|hit| hit.id == *victim);
        let withheld = memory.withheld().into_iter();
        let withheld = withheld.map(|(_, code)| format!("recall: withheld ({code})"));
        let withheld: Vec<String> = withheld.collect();
        let is_withheld = !is_recalled && withheld.len() == 1;
        let mut lines = vec![format!(
            "\"{}\" becomes \"{}\" in the file",
            FORGERY.0, FORGERY.1
        )];
        lines.extend(withheld);
        let audited = memory.check(CheckOptions::default()).await?;
        let differences = items(audited.value(), "/stored/differences");
        let placed = differences
            .iter()
            .find(|it| it.get("index").and_then(Value::as_u64) == Some(index));
        lines.extend(placed.map(|found| format!("check: {}", difference(found))));
        let caught = is_withheld && placed.is_some();
        self.tell_forgery("17. Someone changes the database.", caught, lines);
        Ok(())
    }

    /// Changes the memories of the honest proposal, and has the authority decide on that.
    fn forge_proposal(
        &mut self,
        name: &'static str,
        forge: impl FnOnce(&mut Vec<Value>) -> Option<()>,
    ) -> Result<(), Failure> {
        let fault = || Failure::bug("the demo's proposal has another shape");
        let honest = fs::read(&self.proposal).map_err(|_| fault())?;
        let mut proposal = parse(&honest, Limits::DOCUMENT).map_err(|_| fault())?;
        proposal
            .pointer_mut("/trace/context/memory/selected")
            .and_then(Value::as_array_mut)
            .and_then(forge)
            .ok_or_else(fault)?;
        let path = self.proposal.with_extension("forged.json");
        write_file(&path, &json_text(&proposal)?)?;
        let (verdict, lines) = self.decide(&path)?;
        self.tell_forgery(name, verdict == Verdict::Rejected, lines);
        Ok(())
    }
}

fn select() -> RecallOptions {
    RecallOptions {
        max: 5,
        ..RecallOptions::default()
    }
}

fn memory(home: &Path) -> Memory {
    Memory::builder(home).program("counterfoil-cli").build()
}

/// The day of a line of the bundled record.
fn day(line: Option<&str>) -> String {
    let turn = line.and_then(|line| parse(line.as_bytes(), Limits::CONTENT).ok());
    let time = turn.as_ref().and_then(|turn| turn.get("time"));
    let time = time.and_then(Value::as_str).unwrap_or_default();
    time.chars().take(10).collect()
}

/// One memory on one line.
fn told(hit: &Hit) -> String {
    let day: String = counterfoil::text::to_minute(hit.when)
        .chars()
        .take(10)
        .collect();
    format!("{}\t{day}\t{}", mark(hit), excerpt(&hit.text))
}
