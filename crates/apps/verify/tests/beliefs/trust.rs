//! Records of trust in a proof of belief: all that the agent's log has, or none.

use std::sync::Arc;

use counterfoil_authority::Policy;
use counterfoil_authority::types::DidKey;
use counterfoil_authority::types::json::Value;
use counterfoil_authority::verifier::KeyFingerprint;
use counterfoil_authority::verifier::opened::{EntrySignature, OpenedRecord};
use counterfoil_claims::Identifier;
use counterfoil_exchange::trust::{LocalRecord, Record, RecordedTrust, Records};
use counterfoil_verify::belief::{Decided, review_trusting};
use serde_json::json;

use crate::support::{PROVEN, Rig, codes, document, done, read, report, with};

const STRICT: &str = "{}";

fn peer() -> DidKey {
    DidKey::from_public_key([9; 32])
}

fn trusted() -> LocalRecord {
    LocalRecord::DirectTrust {
        key: peer(),
        domain: None,
        expires: None,
    }
}

fn distrusted() -> LocalRecord {
    LocalRecord::Distrust {
        key: peer(),
        domain: None,
        reason: None,
    }
}

fn read_trust(documents: &[(Vec<u8>, u64)], own: &[DidKey]) -> Result<Decided, String> {
    let documents = documents.iter().map(|(bytes, at)| (bytes.as_slice(), *at));
    let records = Records::receive(documents, own).map_err(|error| error.to_string())?;
    Ok(Decided {
        vocabulary: Arc::new(records.vocabulary()),
        trust: Arc::new(RecordedTrust::new(Arc::new(records))),
    })
}

/// The user and another agent contradict each other, and the agent was decided about twice.
fn rig() -> Rig {
    let rig = Rig::new();
    done(
        rig.user()
            .remember("ann", "lives in", "Lisbon")
            .from("2020"),
    );
    let other = rig.channels.peer(peer(), 3).expect("a level");
    let other = rig.memory(0, other);
    done(other.remember("ann", "lives in", "Faro").from("2020"));
    rig.decides(0, trusted());
    rig.later_by_days(1);
    rig.decides(0, distrusted());
    rig
}

fn proof(rig: &Rig) -> Value {
    document(&done(rig.user().prove("ann", "lives in")))
}

/// The report of an authority that reads trust, under the standard policy.
fn reviewed(rig: &Rig, document: &Value) -> Value {
    let policy = Policy::from_json(STRICT.as_bytes()).expect("a policy");
    let when = (&policy, rig.now());
    let report = review_trusting(read(document), rig.anchors(), when, Some(read_trust));
    serde_json::from_str(&report.to_json().expect("JSON")).expect("JSON")
}

fn records(document: &mut Value) -> &mut Vec<Value> {
    let records = document.pointer_mut("/trust/records");
    records.and_then(Value::as_array_mut).expect("records")
}

#[track_caller]
fn refused(rig: &Rig, attack: &Value, code: &str) {
    let report = reviewed(rig, attack);
    assert_eq!(codes(&report), [code], "{report}");
    // Who does not read trust refuses it as well.
    let policy = Policy::from_json(STRICT.as_bytes()).expect("a policy");
    let report = self::report(rig.anchors(), attack, &policy, rig.now());
    assert_eq!(codes(&report), [code], "{report}");
}

/// I4, I7: the belief follows from what the agent had decided until the time as of which was asked.
#[test]
fn the_belief_is_that_of_the_records_of_trust() {
    let rig = rig();
    let whole = proof(&rig);
    let report = reviewed(&rig, &whole);
    assert_eq!(codes(&report), PROVEN, "{report}");
    assert_eq!(report["belief"]["sides"][0]["value"], "\"Lisbon\"");
    let before = rig.user();
    let before = before
        .prove("ann", "lives in")
        .as_of("2027-01-15T12:00:00Z");
    let before = reviewed(&rig, &document(&done(before)));
    assert_eq!(before["belief"]["status"], "contested", "{before}");
    // The log knows of a decision since.
    assert!(codes(&before).contains(&"trust-open"), "{before}");
    rig.decides(0, trusted_again());
    let again = reviewed(&rig, &proof(&rig));
    assert_eq!(codes(&again), ["not-resolved"], "{again}");
}

fn trusted_again() -> LocalRecord {
    LocalRecord::DirectTrust {
        key: peer(),
        domain: None,
        expires: "2030-01-01T00:00:00.000000Z".parse().ok(),
    }
}

/// Without the records, or without somebody who reads them, the trust is open; a line without other agents has none.
#[test]
fn without_records_or_reader_the_trust_is_open() {
    let rig = rig();
    let mut proof = proof(&rig);
    let policy = Policy::from_json(STRICT.as_bytes()).expect("a policy");
    let open = |document: &Value| {
        let report = report(rig.anchors(), document, &policy, rig.now());
        codes(&report).contains(&"trust-open")
    };
    assert!(open(&proof));
    proof.as_object_mut().expect("an object").remove("trust");
    assert!(open(&proof));
    assert!(codes(&reviewed(&rig, &proof)).contains(&"trust-open"));
    done(rig.user().remember("ann", "likes", "tea").from("2020"));
    let own = document(&done(rig.user().prove("ann", "likes")));
    assert_eq!(own.get("trust"), None);
}

