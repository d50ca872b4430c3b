//! Each refusal of the engine, by what provokes it.

use std::collections::BTreeSet;

use counterfoil_claims::{ClaimError, FactValue, Identifier};
use counterfoil_types::WorldId;
use serde_json::Value;

use super::{host, remember, set};
use crate::place::Place;

const NOBODY: &str = "world-00000000000000000000000000000000";

/// CLM-46, CLM-10, CLM-26: each reason to refuse is given by the binary, in its own words, and nothing is written.
#[test]
fn every_refusal_is_given_by_the_binary() {
    let scene = Scene::new();
    let before = scene.place.state();
    let mut met = BTreeSet::new();
    for (refusal, args) in scene.refusals() {
        let ran = scene.place.run(&args);
        ran.refused(3, &told(&refusal));
        met.insert(refusal.code());
    }
    for refusal in host::refusing(&scene.place) {
        met.insert(refusal.code());
    }
    assert_eq!(scene.place.state(), before);
    met.insert(scene.unreadable());
    assert_eq!(met, BTreeSet::from(ClaimError::CODES));
    assert_eq!(met.len(), ClaimError::CODES.len(), "no code stands for two");
}

/// A refusal, and what provokes it.
type Case = (ClaimError, Vec<String>);

/// A store in which something of everything was said.
struct Scene {
    place: Place,
    note: String,
    tea: String,
    guess: String,
    elsewhere: String,
    waiting: String,
}

impl Scene {
    fn new() -> Self {
        let place = Place::new();
        set(&place, "[oracle]\npresent = true\n");
        let add = |args: &[&str]| {
            let told: Value = place.json([&["claim", "add"], args].concat());
            told["ref"].as_str().unwrap().to_owned()
        };
        let note = remember(&place, "a note");
        let tea = add(&["mira", "drinks", "tea", "--key", "used"]);
        let guess = add(&["mira", "likes", "cats", "--channel", "model"]);
        let elsewhere = add(&["mira", "eats", "bread"]);
        let waiting = add(&["mira", "eats", "rice", "--channel", "first-hand"]);
        add(&["mira", "hobby", "chess"]);
        Self {
            note,
            tea,
            guess,
            elsewhere,
            waiting,
            place,
        }
    }

    fn refusals(&self) -> Vec<Case> {
        [self.malformed(), self.of_references(), self.of_standing()].concat()
    }

    /// What is wrong in itself.
    fn malformed(&self) -> Vec<Case> {
        let note = self.note.as_str();
        let many: Vec<String> = (0..17).map(|at| format!("--source=world-{at}")).collect();
        let too_many = ClaimError::TooMany {
            what: "anchors",
            limit: 16,
            found: 17,
        };
        let twice = ClaimError::Twice {
            what: "anchors",
            reference: world(note),
        };
        let long = "v".repeat(65_535);
        let nobody = Identifier::new("subject", "").unwrap_err();
        let value = FactValue::new(&long.as_str().into()).unwrap_err();
        let backwards = ["--from", "2022", "--until", "2021"];
        vec![
            (nobody, words(&["claim", "add", "", "drinks", "gin"])),
            (value, words(&["claim", "add", "mira", "drinks", &long])),
            (ClaimError::IncoherentWindow, add(&backwards)),
            (too_many, [add(&[]), many].concat()),
            (twice, add(&["--source", note, "--source", note])),
            (ClaimError::Key, add(&["--key", ""])),
            (
                ClaimError::Reason,
                words(&["claim", "retract", &self.tea, "--reason", ""]),
            ),
        ]
    }

    /// What names nothing, or something else.
    fn of_references(&self) -> Vec<Case> {
        let (tea, elsewhere) = (self.tea.as_str(), self.elsewhere.as_str());
        let supersede = |by: &str| words(&["claim", "supersede", tea, "--by", by]);
        let used = ClaimError::KeyReused {
            key: "used".to_owned(),
            reference: world(tea),
        };
        let no_claim = ClaimError::ClaimNotFound(world(NOBODY));
        let no_memory = ClaimError::AnchorNotFound(world(NOBODY));
        let nothing_live = ClaimError::Ambiguous { found: 0 };
        let second = ClaimError::SecondValue {
            subject: named("mira"),
            predicate: named("drinks"),
            reference: world(tea),
        };
        let many = ClaimError::ManyValues {
            subject: named("mira"),
            predicate: named("hobby"),
        };
        vec![
            (used, add(&["--key", "used"])),
            (no_claim, words(&["claim", "end", NOBODY])),
            (
                ClaimError::OtherLine(world(elsewhere)),
                supersede(elsewhere),
            ),
            (no_memory, add(&["--source", NOBODY])),
            (ClaimError::Itself(world(tea)), supersede(tea)),
            (nothing_live, words(&["claim", "end", "mira", "owns"])),
            (second, add(&[])),
            (many, words(&["claim", "set", "mira", "hobby", "go"])),
        ]
    }

    /// What somebody may not say, and verdicts that cannot be given.
    fn of_standing(&self) -> Vec<Case> {
        let tea = self.tea.as_str();
        let deny = |claim, evidence| words(&["adjudicate", claim, "deny", "--evidence", evidence]);
        let by_a_model = ClaimError::InsufficientProvenance {
            provenance: "model_derived",
            reference: world(tea),
        };
        let (guess, undisputed) = (deny(&self.waiting, &self.guess), deny(tea, &self.note));
        vec![
            (
                by_a_model,
                words(&["claim", "end", tea, "--channel", "model"]),
            ),
            (ClaimError::InadmissibleEvidence, guess),
            (ClaimError::HandleNotFound(world(tea)), undisputed),
        ]
    }

    /// A line that cannot be read: a store tells its own fault in place of the gate's, and nothing is written.
    fn unreadable(&self) -> &'static str {
        let database = rusqlite::Connection::open(self.place.database()).unwrap();
        database
            .execute("UPDATE claim_unit SET idx = idx + 1000", [])
            .unwrap();
        drop(database);
        let size = self.place.size();
        let ran = self.place.run(["claim", "add", "mira", "drinks", "gin"]);
        ran.refused(4, "`counterfoil rebuild`");
        assert_eq!(self.place.size(), size);
        "view"
    }
}

/// What the command line says of it: the engine's words, where it has none of its own.
fn told(refusal: &ClaimError) -> String {
    match refusal {
        ClaimError::Ambiguous { found: 0 } => "no claim is live on this line".to_owned(),
        ClaimError::InsufficientProvenance { reference, .. } => {
            format!("a model may not assert this of {reference}")
        }
        ClaimError::HandleNotFound(reference) => format!("{reference} waits for no verdict"),
        ClaimError::Itself(reference) => format!("{reference} cannot take its own place"),
        other => other.to_string(),
    }
}

/// A statement with options.
fn add(options: &[&str]) -> Vec<String> {
    words(&[&["claim", "add", "mira", "drinks", "gin"], options].concat())
}

fn words(args: &[&str]) -> Vec<String> {
    args.iter().map(|arg| (*arg).to_owned()).collect()
}

fn named(text: &str) -> Identifier {
    Identifier::new("name", text).unwrap()
}

fn world(text: &str) -> WorldId {
    WorldId::new(text).unwrap()
}
