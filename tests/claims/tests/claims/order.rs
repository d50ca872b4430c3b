//! The order in which dated claims come is no part of what is believed (I3).

use std::collections::BTreeSet;

use counterfoil_claims_tests::answer::{Belief, Side};
use counterfoil_claims_tests::calendar::Granule;
use counterfoil_claims_tests::request::{Statement, Valid, Who};

use crate::backend::{Asked, Backend as _, Host, LineName};
use crate::laws::write;
use crate::random::Random;
use crate::script::BEGIN;
use crate::store::Stored;

const SCRIPTS: u64 = 300;
const YEARS: std::ops::Range<usize> = 2001..2005;

/// A source, one of three values, and the years between which it is said to hold.
type Word = (Who, &'static str, (usize, usize));

/// Dated claims of all who may contradict each other, none the same words of the same source.
fn words(random: &mut Random) -> Vec<Word> {
    let peer = |number, level| Who::Peer { number, level };
    let sources = [
        Who::User,
        Who::FirstHand,
        peer(1, 1),
        peer(2, 2),
        peer(3, 3),
        Who::Model,
    ];
    let mut words = Vec::new();
    for _ in 0..4 + random.below(4) {
        let from = YEARS.start + random.below(3);
        let until = from + random.below(YEARS.end - from);
        let who = random.of(&sources);
        // A model that repeats another source is an echo, and which of them is the first matters (decision 0020).
        let value = match who {
            Who::Model => "\"d\"",
            _ => random.of(&["\"a\"", "\"b\"", "\"c\""]),
        };
        let word = (who, value, (from, until));
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// What is believed of each year, whichever claims say it and whenever they were recorded.
type Believed = Vec<(String, BTreeSet<String>, BTreeSet<String>)>;

/// Sources of a value for the middle of a year, less one: of other agents those of level 2 or more; `None` where another value is said of
/// the year, which may take the place of one of them.
fn support(words: &[Word], value: &str, year: usize) -> Option<usize> {
    let said = words
        .iter()
        .filter(|(.., (from, until))| (*from..=*until).contains(&year));
    let mut sources = Vec::new();
    for (who, other, _) in said {
        if *other != value {
            return None;
        }
        if who.counts() && !sources.contains(who) {
            sources.push(*who);
        }
    }
    Some(sources.len().saturating_sub(1))
}

fn believed(stored: &mut Stored, line: &LineName, words: &[Word]) -> Believed {
    let of_year = |year: usize| {
        let sides = |sides: &[Side]| {
            let said = |side: &Side| {
                let (value, count) = (&side.value, side.corroborations);
                let expected = support(words, value, year).unwrap_or(count);
                assert_eq!(count, expected, "{value} {year} {words:?}");
                format!("{value} {count} {:?}", side.markers)
            };
            sides.iter().map(said).collect()
        };
        let asked = Asked {
            valid_at: Granule::read(&format!("{year}-06")).map(|it| it.begin),
            as_of: None,
        };
        let belief: Belief = stored.believe(0, line, asked);
        let found = format!(
            "{:?} {:?} {:?}",
            belief.status, belief.support, belief.markers
        );
        (found, sides(&belief.sides), sides(&belief.alternatives))
    };
    YEARS.map(of_year).collect()
}

/// I3, I10, CLM-7: dated claims that name no others are believed alike in each order in which they come, with reads between them.
#[test]
fn the_order_of_dated_claims_does_not_matter() {
    let line: LineName = ("s".into(), "p".into());
    let mut contested = 0;
    for seed in 0..SCRIPTS {
        let mut random = Random::new(8_000_000 + seed);
        let mut words = words(&mut random);
        let mut first: Option<Believed> = None;
        for _ in 0..3 {
            let mut stored = Stored::new(&Host::default(), BEGIN);
            for (number, (who, value, (from, until))) in words.iter().enumerate() {
                stored.clock(BEGIN + i64::try_from(number).unwrap() * 1_000_000);
                let mut said = Statement::of(&line.0, &line.1, value);
                said.valid = Some(Valid {
                    from: Some(from.to_string()),
                    until: Some(until.to_string()),
                    confidence: 1.0,
                });
                write(&mut stored, *who, said);
                if random.percent(50) {
                    believed(&mut stored, &line, &words[..=number]);
                }
            }
            let now = believed(&mut stored, &line, &words);
            contested += usize::from(now.iter().any(|(found, ..)| found.starts_with("Contested")));
            let expected = first.get_or_insert_with(|| now.clone());
            assert_eq!(&now, expected, "seed {seed}: {words:?}");
            for place in (1..words.len()).rev() {
                words.swap(place, random.below(place + 1));
            }
        }
    }
    assert!(contested > 100, "{contested}");
}
