//! Names of a subject: records of the log make two names one, and take it back.

use serde_json::Value;

use super::{add, added, reference};
use crate::place::Place;

fn believed(place: &Place, subject: &str, more: &[&str]) -> Value {
    place.json([&["believe", subject, "lives_in"], more].concat())
}

fn values(belief: &Value) -> Vec<&str> {
    let sides = belief["sides"].as_array().unwrap().iter();
    sides.map(|side| side["value"].as_str().unwrap()).collect()
}

fn now(place: &Place) -> String {
    let belief = believed(place, "nobody", &[]);
    belief["asOf"].as_str().unwrap().to_owned()
}

/// The user has said of @anna that she lives in Lisbon, and of Anna that it is Porto.
fn two_homes(place: &Place) -> [String; 2] {
    [("@anna", "Lisbon"), ("Anna", "Porto")]
        .map(|(name, home)| added(place, &[name, "lives_in", home], "committed"))
}

/// I7: nothing is one without a record; with it the lines are folded, at once and for all that is kept, under whatever name it is asked;
/// without it they are apart again, and nothing was rewritten.
#[test]
fn names_are_one_while_a_record_says_so() {
    let place = Place::new();
    let homes = two_homes(&place);
    for (name, home) in [("@anna", "Lisbon"), ("Anna", "Porto")] {
        assert_eq!(values(&believed(&place, name, &[])), [home]);
    }
    assert!(values(&believed(&place, "anna", &[])).is_empty());
    let before = now(&place);
    let set = place.json(["claim", "alias", "@anna", "Anna"]);
    assert_eq!(
        (&set["name"], &set["of"]),
        (&"@anna".into(), &"Anna".into())
    );
    for name in ["@anna", "Anna"] {
        let belief = believed(&place, name, &[]);
        assert_eq!(belief["status"], "contested");
        assert_eq!(belief["subject"], "Anna");
        assert_eq!(belief["names"], serde_json::json!(["Anna", "@anna"]));
        assert_eq!(values(&belief), ["Lisbon", "Porto"]);
        let said_of = |side: usize| &belief["sides"][side]["claims"][0]["saidOf"];
        assert_eq!([said_of(0), said_of(1)], ["@anna", "Anna"]);
        let all = place.json(["believe", name]);
        assert_eq!(all["beliefs"][0]["sides"], belief["sides"]);
        let earlier = believed(&place, name, &["--as-of", &before]);
        assert_eq!(earlier["status"], "timing_uncertain");
        assert!(earlier.get("names").is_none());
    }
    let listed = place.json(["contested"]);
    assert_eq!(listed["beliefs"][0]["subject"], "Anna");
    assert_eq!(listed["beliefs"].as_array().unwrap().len(), 1);
    let why = place.json(["why", "@anna", "lives_in"]);
    assert_eq!(why["decidedBy"].as_array().unwrap().len(), 2);
    assert_eq!(why["changes"].as_array().unwrap().len(), 2);
    let history = place.json(["history", "@anna", "lives_in"]);
    assert_eq!(history["subject"], "Anna");
    let states = history["claims"].as_array().unwrap().iter();
    let states: Vec<_> = states
        .map(|claim| (&claim["state"], claim.get("saidOf")))
        .collect();
    let contested = Value::from("contested");
    let anna = Value::from("@anna");
    assert_eq!(states, [(&contested, Some(&anna)), (&contested, None)]);
    let timeline = place.json(["timeline", "@anna"]);
    assert_eq!(timeline["subject"], "Anna");
    assert_eq!(timeline["lines"][0]["claims"].as_array().unwrap().len(), 2);
    place.run(["claim", "alias", "@anna", "--none"]).ok();
    for ((name, home), reference) in [("@anna", "Lisbon"), ("Anna", "Porto")].iter().zip(&homes) {
        let belief = believed(&place, name, &[]);
        assert_eq!(values(&belief), [*home]);
        assert_eq!(belief["sides"][0]["claims"][0]["ref"], **reference);
    }
    assert_eq!(place.json(["contested"])["beliefs"], serde_json::json!([]));
}

