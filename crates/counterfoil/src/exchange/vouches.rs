//! Vouches: signed statements of agents about each other's competence, and their revocations.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use counterfoil_capsule::Timestamp;
use counterfoil_exchange::documents::{
    Agent, Competence, DocumentError, Domain, RequestId, Revocation, RevocationParts, Text, Vouch,
    VouchConfidence, VouchParts,
};
use counterfoil_exchange::trust::{LocalRecord, MAX_RECORD_BYTES, Record};
use counterfoil_store::open_plain;
use counterfoil_types::DidKey;
use serde::Serialize;

use super::records::{TrustRecords, called, known};
use super::{host, settings};
use crate::error::Error;
use crate::import::{Line, Lines};
use crate::memory::Memory;
use crate::report::{Report, object};
use crate::when::rfc3339;
use crate::words::count;
use crate::{text, when};

/// Most documents of one import.
const MOST: u64 = 10_000;
/// Most refused lines that are listed; all are counted.
const LISTED: usize = 1000;
/// Longest file of an import, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Statement of a vouch.
#[derive(Debug, Clone)]
pub struct VouchOptions {
    /// Domain of the competence.
    pub domain: Domain,
    /// Competence in the domain.
    pub level: Competence,
    /// Confidence in the statement.
    pub confidence: VouchConfidence,
    /// Statement in words, at most 1,024 bytes; `LEVEL in DOMAIN` by default.
    pub statement: Option<String>,
    /// Reason of the confidence, at most 1,024 bytes.
    pub reason: Option<String>,
    /// End of the vouch; at most 365 days count.
    pub until: Option<Timestamp>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct VouchImport {
    read: u64,
    vouches: u64,
    revocations: u64,
    already_there: u64,
    refused_count: u64,
    refused: Vec<RefusedLine>,
    /// The voucher that was asked for its revocations.
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<DidKey>,
    /// True if the file holds more documents than one import takes.
    more: bool,
}

#[derive(Serialize)]
struct RefusedLine {
    line: u64,
    why: String,
}

impl Memory {
    /// Vouches for an agent. Returns the signed document, one line of JSON for others.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for an unknown agent and for texts that are too long.
    pub async fn issue_vouch(&self, agent: &str, options: VouchOptions) -> Result<String, Error> {
        let name = host::name(self.home(), &settings::read(self.home())?)?;
        let mut records = self.open_records().await?;
        let subject = records.other(agent)?;
        let (domain, level) = (options.domain, options.level);
        let statement = options.statement;
        let statement = statement.unwrap_or_else(|| format!("{} in {domain}", level.name()));
        let reason = options.reason.map(|reason| words("--reason", reason));
        let parts = VouchParts {
            id: new_id(),
            created_at: when::stamp()?,
            voucher: Agent {
                agent_id: name,
                public_key: records.signer.key(),
            },
            subject: Agent {
                // Its name here, or its key.
                agent_id: match subject.name {
                    Some(name) => name,
                    None => words("the key", subject.key.to_string())?,
                },
                public_key: subject.key,
            },
            capability_id: None,
            domain,
            statement: words("--statement", statement)?,
            level,
            context: None,
            interaction_refs: Vec::new(),
            outcome: None,
            confidence: options.confidence,
            reason: reason.transpose()?,
            valid_until: options.until,
            conditions: None,
        };
        let vouch = Vouch::sign(parts, records.signer.as_ref())
            .map_err(|error| Error::input(error, "leave out what it names"))?;
        records.take_document(vouch.bytes()).await
    }

