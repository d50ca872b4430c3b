//! Scopes from the command line: what is remembered in one is found in it, and nowhere else.

use serde_json::Value;

use crate::place::Place;

fn id_of(answer: &Value) -> String {
    answer["id"].as_str().unwrap().to_owned()
}

/// Laws (a), (b) and (c): the scope is in the content, a recall finds that of its scope, and a foreign id is refused as one that
/// is not there.
#[test]
fn a_memory_is_found_in_its_scope_alone() {
    let place = Place::new();
    let remember =
        |scope: &str, text: &str| id_of(&place.json(["remember", "--scope", scope, text]));
    let kit = remember("user=kit,session=42", "Kit must not eat sesame");
    let bo = remember("user=bo", "Bo hides sesame");
    let shown = place.json(["show", &kit]);
    assert_eq!(
        shown["world"]["data"]["scope"],
        serde_json::json!({"session": "42", "user": "kit"})
    );
    for (scope, found, not_found) in [("user=kit", &kit, &bo), ("user=bo", &bo, &kit)] {
        let recalled = place
            .json(["recall", "--scope", scope, "sesame"])
            .to_string();
        assert!(recalled.contains(found.as_str()) && !recalled.contains(not_found.as_str()));
        place.run(["show", "--scope", scope, found]).ok();
        let foreign = place
            .run(["show", "--scope", scope, not_found])
            .code(3)
            .stderr();
        let absent = place
            .run(["show", "--scope", scope, "world-0"])
            .code(3)
            .stderr();
        assert_eq!(foreign.replace(not_found.as_str(), "world-0"), absent);
    }
    for refused in [
        vec!["stats", "--scope", "user=kit"],
        vec!["export", "--scope", "user=kit"],
    ] {
        let said = place.run(refused).code(1).stderr();
        assert!(said.contains("scope"), "{said}");
    }
    place
        .run(["recall", "--scope", "", "sesame"])
        .code(3)
        .stderr();
    place.run(["init", "--scope", "user=kit"]).code(3).stderr();
}

/// Law (e), and labels, speaker and time as the options give them.
#[test]
fn the_same_again_is_one_memory() {
    let place = Place::new();
    let options = [
        "remember",
        "--scope",
        "user=kit",
        "--who",
        "Ada",
        "--tag",
        "food",
        "--when",
        "2025-03-01",
        "--meta",
        "room=kitchen",
        "Kit must not eat sesame",
    ];
    let first = place.json(options);
    let again = place.json(options);
    assert_eq!(
        (&first["became"], &again["became"]),
        (&"new".into(), &"same".into())
    );
    let data = place.json(["show", &id_of(&again)])["world"]["data"].clone();
    assert_eq!(data["speaker"], "Ada");
    assert_eq!(data["tags"], serde_json::json!(["food"]));
    assert_eq!(data["metadata"]["room"], "kitchen");
    assert!(data["confirmed"].is_string());
    let history = place.json(["history", &id_of(&first)]);
    assert_eq!(history["count"], 2);
    let keyed = |text| ["remember", "--key", "k", text];
    let one = place.json(keyed("Figs are ripe"));
    assert_eq!(id_of(&place.json(keyed("Figs are ripe"))), id_of(&one));
    let other = place.run(keyed("Figs are green")).code(3).stderr();
    assert!(other.contains("under this key"), "{other}");
}

/// Law (f): a fact is believed in its scope, contests nothing outside of it, and is proven there.
#[test]
fn a_fact_is_believed_in_its_scope() {
    let place = Place::new();
    let state = |scope: &str, value: &str| {
        let said = ["claim", "add", "--scope", scope, "user", "lives_in", value];
        place.json(said)
    };
    assert_eq!(state("user=kit", "Porto")["disposition"], "committed");
    assert_eq!(state("user=bo", "Lyon")["disposition"], "committed");
    let believed = place.json(["believe", "user", "lives_in", "--scope", "user=kit"]);
    assert_eq!(believed["value"], "Porto");
    assert_eq!(believed["scope"]["user"], "kit");
    let all = place.json(["believe", "user", "lives_in"]);
    let beliefs = all["beliefs"].as_array().unwrap();
    let values: Vec<_> = beliefs
        .iter()
        .map(|it| it["value"].as_str().unwrap())
        .collect();
    assert_eq!(values, ["Lyon", "Porto"]);
    let shown = place.run(["believe", "user", "lives_in"]).ok().stdout();
    assert!(
        shown.contains("user=kit") && shown.contains("user=bo"),
        "{shown}"
    );
    let none = place.json(["believe", "user", "lives_in", "--scope", "user=ann"]);
    assert_eq!(none["status"], "no_belief");
    let bound = ["user", "lives_in", "--scope", "user=kit"];
    let proof = place.run([&["prove"], &bound[..]].concat()).ok().stdout();
    assert!(proof.contains("Porto") && !proof.contains("Lyon"));
    let file = place.file("belief.json", proof.as_bytes());
    let given = place.run(["anchors"]).ok().stdout();
    let anchors = place.file("anchors.json", given.as_bytes());
    let checked = place.run([
        "verify-belief",
        file.to_str().unwrap(),
        "--anchors",
        anchors.to_str().unwrap(),
    ]);
    let checked = checked.ok().stdout();
    assert!(checked.contains("user=kit"), "{checked}");
    let report = place
        .json(["recall", "where does the user live", "--scope", "user=bo"])
        .to_string();
    assert!(
        report.contains("Lyon") && !report.contains("Porto"),
        "{report}"
    );
}
