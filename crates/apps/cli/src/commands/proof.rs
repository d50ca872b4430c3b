//! Proof: proposals with their trace, anchors, proofs of beliefs, and the log as others read it (M-2, FP-02; C2SP).

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use counterfoil::{FloorChoice, RecallOptions, write_file};
use counterfoil_exchange::trust::{RecordedTrust, Records};
use counterfoil_types::document::object;
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_types::{DidKey, IntentBody, IntentInstance};
use counterfoil_verify::DEFAULT_AUDIENCE;
use counterfoil_verify::belief::{Decided, verify_belief};
use counterfoil_verify::{InputError, Verdict, VerifyArgs, read_file, verify};

use super::claim::WhenArgs;
use super::decide::{DecideCommand, DecidedArgs, decide, decided, remembering};
use super::reach;
use super::recall::SelectArgs;
use crate::context::Context;
use crate::failure::{ErrorKind, Failure};
use crate::output::{count, json_text, members, notice, pairs, report_text, text, texts};

#[derive(Debug, Args)]
pub(crate) struct ProveArgs {
    /// Of whom or what
    #[arg(allow_hyphen_values = true)]
    pub(crate) subject: String,
    /// Predicate
    #[arg(allow_hyphen_values = true)]
    pub(crate) predicate: String,
    #[command(flatten)]
    pub(crate) when: WhenArgs,
    /// Let the proof show that the log continues the one of this size, 0 for none
    /// [default: the floor in the anchors that were given out]
    #[arg(long, value_name = "SIZE")]
    pub(crate) floor: Option<u64>,
    /// File for the proof [default: standard output]
    #[arg(short, long, alias = "out", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Commands for those who rely on a memory or a belief.
#[derive(Debug, Subcommand)]
pub(crate) enum ProofCommand {
    /// Make a proposal that carries the trace of the recalled memories
    Propose(ProposeArgs),
    /// Print the proof of a memory, by the handle of its receipt or by its id
    Receipt {
        /// Handle that `recall --json` printed, or the memory's id
        #[arg(value_name = "HANDLE|MEMORY")]
        named: String,
    },
    /// Say what an authority must trust to check this store's proofs
    Anchors(AnchorsArgs),
    /// Check a proposal's memories and decide, without the store
    Verify(VerifyArgs),
    /// Write a proof of a belief, for others who rely on it
    Prove(ProveArgs),
    /// Check a proof of belief, without the store: its units are verified and folded again
    VerifyBelief(VerifyArgs),
    /// Decide as an authority
    #[command(subcommand)]
    Decide(DecideCommand),
    /// Keep an authority's decision about a proposal, and what came of it; alone it lists them
    Decided(DecidedArgs),
    /// The log as others read it
    #[command(subcommand)]
    Log(LogCommand),
}

impl ProofCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        match self {
            Self::Propose(args) => propose(context, args).await,
            Self::Receipt { named } => {
                let receipt = context.memory.receipt(&named).await?;
                let method = ("method", "/evidence/method");
                let checked = ("checked", "{verified?proof ok:proof not ok}");
                let names = [("receipt", "receipt"), ("memory", "id"), method, checked];
                context.out.lines(&receipt, &names)
            }
            Self::Anchors(args) => anchors(context, args).await,
            Self::Verify(args) => {
                let args = remembering(args);
                reviewed(context, verify(&args, context.out.form()))
            }
            Self::Prove(args) => prove(context, args).await,
            Self::VerifyBelief(args) => reviewed(
                context,
                verify_belief(&args, context.out.form(), Some(read_trust)),
            ),
            Self::Decide(command) => decide(context, command),
            Self::Decided(args) => decided(context, args).await,
            Self::Log(command) => command.run(context).await,
        }
    }
}

/// Reads trust and vocabulary from the records in a proof of belief; the proof of each document is checked.
fn read_trust(documents: &[(Vec<u8>, u64)], own: &[DidKey]) -> Result<Decided, String> {
    let documents = documents.iter().map(|(bytes, at)| (bytes.as_slice(), *at));
    let records = Records::receive(documents, own).map_err(|error| error.to_string())?;
    Ok(Decided {
        vocabulary: Arc::new(records.vocabulary()),
        trust: Arc::new(RecordedTrust::new(Arc::new(records))),
    })
}

