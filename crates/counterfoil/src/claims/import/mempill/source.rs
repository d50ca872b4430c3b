//! A mempill database, opened so that nothing of it can change: immutable, without its schema being trusted.

use std::fs;
use std::io::Read;
use std::path::Path;

use counterfoil_claims::time::{Boundary, Micros};
use counterfoil_store::open_plain;
use counterfoil_types::json::{Limits, parse};
use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags, Row as SqlRow};

use crate::error::Error;

/// First bytes of each SQLite database.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// The schema of mempill 0.4.
const SCHEMA: i64 = 4;
/// The most characters of a text that is fetched: more than an identifier or value may have.
const MAX_TEXT: u32 = 70_000;
/// Number of claims fetched at a time.
const PAGE: i64 = 512;

/// Returns true if the file begins as an SQLite database.
pub(crate) fn is_database(path: &Path) -> Result<bool, Error> {
    let mut head = Vec::new();
    let read = open_plain(path).and_then(|file| file.take(16).read_to_end(&mut head));
    read.map_err(|error| {
        Error::input(
            format_args!("{} cannot be read ({error})", path.display()),
            "check the path and your rights",
        )
    })?;
    Ok(head == MAGIC)
}

/// A claim of the database.
pub(super) struct Row {
    pub(super) id: String,
    pub(super) subject: String,
    pub(super) predicate: String,
    /// JSON.
    pub(super) value: String,
    pub(super) cardinality: String,
    pub(super) provenance: String,
    pub(super) from: Option<Moment>,
    pub(super) until: Option<Moment>,
    pub(super) confidence: f64,
    pub(super) value_confidence: f64,
    pub(super) criticality: String,
    pub(super) derived_from: Vec<String>,
    pub(super) has_metadata: bool,
}

/// End of a claim, with its cause.
pub(super) struct Bound {
    pub(super) id: String,
    pub(super) target: String,
    pub(super) predicate: String,
    pub(super) provenance: String,
    pub(super) at: Moment,
}

/// A time as the database has it, with the granularity that it was given in.
pub(super) struct Moment {
    text: String,
    granularity: Option<String>,
}

impl Moment {
    fn of(text: Option<String>, granularity: Option<String>) -> Option<Self> {
        text.map(|text| Self { text, granularity })
    }

    pub(super) fn is_coarse(&self) -> bool {
        self.granularity
            .as_deref()
            .is_some_and(|name| name != "instant")
    }

    pub(super) fn instant(&self) -> Result<Micros, String> {
        let at: Timestamp = self
            .text
            .parse()
            .map_err(|_| "a time of it is none".to_owned())?;
        Ok(at.as_microsecond())
    }

    /// In its granularity, where the instant is the first of one.
    pub(super) fn boundary(&self) -> Result<Boundary, String> {
        let at = self.instant()?;
        let digits = match self.granularity.as_deref() {
            Some("year") => 4,
            Some("month") => 7,
            Some("day") => 10,
            _ => 0,
        };
        let coarse = self
            .text
            .get(..digits)
            .and_then(|text| Boundary::parse(text).ok());
        let coarse = coarse.filter(|boundary| boundary.begin() == at);
        Ok(coarse.unwrap_or_else(|| Boundary::instant(at)))
    }
}

/// A place in the order of recording: a time and a row.
type Mark = (String, i64);
/// Claims, and where they end; `None` after the last.
type Page = (Vec<Row>, Option<Mark>);

/// The claims of one agent in a mempill database.
pub(super) struct Database {
    connection: Connection,
    agent: String,
    page: std::vec::IntoIter<Row>,
    /// Start of the next page: after this time and this row.
    after: Mark,
    ended: bool,
}

