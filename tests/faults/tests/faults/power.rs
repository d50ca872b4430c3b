//! The power is cut before every system call of a scenario, and the store is opened again (R1).

use std::sync::Mutex;
use std::thread;

use crate::judge::{self, Bench, Judge, Said, Then};
use crate::platter::{Half, Loss, Platter};
use crate::scenario::{self, Answer, Step, User};
use crate::watch::{Operation, Watched};

/// Everything that happened while a scenario ran undisturbed.
pub(crate) struct Recording {
    pub(crate) steps: &'static [Step],
    pub(crate) before: Platter,
    pub(crate) operations: Vec<Operation>,
    /// What the mark with this number says.
    answers: Vec<Answer>,
    /// What was said before it began.
    pub(crate) said: Said,
}

impl Recording {
    /// Runs the scenario on a new store.
    pub(crate) fn of(steps: &'static [Step]) -> Self {
        Self::on(Platter::holding(&scenario::founded()), steps, 0)
    }

    /// Runs the scenario on what is there when a process begins, in the process of that number.
    pub(crate) fn on(before: Platter, steps: &'static [Step], process: u64) -> Self {
        let folder = judge::folder();
        before.after(Loss::Nothing).write(folder.path());
        let watched = Watched::record(folder.path(), before.inodes());
        let mut user = User::new(folder.path()).with_number(process);
        let mut answers = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            let answer = user.perform(number, *step).unwrap();
            let silent = matches!(
                step,
                Step::Reopen | Step::Close | Step::Recall | Step::Archive | Step::Restore
            );
            assert_eq!(answer.is_empty(), silent, "{step:?}");
            answers.push(answer);
            watched.mark(number);
        }
        user.close();
        Self {
            steps,
            before,
            operations: watched.take(),
            answers,
            said: Said::default(),
        }
    }

    /// What was said before an operation.
    pub(crate) fn answered_before(&self, number: usize) -> Answer {
        let marks = self.operations[..number]
            .iter()
            .filter_map(|operation| match operation {
                Operation::Mark(mark) => self.answers.get(*mark),
                _ => None,
            });
        marks.flatten().cloned().collect()
    }
}

/// A recording with more operations is not cut at each.
const LONG: usize = 300;

/// How many losses by chance are tried at each cut; more with `COUNTERFOIL_CHANCES`.
pub(crate) fn chances() -> u64 {
    let asked = std::env::var("COUNTERFOIL_CHANCES").ok();
    asked.and_then(|asked| asked.parse().ok()).unwrap_or(1)
}

/// What came of all the cuts.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) cuts: usize,
    pub(crate) faults: Vec<String>,
}

/// Cuts the power after each prefix of the recording, in the ways that there are, and with as many
/// losses by chance.
pub(crate) fn cut_everywhere(recording: &Recording, chances: u64) -> Outcome {
    let judge = Judge::of(recording.steps, Then::GoOn);
    let outcome = Mutex::new(Outcome::default());
    let workers = thread::available_parallelism().map_or(2, |all| all.get().min(4));
    thread::scope(|scope| {
        for worker in 0..workers {
            let (judge, outcome) = (&judge, &outcome);
            scope.spawn(move || cut_each(recording, judge, (worker, workers), chances, outcome));
        }
    });
    outcome.into_inner().unwrap()
}

fn cut_each(
    recording: &Recording,
    judge: &Judge,
    (worker, workers): (usize, usize),
    chances: u64,
    outcome: &Mutex<Outcome>,
) {
    let bench = Bench::new();
    let mut platter = recording.before.clone();
    let mut said = recording.said.clone();
    for (number, operation) in recording.operations.iter().enumerate() {
        platter.do_one(operation);
        if let Operation::Mark(mark) = operation {
            said.add(&recording.answers[*mark]);
        }
        if number % workers != worker || !chosen(recording, number) {
            continue;
        }
        for loss in losses(number, operation, chances) {
            let faults = judge.verdict(&bench, &platter.after(loss), &said);
            let mut outcome = outcome.lock().unwrap();
            outcome.cuts += 1;
            let named = |fault| format!("after operation {number}, {loss:?} lost: {fault}");
            outcome.faults.extend(faults.into_iter().map(named));
        }
    }
}