    /// Revokes a vouch of this agent. Returns the signed revocation for those who have the vouch; a second call returns the
    /// same one.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for an id that is no vouch of this agent.
    pub async fn revoke_vouch(&self, id: &str, reason: Option<String>) -> Result<String, Error> {
        let id: RequestId = id.parse().map_err(|error| {
            Error::input(
                format_args!("{} is no id of a vouch ({error})", text::typed(id)),
                "see `counterfoil vouch list`",
            )
        })?;
        let name = host::name(self.home(), &settings::read(self.home())?)?;
        let mut records = self.open_records().await?;
        let (mut issued, mut revoked) = (None, None);
        for record in records.records.iter() {
            if let Some(vouch) = record.vouch() {
                let parts = vouch.parts();
                if parts.id == id && records.own.contains(&parts.voucher.public_key) {
                    issued.get_or_insert((parts.voucher.public_key, vouch.hash()));
                }
            }
            if let Some(revocation) = record.revocation() {
                let parts = revocation.parts();
                if parts.vouch_id == id && records.own.contains(&parts.voucher.public_key) {
                    revoked.get_or_insert(line(revocation.bytes())?);
                }
            }
        }
        let Some((voucher, vouch_hash)) = issued else {
            return Err(Error::input(
                format_args!("this agent has issued no vouch {id}"),
                "see `counterfoil vouch list`",
            ));
        };
        if let Some(revoked) = revoked {
            return Ok(revoked);
        }
        let to = records.signer.key();
        if voucher != to {
            let from = voucher;
            records.keep(LocalRecord::Succession { from, to }).await?;
        }
        let parts = RevocationParts {
            id: new_id(),
            created_at: when::stamp()?,
            vouch_id: id,
            vouch_hash,
            voucher: Agent {
                agent_id: name,
                public_key: to,
            },
            reason: reason.map(|reason| words("--reason", reason)).transpose()?,
            effective_from: None,
        };
        let revocation = Revocation::sign(parts, records.signer.as_ref())
            .map_err(|error| Error::input(error, "leave out what it names"))?;
        records.take_document(revocation.bytes()).await
    }

    /// Imports vouches and revocations, one document a line; `-` is standard input. Refused lines are notices, and all others
    /// are kept. `from_voucher` records that their one voucher was asked for its revocations; detail `asked`: its name.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for a file that cannot be read or holds none.
    pub async fn import_vouches(&self, file: &Path, from_voucher: bool) -> Result<Report, Error> {
        self.must_exist()?;
        let (mut import, documents) = if file.as_os_str() == "-" {
            VouchImport::read(io::stdin().lock(), file)?
        } else {
            VouchImport::read(BufReader::new(open(file)?), file)?
        };
        if import.read == 0 {
            return Err(Error::input(
                "the file holds no vouches",
                "name a file with vouches in it",
            ));
        }
        let vouchers = documents.iter().filter_map(|record| {
            let vouched = record.vouch().map(|vouch| &vouch.parts().voucher);
            let revoked = || record.revocation().map(|it| &it.parts().voucher);
            Some(vouched.or_else(revoked)?.public_key)
        });
        let mut vouchers = vouchers.collect::<BTreeSet<DidKey>>().into_iter();
        let mut records = self.open_records().await?;
        let known = documents.len();
        let known = known.saturating_sub(records.take(&documents).await?);
        import.already_there = u64::try_from(known).unwrap_or(u64::MAX);
        // With several vouchers, it is unknown which one was asked.
        if let (true, Some(key), None) = (from_voucher, vouchers.next(), vouchers.next()) {
            records.keep(LocalRecord::Contact { key }).await?;
            import.asked = Some(key);
        }
        let asked = import.asked.map(|key| called(&records.records, &key));
        let refused = import.refused.iter();
        let refused = refused.map(|refused| format!("line {}: {}", refused.line, refused.why));
        Ok(Report::new(&import)?
            .with("asked", asked)
            .noticed(refused)
            .but(import.problem(from_voucher)))
    }

