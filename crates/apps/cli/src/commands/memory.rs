//! Memories: a store is made, memories are sealed, imported, shown and recalled.

use std::io;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use counterfoil::{ImportFormat, ImportOptions, Memory, Note, Report, UnixMillis, VerifierKey};
use counterfoil_verify::{terminal, time};

use super::forgetting::{self, EraseArgs, ForgetArgs};
use super::key::RecoveryArgs;
use super::recall::{self, AsOfArgs, EvalArgs, RecallArgs};
use super::versions::{self, DiffArgs, HistoryArgs, RollbackArgs, UpdateArgs};
use crate::context::Context;
use crate::failure::Failure;
use crate::input::{Choice, document, one_of, standard_input};
use crate::output::{items, json_text, members, notice, number, pairs, text};

/// Commands about memories and their versions.
#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Make a memory with settings of its own; the first `remember` makes a plain one
    Init(InitArgs),
    /// Seal one memory
    Remember(RememberArgs),
    /// Remember a conversation or a record, each turn with its own time
    Import(ImportArgs),
    /// Find memories, with proof
    Recall(RecallArgs),
    /// Measure how often recall finds the memories that answer your own questions
    Eval(EvalArgs),
    /// Show one memory or one entry of the log: content, capsule, receipt
    Show(ShowArgs),
    /// Change a memory: a new version of it, under an id of its own
    Update(UpdateArgs),
    /// List the versions of a memory, and what changed in each; or every claim of a line
    History(HistoryArgs),
    /// Compare two memories or versions
    Diff(DiffArgs),
    /// Bring the state of an earlier version back, as a new version
    Rollback(RollbackArgs),
    /// The memory as it stood at a time: what had been recorded by then, and not what happened
    AsOf(AsOfArgs),
    /// Take the content of a memory away for good; that it was there stays proven
    Erase(EraseArgs),
    /// Leave a memory out of every selection; nothing is taken away
    Forget(ForgetArgs),
}

impl MemoryCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        match self {
            Self::Init(args) => args.run(context).await,
            Self::Remember(args) => remember(context, args).await,
            Self::Import(args) => import(context, args).await,
            Self::Recall(args) => recall::recall(context, args).await,
            Self::Eval(args) => recall::eval(context, args).await,
            Self::Show(args) => show(context, args).await,
            Self::Update(args) => versions::update(context, args).await,
            Self::History(args) => versions::history(context, args).await,
            Self::Diff(args) => versions::diff(context, args).await,
            Self::Rollback(args) => versions::rollback(context, args).await,
            Self::AsOf(args) => recall::as_of(context, args).await,
            Self::Erase(args) => forgetting::erase(context, args).await,
            Self::Forget(args) => forgetting::forget(context, args).await,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The log's name, its origin for others: no spaces, no plus [default: a random one]
    #[arg(long)]
    name: Option<String>,
    /// Seal the keys under a passphrase
    #[arg(long)]
    passphrase: bool,
    /// Seal each memory under a key of its own: to erase it is to destroy the key, in every copy of the database
    #[arg(long)]
    sealed: bool,
    /// Keep the log in a PostgreSQL that many machines share, as postgres://USER@HOST/DATABASE
    #[arg(long, value_name = "URL")]
    ground: Option<String>,
    /// Another database for the keys of content there, with a shorter life of its backups
    #[arg(long, value_name = "URL", requires = "ground")]
    ground_keys: Option<String>,
    #[command(flatten)]
    recovery: RecoveryArgs,
}

impl InitArgs {
    async fn run(self, context: &Context) -> Result<(), Failure> {
        let mut builder = context.builder.clone();
        if let Some(name) = self.name {
            builder = builder.log_name(name);
        }
        if self.passphrase {
            builder = builder.sealed();
        }
        if self.sealed {
            builder = builder.seal_content();
        }
        if let Some(url) = self.ground {
            builder = builder.on_ground(url, self.ground_keys);
        }
        if let Some(dir) = self.recovery.recovery_dir {
            builder = builder.recovery_dir(dir);
        }
        let (_, made) = builder.create().await?;
        context.out.report(&made, |out, made| {
            let keys = [
                ("store", "dir"),
                ("log key", "verifierKey"),
                ("agent", "agent"),
            ];
            members(out, made, &keys)?;
            writeln!(
                out,
                "\nKeep a copy of {}/keys apart from the database.\n\
             Move {} to another medium: with it a stolen key is replaced, and a thief who has both \
             can replace yours.",
                text(made, "dir"),
                text(made, "recoveryDir")
            )?;
            match self.sealed {
                true => writeln!(
                    out,
                    "Memories are sealed: without {}/keys/content-keys.db nobody reads them, and a copy of it from before an \
                     erasure undoes the erasure. Copy it anew after each.",
                    text(made, "dir"),
                ),
                false => Ok(()),
            }
        })
    }
}