/// Whether a long recording is cut here: at every change of course, and now and then in between;
/// everywhere when more than CI's losses were asked for.
fn chosen(recording: &Recording, number: usize) -> bool {
    let operations = &recording.operations;
    let around = number.saturating_sub(2)..(number + 3).min(operations.len());
    let dull = |operation: &Operation| matches!(operation, Operation::Write { .. });
    chances() > 1
        || operations.len() < LONG
        || number.is_multiple_of(operations.len() / (LONG / 4))
        || !operations[around].iter().all(dull)
}

/// The ways in which a cut at this place may go; those that cannot differ from the cut before are
/// left out. At a write with one chance or none, nothing and one other way.
pub(crate) fn losses(number: usize, operation: &Operation, chances: u64) -> Vec<Loss> {
    let seed = u64::try_from(number).unwrap() * 1_000;
    let mut losses = vec![Loss::Nothing];
    let certain = matches!(
        operation,
        Operation::Sync(_)
            | Operation::SyncFolder(_)
            | Operation::SyncFailed(_)
            | Operation::Mark(_)
    );
    if certain {
        losses.push(Loss::Everything);
    }
    let mut ways = Vec::new();
    if matches!(operation, Operation::Write { bytes, .. } if bytes.len() > 512) {
        ways.extend([Half::First, Half::Last].map(Loss::Torn));
    }
    if matches!(operation, Operation::Write { .. }) {
        ways.push(Loss::Zeros);
    }
    ways.extend((0..chances).map(|chance| Loss::Chance {
        percent: [50, 90, 10][usize::try_from(chance % 3).unwrap()],
        seed: seed + chance,
    }));
    // CI takes the ways in turn, one at each write; with more chances each write is cut in all of them.
    match chances {
        0 | 1 => losses.extend(ways.get(number % ways.len().max(1)).copied()),
        _ => losses.append(&mut ways),
    }
    losses
}

fn survives(name: &str, steps: &'static [Step]) {
    let recording = Recording::of(steps);
    let outcome = cut_everywhere(&recording, chances());
    println!(
        "{name}: {} operations, {} cuts, {} faults",
        recording.operations.len(),
        outcome.cuts,
        outcome.faults.len()
    );
    let shown = &outcome.faults[..outcome.faults.len().min(5)];
    assert!(outcome.faults.is_empty(), "{shown:#?}");
}

#[test]
fn appends_survive_a_cut_at_every_operation() {
    survives("appends", scenario::APPENDS);
}

/// I9: a claim is there with all that is derived from it, or not at all.
#[test]
fn claims_survive_a_cut_at_every_operation() {
    survives("claims", scenario::CLAIMS);
}

/// Adversarial case F75: an exchange goes on from what is there, and its memory is stored once. R4: a request that was heard stays known.
#[test]
fn exchanges_survive_a_cut_at_every_operation() {
    survives("exchanges", scenario::EXCHANGES);
}

#[test]
fn a_write_ahead_log_that_begins_anew_survives_a_cut_at_every_operation() {
    survives("much", scenario::MUCH);
}

/// Adversarial case D54 at every system call, not only between the steps: what is archived is here,
/// or in a segment from which it comes back, or both.
#[test]
fn an_archive_survives_a_cut_at_every_operation() {
    survives("archive", scenario::ARCHIVE);
}

#[test]
fn an_erasure_survives_a_cut_at_every_operation() {
    survives("erasure", scenario::ERASURE);
}

/// Otherwise no search for what was erased would find anything, whatever the backend does.
#[test]
fn what_is_to_be_erased_is_found_before_it_is() {
    let recording = Recording::of(scenario::ERASURE);
    let mut platter = recording.before.clone();
    let mut held = false;
    for operation in &recording.operations {
        platter.do_one(operation);
        if matches!(operation, Operation::Mark(_)) {
            held |= platter
                .after(Loss::Nothing)
                .holds(&scenario::secret_of("alone"));
        }
    }
    assert!(held);
}

#[test]
fn a_forgetting_survives_a_cut_at_every_operation() {
    survives("forgetting", scenario::FORGETTING);
}

/// A commit is whole or is not there, for who ships as for who follows; both go on, and end with one ground and one index.
#[test]
fn a_follower_survives_a_cut_at_every_operation() {
    survives("following", scenario::FOLLOWING);
}

/// Adversarial case D58, under cuts: what is archived, restored and erased stays erased.
#[test]
fn all_of_them_survive_a_cut_at_every_operation() {
    survives("all", scenario::ALL);
}
