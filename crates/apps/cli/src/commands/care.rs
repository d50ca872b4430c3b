//! Care of a store: its checks and numbers, archives, exports and repair.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args, Subcommand};
use counterfoil::{Report, UnixMillis};
use counterfoil_types::json::Value;
use counterfoil_verify::time;

use super::check::{self, CheckArgs};
use super::embed;
use super::export::{self, ExportArgs};
use super::fork::{self, EventsArgs, ForkCommand};
use super::reach::ReachCommand;
use crate::context::Context;
use crate::dates;
use crate::failure::Failure;
use crate::output::{columns, count, filled, items, members, number, pairs, text};

/// Commands that check, move and repair a store.
#[derive(Debug, Subcommand)]
pub(crate) enum CareCommand {
    /// Check the memory as a whole, or memories and proofs that are named
    Check(CheckArgs),
    /// Count memories, facts and bytes, and say how far each backup is
    Stats {
        /// Also the numbers of the database and its tables
        #[arg(long)]
        deep: bool,
    },
    /// Contradictions that were seen: forgeries, forks, broken chains
    Events(EventsArgs),
    /// Chains that their agent signed twice
    #[command(subcommand)]
    Fork(ForkCommand),
    /// Write chains as they travel: one capsule a line
    Export(ExportArgs),
    /// Move old memories into segment files
    Archive(ArchiveArgs),
    /// Bring archived memories back
    Restore(RestoreArgs),
    /// Remove data that was never accepted and is not needed
    Gc(GcArgs),
    /// Write what has changed as commits into a folder, for a standby or a backup
    #[command(group = ArgGroup::new("folder").required(true))]
    Ship {
        /// The folder: it holds all that the store holds
        #[arg(long, value_name = "DIR", group = "folder")]
        to: Option<PathBuf>,
        /// Ship to this folder no more: no certificate names it from then on. Its files and keys stay as they are
        #[arg(long, value_name = "DIR", group = "folder", conflicts_with = "keys_to")]
        end: Option<PathBuf>,
        /// Seal the contents, and keep the keys in this folder, apart from the other one: `erase` destroys them
        #[arg(long, value_name = "KEYDIR")]
        keys_to: Option<PathBuf>,
    },
    /// Make a store out of shipped commits, or bring it forward: a standby, without keys
    Follow {
        /// The folder that a store ships to, or one file of it
        #[arg(long, value_name = "DIR|FILE")]
        from: PathBuf,
        /// The folder of the keys of sealed contents
        #[arg(long, value_name = "KEYDIR")]
        keys: Option<PathBuf>,
    },
    /// One log on many machines: its ground in PostgreSQL
    #[command(subcommand)]
    Reach(ReachCommand),
    /// Bring a restored backup up to the newest signed log head, or write to a standby
    Reconcile {
        /// An export of the whole log that holds what the backup lacks
        #[arg(long, value_name = "EXPORT")]
        from: Option<PathBuf>,
    },
    /// A clock that was ahead, and is right again
    #[command(subcommand)]
    Clock(ClockCommand),
    /// Throw derived state away and make it again from the capsules
    Rebuild,
    /// Make the vectors of memories that have none, for the search by meaning; what is made is kept if it is ended
    Embed {
        /// Drop the vectors of another encoder first
        #[arg(long)]
        migrate: bool,
    },
}

/// Commands about the clock.
#[derive(Debug, Subcommand)]
pub(crate) enum ClockCommand {
    /// Record that the clock is right: what is dated later counts as recorded now
    Correct {
        /// Reason, for people
        #[arg(long)]
        reason: String,
    },
}

impl CareCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        match self {
            Self::Check(args) => check::run(context, args).await,
            Self::Stats { deep } => stats(context, deep).await,
            Self::Events(args) => fork::events(context, args).await,
            Self::Fork(command) => fork::run(context, command).await,
            Self::Export(args) => export::run(context, args).await,
            Self::Archive(args) => archive(context, args).await,
            Self::Restore(args) => restore(context, args).await,
            Self::Gc(args) => args.run(context).await,
            Self::Ship { to, end, keys_to } => match end {
                None => ship(context, &to.unwrap_or_default(), keys_to.as_deref()).await,
                Some(folder) => {
                    let ended = context.memory.end_shipping(&folder).await?;
                    let lines = [("no more to", "folder"), ("its keys", "{keys|none}")];
                    context.out.lines(&ended, &lines)
                }
            },
            Self::Follow { from, keys } => {
                let followed = context.memory.follow(&from, keys.as_deref()).await?;
                follows(context, &followed)
            }
            Self::Reach(command) => command.run(context).await,
            Self::Reconcile { from } => reconcile(context, from.as_deref()).await,
            Self::Clock(ClockCommand::Correct { reason }) => correct_clock(context, &reason).await,
            Self::Rebuild => rebuild(context).await,
            Self::Embed { migrate } => embed::run(context, migrate).await,
        }
    }
}