#[derive(Debug, Args)]
pub(crate) struct RememberArgs {
    /// Text to remember; `-` reads it from standard input
    #[arg(
        required_unless_present = "file",
        conflicts_with = "file",
        value_name = "TEXT",
        allow_hyphen_values = true
    )]
    pub(crate) text: Option<String>,
    /// A JSON file whose content is remembered
    #[arg(long, value_name = "F.json")]
    pub(crate) file: Option<PathBuf>,
    /// Share with other agents, where the share policy lets this label out; can be repeated
    #[arg(long = "share", value_name = "LABEL", conflicts_with = "file")]
    share: Vec<String>,
    /// A word of your own about the memory; can be repeated
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Speaker of the memory
    #[arg(long, value_name = "NAME")]
    who: Option<String>,
    /// Time that it is of: a date, an RFC 3339 time, or milliseconds since 1970 [default: now]
    #[arg(long, value_name = "T", value_parser = time::parse)]
    when: Option<UnixMillis>,
    /// The memory that it rests on
    #[arg(long, value_name = "MEMORY")]
    source: Option<String>,
    /// Idempotency key: the same again under it is the same memory, and nothing is written
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// A name and value of your own; can be repeated
    #[arg(long = "meta", value_name = "NAME=VALUE", value_parser = pair)]
    metadata: Vec<(String, String)>,
}

/// Reads `name=value`.
fn pair(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=');
    let (name, value) = pair.ok_or("write it as name=value")?;
    Ok((name.to_owned(), value.to_owned()))
}

