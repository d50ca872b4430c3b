//! Records of conversations, read one turn at a time: what cannot be read is reported by its place.

mod chat;
mod chatgpt;
mod claude;
mod detect;
mod elements;
mod graph;
mod jsonl;
mod langgraph;
mod letta;
mod lines;
mod locomo;
mod markdown;
mod mem0;
mod messages;
mod session;
mod turn;
pub(crate) mod turns;
mod zep;
mod zipped;

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use counterfoil_capsule::World;
use counterfoil_store::open_plain;
use counterfoil_types::json::Map;
use counterfoil_types::{Scope, UnixMillis, words};
use serde::Serialize;

use crate::error::Error;
use crate::files::unreadable;
use crate::folder::{self, FoundFile};
use crate::when;

use detect::detect;
pub(crate) use lines::capsule_lines;
pub(crate) use lines::{Line, Lines};
use turn::Turn;
pub(crate) use turn::id_key;

/// The longest line of a `jsonl` or `chat` file, in bytes.
pub(crate) const MAX_LINE_BYTES: usize = 1 << 20;
/// The largest JSON document, and the largest element of an array, in bytes.
pub(crate) const MAX_DOCUMENT_BYTES: usize = 64 << 20;
/// Byte order mark that some editors write in front of UTF-8; it is skipped.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// Name of a reader that has none.
const STANDARD_INPUT: &str = "standard input";
/// Length of the part of a file from which its format is detected, in bytes.
const HEAD_BYTES: u64 = 64 << 10;

words! {
    /// Kinds of files that can be imported.
    pub enum ImportFormat {
        /// A LoCoMo JSON document: one conversation, or several in an array.
        Locomo = "locomo",
        /// One JSON object a line: conversation, session, id, speaker, time, text, caption.
        Jsonl = "jsonl",
        /// A transcript: `[2025-03-01 10:15] Name: text`.
        Chat = "chat",
        /// `conversations.json` of a ChatGPT export.
        Chatgpt = "chatgpt",
        /// `conversations.json` of a Claude export.
        Claude = "claude",
        /// Messages of the OpenAI API, one or a conversation a line.
        Messages = "messages",
        /// `memory.json` of the MCP reference server: entities and relations.
        MemoryJson = "memory-json",
        /// Memories of mem0, as `get_all` and its export give them.
        Mem0 = "mem0",
        /// An agent file of Letta (`.af`): memory blocks and messages.
        Letta = "letta",
        /// Episodes of Zep and Graphiti.
        Zep = "zep",
        /// Items of a LangGraph store, as LangMem writes them too.
        Langgraph = "langgraph",
        /// Notes in Markdown, one file or a folder of them, as Obsidian and basic-memory keep them.
        Markdown = "markdown",
        /// Signed capsules, as `export` writes them.
        Capsules = "capsules",
    }
}

/// A turn as a reader finds it, with its place in the file, or what could not be read.
type Found = Result<(At, Turn), Refused>;

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum At {
    /// The number of a line, from 1.
    Line(u64),
    /// A place in a document that has no lines worth counting.
    #[serde(rename = "at")]
    Place(String),
}

/// Unreadable part of a file, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Refused {
    #[serde(flatten)]
    pub(crate) at: At,
    why: String,
}

impl Refused {
    fn new(at: At, why: impl fmt::Display) -> Self {
        Self {
            at,
            why: why.to_string(),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.why)
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Place(place) => f.write_str(place),
        }
    }
}

/// Receiver of items as they are read; its error ends the reading.
type Sink<'a> = dyn FnMut(Found) -> Result<(), Error> + 'a;

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    let found = std::fs::metadata(path);
    found.is_ok_and(|found| std::os::unix::fs::FileTypeExt::is_fifo(&found.file_type()))
}

#[cfg(not(unix))]
const fn is_pipe(_: &Path) -> bool {
    false
}