impl Database {
    pub(super) fn open(path: &Path, agent: Option<&str>) -> Result<Self, Error> {
        let wal = path.as_os_str().to_owned();
        let wal = Path::new(&wal).with_file_name(format!(
            "{}-wal",
            path.file_name().unwrap_or_default().to_string_lossy()
        ));
        if fs::metadata(wal).is_ok_and(|found| found.len() > 0) {
            return Err(Error::input(
                format_args!("{} is in use, or was not closed", path.display()),
                "end the program that uses it, or copy it with `sqlite3 FILE \".backup COPY\"`",
            ));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(uri(path)?, flags).and_then(|connection| {
            connection.execute_batch("PRAGMA trusted_schema=OFF; PRAGMA query_only=ON;")?;
            let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
            Ok((connection, version))
        });
        let (connection, version) = opened.map_err(|error| not_mempill(&error))?;
        if version != SCHEMA {
            return Err(Error::input(
                format_args!(
                    "the database has the schema {version}, and mempill 0.4 writes {SCHEMA}"
                ),
                "name a mempill database, and open it with mempill 0.4 first if it is older",
            ));
        }
        // A view may have no end.
        let views = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'view' AND name COLLATE NOCASE IN \
             ('claims', 'validity_assertions', 'ledger_entries', 'claim_edges', 'pending_adjudications'))";
        let views = connection.query_row(views, [], |row| row.get(0));
        if views.map_err(|error| not_mempill(&error))? {
            return Err(Error::input(
                "the database is not one of mempill 0.4: a table of it is a view",
                "name a mempill database, or a file with one claim a line",
            ));
        }
        // Claims are read page by page in the order of their times, so a time that is none would come again and again.
        let others = "SELECT EXISTS (SELECT 1 FROM claims WHERE typeof(tx_time) <> 'text' OR length(tx_time) > 64)";
        let others = connection.query_row(others, [], |row| row.get(0));
        if others.map_err(|error| not_mempill(&error))? {
            return Err(Error::input(
                "the database is not one of mempill 0.4: a claim in it was recorded at a time that is none",
                "name a mempill database, or a file with one claim a line",
            ));
        }
        let agent = the_agent(&connection, agent)?;
        Ok(Self {
            connection,
            agent,
            page: Vec::new().into_iter(),
            after: (String::new(), 0),
            ended: false,
        })
    }

    /// The claims in the order in which they were recorded.
    pub(super) fn next_claim(&mut self) -> Result<Option<Row>, Error> {
        if let Some(row) = self.page.next() {
            return Ok(Some(row));
        }
        if self.ended {
            return Ok(None);
        }
        let (rows, last) = self.fetch().map_err(|error| not_mempill(&error))?;
        self.ended = last.is_none();
        self.after = last.unwrap_or_default();
        self.page = rows.into_iter();
        Ok(self.page.next())
    }

    fn fetch(&self) -> rusqlite::Result<Page> {
        let columns = [
            "claim_id",
            "subject",
            "predicate",
            "value",
            "cardinality",
            "provenance_label",
            "valid_time_start",
            "valid_time_start_granularity",
            "valid_time_end",
            "valid_time_end_granularity",
            "criticality",
            "derived_from",
            "tx_time",
        ];
        let columns = texts(columns);
        let mut statement = self.connection.prepare(&format!(
            "SELECT {columns}, CAST(valid_time_confidence AS REAL), CAST(value_confidence AS REAL), \
             metadata IS NOT NULL, rowid FROM claims WHERE agent_id = ?1 AND (tx_time, rowid) > (?2, ?3) \
             ORDER BY tx_time, rowid LIMIT {PAGE}"
        ))?;
        let mut found = statement.query((&self.agent, &self.after.0, self.after.1))?;
        let (mut rows, mut last) = (Vec::new(), None);
        while let Some(row) = found.next()? {
            rows.push(claim(row)?);
            last = Some((row.get(12)?, row.get(16)?));
        }
        Ok((rows, last))
    }

    /// Of each claim the last bound that no reopening came after.
    pub(super) fn bounds(&mut self) -> Result<Vec<Bound>, Error> {
        let fetch = || -> rusqlite::Result<Vec<Bound>> {
            let columns = texts([
                "v.assertion_id",
                "v.target_claim_id",
                "c.predicate",
                "v.provenance_label",
                "v.bound_at",
                "v.bound_at_granularity",
            ]);
            let mut statement = self.connection.prepare(&format!(
                "SELECT {columns} FROM validity_assertions v JOIN claims c ON c.claim_id = v.target_claim_id \
                 WHERE v.agent_id = ?1 AND v.assertion_kind = 'Bound' AND v.bound_at IS NOT NULL AND NOT EXISTS \
                 (SELECT 1 FROM validity_assertions l WHERE l.target_claim_id = v.target_claim_id AND l.rowid > v.rowid) \
                 ORDER BY v.rowid"
            ))?;
            let bounds = statement.query_map([&self.agent], |row| {
                Ok(Bound {
                    id: row.get(0)?,
                    target: row.get(1)?,
                    predicate: row.get(2)?,
                    provenance: row.get(3)?,
                    at: Moment {
                        text: row.get(4)?,
                        granularity: row.get(5)?,
                    },
                })
            })?;
            bounds.collect()
        };
        fetch().map_err(|error| not_mempill(&error))
    }