#[derive(Debug, Args)]
pub(crate) struct ProposeArgs {
    /// Proposed action, in a sentence
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) summary: String,
    /// A JSON file: the intent's body (type, input, scopeProposal) or a whole intent
    #[arg(long, value_name = "FILE")]
    pub(crate) intent: Option<PathBuf>,
    /// Query whose memories the proposal carries; several are merged
    #[arg(long, value_name = "QUERY", required = true, num_args = 1..)]
    pub(crate) recall: Vec<String>,
    /// Output file of the proposal [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Name of the authority that it is for, as its policy states it
    #[arg(long, value_name = "AUTHORITY", default_value = DEFAULT_AUDIENCE)]
    pub(crate) to: String,
    /// Leave it unsigned, for authorities that ask for no signature; no key is needed
    #[arg(long, conflicts_with = "to")]
    pub(crate) unsigned: bool,
    /// Show this field of a memory above 64 KiB as well, as a JSON pointer such as /data/text; of a smaller one all is shown
    #[arg(long, value_name = "PATH")]
    pub(crate) disclose: Vec<String>,
    /// Keep this field back, with all below it; the proposal says so
    #[arg(long, value_name = "PATH")]
    pub(crate) withhold: Vec<String>,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
}

async fn propose(context: &Context, args: ProposeArgs) -> Result<(), Failure> {
    let intent = args.intent.as_deref().map(read_intent).transpose()?;
    let to = (!args.unsigned).then_some(args.to.as_str());
    let options = RecallOptions {
        disclose: args.disclose,
        withhold: args.withhold,
        ..(&args.select).into()
    };
    let proposed = context
        .memory
        .propose(&args.summary, &args.recall, intent, to, &options);
    let proposal = proposed.await?;
    let text = json_text(&proposal)?;
    let Some(path) = args.output else {
        return context.out.text(&text);
    };
    write_file(&path, &text)?;
    let document = serde_json::to_value(&proposal).unwrap_or_default();
    let selected = document.pointer("/trace/context/memory/selected");
    let memories = selected.and_then(Value::as_array).map_or(0, Vec::len);
    let (id, output) = (proposal.proposal_id(), path.display().to_string());
    let written = object().with("proposalId", id).with_some("to", to);
    let written = written.with("output", &output);
    context
        .out
        .answer(&written.with("memories", memories), |out| {
            let recalled = u64::try_from(memories).unwrap_or(u64::MAX);
            pairs(
                out,
                &[
                    ("proposal", id.to_owned()),
                    ("signed for", to.unwrap_or("- (unsigned)").to_owned()),
                    ("carries", count(recalled, "memory", "memories")),
                    ("written to", output.clone()),
                ],
            )
        })
}

/// An intent as a file states it: its body, or a whole one.
fn read_intent(path: &Path) -> Result<Value, Failure> {
    let shown = path.display();
    let refused = |error: &dyn Display| {
        Failure::input(
            format_args!("the intent in {shown} cannot be used: {error}"),
            "write {\"type\": \"...\", \"input\": ...}",
        )
    };
    let bytes = read_file("intent", path, Limits::CONTENT.bytes)
        .map_err(|error| Failure::new(ErrorKind::Input, error))?;
    let value = parse(&bytes, Limits::CONTENT).map_err(|error| refused(&error))?;
    if value.get("body").is_some() {
        IntentInstance::try_from(value.clone()).map_err(|error| refused(&error))?;
    } else {
        IntentBody::try_from(value.clone()).map_err(|error| refused(&error))?;
    }
    Ok(value)
}

#[derive(Debug, Args)]
pub(crate) struct AnchorsArgs {
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Give out a new floor, the log as it is now, in place of the one given out before
    #[arg(long, conflicts_with = "no_floor")]
    pub(crate) renew_floor: bool,
    /// Ask for no floor: a log that was cut back and grown again would not be noticed
    #[arg(long)]
    pub(crate) no_floor: bool,
}

async fn anchors(context: &Context, args: AnchorsArgs) -> Result<(), Failure> {
    let choice = match (args.no_floor, args.renew_floor) {
        (true, _) => FloorChoice::None,
        (false, true) => FloorChoice::Renewed,
        (false, false) => FloorChoice::Kept,
    };
    let (text, floor) = context.memory.anchors(choice).await?;
    let Some(path) = &args.output else {
        return context.out.text(&text);
    };
    write_file(path, &text)?;
    let output = path.display().to_string();
    let written = object().with("output", &output);
    context
        .out
        .answer(&written.with_some("floor", floor), |out| {
            let floor = floor.map_or_else(|| "none".to_owned(), |size| size.to_string());
            pairs(out, &[("written to", output.clone()), ("floor", floor)])
        })
}

