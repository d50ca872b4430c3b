//! Reads over HTTP change nothing.

use counterfoil::BeliefQuery;
use counterfoil::blocking::Memory;
use counterfoil_claims::belief::Belief;
use counterfoil_claims::time::{Boundary, ValidTime};
use counterfoil_claims::{Assertion, Channels, FactValue, Identifier, Submission};
use counterfoil_types::{Confidence, WorldId};
use serde_json::json;

use super::server::Served;
use crate::place::Place;

const SCRIPTS: u64 = 300;

/// Chance that can be repeated: xorshift64.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 8) % end
    }
}

/// One write: its channel, its value, a year since which it holds, and the sort of request.
#[derive(Debug, Clone, Copy)]
struct Step {
    channel: u64,
    value: usize,
    year: Option<u64>,
    sort: u64,
}

fn script(chance: &mut Chance) -> Vec<Step> {
    let steps = 2 + chance.below(4);
    let mut step = || Step {
        channel: chance.below(4),
        value: usize::try_from(chance.below(3)).unwrap(),
        year: (chance.below(2) == 0).then(|| 2020 + chance.below(3)),
        sort: chance.below(8),
    };
    (0..steps).map(|_| step()).collect()
}

/// Disposition of a write, in words.
fn written(memory: &Memory, subject: &str, step: Step, last: &mut Option<WorldId>) -> String {
    let channels = Channels::of_host();
    let channel = match step.channel {
        0 | 1 => channels.user(),
        2 => channels.first_hand(),
        _ => channels.model(),
    };
    let name = |text: &str| Identifier::new("name", text).unwrap();
    let value = FactValue::new(&json!(["open", "closed", "ajar"][step.value])).unwrap();
    let mut said = Submission::new(&channel, name(subject), name("state"), value);
    if let Some(year) = step.year {
        let valid = ValidTime {
            from: Some(Boundary::parse(&year.to_string()).unwrap()),
            until: None,
            confidence: Confidence::ONE,
        };
        said = said.valid(valid).unwrap();
    }
    let report = match (step.sort, last.clone()) {
        (0, Some(last)) => memory.assert(Assertion::retract(&channel, last, None).unwrap()),
        (1, Some(last)) => memory.claim(said.superseding(vec![last]).unwrap(), &[]),
        (2 | 3, _) => memory.claim(said.replacing(), &[]),
        _ => memory.claim(said, &[]),
    };
    match report {
        Ok(report) => {
            *last = report.text("/ref").map(|id| WorldId::new(id).unwrap());
            report.text("/disposition").unwrap().to_owned()
        }
        Err(error) => format!("{:?}", error.kind()),
    }
}

/// Status, and of each value its claims with their provenance.
fn shown(belief: &Belief) -> String {
    let sides = belief.sides.iter().map(|side| {
        let claims = side
            .claims
            .iter()
            .map(|claim| claim.provenance.class().name());
        (side.value.canonical(), claims.collect::<Vec<_>>())
    });
    format!("{:?} {:?}", belief.status, sides.collect::<Vec<_>>())
}

/// Returns whether an anonymous question over HTTP finds a claim.
fn is_answered(served: &Served, number: u64, subject: &str) -> bool {
    let now = jiff::Timestamp::now().strftime("%FT%TZ").to_string();
    let asked = json!({
        "type": "memory_request", "version": "0.1", "timestamp": now,
        "request_id": format!("0198c0de-0000-4000-8000-{number:012}"),
        "requester": { "agent_id": "ann" }, "query": { "natural": format!("{subject} state") },
    });
    let answer = served.post("/mrp/v1/request", &asked.to_string());
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    answer.contains("\"memories\":[{")
}

/// I3, I10: reads of a belief, and questions of strangers over HTTP, inserted anywhere into any script change no disposition, no belief,
/// no provenance and no unit.
#[test]
fn reads_over_http_change_nothing() {
    let [read, unread] = [(); 2].map(|()| Place::new());
    let settings = "[[share]]\nto = \"*\"\nlabels = [\"none\"]\nlevel = 0\nmax = 1\nper_minute = 100000\n[share_claims]\npredicates = [\"state\"]\n\
         [limits]\nanonymous_per_minute = 1000000\nanonymous_in_all = 1000000\nno_match_step_ms = 0\n";
    std::fs::write(read.dir().join("exchange.toml"), settings).unwrap();
    let served = Served::new(&read);
    let memories = [&read, &unread].map(|place| Memory::open(place.dir()).unwrap());
    let [with, without] = &memories;
    let mut chance = Chance(0x5eed);
    let (mut questions, mut answered) = (0, 0);
    for number in 0..SCRIPTS {
        let subject = format!("door {number}");
        let query = BeliefQuery::default();
        let [mut last, mut other] = [None, None];
        for step in script(&mut chance) {
            match chance.below(12) {
                0 => {
                    questions += 1;
                    answered += u64::from(is_answered(&served, questions, &subject));
                }
                1..4 => drop(with.believe(&subject, "state", &query).unwrap()),
                4..6 => drop(with.timeline(&subject, Some("state"), None, None).unwrap()),
                _ => (),
            }
            let [one, two] = [
                written(with, &subject, step, &mut last),
                written(without, &subject, step, &mut other),
            ];
            assert_eq!(one, two, "{number}: {step:?}");
        }
        let belief = |memory: &Memory| shown(&memory.believe(&subject, "state", &query).unwrap());
        assert_eq!(belief(with), belief(without), "{number}");
        let units = |memory: &Memory| {
            memory
                .line_history(&subject, "state", &query, 1)
                .unwrap()
                .count
        };
        assert_eq!(units(with), units(without), "{number}");
    }
    assert!(answered > SCRIPTS / 10, "{answered}");
}