async fn correct_clock(context: &Context, reason: &str) -> Result<(), Failure> {
    let corrected = context.memory.correct_clock(reason).await?;
    let since = "entry {sinceIndex}; what was dated later counts as recorded at {recordedAt}";
    let lines = [("record", "index"), ("corrected since", since)];
    context.out.lines(&corrected, &lines)
}

async fn stats(context: &Context, deep: bool) -> Result<(), Failure> {
    let counted = context.memory.stats(deep).await?;
    context.out.report(&counted, |out, counted| {
        let more = if counted.get("moreContested").is_some() {
            "{contested} and more; `counterfoil contested` lists them"
        } else {
            match counted.get("contested").and_then(Value::as_u64) {
                None => "not counted",
                Some(0) => "no belief is",
                Some(_) => "{contested}; `counterfoil contested` lists them",
            }
        };
        let size = bytes_of(number(counted, "bytes"));
        let lines = [
            ("memories", "memories"),
            ("versions", "versions"),
            ("facts", "{facts}, with {statements} statements"),
            ("contested", more),
            ("other agents", "{peers|not counted}"),
            ("last written", "{lastWritten:minute|-}"),
            ("on disk", size.as_str()),
            ("folder", "dir"),
        ];
        members(out, counted, &lines)?;
        let backups = items(counted, "backups");
        if backups.is_empty() {
            writeln!(
                out,
                "backups       none: `counterfoil ship --to DIR` makes one"
            )?;
        }
        for backup in backups {
            let behind = match number(backup, "behind") {
                0 => "up to date",
                _ => "{behind} entries behind; run `counterfoil ship --to {folder}`",
            };
            let folder = filled(backup, "folder");
            writeln!(out, "backup        {folder}: {}", filled(backup, behind))?;
        }
        match counted.get("database") {
            Some(database) => tables(out, database),
            None => Ok(()),
        }
    })
}

/// Bytes as a person says them.
fn bytes_of(bytes: u64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => {
            let tenths = bytes.saturating_mul(10) / unit;
            match (tenths / 10, tenths % 10) {
                (whole @ 0..10, tenth) if unit > 1 << 10 => format!("{whole}.{tenth} {name}"),
                (whole, _) => format!("{whole} {name}"),
            }
        }
        None => count(bytes, "byte", "bytes"),
    }
}

/// Numbers of the database and its tables.
fn tables(out: &mut dyn Write, database: &Value) -> io::Result<()> {
    let each = match database.get("bytesPerMemory") {
        Some(_) => "{bytesPerMemory} bytes",
        None => "-",
    };
    let lines = [
        ("log entries", "entries"),
        ("agents", "agents"),
        ("chains", "chains"),
        ("file", "{fileBytes} bytes"),
        ("of it free", "{freeBytes} bytes"),
        ("write-ahead log", "{walBytes} bytes"),
        ("per version", each),
    ];
    writeln!(out)?;
    members(out, database, &lines)?;
    let parts = items(database, "parts");
    if parts.is_empty() {
        return Ok(());
    }
    let names = [
        ("part", "name"),
        ("bytes", "bytes"),
        ("per version", "{bytesPerMemory|-}"),
    ];
    writeln!(out)?;
    columns(out, parts, &names)
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("age").required(true))]
pub(crate) struct ArchiveArgs {
    /// Memories recorded longer ago than this: 12h, 30d, 8w, 2y
    #[arg(long, value_name = "DURATION", value_parser = dates::duration_ms, group = "age")]
    older_than: Option<u64>,
    /// Memories recorded before this time: a date, an RFC 3339 time, or milliseconds since 1970
    #[arg(long, value_name = "T", value_parser = time::parse, group = "age")]
    before: Option<UnixMillis>,
    /// Also memories of one version, which are current: recall does not find them until they are restored
    #[arg(long)]
    current: bool,
    /// The folder of the segments [default: archive, in the store's folder]
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
    /// Say what would be archived
    #[arg(long)]
    dry_run: bool,
}

