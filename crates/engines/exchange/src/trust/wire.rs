//! This agent's own records as documents: closed members, signed by itself (docs/format/trust.md, "Own records").

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use counterfoil_capsule::integrity::{Expect, ProofOptions, sign, verify};
use counterfoil_capsule::{Signer, Timestamp};
use counterfoil_types::json::{Map, Value};
use counterfoil_types::{DidKey, Sha256Hash};

use super::local::{MAX_ADDRESSES, MAX_DOMAINS};
use super::{LocalRecord, Mark, RecordError};
use crate::documents::{DocumentHash, Text};

const VERSION: &str = "1";
const COMMON: [&str; 5] = ["type", "version", "agent", "created_at", "proof"];
const A_KEY: &str = "a did:key of an Ed25519 key";
const A_DOMAIN: &str = "a domain, such as memory-systems/pruning";
const A_TEXT: &str = "a text that is neither empty nor too long";
const A_TIME: &str = "a time as YYYY-MM-DDTHH:MM:SS.ffffffZ";

/// The types, each with the members that it has beside the common ones.
const KINDS: [(&str, &[&str]); 9] = [
    ("peer", &["name", "key", "addresses", "log", "domains"]),
    ("pin", &["key", "signs"]),
    ("direct_trust", &["key", "domain", "expires"]),
    ("distrust", &["key", "domain", "reason"]),
    ("dispute", &["by", "key", "domain", "reason"]),
    ("succession", &["from", "to"]),
    ("mark", &["key", "mark", "evidence"]),
    ("clear", &["key", "mark"]),
    ("contact", &["key"]),
];

/// The record that a document is, if one of `own` has signed it.
pub(super) fn read(value: &Value, own: &[DidKey]) -> Result<LocalRecord, RecordError> {
    let members = Members::of(value)?;
    members.time("created_at")?;
    let record = members.record()?;
    let agent = members.key("agent")?;
    if !own.contains(&agent) {
        let expected = own.first().copied().unwrap_or(agent);
        return Err(RecordError::Foreign {
            expected,
            found: agent,
        });
    }
    verify(value, &Expect::assertion(agent, &[agent]))?;
    Ok(record)
}

/// The signed document of a record.
pub(super) fn write(
    record: &LocalRecord,
    at: Timestamp,
    signer: &dyn Signer,
) -> Result<Value, RecordError> {
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| {
        members.insert(name.into(), value);
    };
    put("type", record.name().into());
    put("version", VERSION.into());
    put("agent", text(signer.key()));
    put("created_at", text(at));
    for (name, value) in parts(record)? {
        if let Some(value) = value {
            put(name, value);
        }
    }
    Ok(sign(
        Value::Object(members),
        signer,
        &ProofOptions::assertion(at),
    )?)
}

type Part = (&'static str, Option<Value>);

fn parts(record: &LocalRecord) -> Result<Vec<Part>, RecordError> {
    let key = ("key", Some(text(record.key())));
    Ok(match record {
        LocalRecord::Peer {
            name,
            addresses,
            log,
            domains,
            ..
        } => {
            let kind = record.name();
            at_most(
                kind,
                "addresses",
                "at most 8 texts",
                addresses.len(),
                MAX_ADDRESSES,
            )?;
            at_most(
                kind,
                "domains",
                "at most 64 domains",
                domains.len(),
                MAX_DOMAINS,
            )?;
            alloc::vec![
                ("name", Some(text(name))),
                key,
                ("addresses", list(addresses)),
                ("log", log.as_ref().map(text)),
                ("domains", list(domains)),
            ]
        }
        LocalRecord::Pin { signs, .. } => alloc::vec![key, ("signs", Some((*signs).into()))],
        LocalRecord::DirectTrust {
            domain, expires, ..
        } => alloc::vec![
            key,
            ("domain", domain.as_ref().map(text)),
            ("expires", expires.as_ref().map(text)),
        ],
        LocalRecord::Distrust { domain, reason, .. } => alloc::vec![
            key,
            ("domain", domain.as_ref().map(text)),
            ("reason", reason.as_ref().map(text)),
        ],
        LocalRecord::Dispute {
            by, domain, reason, ..
        } => alloc::vec![
            key,
            ("by", Some(text(by))),
            ("domain", domain.as_ref().map(text)),
            ("reason", reason.as_ref().map(text)),
        ],
        LocalRecord::Succession { from, to } => {
            alloc::vec![("from", Some(text(from))), ("to", Some(text(to)))]
        }
        LocalRecord::Mark { mark, evidence, .. } => alloc::vec![
            key,
            ("mark", Some(mark.name().into())),
            ("evidence", evidence.as_ref().map(text)),
        ],
        LocalRecord::Clear { mark, .. } => alloc::vec![key, ("mark", Some(mark.name().into()))],
        LocalRecord::Contact { .. } => alloc::vec![key],
    })
}

fn text(value: impl fmt::Display) -> Value {
    value.to_string().into()
}

/// A list that is empty is left out: it has one spelling.
fn list<T: fmt::Display>(values: &[T]) -> Option<Value> {
    (!values.is_empty()).then(|| values.iter().map(text).collect())
}

fn at_most(
    kind: &'static str,
    member: &'static str,
    must: &'static str,
    found: usize,
    limit: usize,
) -> Result<(), RecordError> {
    if found > limit {
        Err(RecordError::Member { kind, member, must })
    } else {
        Ok(())
    }
}

/// The members of one record.
struct Members<'a> {
    kind: &'static str,
    members: &'a Map,
}

