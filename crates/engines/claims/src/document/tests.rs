//! What is written is read as it was; everything else is refused by the member that is wrong.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_types::document::Fault;
use counterfoil_types::json::{Limits, Value, canonical, parse as parse_json};
use counterfoil_types::{DidKey, Scope, WorldId};
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
        via: unit.via,
        disposition: unit.disposition,
        row: unit.row,
        because: unit.because,
        anchors: unit.anchors,
        derived_from: unit.derived_from,
        key,
        request,
        scope: Scope::new(),
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

/// CLM-9: each wrong member is named, and so is each that must be there and is not.
#[test]
fn a_wrong_member_is_named() {
    assert!(parse(&good()).is_ok());
    let long: Vec<String> = (0..17).map(|number| number.to_string()).collect();
    let wrong = json!({
        "/kind": [["kind", "memory"]],
        "/format": [["format", "counterfoil/claim/v2"]],
        "/subject": [["subject", " alice"], ["subject", "e\u{301}"]],
        "/predicate": [["predicate", ""]],
        "/number": [
            ["number", 1.5], ["number", -1], ["number", 9_007_199_254_740_992_u64],
            ["number", 1_767_225_600_000_001_u64],
        ],
        "/previous": [["number", 0], ["previous", ""], ["previous", "own"]],
        "/act": [["act", "forget"]],
        "/provenance": [["provenance", "user_asserted"], ["provenance", { "class": "recall_re_entry" }]],
        "/provenance/agent": [["provenance", { "class": "peer", "agent": "did:web:x", "level": 1 }]],
        "/disposition": [["disposition", "denied_already"], ["disposition", "committed"], ["row", 8]],
        "/row": [["row", 300]],
        "/anchors": [["anchors", []]],
        "/anchors/0/source": [["anchors", [{ "world": "m1", "source": "" }]]],
        "/anchors/0/world": [["anchors", [{ "source": "x" }]]],
        "/derivedFrom": [["derivedFrom", ["a", "a"]], ["derivedFrom", long], ["derivedFrom", "a"]],
        "/key": [["key", "a\nb"]],
        "/request": [["request", "AB".repeat(32)], ["request", "00"]],
        "/valid": [["valid", { "confidence": 1 }]],
        "/valid/from": [["valid", { "from": "2020-13", "confidence": 1 }]],
        "/valid/until": [["valid", { "until": "2020-01-01T00:00:00+01:00", "confidence": 1 }]],
        "/valid/confidence": [["valid", { "from": "2020", "confidence": 1.5 }], ["valid", { "from": "2020" }]],
        "/cardinality/said": [["cardinality", { "said": "two" }]],
        "/cardinality/registered": [["cardinality", { "said": "one", "registered": null }]],
        "/supersedes/0": [["supersedes", [1]]],
        "/because": [["because", {}]],
        "/because/rivalCount": [
            ["because", { "rivals": ["first"] }], ["because", { "rivalCount": 0 }],
            ["because", { "rivals": ["first"], "rivalCount": 2 }],
        ],
        "/because/depth": [["because", { "depth": 4_294_967_296_u64 }]],
        "/because/reEntry": [["because", { "reEntry": false }]],
    });
    for (pointer, cases) in wrong.as_object().unwrap() {
        for case in cases.as_array().unwrap() {
            let mut document = good();
            document[case[0].as_str().unwrap()] = case[1].clone();
            names(&document, pointer);
        }
    }
    let optional = ["because", "anchors", "derivedFrom", "valid", "supersedes"];
    for (member, _) in good().as_object().unwrap() {
        let mut document = good();
        document.as_object_mut().unwrap().remove(member);
        match member.as_str() {
            "key" => names(&document, "/request"),
            member if optional.contains(&member) => assert!(parse(&document).is_ok(), "{member}"),
            member => names(&document, &format!("/{member}")),
        }
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
