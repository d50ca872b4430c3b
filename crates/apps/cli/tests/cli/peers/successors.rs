//! Agents that change their key, and show it by their key chain (case 94).

use serde_json::Value;

use super::{did, explain, exported_keys, import, level, meet, shown, vouch};
use crate::place::Place;

/// Adversarial case G94: trust, name and vouches follow a key with its key chain, and only with it.
#[test]
fn an_agent_is_known_by_its_new_key() {
    let (me, bea, cas) = (Place::new(), Place::new(), Place::new());
    meet(&me, "Bea", &bea);
    meet(&me, "Cas", &cas);
    me.run(["peer", "trust", "Bea"]).ok();
    let old = did(&bea);
    import(&me, "old", &vouch(&cas, &bea, "high"));
    bea.run(["key", "rotate"]).ok();
    let new = did(&bea);
    assert_ne!(old, new);
    import(&me, "new", &vouch(&bea, &cas, "high"));
    assert_eq!((level(&me, &new), level(&me, "Cas")), (1, 1));
    let pinned = me.json([
        "peer",
        "pin",
        "Bea",
        "--succession",
        &shown(&exported_keys(&bea)),
    ]);
    assert_eq!(
        (pinned["key"].as_str(), &pinned["succeeded"][0]),
        (Some(new.as_str()), &old.into())
    );
    assert_eq!((level(&me, &new), level(&me, "Cas")), (3, 2));
    assert_eq!(explain(&me, "Bea")["key"].as_str(), Some(new.as_str()));
    // Twice is nothing new.
    me.run([
        "peer",
        "pin",
        "Bea",
        "--succession",
        &shown(&exported_keys(&bea)),
    ])
    .refused(3, "ends with the key that is known");
}

/// A voucher takes back with its new key what it gave with the old one.
#[test]
fn a_successor_revokes() {
    let (me, bea, kim) = (Place::new(), Place::new(), Place::new());
    meet(&me, "Bea", &bea);
    me.run(["peer", "trust", "Bea"]).ok();
    let document = vouch(&bea, &kim, "high");
    import(&me, "vouches", &document);
    bea.run(["key", "rotate"]).ok();
    let id = serde_json::from_str::<Value>(&document).unwrap()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let revocation = bea.run(["vouch", "revoke", &id]).ok().stdout();
    import(&me, "revocation", &revocation);
    assert_eq!(level(&me, &did(&kim)), 2);
    me.run([
        "peer",
        "pin",
        "Bea",
        "--succession",
        &shown(&exported_keys(&bea)),
    ])
    .ok();
    assert_eq!(level(&me, &did(&kim)), 1);
    assert!(bea.json(["vouch", "list"])["vouches"][0]["revokedAt"].is_string());
}

#[test]
fn the_key_chain_of_another_shows_nothing() {
    let (me, bea, eve) = (Place::new(), Place::new(), Place::new());
    meet(&me, "Bea", &bea);
    eve.run(["key", "rotate"]).ok();
    let chain = exported_keys(&eve);
    me.run(["peer", "pin", "Bea", "--succession", &shown(&chain)])
        .refused(3, "does not hold the key");
    // A chain that was changed, cut in front, or is none.
    bea.run(["key", "rotate"]).ok();
    let good = std::fs::read_to_string(exported_keys(&bea)).unwrap();
    let lines: Vec<&str> = good.lines().collect();
    let swapped =
        [lines[0], lines[1]]
            .join("\n")
            .replacen("\"signature\":\"", "\"signature\":\"A", 1);
    for bad in [
        lines[1].to_owned(),
        swapped,
        "{}".to_owned(),
        String::new(),
        "\0".to_owned(),
    ] {
        let path = me.file("chain", bad.as_bytes());
        me.run(["peer", "pin", "Bea", "--succession", &shown(&path)])
            .refused(3, "key chain");
    }
}