#[test]
fn a_record_that_is_left_out_or_given_twice_is_refused() {
    let rig = rig();
    let proof = proof(&rig);
    for left_out in [0, 1] {
        let mut attack = proof.clone();
        records(&mut attack).remove(left_out);
        refused(&rig, &attack, "trust-left-out");
    }
    let mut attack = proof.clone();
    let first = records(&mut attack)[0].clone();
    records(&mut attack)[1] = first;
    refused(&rig, &attack, "trust-refused");
    let mut attack = proof;
    records(&mut attack).swap(0, 1);
    refused(&rig, &attack, "trust-refused");
}

#[test]
fn an_edited_record_is_refused() {
    let rig = rig();
    let proof = proof(&rig);
    let record = &proof["trust"]["records"][1];
    let text = |name: &str| record[name].as_str().expect("a text").to_owned();
    let (content, header) = (text("content"), text("header"));
    let other = counterfoil_capsule::Signer::agent(&*rig.signer(1)).to_string();
    let edits = [
        ("content", content.replace("distrust", "direct_trust")),
        ("content", content.replace(&peer().to_string(), &other)),
        ("header", header.replace("2027-01-16", "2027-01-14")),
        ("header", header.replace("\"trust\"", "\"tombstone\"")),
        ("fields", text("fields") + "0"),
        ("index", "1".to_owned()),
    ];
    for (name, edited) in edits {
        assert_ne!(edited, text(name), "{name}");
        let place = format!("/trust/records/1/{name}");
        refused(&rig, &with(proof.clone(), &place, edited), "trust-refused");
    }
    let signature = proof["trust"]["records"][0]["signature"].clone();
    let attack = with(proof.clone(), "/trust/records/1/signature", signature);
    refused(&rig, &attack, "trust-refused");
    let lookup = json!({ "siblings": "" });
    refused(&rig, &with(proof, "/trust/lookup", lookup), "trust-refused");
}

/// Records that came from another store are in the log too, and decide nothing of this agent.
#[test]
fn a_record_of_another_agent_is_refused() {
    let (elsewhere, rig) = (Rig::new(), rig());
    let index = elsewhere.decides(1, trusted());
    let foreign = elsewhere.stored(index);
    let index = rig.receives(foreign);
    let mut proof = proof(&rig);
    assert_eq!(codes(&reviewed(&rig, &proof)), PROVEN);
    let foreign = rig.opened_record(index);
    records(&mut proof).push(foreign.clone());
    refused(&rig, &proof, "trust-refused");
    records(&mut proof).pop();
    records(&mut proof)[1] = foreign;
    refused(&rig, &proof, "trust-refused");
}

/// No record stands for one that the map counts; those of names are not counted, and stay with the agent.
#[test]
fn a_record_that_is_not_counted_is_refused() {
    let rig = rig();
    let name = |text| Identifier::new("name", text).expect("a name");
    let alias = LocalRecord::Alias {
        name: name("client 7"),
        of: Some(name("Jane Roe")),
    };
    let index = rig.decides(0, alias);
    rig.decides(0, trusted_again());
    let mut proof = proof(&rig);
    assert_eq!(codes(&reviewed(&rig, &proof)), ["not-resolved"]);
    assert!(!proof.to_string().contains("Roe"), "{proof}");
    records(&mut proof)[1] = rig.opened_record(index);
    refused(&rig, &proof, "trust-refused");
}

/// The records as they were before a decision, under the checkpoint of that time.
#[test]
fn records_under_an_older_checkpoint_are_refused() {
    let rig = rig();
    let old = proof(&rig);
    rig.decides(0, trusted_again());
    let new = proof(&rig);
    let attack = with(new.clone(), "/trust", old["trust"].clone());
    refused(&rig, &attack, "trust-refused");
    let mut attack = new;
    records(&mut attack).pop();
    refused(&rig, &attack, "trust-left-out");
    let anchors = rig.anchors_with_floor();
    let policy = Policy::from_json(STRICT.as_bytes()).expect("a policy");
    let report = report(anchors, &old, &policy, rig.now());
    assert_eq!(codes(&report), ["unit-refused"], "{report}");
}

impl Rig {
    /// Seals a decision of an agent, and returns its log index.
    fn decides(&self, agent: usize, decision: LocalRecord) -> u64 {
        let (signer, at) = (self.signer(agent), self.timestamp());
        let record = Record::local(decision, at, &*signer).expect("a record");
        self.keeps(signer, record.bytes().to_vec())
    }

    /// The record of the log at this index, opened under the present checkpoint.
    fn opened_record(&self, index: u64) -> Value {
        let stored = self.stored(index);
        let body = stored.payload.expect("a content");
        let entry = &stored.entry;
        let record = OpenedRecord {
            header: stored.header.canonical().to_owned(),
            content: body.text,
            salt: body.salt,
            fields: format!("{} {}", entry.field_root, entry.field_count),
            signature: EntrySignature {
                key_id: KeyFingerprint::of(&stored.key),
                value: stored.signature,
            },
            index: index.to_string(),
            path: self.path(index),
        };
        record.to_value()
    }
}
