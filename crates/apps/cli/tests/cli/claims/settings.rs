//! `DIR/claims.toml`: what the host decides, and what is wrong with it.

use std::fs;

use serde_json::json;

use super::{added, believe, held};
use crate::place::Place;

fn set(place: &Place, settings: &str) {
    fs::write(place.dir().join("claims.toml"), settings).unwrap();
}

/// I5, CLM-3: what the host has registered counts before what is said of a line.
#[test]
fn a_registered_predicate_holds_what_the_host_says() {
    let place = Place::new();
    set(
        &place,
        "[cardinality]\nspeaks = \"many\"\nborn_in = \"one\"\n",
    );
    added(
        &place,
        &["mira", "speaks", "Portuguese", "--cardinality", "one"],
        "committed",
    );
    added(&place, &["mira", "speaks", "English"], "committed");
    assert_eq!(
        believe(&place, &["mira", "speaks"])["sides"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    added(
        &place,
        &["mira", "born_in", "Lagos", "--cardinality", "many"],
        "committed",
    );
    added(&place, &["mira", "born_in", "Faro"], "contested");
}

/// I7, CLM-25: a conflict waits where there is somebody to settle it.
#[test]
fn an_oracle_is_waited_for_where_there_is_one() {
    let place = Place::new();
    set(&place, "[oracle]\npresent = false\n");
    added(&place, &["mira", "a", "one"], "committed");
    added(&place, &["mira", "a", "two"], "contested");
    set(&place, "[oracle]\npresent = true\n");
    added(&place, &["mira", "b", "one"], "committed");
    added(&place, &["mira", "b", "two"], "queued_for_adjudication");
    assert_eq!(
        place.json(["pending"])["pending"].as_array().unwrap().len(),
        1
    );
    assert_eq!(believe(&place, &["mira", "b"])["status"], "contested");
}

/// I11, CLM-44: limits of currency are the host's, by predicate.
#[test]
fn the_host_says_what_is_fresh() {
    let place = Place::new();
    set(&place, "[currency.mood]\nfresh-days = 1\naging-days = 2\n");
    added(&place, &["mira", "mood", "calm"], "committed");
    let belief = believe(&place, &["mira", "mood"]);
    assert_eq!(belief["sides"][0]["currency"], "fresh");
    let at = |days: i64| {
        let now = jiff_days_from_now(days);
        let belief = believe(&place, &["mira", "mood", "--as-of", &now]);
        belief["sides"][0]["currency"].clone()
    };
    assert_eq!(
        [at(0), at(1), at(3)].map(|it| it.as_str().unwrap().to_owned()),
        ["fresh", "aging_unconfirmed", "decayed"]
    );
}

/// Midnight after so many days.
fn jiff_days_from_now(days: i64) -> String {
    let today = jiff::Timestamp::now()
        .to_zoned(jiff::tz::TimeZone::UTC)
        .date();
    today
        .saturating_add(jiff::Span::new().days(days + 1))
        .to_string()
}

#[test]
fn a_setting_without_a_meaning_is_named_by_every_command() {
    let place = Place::new();
    added(&place, &["mira", "a", "one"], "committed");
    for (settings, named) in [
        ("[cardinality]\nspeaks = \"lots\"\n", "cardinality.speaks"),
        ("[cardinalty]\nspeaks = \"many\"\n", "cardinalty"),
        ("[currency]\nfresh = 3\n", "currency.fresh"),
        ("[currency.a]\nfresh-days = 0\n", "currency.a.fresh-days"),
        (
            "[oracle]\npresent = true\nexpires-day = 3\n",
            "oracle.expires-day",
        ),
        ("[oracle]\n", "oracle.present"),
        ("not toml", "line 1"),
        ("\u{feff}=", "line 1"),
    ] {
        set(&place, settings);
        for args in [
            &["believe", "mira"][..],
            &["why", "mira", "a"],
            &["contested"],
            &["claim", "add", "mira", "a", "two"],
        ] {
            place.run(args).refused(4, named);
        }
        let doctor = place.run(["doctor"]);
        doctor.code(1);
        assert!(doctor.stdout().contains(named), "{}", doctor.stdout());
    }
    fs::write(place.dir().join("claims.toml"), b"\xff").unwrap();
    place.run(["believe", "mira"]).refused(4, "UTF-8");
    fs::write(place.dir().join("claims.toml"), vec![b'#'; 70_000]).unwrap();
    place.run(["believe", "mira"]).refused(4, "claims.toml");
    #[cfg(unix)]
    {
        let path = place.dir().join("claims.toml");
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/no/such/settings", &path).unwrap();
        place.run(["believe", "mira"]).refused(4, "claims.toml");
        fs::remove_file(&path).unwrap();
    }
    set(&place, "[cardinality]\na = \"many\"\n");
    let doctor = place.run(["doctor"]).ok().stdout();
    assert!(
        doctor.contains("1 predicate registered") && doctor.contains("no oracle"),
        "{doctor}"
    );
    assert_eq!(held(&believe(&place, &["mira", "a"])).1, [&json!("one")]);
}
