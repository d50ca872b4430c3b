//! Reads a unit: every member is what it must be, and there is no other (docs/format/claims.md 2).

use alloc::string::ToString;

use counterfoil_types::json::Value;
use counterfoil_types::{Confidence, MAX_SAFE_INTEGER};

use super::reading::{Reading, reference, wrong};
use super::{Entry, KIND, MAX_AFFECTED, MAX_REFS, UNIT_FORMAT, is_decided};
use crate::identity::is_chain;
use crate::submission::is_key;
use crate::time::{Boundary, ValidTime};
use crate::unit::{Keyed, UnitMetadata};
use crate::{
    Act, ActKind, Anchor, Cardinality, ClaimBody, Disposition, FactValue, GateRow, Identifier,
    Line, Provenance, ProvenanceClass, Reasons, SourceKey, TransactionTime, Unit, UnitError,
};

const COMMON: [&str; 15] = [
    "kind",
    "format",
    "subject",
    "predicate",
    "number",
    "previous",
    "act",
    "provenance",
    "disposition",
    "row",
    "because",
    "anchors",
    "derivedFrom",
    "key",
    "request",
];

pub(crate) fn parse(recorded: UnitMetadata, document: &Value) -> Result<Unit, UnitError> {
    let entry = entry(document)?;
    if entry.previous.as_ref() == Some(&recorded.reference) {
        return Err(wrong("previous", "another unit"));
    }
    // A line gains at most one unit per microsecond: the gate's next number always holds to that.
    if entry.number > recorded.stamp_us {
        return Err(wrong("number", "at most the stamp in microseconds"));
    }
    Ok(Unit {
        reference: recorded.reference,
        index: recorded.index,
        line: Line {
            agent: recorded.agent,
            subject: entry.subject,
            predicate: entry.predicate,
        },
        stamp: TransactionTime::recorded(recorded.stamp_us),
        number: entry.number,
        previous: entry.previous,
        act: entry.act,
        provenance: entry.provenance,
        disposition: entry.disposition,
        row: entry.row,
        because: entry.because,
        anchors: entry.anchors,
        derived_from: entry.derived_from,
        key: entry.key,
    })
}

fn entry(document: &Value) -> Result<Entry, UnitError> {
    let unit = Reading::of("data", document)?;
    let kind = unit.word("act", "an act of a unit", ActKind::named)?;
    unit.close(&[&COMMON, members_of(kind)])?;
    for (member, must, word) in [
        ("kind", "\"claim\"", KIND),
        ("format", "\"counterfoil/claim/v1\"", UNIT_FORMAT),
    ] {
        unit.word(member, must, |text| (text == word).then_some(()))?;
    }
    let number = unit.count("number")?;
    if number > MAX_SAFE_INTEGER {
        return Err(wrong("number", "at most 2^53 - 1"));
    }
    let previous = unit.optional_reference("previous")?;
    if previous.is_some() != (number > 0) {
        return Err(wrong(
            "previous",
            "there when the number is not 0, and only then",
        ));
    }
    let provenance = provenance(unit.required("provenance", "an object")?)?;
    let disposition = unit.word("disposition", "a disposition", Disposition::named)?;
    let row = row(unit)?;
    if !is_decided(kind, provenance, disposition, row) {
        return Err(wrong(
            "disposition",
            "one that its row gives to such an act of such a provenance",
        ));
    }
    Ok(Entry {
        subject: identifier(unit, "subject")?,
        predicate: identifier(unit, "predicate")?,
        number,
        previous,
        act: act(kind, unit)?,
        provenance,
        disposition,
        row,
        because: because(unit)?,
        anchors: unit.list("anchors", MAX_REFS, anchor)?,
        derived_from: unit.references("derivedFrom", MAX_REFS)?,
        key: keyed(unit)?,
    })
}

const fn members_of(kind: ActKind) -> &'static [&'static str] {
    match kind {
        ActKind::Claim => &["value", "valid", "cardinality", "supersedes"],
        ActKind::Bound => &["target", "at"],
        ActKind::Reopen => &["target", "undoes"],
        ActKind::Supersede => &["target", "by"],
        ActKind::Affirm => &["target", "rivals"],
        ActKind::Deny | ActKind::Undecided | ActKind::Release => &["target"],
        ActKind::Corroborate => &["target", "sources"],
    }
}