/// A file that is being imported; its format is detected from its content if none is named.
pub(crate) struct Source {
    pub(crate) format: ImportFormat,
    name: String,
    scope: Scope,
    /// Channel that is kept with each memory; `None` for the user's own.
    channel: Option<String>,
    /// Time of the file, for what has none.
    written: UnixMillis,
    pub(crate) reader: Box<dyn BufRead + Send>,
    /// Files of a folder, in place of what the reader gives.
    notes: Option<Vec<FoundFile>>,
    /// Number of files of the folder that are no notes.
    pub(crate) left_out: usize,
    /// Bytes that were read; `None` where their number is not known beforehand.
    pub(crate) meter: Option<Meter>,
}

/// Bytes of a file that were read, and its size.
#[derive(Clone)]
pub(crate) struct Meter {
    read: Arc<AtomicU64>,
    size: u64,
}

impl Meter {
    /// Bytes that were read, and bytes of the file.
    pub(crate) fn part(&self) -> (u64, u64) {
        (self.read.load(Ordering::Relaxed), self.size)
    }
}

/// A file that counts what is read of it.
struct Metered(File, Arc<AtomicU64>);

impl Read for Metered {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        let bytes = u64::try_from(read).unwrap_or(u64::MAX);
        self.1.fetch_add(bytes, Ordering::Relaxed);
        Ok(read)
    }
}

/// Name and time of a file whose memories have no time of their own.
struct Dated<'a> {
    name: &'a str,
    written: UnixMillis,
}

impl Dated<'_> {
    /// A turn of this time with nothing in it. That it has no time of its own is no part of what it says: the same file is the same
    /// memories, whenever it was written or sent.
    fn undated_turn(&self) -> Turn {
        Turn {
            conversation: String::new(),
            session: None,
            id: String::new(),
            position: 0,
            speaker: None,
            time: None,
            created_at: self.written,
            text: String::new(),
            caption: None,
            scope: Scope::new(),
            extra: Map::new(),
        }
    }

    /// The same of a time as it is written, with its offset or, without any, in UTC; of this time where none is given.
    fn turn_at(&self, time: Option<String>) -> Result<Turn, String> {
        let undated = self.undated_turn();
        let Some(time) = time else {
            return Ok(undated);
        };
        let millis =
            when::instant(&time).or_else(|| when::instant(&format!("{}Z", time.replace(' ', "T"))));
        let millis = millis.and_then(|millis| UnixMillis::new(millis).ok());
        Ok(Turn {
            created_at: millis.ok_or_else(|| format!("{time:?} is no RFC 3339 time after 1970"))?,
            time: Some(time),
            ..undated
        })
    }
}

impl Source {
    /// Opens the file and finds out what it is. A folder has notes; the memory's `own` folder has none.
    pub(crate) fn open(
        path: &Path,
        format: Option<ImportFormat>,
        own: &Path,
    ) -> Result<Self, Error> {
        if path.is_dir() && format.is_none_or(|format| format == ImportFormat::Markdown) {
            return Self::of_folder(path, own);
        }
        let failed = |error| unreadable(path, &error);
        // A file of turns whose format was named may be a pipe that gives its lines one by one.
        let is_of_turns = format.is_some_and(|format| format != ImportFormat::Capsules);
        let file = match is_of_turns {
            true if is_pipe(path) => File::open(path),
            _ => open_plain(path),
        };
        Self::of_file(file.map_err(failed)?, path, format)
    }

    /// A file that is open already; `path` names it.
    pub(crate) fn of_file(
        file: File,
        path: &Path,
        format: Option<ImportFormat>,
    ) -> Result<Self, Error> {
        let file = zipped::unpacked(file, path)?;
        let written = file.metadata().and_then(|file| file.modified()).ok();
        let written = written.and_then(|time| {
            let millis = time.duration_since(UNIX_EPOCH).ok()?.as_millis();
            UnixMillis::new(u64::try_from(millis).ok()?).ok()
        });
        let name = path
            .file_stem()
            .map(|name| name.to_string_lossy().into_owned());
        let size = file.metadata().ok().filter(std::fs::Metadata::is_file);
        let read = Arc::<AtomicU64>::default();
        let meter = size.map(|found| Meter {
            read: Arc::clone(&read),
            size: found.len(),
        });
        let file = Box::new(Metered(file, read));
        let source = Self::of((path, file), name, written, format)?;
        Ok(Self { meter, ..source })
    }

