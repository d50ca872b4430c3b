//! The loop: start a writer, kill it at a random moment, start the next one.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::act::{Acknowledged, Act};
use crate::checks::{self, Attempts};
use crate::store::{Ended, Store};

/// Undisturbed runs by which the moments of the kills are chosen.
const TRIALS: u32 = 5;
/// All that was acknowledged is looked up after so many kills.
const LOOK_EVERY: usize = 40;

/// What is shared by the writers of one store.
#[derive(Debug, Default)]
struct Tally {
    kills: usize,
    acknowledged: Vec<Acknowledged>,
    attempts: Attempts,
    /// Writers that were killed after they had answered.
    answered: usize,
    updates: usize,
    refused: usize,
}

pub(crate) fn kills_wanted() -> usize {
    let asked = std::env::var("COUNTERFOIL_KILLS").ok();
    asked.and_then(|asked| asked.parse().ok()).unwrap_or(500)
}

pub(crate) fn seed() -> u64 {
    let asked = std::env::var("COUNTERFOIL_SEED").ok();
    asked
        .and_then(|asked| asked.parse().ok())
        .unwrap_or_else(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            u64::from(since.subsec_nanos())
        })
}

/// splitmix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}

/// One of the processes that write at the same time.
struct Writer<'a> {
    number: usize,
    random: Random,
    store: &'a Store,
    tally: &'a Mutex<Tally>,
    updates: bool,
}

impl Writer<'_> {
    fn run(&mut self, wanted: usize) {
        let longest = self.longest();
        for round in 0.. {
            if self.tally.lock().unwrap().kills >= wanted {
                return;
            }
            let act = self.act(round);
            let patience = Duration::from_micros(self.random.below(longest));
            self.once(&act, patience);
        }
    }

    /// How long to wait at most: a little more than a run takes.
    fn longest(&mut self) -> u64 {
        let mut sum = Duration::ZERO;
        for trial in 0..TRIALS {
            let text = format!("writer {} trial {trial}", self.number);
            let start = std::time::Instant::now();
            let act = Act::Remember { text };
            self.once(&act, Duration::from_millis(500));
            sum += start.elapsed().min(Duration::from_secs(1));
        }
        let took = self.tally.lock().unwrap().attempts.typical();
        u64::try_from(took.unwrap_or(sum / TRIALS).as_micros()).unwrap() * 5 / 4 + 1
    }

    fn act(&mut self, round: usize) -> Act {
        let text = format!("writer {} round {round}", self.number);
        let tally = self.tally.lock().unwrap();
        let known = u64::try_from(tally.acknowledged.len()).unwrap();
        if self.updates && known > 0 && round % 3 == 2 {
            // Few Worlds, so that two writers meet at one of them.
            let at = usize::try_from(self.random.below(known.min(4))).unwrap();
            let world_id = tally.acknowledged[at].world_id.clone();
            return Act::Update { world_id, text };
        }
        Act::Remember { text }
    }

    fn once(&self, act: &Act, patience: Duration) {
        let arguments = act.arguments();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        self.tally.lock().unwrap().attempts.begin(act);
        let ended = self.store.killed_after(patience, &arguments);
        let mut tally = self.tally.lock().unwrap();
        match ended {
            Ended::Killed { printed } => {
                tally.kills += 1;
                let answer = act.acknowledged(&printed);
                tally.updates += usize::from(answer.is_some() && act.may_lose());
                tally.answered += usize::from(answer.is_some());
                tally.acknowledged.extend(answer);
            }
            Ended::Done { printed, took } => {
                tally.attempts.took(took);
                let answer = act.acknowledged(&printed);
                assert!(answer.is_some(), "{act:?} answered {printed}");
                tally.updates += usize::from(act.may_lose());
                tally.acknowledged.extend(answer);
            }
            Ended::Refused { complaint } => {
                tally.refused += 1;
                assert!(act.may_lose(), "{complaint}");
                assert!(complaint.contains("head of chain"), "{complaint}");
            }
        }
        if tally.kills % LOOK_EVERY == LOOK_EVERY - 1 {
            checks::nothing_is_lost(self.store, &tally.acknowledged);
        }
    }
}

/// So many writers at once, until so many were killed; then everything is looked at.
fn killed(writers: usize, wanted: usize) {
    let (store, tally) = (Store::new(), Mutex::new(Tally::default()));
    let (seed, updates) = (seed(), store.knows("update"));
    thread::scope(|scope| {
        for number in 0..writers {
            let mut writer = Writer {
                number,
                random: Random(seed + u64::try_from(number).unwrap()),
                store: &store,
                tally: &tally,
                updates,
            };
            scope.spawn(move || writer.run(wanted));
        }
    });
    let tally = tally.into_inner().unwrap();
    let left = checks::everything_holds(&store, &tally.acknowledged, &tally.attempts);
    println!(
        "{writers} writers, seed {seed}: {} kills, {} acknowledged writes ({} of them updates, {} \
         by killed writers), {left} kept without an answer, {} refused, 0 lost",
        tally.kills,
        tally.acknowledged.len(),
        tally.updates,
        tally.answered,
        tally.refused,
    );
    assert!(tally.kills >= wanted);
}

#[test]
fn a_writer_that_is_killed_at_any_moment_loses_nothing_that_it_said() {
    killed(1, kills_wanted() / 2);
}

/// Adversarial case C43: two processes at once on one store, killed at any moment.
#[test]
fn two_writers_that_are_killed_at_any_moment_lose_nothing_that_they_said() {
    killed(2, kills_wanted() - kills_wanted() / 2);
}