/// What the user, a sensor or a model says is sealed under the main name, so that one line is changed; what is sealed is named as it
/// was: said again, corrected, or under a key.
#[test]
fn what_is_said_is_sealed_under_the_main_name() {
    let place = Place::new();
    let keyed = ["@anna", "lives_in", "Faro", "--key", "k"];
    let early = added(&place, &keyed, "committed");
    place.run(["claim", "alias", "@anna", "Anna"]).ok();
    for channel in ["user", "first-hand", "model"] {
        let answer = add(&place, &["@anna", channel, "x", "--channel", channel]);
        assert_eq!(
            answer["name"],
            serde_json::json!({"given": "@anna", "main": "Anna"})
        );
        let unit = place.json(["claim", "show", &reference(&answer)]);
        assert_eq!(unit["unit"]["subject"], "Anna", "{channel}");
    }
    added(&place, &["Anna", "works_at", "Acme"], "committed");
    let set = place.json(["claim", "set", "@anna", "works_at", "Beta"]);
    assert_eq!(set["row"], 6);
    assert_eq!(place.json(["believe", "Anna", "works_at"])["value"], "Beta");
    assert_eq!(reference(&add(&place, &keyed)), early);
    let corrected = place.json(["claim", "correct", &early, "Braga"]);
    let unit = place.json(["claim", "show", &reference(&corrected)]);
    assert_eq!(unit["unit"]["subject"], "@anna");
    assert_eq!(values(&believed(&place, "Anna", &[])), ["Braga"]);
    // No claim takes the place of one under another name.
    let supersedes = reference(&corrected);
    let other = [
        "claim",
        "add",
        "@anna",
        "lives_in",
        "Porto",
        "--supersedes",
        &supersedes,
    ];
    place
        .run(other)
        .refused(3, "is a claim about something else");
    // What another speaker has said there is contested, and the answer names the command that ends it; what the same one has said ends.
    let by_host = [
        "claim",
        "set",
        "@anna",
        "lives_in",
        "Faro",
        "--channel",
        "first-hand",
    ];
    let answer = place.json(by_host);
    let end = format!("counterfoil claim end {supersedes}");
    assert!(
        answer["next"][0].as_str().unwrap().ends_with(&end),
        "{answer:#}"
    );
    assert!(answer.get("ended").is_none(), "{answer:#}");
    let answer = place.json(["claim", "set", "@anna", "lives_in", "Porto"]);
    assert_eq!(
        answer["ended"],
        serde_json::json!([supersedes]),
        "{answer:#}"
    );
    assert_eq!(values(&believed(&place, "@anna", &[])), ["Faro", "Porto"]);
    // The one live claim of a subject, under whatever name it was said.
    added(&place, &["Anna", "mood", "calm"], "committed");
    place.run(["claim", "end", "@anna", "mood"]).ok();
    assert_eq!(place.json(["believe", "Anna", "mood"])["status"], "ended");
}

/// What cannot be ended where the new claim begins stays, and the answer names it.
#[test]
fn what_begins_later_under_another_name_is_left_and_named() {
    let place = Place::new();
    let said = ["@anna", "lives_in", "Lisbon", "--from", "2024"];
    let later = added(&place, &said, "committed");
    place.run(["claim", "alias", "@anna", "Anna"]).ok();
    let set = [
        "claim", "set", "Anna", "lives_in", "Porto", "--from", "2020",
    ];
    let answer = place.json(set);
    assert!(answer.get("ended").is_none(), "{answer:#}");
    let next = answer["next"][0].as_str().unwrap();
    assert!(next.ends_with(&later), "{answer:#}");
    assert_eq!(believed(&place, "Anna", &[])["status"], "contested");
}

/// I6: two sources that say the same under two names are two sources; one source is one.
#[test]
fn sources_under_other_names_are_distinct_sources() {
    let place = Place::new();
    added(&place, &["@anna", "lives_in", "Lisbon"], "committed");
    added(&place, &["anna", "lives_in", "Lisbon"], "committed");
    added(
        &place,
        &["Anna", "lives_in", "Lisbon", "--channel", "first-hand"],
        "committed",
    );
    place.run(["claim", "alias", "@anna", "anna"]).ok();
    let support = |place: &Place| {
        let belief = believed(place, "@anna", &[]);
        assert_eq!(values(&belief), ["Lisbon"]);
        belief["sides"][0]["corroborations"].clone()
    };
    assert_eq!(support(&place), 0);
    place.run(["claim", "alias", "@anna", "--none"]).ok();
    place.run(["claim", "alias", "@anna", "Anna"]).ok();
    assert_eq!(support(&place), 1);
    place.run(["claim", "alias", "anna", "Anna"]).ok();
    assert_eq!(support(&place), 1);
}

/// A verdict of one name settles a contest of two: it denies one side.
#[test]
fn a_contest_of_names_is_settled_by_denying() {
    let place = Place::new();
    let [lisbon, porto] = two_homes(&place);
    let note = place.json(["remember", "her letter"])["id"].clone();
    let note = note.as_str().unwrap();
    let deny = ["adjudicate", &lisbon, "deny", "--evidence", note];
    place.run(deny).refused(3, "waits for no verdict");
    place.run(["claim", "alias", "@anna", "Anna"]).ok();
    let affirm = ["adjudicate", &porto, "affirm", "--evidence", note];
    place.run(affirm).refused(3, "under another name");
    place.run(deny).ok();
    assert_eq!(values(&believed(&place, "@anna", &[])), ["Porto"]);
}