async fn remember(context: &Context, args: RememberArgs) -> Result<(), Failure> {
    let note = match (args.text, args.file) {
        (_, Some(file)) => Note::document(document(Some(&file))?),
        (Some(dash), None) if dash == "-" => standard_input()?.into(),
        (Some(text), None) => text.into(),
        (None, None) => {
            return Err(Failure::input(
                "there is nothing to remember",
                "give a text",
            ));
        }
    };
    let note = args.share.into_iter().fold(note, Note::shared);
    let note = args.tags.into_iter().fold(note, Note::tag);
    let add = |note: Note, (name, value)| note.metadata(name, value);
    let mut note = args.metadata.into_iter().fold(note, add);
    if let Some(who) = args.who {
        note = note.who(who);
    }
    if let Some(when) = args.when {
        note = note.when(when);
    }
    if let Some(source) = args.source {
        // There is nothing to rest on where there is no memory.
        context.memory.must_exist()?;
        note = note.source(source);
    }
    if let Some(key) = args.key {
        note = note.key(key);
    }
    note.check(context.memory.scope())?;
    context.begin().await?;
    let done = context.memory.remember(note).await?;
    context.out.answer(&done, |out| {
        let mut lines = vec![
            ("memory", done.id.to_string()),
            ("index", done.index.to_string()),
            ("log size", done.tree_size.to_string()),
        ];
        if done.became == "same" {
            lines.push(("became", "same: it was remembered already".to_owned()));
        }
        lines.extend(done.similar.iter().map(|id| ("similar", id.to_string())));
        pairs(out, &lines)
    })
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The file or folder of notes to import; `-` reads standard input
    file: PathBuf,
    /// Count what would be added, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Format of the file [default: detected from its content]
    #[arg(long, value_parser = one_of(&FORMATS))]
    format: Option<ImportFormat>,
    /// Capsules: where they come from, as events name it [default: the name of the file]
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
    /// Capsules: a signed checkpoint of the exported log, to see that its end is not missing
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Capsules: the verifier key of the exported log [default: this store's]
    #[arg(long, value_name = "KEY", requires = "checkpoint")]
    log_key: Option<VerifierKey>,
}

/// Formats of an import.
const FORMATS: [Choice<ImportFormat>; 13] = [
    (
        "locomo",
        "A LoCoMo JSON document: one conversation, or several in an array",
        ImportFormat::Locomo,
    ),
    (
        "jsonl",
        "One JSON object a line: conversation, session, id, speaker, time, text, caption",
        ImportFormat::Jsonl,
    ),
    (
        "chat",
        "A transcript: `[2025-03-01 10:15] Name: text`",
        ImportFormat::Chat,
    ),
    (
        "chatgpt",
        "`conversations.json` of a ChatGPT export",
        ImportFormat::Chatgpt,
    ),
    (
        "claude",
        "`conversations.json` of a Claude export",
        ImportFormat::Claude,
    ),
    (
        "messages",
        "Messages of the OpenAI API, one or a conversation a line",
        ImportFormat::Messages,
    ),
    (
        "memory-json",
        "`memory.json` of the MCP reference server: entities and relations",
        ImportFormat::MemoryJson,
    ),
    (
        "mem0",
        "Memories of mem0, as `get_all` and its export give them",
        ImportFormat::Mem0,
    ),
    (
        "letta",
        "An agent file of Letta (`.af`): memory blocks and messages",
        ImportFormat::Letta,
    ),
    ("zep", "Episodes of Zep and Graphiti", ImportFormat::Zep),
    (
        "langgraph",
        "Items of a LangGraph store, as LangMem writes them too",
        ImportFormat::Langgraph,
    ),
    (
        "markdown",
        "Notes in Markdown, as Obsidian and basic-memory keep them: a file, or a folder of them",
        ImportFormat::Markdown,
    ),
    (
        "capsules",
        "Signed capsules, as `counterfoil export` writes them",
        ImportFormat::Capsules,
    ),
];

async fn import(context: &Context, args: ImportArgs) -> Result<(), Failure> {
    match args.dry_run {
        true => context.memory.must_exist()?,
        false => {
            let check = |memory: &Memory| memory.can_import(&args.file, args.format);
            context.begin_with(&args.file, check).await?;
        }
    }
    context.watch_for_interruption()?;
    let options = ImportOptions {
        format: args.format,
        source: args.source,
        checkpoint: args.checkpoint,
        log_key: args.log_key,
        dry_run: args.dry_run,
        ..ImportOptions::default()
    };
    let imported = match args.file.as_os_str() == "-" {
        true => context.memory.import_from(io::stdin(), options).await,
        false => context.memory.import(&args.file, options).await,
    };
    context.progress.finish_and_clear();
    let imported = imported?;
    context.memory.take_notices().iter().for_each(notice);
    context.out.report(&imported, |out, imported| {
        if text(imported, "format") != "capsules" {
            let lines = [
                ("format", "format"),
                ("turns read", "read"),
                (
                    if args.dry_run {
                        "would be added"
                    } else {
                        "added"
                    },
                    "added",
                ),
                ("already there", "alreadyThere"),
                ("refused", "refusedCount"),
            ];
            return members(out, imported, &lines);
        }
        let end = match text(imported, "/end/state").as_str() {
            "complete" => "complete, {/end/size} entries",
            "truncated" => "missing, {/end/found} of {/end/size} entries",
            "otherHistory" => "of another history",
            _ => "unknown: no checkpoint was given",
        };
        let mut lines = vec![
            ("capsules read", "read"),
            ("accepted", "accepted"),
            ("accepted that had waited", "settled"),
            ("already there", "alreadyThere"),
            ("waiting", "pendingCount"),
            ("refused", "refusedCount"),
            ("forks", "forked"),
            ("end of the log", end),
        ];
        let feed = imported.pointer("/feed/complete");
        lines.extend(feed.map(|complete| match complete.as_bool() {
            Some(true) => ("feed of its agent", "complete, {/feed/size} capsules"),
            _ => ("feed of its agent", "not complete"),
        }));
        members(out, imported, &lines)
    })
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The memory's id, as `recall` and `remember` print it
    #[arg(required_unless_present = "entry", conflicts_with = "entry")]
    world_id: Option<String>,
    /// An entry of the log by its index: a memory, or a record about keys, chains and memories
    #[arg(long, value_name = "N")]
    entry: Option<u64>,
}

/// The most characters of a value shown to a person.
const LIMIT: usize = 1 << 20;

async fn show(context: &Context, args: ShowArgs) -> Result<(), Failure> {
    let shown = match (&args.world_id, args.entry) {
        (_, Some(index)) => context.memory.show_entry(index).await?,
        (Some(id), None) => context.memory.show(id).await?,
        (None, None) => return Err(Failure::input("nothing is named", "name a memory")),
    };
    context.out.report(&shown, |out, value| {
        pairs(out, &lines(&shown))?;
        let said = match value.get("world") {
            Some(world) if !world.is_null() => world.get("data"),
            _ => value.get("record"),
        };
        if let Some(said) = said {
            let said = json_text(said).unwrap_or_default();
            writeln!(out, "\n{}", said.trim_end())?;
        }
        if let Some(proof) = shown.text("/receipt/tlogProof") {
            writeln!(out)?;
            for line in proof.lines() {
                writeln!(out, "{}", terminal::plain(line, LIMIT))?;
            }
        }
        Ok(())
    })
}
fn lines(shown: &Report) -> Vec<(&'static str, String)> {
    let value = shown.value();
    let id = |name: &str| terminal::plain(&text(value, name), LIMIT);
    let detail = |name: &str| text(shown.detail(name), "");
    let mut lines = vec![match detail("kind").as_str() {
        "world" => ("world", terminal::plain(&detail("name"), LIMIT)),
        _ => ("record", detail("name")),
    }];
    let created = shown.detail("createdAt").as_u64();
    let created = created.and_then(|at| UnixMillis::new(at).ok());
    lines.extend(created.map(|at| ("created", counterfoil::text::to_minute(at))));
    lines.push(("recorded", detail("recordedAt")));
    lines.push(("agent", detail("agent")));
    if number(value, "key") > 0 {
        lines.push(("key", format!("number {}", text(value, "key"))));
    }
    let chain = detail("chain");
    lines.push(("chain", format!("{chain}, number {}", text(value, "seq"))));
    for name in ["previous", "next"] {
        lines.extend(value.get(name).map(|_| (name, id(name))));
    }
    let marks = items(value, "marks").iter();
    lines.extend(marks.map(|mark| {
        let mark = mark.as_str().unwrap_or_default();
        ("", terminal::plain(mark, LIMIT))
    }));
    lines.push(("log index", text(value, "index")));
    lines.push(("content", format!("{} bytes", detail("bytes"))));
    lines.push(("", detail("content")));
    lines.push(("capsule", detail("hash")));
    lines
}