fn act(kind: ActKind, unit: Reading<'_>) -> Result<Act, UnitError> {
    if kind == ActKind::Claim {
        return claim(unit).map(Act::Claim);
    }
    let target = unit.reference("target")?;
    Ok(match kind {
        ActKind::Bound => Act::Bound {
            at: boundary("at", unit.text("at")?)?,
            target,
        },
        ActKind::Reopen => {
            unit.required("undoes", "a list of references")?;
            Act::Reopen {
                undoes: unit.references("undoes", MAX_AFFECTED)?,
                target,
            }
        }
        ActKind::Supersede => {
            let by = unit.reference("by")?;
            if by == target {
                return Err(wrong("by", "another claim than the target"));
            }
            Act::Supersede { target, by }
        }
        ActKind::Affirm => {
            let rivals = unit.references("rivals", MAX_AFFECTED)?;
            if rivals.contains(&target) {
                return Err(wrong("rivals", "other claims than the target"));
            }
            Act::Affirm { target, rivals }
        }
        ActKind::Undecided => Act::Undecided { target },
        ActKind::Release => Act::Release { target },
        ActKind::Corroborate => {
            unit.required("sources", "a list of sources")?;
            Act::Corroborate {
                sources: unit.list("sources", MAX_REFS, source)?,
                target,
            }
        }
        ActKind::Claim | ActKind::Deny => Act::Deny { target },
    })
}

fn claim(unit: Reading<'_>) -> Result<ClaimBody, UnitError> {
    const SAID: &str = "\"one\", \"many\" or \"unknown\"";
    const VALUE: &str = "a value of at most 65,536 bytes, 8,192 values and 62 levels";
    let value = FactValue::new(unit.required("value", VALUE)?);
    let cardinality = Reading::of("cardinality", unit.required("cardinality", "an object")?)?
        .close(&[&["said", "registered"]])?;
    let registered = cardinality
        .optional("registered")
        .map(|_| cardinality.word("registered", SAID, Cardinality::named))
        .transpose()?;
    Ok(ClaimBody {
        value: value.map_err(|_| wrong("value", VALUE))?,
        valid: unit.optional("valid").map(valid_time).transpose()?,
        cardinality: cardinality.word("said", SAID, Cardinality::named)?,
        registered,
        supersedes: unit.references("supersedes", MAX_REFS)?,
    })
}

fn valid_time(value: &Value) -> Result<ValidTime, UnitError> {
    let reading = Reading::of("valid", value)?.close(&[&["from", "until", "confidence"]])?;
    let date = |member| {
        reading
            .optional_text(member)?
            .map(|text| boundary(member, text))
            .transpose()
    };
    let (from, until) = (date("from")?, date("until")?);
    if from.is_none() && until.is_none() {
        return Err(wrong("valid", "an object with `from` or `until`"));
    }
    const UNIT: &str = "a number from 0 to 1";
    let confidence = reading.required("confidence", UNIT)?.as_f64();
    let confidence = confidence.and_then(|number| Confidence::new(number).ok());
    Ok(ValidTime {
        from,
        until,
        confidence: confidence.ok_or(wrong("confidence", UNIT))?,
    })
}

/// A date in the one spelling that is written.
fn boundary(member: &'static str, text: &str) -> Result<Boundary, UnitError> {
    Boundary::parse(text)
        .ok()
        .filter(|boundary| boundary.to_string() == text)
        .ok_or(wrong(
            member,
            "a date in its shortest form, an instant in UTC",
        ))
}

/// A name in the one spelling that is written: its normal form.
fn identifier(unit: Reading<'_>, member: &'static str) -> Result<Identifier, UnitError> {
    let text = unit.text(member)?;
    Identifier::new(member, text)
        .ok()
        .filter(|identifier| identifier.as_str() == text)
        .ok_or(wrong(
            member,
            "1 to 512 bytes of text in NFC, without control characters and without space at its ends",
        ))
}

fn provenance(value: &Value) -> Result<Provenance, UnitError> {
    const CLASS: &str = "user_asserted, first_hand, peer or model_derived";
    let reading = Reading::of("provenance", value)?;
    let class = match reading.text("class")? {
        "user_asserted" => ProvenanceClass::UserAsserted,
        "first_hand" => ProvenanceClass::FirstHand,
        "model_derived" => ProvenanceClass::ModelDerived,
        "peer" => peer(reading)?,
        _ => return Err(wrong("class", CLASS)),
    };
    let beside: &[&str] = match class {
        ProvenanceClass::Peer { .. } => &["agent", "level"],
        _ => &[],
    };
    reading.close(&[&["class"], beside])?;
    Ok(Provenance::assigned(class))
}

