//! What people are told to do next, and that it is what helps.

use serde_json::json;

use super::{added, believe, remember};
use crate::place::Place;

/// I6: what the host or the user says of what was handed out is an echo without a source; they are told what makes it news.
#[test]
fn who_is_taken_for_an_echo_is_told_how_to_say_news() {
    let place = Place::new();
    let rome = [
        "mira", "lives_in", "Rome", "--from", "2000", "--until", "2010",
    ];
    added(&place, &rome, "committed");
    place.json(["believe", "mira", "lives_in", "--at", "2005"]);
    let back = ["claim", "add", "mira", "lives_in", "Rome", "--from", "2020"];
    let echo = place.json(back);
    assert_eq!(echo["disposition"], "committed_inferred");
    let next = echo["next"][0].as_str().unwrap();
    assert!(next.contains("--source"), "{next}");
    let letter = remember(&place, "Mira: back in Rome");
    let news = place.json(back.iter().copied().chain(["--source", letter.as_str()]));
    assert_eq!(news["disposition"], "committed");
}

/// A claim that says what another says already takes no place, whatever `--supersedes` names: that is told.
#[test]
fn a_correction_that_wrote_nothing_names_the_way_that_does() {
    let place = Place::new();
    let typo = added(
        &place,
        &["mira", "surname", "Okaofr", "--from", "1991"],
        "committed",
    );
    let right = added(
        &place,
        &["mira", "surname", "Okafor", "--from", "1991"],
        "contested",
    );
    let rival = place.json(["claim", "show", &right]);
    assert_eq!(rival["unit"]["because"]["rivals"], json!([typo]));
    let again = [
        "claim",
        "add",
        "mira",
        "surname",
        "Okafor",
        "--from",
        "1991",
        "--supersedes",
        &typo,
    ];
    let answer = place.json(again);
    assert_eq!(answer["disposition"], "corroborated");
    let next = answer["next"][0].as_str().unwrap();
    assert!(
        next.ends_with(&format!("claim supersede {typo} --by {right}")),
        "{next}"
    );
    place.json(["claim", "supersede", &typo, "--by", &right]);
    assert_eq!(believe(&place, &["mira", "surname"])["value"], "Okafor");
}

/// I5, I7: a verdict is about what came from outside, so a contest of models alone names another way.
#[test]
fn a_contest_of_models_names_no_verdict() {
    let place = Place::new();
    for colour in ["blue", "green"] {
        let said = ["mira", "likes", colour, "--channel", "model"];
        added(&place, &said, "committed_inferred");
    }
    let told = place.run(["believe", "mira", "likes"]).ok().stdout();
    assert!(
        told.contains("claim add mira likes VALUE --source") && !told.contains("adjudicate"),
        "{told}"
    );
}

/// I9: why something is in quarantine is told as it is.
#[test]
fn a_model_that_lets_an_ended_fact_go_on_is_told_so() {
    let place = Place::new();
    let job = added(
        &place,
        &["mira", "works_at", "Acme", "--from", "2010"],
        "committed",
    );
    place.json(["claim", "end", &job, "--at", "2020"]);
    let said = [
        "mira",
        "works_at",
        "Acme",
        "--from",
        "2019",
        "--until",
        "2024",
        "--channel",
        "model",
    ];
    let claim = added(&place, &said, "quarantined");
    let told = place.run(["claim", "show", &claim]).ok().stdout();
    assert!(told.contains("others have ended"), "{told}");
}
