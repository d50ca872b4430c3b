//! What is written is read as it was; everything else is refused by the member that is wrong.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_types::document::Fault;
use counterfoil_types::json::{Limits, Value, canonical, parse as parse_json};
use counterfoil_types::{DidKey, WorldId};
use proptest::prelude::*;
use serde_json::json;

use super::arbitrary::{document, value};
use super::{Document, Entry, Format, Kind};
use crate::{TransactionTime, Unit};

const STAMP_US: u64 = 1_767_225_600_000_000;

fn agent() -> DidKey {
    DidKey::from_public_key([7; 32])
}

fn parse(document: &Value) -> Result<Unit, Fault> {
    let own = WorldId::new("own").unwrap();
    Unit::parse(own, agent(), 3, STAMP_US, document)
}

fn document_of(unit: Unit) -> Document {
    let (key, request) = unit.key.map(|keyed| (keyed.key, keyed.request)).unzip();
    let entry = Entry {
        kind: Kind::Claim,
        format: Format::V1,
        act_kind: unit.act.kind(),
        subject: unit.line.subject,
        predicate: unit.line.predicate,
        number: unit.number,
        previous: unit.previous,
        provenance: unit.provenance,
        disposition: unit.disposition,
        row: unit.row,
        because: unit.because,
        anchors: unit.anchors,
        derived_from: unit.derived_from,
        key,
        request,
    };
    Document {
        entry,
        act: unit.act,
    }
}

proptest! {
    /// CLM-9: a unit of every act is read from its canonical form as it was written.
    #[test]
    fn what_is_written_is_read(written in document()) {
        let text = canonical(&written.write()).unwrap();
        let document = parse_json(text.as_bytes(), Limits::CONTENT).unwrap();
        let unit = parse(&document).unwrap();
        prop_assert_eq!(unit.stamp(), TransactionTime::recorded(STAMP_US));
        prop_assert_eq!(&unit.line().agent, &agent());
        prop_assert_eq!(document_of(unit), written);
    }

    /// CLM-9: a unit has no other members, at any level.
    #[test]
    fn no_other_member_is_read(written in document(), place in 0..5_usize) {
        let mut document = written.write();
        let places = ["", "/provenance", "/because", "/valid", "/anchors/0"];
        if let Some(Value::Object(members)) = document.pointer_mut(places[place]) {
            members.insert("more".to_string(), json!(1));
            let refused = parse(&document);
            let fault = refused.unwrap_err();
            prop_assert_eq!((fault.pointer(), fault.requirement()), (&*format!("{}/more", places[place]), None));
        }
    }

    /// A JSON value is a unit or is refused; it is never a reason to panic.
    #[test]
    fn any_other_document_is_refused(written in document(), member in any::<prop::sample::Index>(), odd in value()) {
        let mut document = written.write();
        let members = document.as_object_mut().unwrap();
        let name = members.keys().nth(member.index(members.len())).unwrap().clone();
        members.insert(name, odd.to_json());
        if let Ok(unit) = parse(&document) {
            let read = canonical(&document_of(unit).write()).unwrap();
            prop_assert_eq!(read, canonical(&document).unwrap());
        }
    }
}

fn good() -> Value {
    json!({
        "kind": "claim", "format": "counterfoil/claim/v1",
        "subject": "alice", "predicate": "city", "number": 1, "previous": "first",
        "act": "claim", "provenance": { "class": "user_asserted" },
        "disposition": "contested", "row": 7,
        "because": { "rivals": ["first"], "rivalCount": 1, "cardinality": "one" },
        "anchors": [{ "world": "m1", "source": "blake3:00" }],
        "derivedFrom": ["other"], "key": "k", "request": "00".repeat(32),
        "value": "Lisbon", "valid": { "from": "2020", "confidence": 0.9 },
        "cardinality": { "said": "one", "registered": "one" }, "supersedes": ["first"],
    })
}

#[track_caller]
fn names(document: &Value, member: &str) {
    match parse(document) {
        Err(fault) if fault.requirement().is_some() => assert_eq!(fault.pointer(), member),
        other => panic!("{member}: {other:?}"),
    }
}

/// CLM-9: each wrong member is named.
#[test]
fn a_wrong_member_is_named() {
    assert!(parse(&good()).is_ok());
    let long: Vec<String> = (0..17).map(|number| number.to_string()).collect();
    for (place, wrong, member) in [
        ("kind", json!("memory"), "/kind"),
        ("format", json!("counterfoil/claim/v2"), "/format"),
        ("subject", json!(" alice"), "/subject"),
        ("subject", json!("e\u{301}"), "/subject"),
        ("predicate", json!(""), "/predicate"),
        ("number", json!(0), "/previous"),
        ("number", json!(1.5), "/number"),
        ("number", json!(-1), "/number"),
        ("number", json!(9_007_199_254_740_992_u64), "/number"),
        ("number", json!(1_767_225_600_000_001_u64), "/number"),
        ("previous", json!(""), "/previous"),
        ("previous", json!("own"), "/previous"),
        ("act", json!("forget"), "/act"),
        ("provenance", json!("user_asserted"), "/provenance"),
        (
            "provenance",
            json!({ "class": "recall_re_entry" }),
            "/provenance",
        ),
        (
            "provenance",
            json!({ "class": "peer", "agent": "did:web:x", "level": 1 }),
            "/provenance/agent",
        ),
        ("disposition", json!("denied_already"), "/disposition"),
        ("disposition", json!("committed"), "/disposition"),
        ("row", json!(300), "/row"),
        ("row", json!(8), "/disposition"),
        ("anchors", json!([]), "/anchors"),
        (
            "anchors",
            json!([{ "world": "m1", "source": "" }]),
            "/anchors/0/source",
        ),
        ("anchors", json!([{ "source": "x" }]), "/anchors/0/world"),
        ("derivedFrom", json!(["a", "a"]), "/derivedFrom"),
        ("derivedFrom", json!(long), "/derivedFrom"),
        ("derivedFrom", json!("a"), "/derivedFrom"),
        ("key", json!("a\nb"), "/key"),
        ("request", json!("AB".repeat(32)), "/request"),
        ("request", json!("00"), "/request"),
    ] {
        let mut document = good();
        document[place] = wrong;
        names(&document, member);
    }
}

