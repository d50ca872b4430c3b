//! Vouches that are issued, taken in, counted and taken back.

use serde_json::Value;

use super::{DOMAIN, did, explain, import, level, meet, shown, vouch};
use crate::place::Place;

/// MRP-19: one whom I trust vouches for somebody, and is sure.
#[test]
fn a_vouch_of_a_friend_is_issued_and_counts() {
    let (me, friend, other) = (Place::new(), Place::new(), Place::new());
    meet(&me, "Bea", &friend);
    meet(&me, "Kim", &other);
    assert_eq!(level(&me, "Kim"), 1);
    let document = vouch(&friend, &other, "high");
    assert_eq!(document.lines().count(), 1);
    let report = import(&me, "vouches", &document);
    assert_eq!(
        (report["vouches"].as_u64(), report["refusedCount"].as_u64()),
        (Some(1), Some(0))
    );
    // A vouch of one who is not trusted says nothing.
    assert_eq!(level(&me, "Kim"), 1);
    me.run(["peer", "trust", "Bea"]).ok();
    let told = explain(&me, "Kim");
    assert_eq!(
        (told["level"].as_u64(), told["levelName"].as_str()),
        (Some(2), Some("vouched"))
    );
    assert_eq!(
        told["paths"][0]["called"],
        serde_json::json!(["Bea", "Kim"])
    );
    assert_eq!(
        told["paths"][0]["keys"],
        serde_json::json!([did(&friend), did(&other)])
    );
    assert_eq!(told["scorePpm"], 1_000_000);
    // In its domain alone.
    let elsewhere = me.json(["trust", "explain", "Kim", "--domain", "memory-systems-evil"]);
    assert_eq!(elsewhere["level"], 1);
    assert_eq!(me.json(["trust", "explain", "Kim"])["level"], 1);
}

/// The paths and the arithmetic, for people.
#[test]
fn trust_is_explained() {
    let (me, bea, cas, dan, kim) = (
        Place::new(),
        Place::new(),
        Place::new(),
        Place::new(),
        Place::new(),
    );
    for (name, other) in [("Bea", &bea), ("Cas", &cas), ("Dan", &dan), ("Kim", &kim)] {
        meet(&me, name, other);
    }
    me.run(["peer", "trust", "Bea"]).ok();
    me.run(["peer", "trust", "Cas", "--domain", DOMAIN]).ok();
    let documents = [
        vouch(&bea, &kim, "low"),
        vouch(&cas, &dan, "high"),
        vouch(&dan, &kim, "medium"),
    ];
    import(&me, "vouches", &documents.concat());
    let told = me
        .run(["trust", "explain", "Kim", "--domain", DOMAIN])
        .ok()
        .stdout();
    for line in [
        "level    2 vouched",
        "because  2 roots vouch over separate paths: 780000 of 600000 ppm",
        "Cas > Dan > Kim",
        "1.0 x 0.6 x 0.8",
        "480000",
        "Bea > Kim",
        "300000",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    let heaviest = told.find("Cas >").unwrap();
    assert!(heaviest < told.find("Bea >").unwrap(), "{told}");
}

/// Adversarial cases G88, G90: those who vouch for one another, and nobody whom I trust is among them.
#[test]
fn a_ring_of_vouches_counts_for_nothing() {
    let (me, kim, lou) = (Place::new(), Place::new(), Place::new());
    meet(&me, "Kim", &kim);
    meet(&me, "Lou", &lou);
    let ring = [vouch(&kim, &lou, "high"), vouch(&lou, &kim, "high")];
    import(&me, "ring", &ring.concat());
    for name in ["Kim", "Lou"] {
        let told = explain(&me, name);
        assert_eq!(
            (told["level"].as_u64(), told["scorePpm"].as_u64()),
            (Some(1), Some(0))
        );
        assert_eq!(told["why"], "nobody who is trusted vouches for it");
    }
}

/// Adversarial case G93: a revocation goes to whoever holds the vouch, and to send the vouch again does not help.
#[test]
fn a_vouch_is_taken_back() {
    let (me, bea, kim) = (Place::new(), Place::new(), Place::new());
    meet(&me, "Bea", &bea);
    meet(&me, "Kim", &kim);
    me.run(["peer", "trust", "Bea"]).ok();
    let document = vouch(&bea, &kim, "high");
    import(&me, "vouches", &document);
    assert_eq!(level(&me, "Kim"), 2);
    let id = serde_json::from_str::<Value>(&document).unwrap()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = bea.folder().join("revocation.json");
    let args = [
        "vouch",
        "revoke",
        &id,
        "--reason",
        "it forgot",
        "-o",
        &shown(&path),
    ];
    bea.run(args).ok();
    let revocation = std::fs::read_to_string(&path).unwrap();
    // Asked again, it is the same document.
    assert_eq!(bea.run(["vouch", "revoke", &id]).ok().stdout(), revocation);
    let report = import(&me, "revocation", &revocation);
    assert_eq!(report["revocations"], 1);
    assert_eq!(level(&me, "Kim"), 1);
    assert_eq!(import(&me, "again", &document)["alreadyThere"], 1);
    assert_eq!(level(&me, "Kim"), 1);
    let listed = me.json(["vouch", "list", "--of", "Kim"]);
    assert!(listed["vouches"][0]["revokedAt"].is_string(), "{listed:#}");
    assert!(
        me.run(["vouch", "list"])
            .ok()
            .stdout()
            .contains("taken back")
    );
    // Its own store says so, too.
    assert!(bea.json(["vouch", "list"])["vouches"][0]["revokedAt"].is_string());
}

#[test]
fn vouches_are_listed_by_whom_and_for_whom() {
    let (me, bea, kim) = (Place::new(), Place::new(), Place::new());
    meet(&me, "Bea", &bea);
    assert!(
        me.run(["vouch", "list"])
            .ok()
            .stdout()
            .contains("No vouch is known here")
    );
    import(
        &me,
        "vouches",
        &[vouch(&bea, &kim, "low"), vouch(&kim, &bea, "medium")].concat(),
    );
    let by = me.json(["vouch", "list", "--by", &did(&kim)]);
    assert_eq!(by["vouches"].as_array().unwrap().len(), 1);
    assert_eq!(by["vouches"][0]["subject"]["called"], "Bea");
    assert_eq!(by["vouches"][0]["confidence"], "medium");
    assert_eq!(me.json(["vouch", "list", "--of", "Bea"]), by);
    assert_eq!(
        me.json(["vouch", "list"])["vouches"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

/// To take in what the voucher itself sent notes that it was asked; of several vouchers, nobody was.
#[test]
fn a_voucher_that_was_asked_is_noted() {
    let (me, bea, kim) = (Place::new(), Place::new(), Place::new());
    let path = me.file("vouches", vouch(&bea, &kim, "low").as_bytes());
    let report = me.json(["vouch", "import", &shown(&path), "--from-voucher"]);
    assert_eq!(report["asked"].as_str(), Some(did(&bea).as_str()));
    let both = [vouch(&bea, &kim, "low"), vouch(&kim, &bea, "low")].concat();
    let path = me.file("both", both.as_bytes());
    me.run(["vouch", "import", &shown(&path), "--from-voucher"])
        .refused(3, "of one voucher");
    assert_eq!(
        me.json(["vouch", "list"])["vouches"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
}
