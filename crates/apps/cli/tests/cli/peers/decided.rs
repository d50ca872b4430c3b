//! What this agent decides itself: names, trust, distrust, marks.

use super::{DOMAIN, did, explain, level, meet, shown};
use crate::place::Place;

#[test]
fn a_peer_is_added_and_listed() {
    let (me, bea) = (Place::new(), Place::new());
    assert!(
        me.run(["peer", "list"])
            .ok()
            .stdout()
            .contains("No agent is known here")
    );
    let key = did(&bea);
    let folder = shown(&me.folder().join("outbox"));
    let args = [
        "peer",
        "add",
        "Bea",
        &key,
        "--at",
        "https://bea.example",
        "--at",
        &folder,
    ];
    let added = me.json(args.into_iter().chain(["--domain", DOMAIN]));
    assert_eq!(
        added["addresses"],
        serde_json::json!(["https://bea.example", folder])
    );
    let listed = me.json(["peer", "list"]);
    let peer = &listed["peers"][0];
    assert_eq!(
        (peer["name"].as_str(), peer["level"].as_u64()),
        (Some("Bea"), Some(1))
    );
    assert_eq!(peer["key"].as_str(), Some(key.as_str()));
    assert_eq!(peer["domains"], serde_json::json!([DOMAIN]));
    let told = me.run(["peer", "list"]).ok().stdout();
    assert!(
        told.contains("Bea") && told.contains("1 identified") && told.contains(&key),
        "{told}"
    );
    // The last word counts.
    me.run(["peer", "add", "Beatrix", &key]).ok();
    assert_eq!(
        me.json(["peer", "list"])["peers"].as_array().unwrap().len(),
        1
    );
    me.run(["trust", "explain", "Bea"])
        .refused(3, "no agent is called Bea");
    assert_eq!(explain(&me, "Beatrix")["key"].as_str(), Some(key.as_str()));
}

/// MRP-17, MRP-18, MRP-20.
#[test]
fn trust_is_given_and_taken_back() {
    let (me, bea) = (Place::new(), Place::new());
    meet(&me, "Bea", &bea);
    let cooking = me.json(["peer", "trust", "Bea", "--domain", "cooking"]);
    assert_eq!((cooking["level"].as_u64(), level(&me, "Bea")), (Some(3), 1));
    assert_eq!(
        me.json(["peer", "list", "--domain", "cooking"])["peers"][0]["level"],
        3
    );
    assert_eq!(me.json(["peer", "trust", "Bea"])["level"], 3);
    assert_eq!(level(&me, "Bea"), 3);
    let gone = me.json(["peer", "distrust", "Bea", "--reason", "it invents things"]);
    assert_eq!(
        (gone["level"].as_u64(), gone["recorded"].as_str()),
        (Some(0), Some("distrust"))
    );
    assert_eq!(level(&me, "Bea"), 0);
    let told = me.run(["trust", "explain", "Bea"]).ok().stdout();
    assert!(told.contains("0: distrusted here"), "{told}");
    assert_eq!(
        me.json(["peer", "trust", "Bea", "--until", "2999-01-01"])["level"],
        3
    );
}

#[test]
fn marks_lower_until_they_are_cleared() {
    let (me, bea) = (Place::new(), Place::new());
    meet(&me, "Bea", &bea);
    me.run(["peer", "trust", "Bea"]).ok();
    for (mark, left) in [("equivocation", 1), ("framing", 1), ("compromise", 0)] {
        let marked = me.json(["peer", "distrust", "Bea", "--mark", mark]);
        assert_eq!(
            (marked["level"].as_u64(), &marked["mark"]),
            (Some(left), &mark.into())
        );
        assert_eq!(explain(&me, "Bea")["caps"][0]["cap"], mark);
        assert_eq!(
            me.json(["peer", "distrust", "Bea", "--clear", mark])["level"],
            3
        );
    }
}

#[test]
fn one_whom_i_trust_disputes_another() {
    let (me, bea, kim) = (Place::new(), Place::new(), Place::new());
    meet(&me, "Bea", &bea);
    meet(&me, "Kim", &kim);
    me.run(["peer", "trust", "Kim"]).ok();
    assert_eq!(
        me.json(["peer", "distrust", "Kim", "--by", "Bea"])["level"],
        3
    );
    me.run(["peer", "trust", "Bea"]).ok();
    assert_eq!(level(&me, "Kim"), 1);
    let told = me.run(["trust", "explain", "Kim"]).ok().stdout();
    assert!(told.contains("at most 1: disputed by Bea"), "{told}");
}

#[test]
fn a_key_is_pinned_as_signing() {
    let (me, bea) = (Place::new(), Place::new());
    meet(&me, "Bea", &bea);
    assert_eq!(me.json(["peer", "list"])["peers"][0]["signs"], false);
    assert_eq!(me.json(["peer", "pin", "Bea"])["signs"], true);
    assert_eq!(me.json(["peer", "list"])["peers"][0]["signs"], true);
    assert_eq!(
        me.json(["peer", "pin", "Bea", "--unsigned-ok"])["signs"],
        false
    );
}

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
