//! The nth change of a file fails, for every n: the caller hears of it, and nothing else is lost (R4).

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use counterfoil_store::conformance::block_on;
use counterfoil_store::{CapsuleLog, StoreError};

use crate::judge::{self, Bench, Judge, Said, Then};
use crate::platter::{Image, Loss, Platter};
use crate::scenario::{ALL, CLAIMS, FOLLOWING, SHORT, Step, User, founded};
use crate::watch::{Fault, Lasts, Watched};

#[derive(Debug, Default)]
struct Outcome {
    runs: usize,
    /// How often which error was heard.
    errors: BTreeMap<String, usize>,
    faults: Vec<String>,
}

/// The scenario on a disk with one fault.
struct Run<'a> {
    steps: &'static [Step],
    user: User,
    watched: &'a Watched,
    said: Said,
    outcome: Outcome,
}

impl Run<'_> {
    /// Does each step until it succeeds: again on the same store, then on one that was opened
    /// again, then on a disk that was repaired.
    fn scenario(&mut self) {
        for (number, step) in self.steps.iter().enumerate() {
            let mut done = self.attempt(number);
            if done.is_err() {
                done = self.attempt(number);
            }
            if done.is_err() {
                self.user.close();
                done = self.attempt(number);
            }
            if done.is_err() {
                self.watched.set_fault(None);
                self.user.close();
                done = self.attempt(number);
            }
            if let Err(error) = done {
                let fault = format!("{step:?} on a sound disk: {error}");
                self.outcome.faults.push(fault);
            }
        }
    }

    fn attempt(&mut self, number: usize) -> Result<(), StoreError> {
        let before = self.size();
        let failures = self.watched.failures();
        let done = self.user.perform(number, self.steps[number]);
        match &done {
            Ok(answer) => self.said.add(answer),
            Err(error) => {
                let name = format!("{error:?}");
                let name = name.split([' ', '(']).next().unwrap_or_default().to_owned();
                *self.outcome.errors.entry(name).or_default() += 1;
                if self.watched.failures() == failures
                    && !matches!(error, StoreError::WriterStopped)
                {
                    self.outcome
                        .faults
                        .push(format!("an error of nothing: {error}"));
                }
                self.head_stays(error, before);
            }
        }
        done.map(|_| ())
    }

    /// An error that says "not written" is one.
    fn head_stays(&mut self, error: &StoreError, before: Option<u64>) {
        let open = matches!(
            error,
            StoreError::OutcomeUnknown | StoreError::NotAcknowledged { .. }
        );
        let after = self.size();
        if !open && before.is_some() && after.is_some() && before != after {
            let fault = format!("the head moved from {before:?} to {after:?} with: {error}");
            self.outcome.faults.push(fault);
        }
    }

    /// `None` when it cannot be read.
    fn size(&mut self) -> Option<u64> {
        block_on(self.user.open()?.size()).ok()
    }
}

/// Runs the scenario with the fault; `false` when it came to its end before the fault.
fn run(
    fault: Fault,
    steps: &'static [Step],
    (image, judge, bench): (&Image, &Judge, &Bench),
) -> (Outcome, bool) {
    let folder = judge::folder();
    image.write(folder.path());
    let mut platter = Platter::holding(image);
    let watched = Watched::record(folder.path(), platter.inodes());
    watched.set_fault(Some(fault));
    let mut run = Run {
        steps,
        user: User::new(folder.path()),
        watched: &watched,
        said: Said::default(),
        outcome: Outcome::default(),
    };
    run.scenario();
    run.user.close();
    let (mut outcome, said) = (run.outcome, run.said);
    watched.take().iter().for_each(|one| platter.do_one(one));
    let seed = u64::try_from(fault.at).unwrap();
    let chance = Loss::Chance { percent: 50, seed };
    for loss in [Loss::Nothing, Loss::Everything, chance] {
        let found = judge.verdict(bench, &platter.after(loss), &said);
        let named = found
            .into_iter()
            .map(|fault| format!("{loss:?} lost: {fault}"));
        outcome.faults.extend(named);
    }
    let named = |text| format!("{fault:?}: {text}");
    outcome.faults = outcome.faults.into_iter().map(named).collect();
    (outcome, watched.failures() > 0)
}

/// Every `stride`-th change fails, each in a run of its own.
fn fail_everywhere(
    steps: &'static [Step],
    (error, lasts): (libc::c_int, Lasts),
    stride: usize,
) -> Outcome {
    let (image, judge) = (founded(), Judge::of(steps, Then::Leave));
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Outcome::default()));
    let workers = thread::available_parallelism().map_or(2, |all| all.get().min(4));
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let bench = Bench::new();
                loop {
                    let at = next.fetch_add(stride, Ordering::Relaxed);
                    let fault = Fault { at, error, lasts };
                    let (one, hit) = run(fault, steps, (&image, &judge, &bench));
                    let mut all = all.lock().unwrap();
                    all.runs += 1;
                    all.faults.extend(one.faults);
                    for (name, count) in one.errors {
                        *all.errors.entry(name).or_default() += count;
                    }
                    if !hit {
                        return;
                    }
                }
            });
        }
    });
    all.into_inner().unwrap()
}

fn survives(steps: &'static [Step], (error, lasts): (libc::c_int, Lasts), stride: usize) {
    let outcome = fail_everywhere(steps, (error, lasts), stride);
    println!(
        "error {error}, {lasts:?}: {} runs, {:?}",
        outcome.runs, outcome.errors
    );
    let shown = &outcome.faults[..outcome.faults.len().min(5)];
    assert!(
        outcome.faults.is_empty(),
        "{}: {shown:#?}",
        outcome.faults.len()
    );
}

/// Adversarial case D60: an error of the disk at any change. The head does not advance with an
/// error that says so, an fsync that failed is not tried again, and nothing acknowledged is lost,
/// not even if the power is cut afterwards.
#[test]
fn an_error_of_the_disk_at_any_change_loses_nothing() {
    survives(SHORT, (libc::EIO, Lasts::Once), 1);
}

#[test]
fn a_disk_that_fails_for_good_loses_nothing() {
    survives(SHORT, (libc::EIO, Lasts::ForEver), 3);
}

/// CLM-49: the same of claims, which are said again until they are heard: the store stays usable, and none is there twice.
#[test]
fn an_error_of_the_disk_while_claims_are_written_loses_nothing() {
    survives(CLAIMS, (libc::EIO, Lasts::Once), 1);
}

/// Adversarial case D60: a disk without room at any change.
#[test]
fn a_full_disk_at_any_change_loses_nothing() {
    survives(SHORT, (libc::ENOSPC, Lasts::Once), 3);
}

#[test]
fn a_disk_that_stays_full_loses_nothing() {
    survives(SHORT, (libc::ENOSPC, Lasts::ForEver), 3);
}

/// Adversarial case D54 with errors instead of ends: what is moved, brought back or erased while the
/// disk fails is here, or in a segment, or erased with a redaction.
#[test]
fn an_error_while_memories_are_archived_restored_and_erased_loses_nothing() {
    survives(ALL, (libc::EIO, Lasts::Once), 7);
}

#[test]
fn a_disk_that_fills_up_while_memories_are_archived_restored_and_erased_loses_nothing() {
    survives(ALL, (libc::ENOSPC, Lasts::ForEver), 17);
}

/// Commits that are shipped and followed while the disk fails are whole or not there, and both stores go on.
#[test]
fn an_error_while_a_store_ships_and_is_followed_loses_nothing() {
    survives(FOLLOWING, (libc::EIO, Lasts::Once), 11);
}
