//! Each kind of record that this agent makes for itself.

use serde_json::Value;

use super::super::Met;
use super::stage::texts;
use crate::place::Place;

pub(super) fn written(met: &mut Met) {
    let (me, bea, cas) = (Place::new(), Place::new(), Place::new());
    for (name, other) in [("bea", &bea), ("cas", &cas)] {
        me.run(["peer", "add", name, &did(other)]).ok();
    }
    me.run(["peer", "pin", "bea"]).ok();
    me.run(["peer", "trust", "bea"]).ok();
    me.run(["peer", "distrust", "cas"]).ok();
    me.run(["peer", "distrust", "cas", "--by", "bea"]).ok();
    for mark in ["equivocation", "framing", "compromise"] {
        me.run(["peer", "distrust", "cas", "--mark", mark]).ok();
        me.run(["peer", "distrust", "cas", "--clear", mark]).ok();
    }
    let vouch = bea.run(["vouch", "issue", &did(&cas), "--domain", "memory"]);
    let file = me.file("vouch", vouch.ok().stdout().as_bytes());
    let import = ["vouch", "import", file.to_str().unwrap(), "--from-voucher"];
    me.run(import).ok();
    bea.run(["key", "rotate"]).ok();
    let keys = bea.folder().join("keys.jsonl");
    let keys = keys.to_str().unwrap();
    bea.run(["key", "export", "-o", keys]).ok();
    me.run(["peer", "pin", "bea", "--succession", keys]).ok();

    let sql = "SELECT CAST(document AS TEXT) FROM trust_record";
    for document in texts(&me.database(), sql) {
        let record: Value = serde_json::from_str(&document).unwrap();
        match record["type"].as_str().unwrap() {
            "vouch" => {}
            "mark" => {
                met.note("record", &record["type"]);
                met.note("mark", &record["mark"]);
            }
            _ => met.note("record", &record["type"]),
        }
    }
}

fn did(place: &Place) -> String {
    place.json(["key", "show"])["key"]
        .as_str()
        .unwrap()
        .to_owned()
}
