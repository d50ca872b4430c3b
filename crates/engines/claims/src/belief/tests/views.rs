//! Beliefs as JSON, by example.

use serde_json::json;

use crate::Settings;
use crate::belief::testing::{Log, at, line, peer};
use crate::belief::{segment_to_json, timeline};

/// The one shape of beliefs in JSON (docs/format/belief-json.md).
#[test]
fn a_belief_is_written_as_the_page_says() {
    let mut log = Log::default();
    log.dated(peer(), "Lisbon", "2020-03..2030");
    let json = log.present().to_json();
    for (pointer, written) in [
        ("/status", json!("resolved")),
        ("/value", json!("Lisbon")),
        ("/support", json!("external")),
        ("/validAt", json!("2022-01-02T00:00:00Z")),
        ("/sides/0/claims/0/ref", json!("u-000000")),
        ("/sides/0/claims/0/valid/from", json!("2020-03")),
        ("/sides/0/claims/0/provenance/level", json!(2)),
        ("/markers/0", json!("peer_sourced")),
    ] {
        assert_eq!(json.pointer(pointer), Some(&written));
    }
    let window = &json["sides"][0]["claims"][0]["window"];
    assert_eq!(window["end"], "2031-01-01T00:00:00Z");
    let entry = log.history(at("2025"))[0].to_json();
    assert_eq!(entry["state"], "current");
    assert_eq!(entry["act"], "claim");
    let segment =
        segment_to_json(&timeline(&line(), &log.units, log.now(), &Settings::default())[1]);
    assert_eq!(segment["belief"]["valueCount"], 1);
}
