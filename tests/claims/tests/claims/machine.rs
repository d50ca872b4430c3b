//! Sequences of operations on the engine and on the oracle, compared after every step (I1-I11).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use counterfoil_claims_tests::answer::Answer;

use crate::backend::{Asked, Backend, Naive};
use crate::script::{BEGIN, Op, Script, lines};
use crate::{pure, store};

/// The two agents of a script.
const AGENTS: [u8; 2] = [0, 1];

/// How a backend is made for a script.
type Make = dyn Fn(&Script) -> Box<dyn Backend> + Sync;

pub(crate) fn on_pure(script: &Script) -> Box<dyn Backend> {
    Box::new(pure::Pure::new(&script.host(), BEGIN))
}

pub(crate) fn on_memory(script: &Script) -> Box<dyn Backend> {
    Box::new(store::in_memory(&script.host(), BEGIN))
}

pub(crate) fn on_sqlite(script: &Script) -> Box<dyn Backend> {
    Box::new(store::in_sqlite(&script.host(), BEGIN))
}

/// Runs a script on both; what the first difference is.
pub(crate) fn compare(script: &Script, make: &Make) -> Result<(), String> {
    let run = || {
        let mut backend = make(script);
        let mut naive = Naive::new(&script.host(), BEGIN);
        for (number, step) in script.steps.iter().enumerate() {
            apply(&mut naive, backend.as_mut(), &step.op)
                .and_then(|()| {
                    let asks = step.asks.iter();
                    let asks: Vec<Asked> = asks
                        .map(|ask| ask.resolve(naive.oracle.entries()))
                        .collect();
                    look(&mut naive, backend.as_mut(), &asks)
                })
                .map_err(|why| format!("step {number}, {:?}: {why}", step.op))?;
        }
        Ok(())
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(format!("it panicked: {}", text.unwrap_or_default()))
    })
}

/// Fails unless both answer the same.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, oracle: &T, engine: &T) -> Result<(), String> {
    if oracle == engine {
        return Ok(());
    }
    Err(format!(
        "{what}\n  oracle: {oracle:?}\n  engine: {engine:?}"
    ))
}

/// Runs one operation on both; fails unless they answer the same.
pub(crate) fn apply(naive: &mut Naive, backend: &mut dyn Backend, op: &Op) -> Result<(), String> {
    match op {
        Op::Clock(by) => {
            let now = naive.now + by;
            naive.clock(now);
            backend.clock(now);
        }
        Op::Remember { agent, chain } => {
            // The chain of a World is its agent's.
            let chain = 2 * chain + usize::from(*agent);
            naive.remember(*agent, chain);
            backend.remember(*agent, chain);
        }
        Op::Serve { agent, claim } => {
            let claim = claim.resolve(naive.oracle.entries(), *agent, None);
            let entries = naive.oracle.entries();
            let claim = claim.filter(|id| {
                let entry = entries.get(*id);
                entry.is_some_and(|entry| entry.agent == *agent && entry.statement().is_some())
            });
            if let Some(claim) = claim {
                naive.serve(*agent, claim);
                backend.serve(*agent, claim);
            }
        }
        Op::Reopen => backend.reopen(),
        Op::State(_) | Op::Assert { .. } => {
            let Some(request) = op.request(naive.oracle.entries()) else {
                return Ok(());
            };
            let (oracle, engine) = (naive.write(&request), backend.write(&request));
            if let (Answer::Refused(any), Answer::Refused(one)) = (&oracle, &engine)
                && one.iter().all(|why| any.contains(why))
            {
                return Ok(());
            }
            return same(&format!("{request:?}"), &oracle, &engine);
        }
    }
    Ok(())
}

/// Compares all that can be asked.
fn look(naive: &mut Naive, backend: &mut dyn Backend, asks: &[Asked]) -> Result<(), String> {
    for agent in AGENTS {
        let (oracle, engine) = (naive.pending(agent), backend.pending(agent));
        same("pending", &oracle, &engine)?;
        for line in lines() {
            let (oracle, engine) = (naive.units(agent, &line), backend.units(agent, &line));
            same(&format!("units of {line:?}"), &oracle, &engine)?;
        }
        if asks.is_empty() {
            continue;
        }
        for asked in [Asked::default()].iter().chain(asks) {
            for line in lines() {
                let what = format!("{line:?} {asked:?}");
                let belief = naive.believe(agent, &line, *asked);
                same(&what, &belief, &backend.believe(agent, &line, *asked))?;
                let history = naive.history(agent, &line, *asked);
                let what = format!("history of {what}");
                same(&what, &history, &backend.history(agent, &line, *asked))?;
            }
            let (what, contested) = (
                format!("contested {asked:?}"),
                naive.contested(agent, *asked),
            );
            same(&what, &contested, &backend.contested(agent, *asked))?;
        }
        let view = naive.subject(agent, "s", Asked::default());
        same(
            "subject view",
            &view,
            &backend.subject(agent, "s", Asked::default()),
        )?;
    }
    Ok(())
}