/// Prints the review of `counterfoil-verify`, which opens no store (M-4).
fn reviewed(
    context: &Context,
    review: Result<(String, Verdict), InputError>,
) -> Result<(), Failure> {
    let (text, verdict) = review.map_err(|error| Failure::new(ErrorKind::Input, error))?;
    context.out.text(&text)?;
    match verdict {
        Verdict::Approved => Ok(()),
        verdict => Err(Failure::NotApproved(verdict)),
    }
}

async fn prove(context: &Context, args: ProveArgs) -> Result<(), Failure> {
    let query = args.when.of(None);
    let proof = context
        .memory
        .prove(&args.subject, &args.predicate, &query, args.floor);
    let proof = proof.await?;
    proof.notices().iter().for_each(notice);
    let text = report_text(&proof);
    context.out.document(&text, args.output.as_deref())
}

#[derive(Debug, Subcommand)]
pub(crate) enum LogCommand {
    /// Print the signed checkpoint (C2SP tlog-checkpoint)
    Checkpoint,
    /// Prove that the log at one size begins with the log at another
    Consistency(ConsistencyArgs),
    /// Print the root of the map that the newest checkpoint binds: how each memory stands
    Map {
        /// Compute the map again from entries, headers and records, and compare
        #[arg(long)]
        check: bool,
    },
    /// Write the log as static files (C2SP tlog-tiles)
    Export(ExportArgs),
    /// Bring the log into a shared ground, or out of one into a folder of its own
    Move {
        /// The database, as postgres://USER@HOST/DATABASE, or a new folder
        #[arg(long, value_name = "URL|DIR")]
        to: String,
        /// Another database for the keys of content, with a shorter life of its backups
        #[arg(long, value_name = "URL")]
        ground_keys: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ConsistencyArgs {
    /// The smaller size
    #[arg(long, value_name = "SIZE")]
    pub(crate) from: u64,
    /// The larger size [default: the log's]
    #[arg(long, value_name = "SIZE")]
    pub(crate) to: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The folder to write into; it is made when it is not there
    #[arg(value_name = "DIR", id = "export_dir")]
    pub(crate) dir: PathBuf,
}

impl LogCommand {
    async fn run(self, context: &Context) -> Result<(), Failure> {
        let (memory, out) = (&context.memory, &context.out);
        match self {
            Self::Move { to, ground_keys } => {
                if to.starts_with("postgres://") || to.starts_with("postgresql://") {
                    let moved = memory.move_to_ground(&to, ground_keys.as_deref()).await?;
                    return reach::nodes(context, &moved);
                }
                let moved = memory.move_to_folder(Path::new(&to)).await?;
                out.lines(&moved, &[("store", "dir"), ("entries", "size")])
            }
            Self::Checkpoint => {
                let signed = memory.checkpoint().await?;
                out.report(&signed, |out, value| write!(out, "{}", text(value, "note")))
            }
            Self::Consistency(args) => {
                let proof = memory.consistency(args.from, args.to).await?;
                out.report(&proof, |out, value| {
                    let lines = [
                        ("from", "{/from/size}  {/from/root}"),
                        ("to", "{/to/size}  {/to/root}"),
                    ];
                    members(out, value, &lines)?;
                    texts(value, "hashes").try_for_each(|hash| writeln!(out, "hash  {hash}"))
                })
            }
            Self::Map { check: false } => {
                let bound = memory.log_map().await?;
                out.lines(&bound, &[("size", "size"), ("map root", "mapRoot")])
            }
            Self::Map { check: true } => {
                let checked = memory.check_log_map().await?;
                out.report(&checked, |out, value| {
                    let lines = [
                        ("size", "size"),
                        ("map root", "mapRoot"),
                        ("computed", "{computed}{holds?, the same:, another one}"),
                    ];
                    members(out, value, &lines)
                })
            }
            Self::Export(args) => {
                let exported = memory.export_tiles(&args.dir).await?;
                out.lines(
                    &exported,
                    &[("written to", "folder"), ("entries", "treeSize")],
                )
            }
        }
    }
}