/// CLM-50: a proof is of one line: where two names have claims it is refused, and else the line of the name that has some is proven.
#[test]
fn a_belief_of_one_name_is_proven() {
    let place = Place::new();
    added(&place, &["@anna", "born_in", "Faro"], "committed");
    place.run(["claim", "alias", "@anna", "Anna"]).ok();
    let proof = place.json(["prove", "Anna", "born_in"]);
    assert_eq!(proof["question"]["subject"], "@anna");
    place.run(["claim", "alias", "@anna", "--none"]).ok();
    place
        .run(["prove", "Anna", "born_in"])
        .refused(3, "nothing was recorded");
}

/// A proof is of the name that alone gives the belief of all; where none does, it is refused with the names.
#[test]
fn a_belief_that_one_name_gives_is_proven() {
    let place = Place::new();
    added(
        &place,
        &["Anna", "born_in", "Faro", "--from", "1990"],
        "committed",
    );
    added(
        &place,
        &["@anna", "born_in", "Lagos", "--channel", "model"],
        "committed_inferred",
    );
    let before = now(&place);
    place.run(["claim", "alias", "@anna", "Anna"]).ok();
    let proof = place.json(["prove", "@anna", "born_in"]);
    assert_eq!(proof["question"]["subject"], "Anna");
    let said = [
        "claim",
        "add",
        "@anna",
        "born_in",
        "Lagos",
        "--channel",
        "first-hand",
    ];
    place.run(["claim", "alias", "@anna", "--none"]).ok();
    place.run(said).ok();
    place.run(["claim", "alias", "@anna", "Anna"]).ok();
    for name in ["Anna", "@anna"] {
        let refused = place.run(["prove", name, "born_in"]);
        refused.refused(2, "recorded under \"Anna\" and \"@anna\"");
        place
            .run(["prove", "Anna", "born_in", "--as-of", &before])
            .ok();
    }
}

/// I6: a record of names is no way around what was taken back, and what a source has said already.
#[test]
fn what_is_taken_back_stays_so_under_each_name() {
    let place = Place::new();
    let job = added(&place, &["@bob", "works_at", "Acme"], "committed");
    place
        .run(["claim", "retract", &job, "--reason", "misheard"])
        .ok();
    let home = added(
        &place,
        &["@bob", "lives_in", "Rome", "--from", "2020"],
        "committed",
    );
    place.run(["claim", "alias", "@bob", "Bob"]).ok();
    let echo = add(&place, &["@bob", "works_at", "Acme", "--channel", "model"]);
    assert_eq!((echo.get("unit"), reference(&echo)), (None, job), "{echo}");
    let again = add(&place, &["Bob", "lives_in", "Rome", "--from", "2020"]);
    assert_eq!(reference(&again), home, "{again}");
    let second = ["claim", "add", "Bob", "lives_in", "Porto"];
    place
        .run(second)
        .refused(3, "by what the same source has said");
    place.run(["forget", &home, "--reason", "he asked"]).ok();
    assert_eq!(believed(&place, "Bob", &[])["status"], "no_belief");
}

/// What is forgotten under one name is not believed under another.
#[test]
fn what_is_forgotten_is_forgotten_under_each_name() {
    let place = Place::new();
    let lisbon = added(&place, &["@anna", "lives_in", "Lisbon"], "committed");
    place.run(["claim", "alias", "@anna", "Anna"]).ok();
    assert_eq!(values(&believed(&place, "Anna", &[])), ["Lisbon"]);
    place.run(["forget", &lisbon, "--reason", "she asked"]).ok();
    for name in ["Anna", "@anna"] {
        assert_eq!(believed(&place, name, &[])["status"], "no_belief");
    }
}

/// Chains and circles are refused, with the command that goes on; so is what says nothing.
#[test]
fn chains_and_circles_of_names_are_refused() {
    let place = Place::new();
    place.run(["claim", "alias", "a", "b"]).ok();
    let size = place.json(["check"])["entries"]["entries"].clone();
    assert_eq!(place.json(["claim", "alias", "a", "b"])["recorded"], false);
    for (args, says) in [
        (
            ["b", "a"],
            "a is another name of b, and names make no circles",
        ),
        (["c", "a"], "`counterfoil claim alias c b`"),
        (["b", "c"], "`counterfoil claim alias a --none`"),
        (["c", "c"], "c is that name already"),
        (["c", "--none"], "c is no other name"),
        ([" ", "c"], "white space"),
    ] {
        let all = [&["claim", "alias"], &args[..]].concat();
        place.run(all).refused(3, says);
    }
    place.run(["claim", "alias", "c"]).refused(3, "SUBJECT");
    assert_eq!(place.json(["check"])["entries"]["entries"], size);
    place.run(["claim", "alias", "c", "b"]).ok();
    let listed = place.json(["claim", "aliases"]);
    let names = listed["aliases"].as_array().unwrap().iter();
    let names: Vec<_> = names.map(|it| (&it["name"], &it["of"])).collect();
    let b = Value::from("b");
    assert_eq!(names, [(&"a".into(), &b), (&"c".into(), &b)]);
}