impl<'a> Members<'a> {
    fn of(value: &'a Value) -> Result<Self, RecordError> {
        let found = value
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let known = KINDS.iter().find(|(kind, _)| *kind == found);
        let (Some((kind, own)), Some(members)) = (known, value.as_object()) else {
            return Err(RecordError::Type {
                found: shortened(found),
            });
        };
        let version = members
            .get("version")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if version != VERSION {
            return Err(RecordError::Version {
                kind,
                found: shortened(version),
            });
        }
        let has = |name: &String| COMMON.contains(&name.as_str()) || own.contains(&name.as_str());
        match members.keys().find(|name| !has(name)) {
            Some(name) => Err(RecordError::Unknown {
                kind,
                member: shortened(name),
            }),
            None => Ok(Self { kind, members }),
        }
    }

    fn record(&self) -> Result<LocalRecord, RecordError> {
        let key = || self.key("key");
        Ok(match self.kind {
            "peer" => LocalRecord::Peer {
                name: self.words("name")?,
                key: key()?,
                addresses: self.list("addresses", MAX_ADDRESSES, "1 to 8 texts", |text| {
                    Text::new(text).ok()
                })?,
                log: self.read("log", "the verifier key of a log")?,
                domains: self.list("domains", MAX_DOMAINS, "1 to 64 domains", |text| {
                    text.parse().ok()
                })?,
            },
            "pin" => LocalRecord::Pin {
                key: key()?,
                signs: self.truth("signs")?,
            },
            "direct_trust" => LocalRecord::DirectTrust {
                key: key()?,
                domain: self.read("domain", A_DOMAIN)?,
                expires: self.read("expires", A_TIME)?,
            },
            "distrust" => LocalRecord::Distrust {
                key: key()?,
                domain: self.read("domain", A_DOMAIN)?,
                reason: self.optional_words("reason")?,
            },
            "dispute" => LocalRecord::Dispute {
                by: self.key("by")?,
                key: key()?,
                domain: self.read("domain", A_DOMAIN)?,
                reason: self.optional_words("reason")?,
            },
            "succession" => LocalRecord::Succession {
                from: self.key("from")?,
                to: self.key("to")?,
            },
            "mark" => LocalRecord::Mark {
                key: key()?,
                mark: self.mark()?,
                evidence: self.hash("evidence")?,
            },
            "clear" => LocalRecord::Clear {
                key: key()?,
                mark: self.mark()?,
            },
            _ => LocalRecord::Contact { key: key()? },
        })
    }

    fn wrong(&self, member: &'static str, must: &'static str) -> RecordError {
        RecordError::Member {
            kind: self.kind,
            member,
            must,
        }
    }

    fn text(
        &self,
        member: &'static str,
        must: &'static str,
    ) -> Result<Option<&'a str>, RecordError> {
        let value = self.members.get(member);
        value
            .map(|value| value.as_str().ok_or_else(|| self.wrong(member, must)))
            .transpose()
    }

    fn read<T: FromStr>(
        &self,
        member: &'static str,
        must: &'static str,
    ) -> Result<Option<T>, RecordError> {
        let text = self.text(member, must)?;
        text.map(|text| text.parse().map_err(|_| self.wrong(member, must)))
            .transpose()
    }

    fn key(&self, member: &'static str) -> Result<DidKey, RecordError> {
        self.read(member, A_KEY)?
            .ok_or_else(|| self.wrong(member, A_KEY))
    }

    fn time(&self, member: &'static str) -> Result<Timestamp, RecordError> {
        self.read(member, A_TIME)?
            .ok_or_else(|| self.wrong(member, A_TIME))
    }

    fn optional_words<const MAX: usize>(
        &self,
        member: &'static str,
    ) -> Result<Option<Text<MAX>>, RecordError> {
        let text = self.text(member, A_TEXT)?;
        text.map(|text| Text::new(text).map_err(|_| self.wrong(member, A_TEXT)))
            .transpose()
    }

    fn words<const MAX: usize>(&self, member: &'static str) -> Result<Text<MAX>, RecordError> {
        self.optional_words(member)?
            .ok_or_else(|| self.wrong(member, A_TEXT))
    }

    fn truth(&self, member: &'static str) -> Result<bool, RecordError> {
        let value = self.members.get(member).and_then(Value::as_bool);
        value.ok_or_else(|| self.wrong(member, "true or false"))
    }

    fn mark(&self) -> Result<Mark, RecordError> {
        let must = "equivocation, framing or compromise";
        let name = self.text("mark", must)?;
        let mark = Mark::ALL.into_iter().find(|mark| Some(mark.name()) == name);
        mark.ok_or_else(|| self.wrong("mark", must))
    }

    fn hash(&self, member: &'static str) -> Result<Option<DocumentHash>, RecordError> {
        let must = "64 lower-case hexadecimal digits";
        let digest = self
            .text(member, must)?
            .map(|text| Sha256Hash::from_hex(text).map_err(|_| self.wrong(member, must)));
        Ok(digest.transpose()?.map(DocumentHash::from_digest))
    }

    /// The texts of an array, none when it is absent.
    fn list<T>(
        &self,
        member: &'static str,
        limit: usize,
        must: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Vec<T>, RecordError> {
        let wrong = || self.wrong(member, must);
        let Some(value) = self.members.get(member) else {
            return Ok(Vec::new());
        };
        let values = value
            .as_array()
            .filter(|values| (1..=limit).contains(&values.len()));
        let values = values.ok_or_else(wrong)?.iter();
        values
            .map(|value| value.as_str().and_then(&read).ok_or_else(wrong))
            .collect()
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(64).collect()
}
