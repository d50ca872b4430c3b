//! How long a long line takes: `cargo test --release -p counterfoil-claims speed -- --ignored --nocapture`.

#[cfg(test)]
extern crate std;

use alloc::format;
use alloc::vec;
use std::time::Instant;

use super::testing::{Log, USER, at, body, line, valid};
use super::{NoLineage, Question, believe, changes, history, timeline};
use crate::time::{Boundary, ValidTime};
use crate::{Act, CurrencyLimits};

const UNITS: usize = 100_000;

fn lines() -> [(&'static str, Log); 5] {
    let mut undated = Log::default();
    let mut days = Log::default();
    let mut bounded = Log::default();
    let mut years = Log::default();
    let mut superseded = Log::default();
    let day = |number: i64| Boundary::instant(number * 86_400_000_000).to_day();
    for number in 0..UNITS {
        let text = format!("value {number}");
        undated.undated(USER, &text);
        let from = day(i64::try_from(number).unwrap());
        let window = ValidTime {
            from: Some(from),
            until: Some(from),
            ..valid("2020..")
        };
        days.add(USER, Act::Claim(body(&text, Some(window))));
        years.dated(
            USER,
            &text,
            if number % 2 == 0 {
                "2020..2022"
            } else {
                "2022.."
            },
        );
        let mut next = body(&text, None);
        next.supersedes = superseded
            .units
            .last()
            .map(|unit| unit.reference().clone())
            .into_iter()
            .collect();
        superseded.add(USER, Act::Claim(next));
    }
    for number in 0..UNITS / 2 {
        bounded.undated(USER, &format!("value {number}"));
        let target = bounded.units.last().unwrap().reference().clone();
        bounded.add(
            USER,
            Act::Bound {
                target,
                at: Boundary::parse("2040").unwrap(),
            },
        );
    }
    [
        ("undated, all contested", undated),
        ("a day each", days),
        ("undated, each bounded", bounded),
        ("handed over within a year", years),
        ("each superseded by the next", superseded),
    ]
}

#[test]
#[ignore = "measures, in release"]
fn a_long_line_is_folded_at_once() {
    for (name, log) in lines() {
        let question = Question {
            valid_at: at("2100-06-15"),
            as_of_us: log.now(),
        };
        let limits = CurrencyLimits::default();
        let mut row = vec![];
        let mut measure = |run: &dyn Fn() -> usize| {
            let start = Instant::now();
            let length = run();
            row.push(format!(
                "{:>7.1} ms ({length})",
                start.elapsed().as_secs_f64() * 1000.0
            ));
        };
        for valid_at in [at("2100-06-15"), at("2022-06-15")] {
            let question = Question {
                valid_at,
                ..question
            };
            measure(&|| {
                believe(&line(), &log.units, question, limits, &NoLineage)
                    .sides
                    .len()
            });
        }
        measure(&|| history(&line(), &log.units, question, limits).len());
        measure(&|| timeline(&line(), &log.units, log.now()).len());
        measure(&|| changes(&line(), &log.units, question, 8).changes.len());
        std::println!(
            "{name:<28} believe, believe, history, timeline, changes: {}",
            row.join(" ")
        );
    }
}