async fn archive(context: &Context, args: ArchiveArgs) -> Result<(), Failure> {
    let memory = &context.memory;
    memory.must_exist()?;
    let before = match (args.before, args.older_than) {
        (Some(at), _) => at,
        (None, Some(duration_ms)) => {
            let now = jiff::Timestamp::now().as_millisecond();
            let now = u64::try_from(now).unwrap_or_default();
            let at = now.saturating_sub(duration_ms).max(1);
            UnixMillis::new(at).map_err(|error| Failure::input(error, "choose a shorter time"))?
        }
        (None, None) => return Err(Failure::bug("archive without a time")),
    };
    let current = args.current.then_some(before);
    let archived = memory
        .archive(before, current, args.to, args.dry_run)
        .await?;
    context.out.report(&archived, |out, value| {
        let kept = number(value, "kept");
        let kept = count(kept, "current version stays", "current versions stay");
        let segments = items(value, "segments");
        if segments.is_empty() {
            return writeln!(out, "Nothing is old enough ({kept}).");
        }
        let name = match args.dry_run {
            true => "(not made)",
            false => "segment",
        };
        let names = [
            ("segment", name),
            ("memories", "capsules"),
            ("entries", "{/entries/from} to {/entries/to}"),
            ("bytes", "bytes"),
            ("receipt", "{receipt|-}"),
        ];
        columns(out, segments, &names)?;
        let moved: u64 = segments.iter().map(|it| number(it, "capsules")).sum();
        let moved = count(moved, "memory", "memories");
        let verb = match args.dry_run {
            true => "would be archived",
            false => "archived",
        };
        writeln!(
            out,
            "\n{moved} {verb}; {kept}. `recall` does not find what is archived, `restore` brings it \
             back."
        )
    })
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what").required(true))]
pub(crate) struct RestoreArgs {
    /// The segments, by their names
    #[arg(value_name = "SEGMENT", group = "what")]
    segments: Vec<String>,
    /// Restore everything that is archived
    #[arg(long, group = "what")]
    all: bool,
    /// List the segments that the log has receipts of
    #[arg(long, group = "what")]
    list: bool,
    /// Make a new store as it was, out of the commits in --from: the last one up to a number of entries, or a time
    #[arg(long, value_name = "SIZE|TIME", value_parser = point, group = "what", requires = "from")]
    at: Option<Point>,
    /// The folder of the segments [default: archive, in the store's folder], or of shipped commits
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
    /// The folder of the keys of sealed commits
    #[arg(long, value_name = "KEYDIR", requires = "at")]
    keys: Option<PathBuf>,
    /// Then remove their files: they still hold the content of memories erased since
    #[arg(long)]
    discard: bool,
}

/// Point in the history of a store.
#[derive(Debug, Clone, Copy)]
enum Point {
    /// Number of entries of the log.
    Size(u64),
    /// Time, in microseconds since 1970.
    Time(u64),
}

/// A number of entries, or a time.
fn point(text: &str) -> Result<Point, String> {
    match text.parse() {
        Ok(size) => Ok(Point::Size(size)),
        Err(_) => dates::recorded(text).map(Point::Time),
    }
}

async fn restore(context: &Context, args: RestoreArgs) -> Result<(), Failure> {
    if let (Some(point), Some(from)) = (args.at, &args.from) {
        let (memory, keys) = (&context.memory, args.keys.as_deref());
        let restored = match point {
            Point::Size(size) => memory.restore_at_size(from, keys, size).await?,
            Point::Time(time_us) => memory.restore_at_time(from, keys, time_us).await?,
        };
        return follows(context, &restored);
    }
    if args.list {
        let known = context.memory.segments().await?;
        let columns = [
            ("segment", "segment"),
            ("memories", "capsules"),
            ("archived", "archived"),
            ("receipt", "receipt"),
        ];
        let list = ("", "Nothing was ever archived.");
        return context.out.list(&known, list, &columns);
    }
    let restored = context
        .memory
        .restore(&args.segments, args.from, args.discard)
        .await?;
    context.out.report(&restored, |out, restored| {
        let segments = items(restored, "segments");
        if segments.is_empty() {
            return match args.discard {
                true => writeln!(
                    out,
                    "Nothing is archived, and no file of a segment is left there."
                ),
                false => writeln!(out, "Nothing is archived."),
            };
        }
        columns(
            out,
            segments,
            &[
                ("segment", "segment"),
                ("restored", "restored"),
                ("here already", "present"),
                ("stay erased", "erased"),
            ],
        )?;
        let erased: u64 = segments.iter().map(|it| number(it, "erased")).sum();
        match (args.discard, erased) {
            (true, _) => writeln!(out, "\nThe files of these segments are removed."),
            (false, 0) => Ok(()),
            (false, _) => writeln!(
                out,
                "\nThe files still hold what was erased: restore them again with --discard, which \
             removes them."
            ),
        }
    })
}

#[derive(Debug, Args)]
pub(crate) struct GcArgs {
    /// Only data that came longer ago than this: 12h, 30d, 8w, 2y. Refused data always stays for
    /// 7 days of grace, and data that waits for something to come for 30 days before them
    #[arg(long, value_name = "DURATION", value_parser = dates::duration_ms)]
    older_than: Option<u64>,
    /// Say what would be collected
    #[arg(long)]
    dry_run: bool,
}

impl GcArgs {
    async fn run(self, context: &Context) -> Result<(), Failure> {
        let older_than_ms = self.older_than.unwrap_or(0);
        let collected = context.memory.collect(older_than_ms, self.dry_run).await?;
        context.out.report(&collected, |out, value| {
            let gone = items(value, "collected");
            let capsules = |number| count(number, "capsule", "capsules");
            let total = capsules(u64::try_from(gone.len()).unwrap_or(u64::MAX));
            let bytes = gone.iter().map(|it| number(it, "bytes")).sum();
            let verb = if self.dry_run {
                "would go"
            } else {
                "collected"
            };
            pairs(
                out,
                &[
                    (verb, format!("{total}, {}", count(bytes, "byte", "bytes"))),
                    ("wait", capsules(number(value, "waiting"))),
                    ("in grace", capsules(number(value, "inGrace"))),
                    ("needed", capsules(number(value, "referenced"))),
                ],
            )
        })
    }
}

async fn ship(context: &Context, folder: &Path, keys_to: Option<&Path>) -> Result<(), Failure> {
    let shipped = context.memory.ship(folder, keys_to).await?;
    context.out.report(&shipped, |out, value| {
        let contents = match number(value, "keysDestroyed") {
            _ if text(value, "keys").is_empty() => "not sealed: an erasure does not reach them",
            0 => "sealed, with keys in {keys}",
            _ => "sealed, with keys in {keys}; {keysDestroyed} destroyed with what was erased",
        };
        if number(value, "files") == 0 {
            return writeln!(
                out,
                "Nothing has changed: {}.",
                filled(value, "file {number} holds the log of {size} entries")
            );
        }
        let lines = [
            ("shipped to", "folder"),
            ("last file", "number"),
            ("files", "{files}, {bytes} bytes"),
            ("changes", "changes"),
            ("entries before", "from"),
            ("entries now", "size"),
            ("contents", contents),
        ];
        members(out, value, &lines)
    })
}

/// A store that follows another one, and how far it came.
fn follows(context: &Context, followed: &Report) -> Result<(), Failure> {
    context.out.report(followed, |out, value| {
        let lines = [
            ("standby", "dir"),
            ("log key", "verifierKey"),
            ("last file", "number"),
            ("commits applied", "commits"),
            ("entries before", "from"),
            ("entries now", "size"),
        ];
        members(out, value, &lines)?;
        match number(value, "unopened") {
            0 => Ok(()),
            unopened => writeln!(
                out,
                "\nThe content of {} is gone: the keys were destroyed when it was erased.",
                count(unopened, "entry", "entries")
            ),
        }
    })
}

async fn reconcile(context: &Context, export: Option<&Path>) -> Result<(), Failure> {
    let done = context.memory.reconcile(export).await?;
    context.out.report(&done, |out, value| {
        let lines = [
            ("entries before", "before"),
            ("entries now", "after"),
            ("erased again", "erased"),
        ];
        members(out, value, &lines)?;
        match done.number("/added") {
            Some(0) => writeln!(out, "\nNothing was missing: the store may be written."),
            _ => writeln!(
                out,
                "\nThe log is the one that was signed last: the store may be written again."
            ),
        }
    })
}

async fn rebuild(context: &Context) -> Result<(), Failure> {
    let made = context.memory.rebuild().await?;
    context.out.report(&made, |out, value| {
        let worlds = count(number(value, "worlds"), "capsule", "capsules");
        let lines = [
            ("rebuilt from", worlds.as_str()),
            ("digest", "after"),
            (
                "derived state",
                "{identical?as before:mended: it differed before}",
            ),
        ];
        members(out, value, &lines)
    })
}