fn peer(reading: Reading<'_>) -> Result<ProvenanceClass, UnitError> {
    let agent = reading.text("agent")?.parse();
    let level = reading.count("level")?;
    let level = u8::try_from(level).ok().filter(|level| *level <= 3);
    Ok(ProvenanceClass::Peer {
        agent: agent.map_err(|_| wrong("agent", "the did:key of an Ed25519 key"))?,
        level: level.ok_or(wrong("level", "0, 1, 2 or 3"))?,
    })
}

fn row(unit: Reading<'_>) -> Result<GateRow, UnitError> {
    u8::try_from(unit.count("row")?)
        .map(GateRow)
        .map_err(|_| wrong("row", "0 to 8"))
}

fn because(unit: Reading<'_>) -> Result<Reasons, UnitError> {
    const MEMBERS: [&str; 7] = [
        "rivals",
        "rivalCount",
        "equals",
        "depth",
        "cardinality",
        "ignored",
        "reEntry",
    ];
    let Some(value) = unit.optional("because") else {
        return Ok(Reasons::default());
    };
    let reading = Reading::of("because", value)?.close(&[&MEMBERS])?;
    if reading.is_empty() {
        return Err(wrong("because", "absent when there is nothing to say"));
    }
    let rivals = reading.references("rivals", MAX_REFS)?;
    let rival_count = match reading.optional("rivalCount") {
        None => 0,
        Some(_) => reading.count("rivalCount")?,
    };
    let listed = u64::try_from(rivals.len()).unwrap_or(u64::MAX);
    let is_all = rival_count == listed && (listed > 0) == reading.optional("rivalCount").is_some();
    let is_part = rivals.len() == MAX_REFS && (listed..=MAX_SAFE_INTEGER).contains(&rival_count);
    if !is_all && !is_part {
        return Err(wrong(
            "rivalCount",
            "how many rivals there are, 16 of them listed",
        ));
    }
    let depth = reading.optional("depth").map(|_| reading.count("depth"));
    let cardinality = reading
        .optional("cardinality")
        .map(|_| reading.word("cardinality", "a cardinality", Cardinality::named));
    let re_entry = match reading.optional("reEntry") {
        None => false,
        Some(Value::Bool(true)) => true,
        Some(_) => return Err(wrong("reEntry", "true, or absent")),
    };
    Ok(Reasons {
        rivals,
        rival_count,
        equals: reading.optional_reference("equals")?,
        depth: depth
            .transpose()?
            .map(|depth| u32::try_from(depth).map_err(|_| wrong("depth", "below 2^32")))
            .transpose()?,
        cardinality: cardinality.transpose()?,
        ignored: reading.references("ignored", MAX_REFS)?,
        re_entry,
        burst: false,
    })
}

fn anchor(_: &'static str, value: &Value) -> Result<Anchor, UnitError> {
    let reading = Reading::of("anchors", value)?.close(&[&["world", "source"]])?;
    let source = reading.text("source")?;
    if !is_chain(source) {
        return Err(wrong("source", "the id of a chain: 1 to 250 bytes"));
    }
    Ok(Anchor {
        world: reference("world", reading.required("world", "the id of a World")?)?,
        source: source.to_string(),
    })
}

fn source(member: &'static str, value: &Value) -> Result<SourceKey, UnitError> {
    value.as_str().and_then(SourceKey::parse).ok_or(wrong(
        member,
        "user_asserted, first_hand, peer:<did> or world:<chain>",
    ))
}

fn keyed(unit: Reading<'_>) -> Result<Option<Keyed>, UnitError> {
    const REQUEST: &str = "64 hexadecimal digits, there when there is a key, and only then";
    match (unit.optional_text("key")?, unit.optional_text("request")?) {
        (None, None) => Ok(None),
        (Some(key), _) if !is_key(key) => Err(wrong(
            "key",
            "1 to 256 bytes of text without control characters",
        )),
        (Some(key), Some(request)) => {
            let hash = blake3::Hash::from_hex(request)
                .ok()
                .filter(|hash| hash.to_hex().as_str() == request)
                .ok_or(wrong("request", REQUEST))?;
            Ok(Some(Keyed {
                key: key.to_string(),
                request: *hash.as_bytes(),
            }))
        }
        (Some(_), None) | (None, Some(_)) => Err(wrong("request", REQUEST)),
    }
}