    /// A text of a program, without a file: its time is now.
    pub(crate) fn reading(
        reader: impl Read + Send + 'static,
        format: Option<ImportFormat>,
    ) -> Result<Self, Error> {
        let named = Path::new(STANDARD_INPUT);
        Self::of((named, Box::new(reader)), None, None, format)
    }

    fn of(
        (path, mut file): (&Path, Box<dyn Read + Send>),
        name: Option<String>,
        written: Option<UnixMillis>,
        format: Option<ImportFormat>,
    ) -> Result<Self, Error> {
        let (format, reader): (_, Box<dyn BufRead + Send>) = match format {
            Some(format) => (format, Box::new(BufReader::new(file))),
            None => {
                let mut head = Vec::new();
                let mut start = Read::by_ref(&mut file).take(HEAD_BYTES);
                let read = start.read_to_end(&mut head);
                read.map_err(|error| unreadable(path, &error))?;
                let format = detect(path, &head)?;
                (
                    format,
                    Box::new(BufReader::new(Cursor::new(head).chain(file))),
                )
            }
        };
        Ok(Self {
            format,
            name: name.unwrap_or_else(|| "import".to_owned()),
            scope: Scope::new(),
            channel: None,
            written: written.map_or_else(when::now, Ok)?,
            reader,
            notes: None,
            left_out: 0,
            meter: None,
        })
    }

    /// The notes in a folder.
    fn of_folder(path: &Path, own: &Path) -> Result<Self, Error> {
        let root = path.canonicalize();
        let root = root.map_err(|error| unreadable(path, &error))?;
        let walked = folder::read(&root, own)?;
        let all = walked.files.len() + walked.left_out.len();
        let notes = walked.files.into_iter();
        let notes: Vec<_> = notes.filter(|it| markdown::is_note(&it.path)).collect();
        let name = root.file_name();
        Ok(Self {
            format: ImportFormat::Markdown,
            name: name.map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            scope: Scope::new(),
            channel: None,
            written: when::now()?,
            reader: Box::new(io::empty()),
            left_out: all - notes.len(),
            notes: Some(notes),
            meter: None,
        })
    }

    /// A record in our own format that is part of the program.
    pub(crate) fn bundled(record: &'static str) -> Result<Self, Error> {
        Ok(Self {
            format: ImportFormat::Jsonl,
            name: "bundled".to_owned(),
            scope: Scope::new(),
            channel: None,
            written: when::now()?,
            reader: Box::new(record.as_bytes()),
            notes: None,
            left_out: 0,
            meter: None,
        })
    }

    /// The same with each turn in a scope, of a channel.
    pub(crate) fn said_in(self, scope: Scope, channel: Option<String>) -> Self {
        Self {
            scope,
            channel,
            ..self
        }
    }

