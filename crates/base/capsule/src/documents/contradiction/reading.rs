//! Reads a contradiction: closed members, each what it must be.

use alloc::string::ToString;
use alloc::vec::Vec;

use counterfoil_types::json::Value;

use super::{
    CapsuleName, ContradictionKind, Detection, Evidence, KIND, Observation, Observed, Source,
    Suspect, wrong,
};
use crate::equivocation::bare;
use crate::error::CapsuleError;
use crate::keys::reading::Reading;
use crate::record::RecordKind;

const MEMBERS: [&str; 12] = [
    "actual",
    "attributable",
    "code",
    "detected_at",
    "detector",
    "evidence",
    "expected",
    "id",
    "kind",
    "proof",
    "source",
    "subject",
];
const SUBJECT: [&str; 10] = [
    "agent",
    "capsule_hash",
    "chain",
    "hash",
    "index",
    "kind",
    "log",
    "request_id",
    "seq",
    "size",
];

/// What it says was seen, by whom, and whether it blames its agent.
pub(super) fn read(value: &Value) -> Result<(Observation, Detection, bool), CapsuleError> {
    let reading = Reading::of(KIND, value, &MEMBERS)?;
    let attributable = reading.value("attributable").and_then(Value::as_bool);
    let attributable = attributable.ok_or(wrong("attributable", "true or false"))?;
    let kind = ContradictionKind::named(reading.text("kind")?)
        .ok_or(wrong("kind", "one of the kinds of contradictions"))?;
    let seen = Observation {
        kind,
        code: reading.text("code")?.to_string(),
        subject: subject(reading)?,
        source: source(reading)?,
        expected: observed(reading, "expected")?,
        actual: observed(reading, "actual")?,
        evidence: evidence(reading)?,
    };
    let by = Detection {
        id: reading.text("id")?.parse()?,
        detector: reading.key("detector")?,
        detected_at: reading.text("detected_at")?.parse()?,
    };
    Ok((seen, by, attributable))
}

fn subject(reading: Reading<'_>) -> Result<Suspect, CapsuleError> {
    let must = "a capsule, an entry, a log, a request, or the hash of bytes, and one of them";
    let value = reading.value("subject").unwrap_or(&Value::Null);
    let part = Reading::part("subject", value, &SUBJECT)?;
    let has = |member| part.value(member).is_some();
    let subject = if has("index") {
        Suspect::Entry {
            index: part.number("index")?,
            capsule: has("agent").then(|| capsule(part)).transpose()?,
        }
    } else if has("agent") {
        Suspect::Capsule(capsule(part)?)
    } else if has("log") {
        let key = part.text("log")?.parse();
        Suspect::Log {
            key: key.map_err(|_| wrong("subject", "of a log: its key as a note names it"))?,
            size: part.number("size")?,
        }
    } else if has("request_id") {
        Suspect::Request {
            request_id: part.text("request_id")?.chars().take(256).collect(),
        }
    } else {
        Suspect::Bytes {
            hash: part.hash("hash")?,
        }
    };
    if subject.to_value() != *value {
        return Err(wrong("subject", must));
    }
    Ok(subject)
}

fn capsule(part: Reading<'_>) -> Result<CapsuleName, CapsuleError> {
    let named = part.value("kind").map(|kind| {
        kind.as_str()
            .and_then(RecordKind::named)
            .ok_or(wrong("subject", "of a record: one of the kinds of records"))
    });
    Ok(CapsuleName {
        agent: part.key("agent")?,
        chain: part.chain()?,
        seq: part.number("seq")?,
        capsule_hash: part.hash("capsule_hash")?,
        record: named.transpose()?,
    })
}

fn source(reading: Reading<'_>) -> Result<Source, CapsuleError> {
    let value = reading.value("source").unwrap_or(&Value::Null);
    let part = Reading::part("source", value, &["peer", "transport"])?;
    let unknown = part.value("peer").is_some_and(Value::is_null);
    Ok(Source {
        peer: (!unknown).then(|| part.key("peer")).transpose()?,
        transport: part.text("transport")?.to_string(),
    })
}

fn observed(reading: Reading<'_>, member: &'static str) -> Result<Option<Observed>, CapsuleError> {
    let must = "absent, or a digest, a number, an instant, a key or a place";
    reading
        .value(member)
        .map(|value| Observed::read(value).ok_or(wrong(member, must)))
        .transpose()
}

fn evidence(reading: Reading<'_>) -> Result<Vec<Evidence>, CapsuleError> {
    let must = "one or two exported capsules without bodies, signed notes, or digests";
    let items = reading.value("evidence").and_then(Value::as_array);
    let items = items.filter(|items| (1..=2).contains(&items.len()));
    let items = items.ok_or(wrong("evidence", must))?.iter();
    let read = items.map(|item| match item {
        Value::String(hash) => {
            let hash = hash.parse().map_err(|_| wrong("evidence", must));
            hash.map(Evidence::Hash)
        }
        item if item.get("note").is_some() => {
            let part = Reading::part("evidence", item, &["note"])?;
            Ok(Evidence::Note(part.text("note")?.to_string()))
        }
        capsule => Ok(Evidence::Capsule(bare(capsule)?.into())),
    });
    read.collect()
}
