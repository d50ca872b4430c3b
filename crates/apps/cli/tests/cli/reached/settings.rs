//! Each setting of `claims.toml`, by what it changes.

use counterfoil_claims::{CurrencyLimits, Settings};
use jiff::Timestamp;
use serde_json::Value;

use super::{days_from_now, set};
use crate::place::Place;

/// A setting, what the file holds without it and with it, and what shows that it counts.
struct Case {
    without: &'static str,
    with: &'static str,
    shown: fn(&Place) -> Value,
}

/// CLM-46: each setting changes what the binary says.
#[test]
fn every_setting_changes_an_answer() {
    for case in cases(Settings::default()) {
        let shown = |settings: &str| {
            let place = Place::new();
            set(&place, settings);
            (case.shown)(&place)
        };
        let (without, with) = (shown(case.without), shown(case.with));
        assert_ne!(without, with, "{}", case.with);
    }
}

/// Every field of the settings has its cases: one that has none is not taken apart here, and this does not compile.
fn cases(settings: Settings) -> Vec<Case> {
    let Settings {
        currency: CurrencyLimits {
            fresh_days: _,
            aging_days: _,
        },
        currency_of: _,
        oracle_days: _,
        // Made of records of the log, and not of the file.
        vocabulary: _,
        aliases: _,
        trust: _,
        forgotten: _,
    } = settings;
    let case = |without, with, shown| Case {
        without,
        with,
        shown,
    };
    vec![
        case("", "[currency]\nfresh-days = 5\n", after_ten_days),
        case("", "[currency]\naging-days = 40\n", after_fifty_days),
        case("", "[currency.mood]\nfresh-days = 5\n", after_ten_days),
        case("", "[currency.mood]\naging-days = 40\n", after_fifty_days),
        case("", "[oracle]\npresent = true\n", contradiction),
        case(
            "[oracle]\npresent = true\n",
            "[oracle]\npresent = true\nexpires-days = 2\n",
            days_of_patience,
        ),
    ]
}

fn add(place: &Place, value: &str, options: &[&str]) -> Value {
    place.json([&["claim", "add", "mira", "mood", value], options].concat())
}

fn contradiction(place: &Place) -> Value {
    add(place, "calm", &[]);
    add(place, "merry", &["--channel", "first-hand"])["disposition"].clone()
}

fn after_ten_days(place: &Place) -> Value {
    currency_after(place, 10)
}

fn after_fifty_days(place: &Place) -> Value {
    currency_after(place, 50)
}

fn currency_after(place: &Place, days: i64) -> Value {
    add(place, "calm", &[]);
    let then = days_from_now(days);
    let belief = place.json(["believe", "mira", "mood", "--as-of", &then]);
    belief["sides"][0]["currency"].clone()
}

fn days_of_patience(place: &Place) -> Value {
    contradiction(place);
    let told = place.json(["pending"]);
    let waiting = &told["pending"][0];
    let at = |told: &Value| told.as_str().unwrap().parse::<Timestamp>().unwrap();
    let (since, until) = (
        at(&waiting["claim"]["recordedAt"]),
        at(&waiting["expiresAt"]),
    );
    (until.duration_since(since).as_hours() / 24).into()
}
