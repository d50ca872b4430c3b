//! What this agent decides itself: names, trust, distrust, marks.

use super::{DOMAIN, did, shown};
use crate::place::Place;

/// A later record counts as a whole: what was not said again was gone.
#[test]
fn what_is_not_said_anew_of_a_peer_stays() {
    let (me, bea) = (Place::new(), Place::new());
    let anchors = bea.json(["anchors"]);
    let (key, log) = (
        did(&bea),
        anchors["logs"][0]["verifierKey"].as_str().unwrap(),
    );
    let folder = shown(&me.folder().join("outbox"));
    let first = [
        "peer", "add", "Bea", &key, "--at", &folder, "--log", log, "--domain", DOMAIN,
    ];
    let first = me.json(first);
    let again = me.json(["peer", "add", "Beatrix", &key]);
    for part in ["addresses", "log", "domains"] {
        assert_eq!(again[part], first[part], "{part}");
    }
    let moved = me.json(["peer", "add", "Bea", &key, "--at", "https://bea.example"]);
    assert_eq!(
        moved["addresses"],
        serde_json::json!(["https://bea.example"])
    );
    assert_eq!(moved["log"], first["log"]);
}