    /// Hands the World of every turn to `take`, in the order of the file.
    pub(crate) fn read(
        self,
        id_key: &[u8; 32],
        mut take: impl FnMut(Result<World, Refused>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let format = self.format;
        let channel = self.channel.as_deref();
        let mut sink = |found: Found| {
            take(found.and_then(|(at, turn)| {
                turn.world((format, &self.scope, channel), id_key)
                    .map_err(|why| Refused::new(at, why))
            }))
        };
        let reader = without_mark(self.reader).map_err(lines::broken_off)?;
        let file = Dated {
            name: &self.name,
            written: self.written,
        };
        if let Some(notes) = &self.notes {
            return markdown::read_all(notes, &file, &mut sink);
        }
        match format {
            ImportFormat::Jsonl => jsonl::read(reader, &mut sink),
            ImportFormat::Chat => chat::read(reader, &self.name, &mut sink),
            ImportFormat::Locomo => locomo::read(reader, &self.name, &mut sink),
            ImportFormat::Chatgpt => chatgpt::read(reader, &self.name, &mut sink),
            ImportFormat::Claude => claude::read(reader, &self.name, &mut sink),
            ImportFormat::Messages => messages::read(reader, &file, &mut sink),
            ImportFormat::MemoryJson => graph::read(reader, &file, &mut sink),
            ImportFormat::Mem0 => mem0::read(reader, &file, &mut sink),
            ImportFormat::Letta => letta::read(reader, &file, &mut sink),
            ImportFormat::Zep => zep::read(reader, &file, &mut sink),
            ImportFormat::Langgraph => langgraph::read(reader, &file, &mut sink),
            ImportFormat::Markdown => markdown::read(reader, &file, &mut sink),
            // They are no turns: `import_capsules` reads them.
            ImportFormat::Capsules => Ok(()),
        }
    }
}

/// The reader, behind a byte order mark if there is one.
fn without_mark(mut reader: impl BufRead) -> io::Result<impl BufRead> {
    let mut front = Vec::new();
    if reader.fill_buf()?.first() == BYTE_ORDER_MARK.first() {
        let length = u64::try_from(BYTE_ORDER_MARK.len()).unwrap_or(u64::MAX);
        reader.by_ref().take(length).read_to_end(&mut front)?;
    }
    if front == BYTE_ORDER_MARK {
        front.clear();
    }
    Ok(Cursor::new(front).chain(reader))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a reader hands on: turns, and refusals as they are printed.
    pub(super) fn turns_of(
        read: impl FnOnce(&mut Sink<'_>) -> Result<(), Error>,
    ) -> (Vec<Turn>, Vec<String>) {
        let (mut turns, mut refused) = (Vec::new(), Vec::new());
        let sink = &mut |found: Found| {
            match found {
                Ok((_, turn)) => turns.push(turn),
                Err(one) => refused.push(one.to_string()),
            }
            Ok(())
        };
        read(sink).unwrap();
        (turns, refused)
    }

    pub(super) fn dated() -> Dated<'static> {
        Dated {
            name: "file",
            written: UnixMillis::new(1_740_824_100_000).unwrap(),
        }
    }

    /// The time of the file was part of what a memory without a time says, so that a copy of the file added all of them again.
    #[test]
    fn what_has_no_time_is_the_same_whenever_its_file_was_written() {
        let record =
            r#"{"type":"entity","name":"Kit","entityType":"person","observations":["likes rye"]}"#;
        let ids = [0, 1].map(|later| {
            let file = Dated {
                written: UnixMillis::new(dated().written.value() + later).unwrap(),
                ..dated()
            };
            let (turns, _) = turns_of(|sink| graph::read(record.as_bytes(), &file, sink));
            assert_eq!(turns[0].created_at, file.written);
            let origin = (ImportFormat::MemoryJson, &Scope::new(), None);
            turns[0].world(origin, &[1; 32]).unwrap().world_id().clone()
        });
        assert_eq!(ids[0], ids[1]);
    }

    /// A byte order mark made the first line of a record a bad one.
    #[test]
    fn a_byte_order_mark_is_no_part_of_the_record() {
        for (bytes, rest) in [
            (&b"\xef\xbb\xbf{}"[..], &b"{}"[..]),
            (b"\xef\xbb", b"\xef\xbb"),
            (b"\xef\xbb\xbe{}", b"\xef\xbb\xbe{}"),
            (b"{}", b"{}"),
            (b"", b""),
        ] {
            let mut read = Vec::new();
            let mut reader = without_mark(BufReader::with_capacity(2, bytes)).unwrap();
            reader.read_to_end(&mut read).unwrap();
            assert_eq!(read, rest, "{bytes:?}");
        }
    }
}