/// The smallest script that still fails, and why it does.
fn shrunk(script: Script, why: String, make: &Make) -> (Script, String) {
    let (mut script, mut why) = (script, why);
    'again: loop {
        for smaller in script.smaller() {
            if let Err(still) = compare(&smaller, make) {
                (script, why) = (smaller, still);
                continue 'again;
            }
        }
        return (script, why);
    }
}

/// Runs the scripts of seeds from `first` on, `count` of them, on all cores.
pub(crate) fn run(first: u64, count: u64, make: &Make, progress: Option<u64>) {
    let next = AtomicU64::new(first);
    let failed = AtomicBool::new(false);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while !failed.load(Ordering::SeqCst) {
                    let seed = next.fetch_add(1, Ordering::SeqCst);
                    if seed >= first + count {
                        return;
                    }
                    if progress.is_some_and(|every| (seed - first).is_multiple_of(every)) {
                        println!("seeds from {first} to {seed} agree or are under way");
                    }
                    let script = Script::generate(seed, length(seed));
                    if let Err(why) = compare(&script, make) {
                        failed.store(true, Ordering::SeqCst);
                        let (script, why) = shrunk(script, why, make);
                        panic!("seed {seed}: {why}\n{script:?}");
                    }
                }
            });
        }
    });
}

/// Most are short; some go on.
fn length(seed: u64) -> usize {
    match seed % 8 {
        0 => 24,
        1..4 => 12,
        _ => 7,
    }
}

/// I1-I11, CLM-17: the engine over a view that is a list answers as the oracle does.
#[test]
fn the_engine_answers_as_the_oracle() {
    let sequences = count("COUNTERFOIL_SEQUENCES_PURE", 4_000);
    run(0, sequences, &on_pure, None);
}

/// I1-I11, 10,000 sequences.
#[test]
fn the_in_memory_store_answers_as_the_oracle() {
    run(0, count("COUNTERFOIL_SEQUENCES", 10_000), &on_memory, None);
}

/// I1-I11, on SQLite.
#[test]
fn the_sqlite_store_answers_as_the_oracle() {
    let sequences = count("COUNTERFOIL_SEQUENCES_SQLITE", 200);
    run(1_000_000_000, sequences, &on_sqlite, None);
}

/// I1-I11: on lines of many units, which a backend looks up in other ways than short ones.
#[test]
fn long_lines_answer_as_the_oracle() {
    for seed in 0..count("COUNTERFOIL_SEQUENCES_LONG", 3) {
        let mut script = Script::generate(2_000_000_000 + seed, 560);
        // The oracle is slow: it is asked at the end.
        let last = script.steps.len() - 12;
        for (number, step) in script.steps.iter_mut().enumerate() {
            if number < last {
                step.asks.clear();
            }
            if let Op::State(said) = &mut step.op {
                said.line = 0;
            }
        }
        let backends: [&Make; 2] = [&on_memory, &on_sqlite];
        for make in backends {
            if let Err(why) = compare(&script, make) {
                let (script, why) = shrunk(script, why, make);
                panic!("seed {seed}: {why}\n{script:?}");
            }
        }
        let [mut naive, mut twin] = [(); 2].map(|()| Naive::new(&script.host(), BEGIN));
        for step in &script.steps {
            apply(&mut naive, &mut twin, &step.op).unwrap();
        }
        let longest = lines().map(|line| naive.units(0, &line).len()).max();
        assert!(longest > Some(72), "{longest:?} units are a short line");
    }
}

/// I1-I11: `cargo xtask soak` says how many sequences and from which seed on; without that it runs none.
#[test]
fn soak() {
    let first = count("COUNTERFOIL_SOAK_FROM", 0);
    let sequences = count("COUNTERFOIL_SOAK", 0);
    run(first, sequences, &on_memory, Some(10_000));
    if sequences > 0 {
        println!("seeds from {first} to {} agree", first + sequences);
    }
}

fn count(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap())
}