    /// Kinds of data that this store does not carry, each with its number of rows.
    pub(super) fn left_over(&self) -> Result<Vec<(&'static str, u64)>, Error> {
        let counts = [
            (
                "assertions that later ones undid",
                "SELECT count(*) FROM validity_assertions v WHERE agent_id = ?1 AND (assertion_kind <> 'Bound' OR EXISTS \
                 (SELECT 1 FROM validity_assertions l WHERE l.target_claim_id = v.target_claim_id AND l.rowid > v.rowid))",
            ),
            (
                "entries of its ledger",
                "SELECT count(*) FROM ledger_entries WHERE agent_id = ?1",
            ),
            (
                "links other than of derivation",
                "SELECT count(*) FROM claim_edges WHERE agent_id = ?1 AND edge_kind <> 'DerivedFrom'",
            ),
            (
                "claims that wait for a verdict",
                "SELECT count(*) FROM pending_adjudications WHERE agent_id = ?1 AND status = 'pending'",
            ),
        ];
        let count = |(what, query): (&'static str, &str)| {
            let number: i64 = self
                .connection
                .query_row(query, [&self.agent], |row| row.get(0))?;
            Ok((what, u64::try_from(number).unwrap_or_default()))
        };
        let counted: rusqlite::Result<Vec<_>> = counts.into_iter().map(count).collect();
        counted.map_err(|error| not_mempill(&error))
    }
}

/// SQL of columns as texts of a limited length, for values of any type.
fn texts<const N: usize>(columns: [&str; N]) -> String {
    let text = |column| format!("CAST(substr({column}, 1, {MAX_TEXT}) AS TEXT)");
    columns.map(text).join(", ")
}

fn claim(row: &SqlRow<'_>) -> rusqlite::Result<Row> {
    let derived: String = row.get(11)?;
    Ok(Row {
        id: row.get(0)?,
        subject: row.get(1)?,
        predicate: row.get(2)?,
        value: row.get(3)?,
        cardinality: row.get(4)?,
        provenance: row.get(5)?,
        from: Moment::of(row.get(6)?, row.get(7)?),
        until: Moment::of(row.get(8)?, row.get(9)?),
        criticality: row.get(10)?,
        derived_from: ids(&derived),
        confidence: row.get(13)?,
        value_confidence: row.get(14)?,
        has_metadata: row.get(15)?,
    })
}

/// Parses an array of ids; any other JSON names no claim.
fn ids(json: &str) -> Vec<String> {
    let list = parse(json.as_bytes(), Limits::CONTENT).ok();
    let list = list.as_ref().and_then(|list| list.as_array());
    let ids = list.into_iter().flatten().filter_map(|id| id.as_str());
    ids.map(str::to_owned).collect()
}

/// Selects the agent whose claims are read: the only one, or the named one.
fn the_agent(connection: &Connection, named: Option<&str>) -> Result<String, Error> {
    let agents = || -> rusqlite::Result<Vec<String>> {
        let mut statement =
            connection.prepare("SELECT DISTINCT agent_id FROM claims ORDER BY 1 LIMIT 20")?;
        let agents = statement.query_map([], |row| row.get(0))?;
        agents.collect()
    };
    let agents = agents().map_err(|error| not_mempill(&error))?;
    match (named, agents.as_slice()) {
        (Some(named), agents) if agents.iter().any(|agent| agent == named) => Ok(named.to_owned()),
        (None, [agent]) => Ok(agent.clone()),
        (None, []) => Ok(String::new()),
        _ => Err(Error::input(
            format_args!("the database holds claims of {}", agents.join(", ")),
            "name one of them with --from-agent",
        )),
    }
}

/// `immutable=1`: no lock, no journal, no shared memory beside the file.
fn uri(path: &Path) -> Result<String, Error> {
    let whole = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let text = whole.to_str().ok_or_else(|| {
        Error::input(format_args!("{} is not UTF-8", path.display()), "rename it")
    })?;
    let escaped = text
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    Ok(format!("file:{escaped}?mode=ro&immutable=1"))
}

fn not_mempill(error: &rusqlite::Error) -> Error {
    Error::input(
        format_args!("the database is not one of mempill 0.4 ({error})"),
        "name a mempill database, or a file with one claim a line",
    )
}