/// CLM-9: so is each wrong member of a claim.
#[test]
fn a_wrong_member_of_a_claim_is_named() {
    for (place, wrong, member) in [
        ("valid", json!({ "confidence": 1 }), "/valid"),
        (
            "valid",
            json!({ "from": "2020-13", "confidence": 1 }),
            "/valid/from",
        ),
        (
            "valid",
            json!({ "until": "2020-01-01T00:00:00+01:00", "confidence": 1 }),
            "/valid/until",
        ),
        (
            "valid",
            json!({ "from": "2020", "confidence": 1.5 }),
            "/valid/confidence",
        ),
        ("valid", json!({ "from": "2020" }), "/valid/confidence"),
        ("cardinality", json!({ "said": "two" }), "/cardinality/said"),
        (
            "cardinality",
            json!({ "said": "one", "registered": null }),
            "/cardinality/registered",
        ),
        ("supersedes", json!([1]), "/supersedes/0"),
    ] {
        let mut document = good();
        document[place] = wrong;
        names(&document, member);
    }
}

/// CLM-9: a rationale says something, and says it once.
#[test]
fn a_wrong_rationale_is_named() {
    for (place, wrong, member) in [
        ("because", json!({}), "/because"),
        (
            "because",
            json!({ "rivals": ["first"] }),
            "/because/rivalCount",
        ),
        ("because", json!({ "rivalCount": 0 }), "/because/rivalCount"),
        (
            "because",
            json!({ "rivals": ["first"], "rivalCount": 2 }),
            "/because/rivalCount",
        ),
        (
            "because",
            json!({ "depth": 4_294_967_296_u64 }),
            "/because/depth",
        ),
        ("because", json!({ "reEntry": false }), "/because/reEntry"),
    ] {
        let mut document = good();
        document[place] = wrong;
        names(&document, member);
    }
}

/// CLM-9: what must be there is missed by its name.
#[test]
fn a_missing_member_is_named() {
    for (place, pointer) in [
        ("kind", "/kind"),
        ("format", "/format"),
        ("subject", "/subject"),
        ("predicate", "/predicate"),
        ("number", "/number"),
        ("previous", "/previous"),
        ("act", "/act"),
        ("provenance", "/provenance"),
        ("disposition", "/disposition"),
        ("row", "/row"),
        ("key", "/request"),
        ("request", "/request"),
        ("value", "/value"),
        ("cardinality", "/cardinality"),
    ] {
        let mut document = good();
        document.as_object_mut().unwrap().remove(place);
        names(&document, pointer);
    }
    names(&json!([]), "");
}

/// CLM-9: an act has its own members and no other act's.
#[test]
fn an_assertion_says_what_it_is_about() {
    let base = |act: &str, disposition: &str, row: u8| {
        json!({
            "kind": "claim", "format": "counterfoil/claim/v1", "subject": "alice",
            "predicate": "city", "number": 1, "previous": "first", "act": act,
            "provenance": { "class": "first_hand" }, "disposition": disposition, "row": row,
            "target": "first",
        })
    };
    for (act, disposition, row, member, wrong) in [
        ("bound", "bounded", 0, "at", json!("soon")),
        ("reopen", "reinstated", 0, "undoes", json!([])),
        ("supersede", "superseded", 0, "by", json!("first")),
        ("affirm", "affirmed", 0, "rivals", json!(["first"])),
        ("deny", "denied", 0, "target", json!(7)),
        ("undecided", "contested", 0, "target", json!("")),
        ("release", "released", 0, "target", json!(null)),
        (
            "corroborate",
            "corroborated",
            1,
            "sources",
            json!(["model_derived"]),
        ),
    ] {
        let mut document = base(act, disposition, row);
        document[member] = wrong;
        let fault = parse(&document).unwrap_err();
        assert!(
            fault.pointer().starts_with(&format!("/{member}")),
            "{fault}"
        );
        let mut document = base(act, disposition, row);
        document["value"] = json!(1);
        let fault = parse(&document).unwrap_err();
        let found = (fault.pointer(), fault.requirement());
        assert_eq!(found, ("/value", None), "{act}");
        let mut document = base(act, disposition, row);
        document.as_object_mut().unwrap().remove("target");
        names(&document, "/target");
    }
    names(&base("reopen", "reinstated", 0), "/undoes");
    names(&base("corroborate", "corroborated", 1), "/sources");
}