    /// Lists the known vouches, only those for an agent or by a key if they are named.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for a name that no agent or more than one has.
    pub async fn vouches(&self, of: Option<&str>, by: Option<DidKey>) -> Result<Report, Error> {
        let records = self.trust_records().await?;
        let of = of.map(|agent| known(&records, agent)).transpose()?;
        let wanted = |parts: &VouchParts| {
            let subject = parts.subject.public_key;
            by.is_none_or(|by| by == parts.voucher.public_key)
                && of
                    .as_ref()
                    .is_none_or(|of| of.key == subject || of.same_agent.contains(&subject))
        };
        // The name that an agent gives itself is not trusted.
        let party = |key| {
            object()
                .with("key", key)
                .with("called", called(&records, &key))
        };
        let mut vouches = Vec::new();
        for record in records.iter() {
            let Some(vouch) = record.vouch() else {
                continue;
            };
            let parts = vouch.parts();
            if !wanted(parts) {
                continue;
            }
            let row = object()
                .with("id", &parts.id)
                .with("hash", vouch.hash().to_string())
                .with("voucher", party(parts.voucher.public_key))
                .with("subject", party(parts.subject.public_key))
                .with("domain", &parts.domain)
                .with("level", parts.level)
                .with("confidence", parts.confidence)
                .with("statement", &parts.statement)
                .with("createdAt", parts.created_at)
                .with_some("validUntil", parts.valid_until)
                .with("receivedAt", rfc3339(record.received_us()))
                .with_some("revokedAt", records.revoked_us(vouch).map(rfc3339));
            vouches.push(row);
        }
        Report::new(&object().with("vouches", vouches))
    }
}

impl TrustRecords {
    /// Adds a document of this agent, and returns its line.
    async fn take_document(&mut self, bytes: &[u8]) -> Result<String, Error> {
        let record = Record::receive(bytes, &self.own, when::stamp()?.micros())?;
        self.take(&[record]).await?;
        line(bytes)
    }
}

impl VouchImport {
    /// Reads the documents of a file, one a line.
    fn read(reader: impl BufRead, path: &Path) -> Result<(Self, Vec<Record>), Error> {
        let (mut import, mut records) = (Self::default(), Vec::new());
        let received_us = when::stamp()?.micros();
        let mut lines = Lines::limited(reader, MAX_RECORD_BYTES);
        let unreadable = |error| unreadable(path, &error);
        while let Some((number, line)) = lines.next_line().map_err(unreadable)? {
            let record = match line {
                Line::Whole(bytes) if bytes.is_empty() => continue,
                _ if import.read == MOST => {
                    import.more = true;
                    break;
                }
                Line::Whole(bytes) => match Record::receive(&bytes, &[], received_us) {
                    Ok(record) => Ok(record),
                    Err(DocumentError::Foreign { .. }) => Err(
                        "this is an agent's record for itself; only vouches and vouch_revocations are taken in"
                            .to_owned(),
                    ),
                    Err(error) => Err(error.to_string()),
                },
                Line::TooLong { bytes, .. } => Err(format!(
                    "{bytes} bytes are no vouch; at most {MAX_RECORD_BYTES} are read"
                )),
            };
            import.read += 1;
            match record {
                Ok(record) => {
                    match record.vouch() {
                        Some(_) => import.vouches += 1,
                        None => import.revocations += 1,
                    }
                    records.push(record);
                }
                Err(why) => {
                    import.refused_count += 1;
                    if import.refused.len() < LISTED {
                        import.refused.push(RefusedLine { line: number, why });
                    }
                }
            }
        }
        Ok((import, records))
    }

    fn problem(&self, from_voucher: bool) -> Option<Error> {
        if self.more {
            return Some(Error::input(
                format_args!("at most {MOST} vouches are taken in at once"),
                "those were; put the rest into another file",
            ));
        }
        if self.refused_count > 0 {
            let refused = count(self.refused_count, "line was", "lines were");
            return Some(Error::input(
                format_args!("{refused} refused, as listed"),
                "all others are kept; mend the file and import it again",
            ));
        }
        (from_voucher && self.asked.is_none()).then(|| {
            Error::input(
                "--from-voucher is for the documents of one voucher, and these are of several",
                "they are kept; import those of each voucher by themselves",
            )
        })
    }
}

/// Opens a file of limited length. Files without an end are refused.
fn open(path: &Path) -> Result<File, Error> {
    let file = open_plain(path).map_err(|error| unreadable(path, &error))?;
    let found = file.metadata().map_err(|error| unreadable(path, &error))?;
    if found.len() > MAX_FILE_BYTES {
        return Err(Error::input(
            format_args!("{} is no file of at most 64 MiB", path.display()),
            "name one, or pass it on standard input as `-`",
        ));
    }
    Ok(file)
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    Error::input(
        format_args!("{} cannot be read ({error})", path.display()),
        "check the path and your rights",
    )
}

fn new_id() -> RequestId {
    RequestId::from_bytes(uuid::Uuid::now_v7().into_bytes())
}

fn words<const MAX: usize>(what: &str, text: String) -> Result<Text<MAX>, Error> {
    Text::new(text)
        .map_err(|error| Error::input(format_args!("{what}: {error}"), "say it in other words"))
}

/// A signed document on one line: the signature covers exactly its bytes.
fn line(document: &[u8]) -> Result<String, Error> {
    let text = str::from_utf8(document).map_err(|_| Error::bug("a document that is no text"))?;
    Ok(format!("{text}\n"))
}
