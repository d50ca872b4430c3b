//! Sequences of operations on the engine and on the oracle, compared after every step (I1-I11).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use counterfoil_claims_tests::answer::Answer;

use crate::backend::{Asked, Backend, Naive};
use crate::script::{BEGIN, Op, Script, lines};
use crate::store::Stored;

/// The two agents of a script.
const AGENTS: [u8; 2] = [0, 1];

/// Runs a script on both; the first difference is the error.
fn compare(script: &Script) -> Result<(), String> {
    let run = || {
        let mut backend = Stored::new(&script.host(), BEGIN);
        let mut naive = Naive::new(&script.host(), BEGIN);
        for (number, step) in script.steps.iter().enumerate() {
            apply(&mut naive, &mut backend, &step.op)
                .and_then(|()| {
                    let asks = step.asks.iter();
                    let asks: Vec<Asked> = asks
                        .map(|ask| ask.resolve(naive.oracle.entries()))
                        .collect();
                    let is_last = number + 1 == script.steps.len();
                    look(&mut naive, &mut backend, &asks, is_last)
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
        Op::Reopen => backend.reopen(),
        Op::Name(name, main) => {
            let since = naive.oracle.name(naive.now, name, *main);
            backend.name(since, name, *main);
        }
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

/// Compares all that can be asked; of agents and lines that have no unit at the end alone.
fn look(
    naive: &mut Naive,
    backend: &mut dyn Backend,
    asks: &[Asked],
    is_last: bool,
) -> Result<(), String> {
    for agent in AGENTS {
        let (oracle, engine) = (naive.pending(agent), backend.pending(agent));
        same("pending", &oracle, &engine)?;
        let mut known = Vec::new();
        for line in lines() {
            let (oracle, engine) = (naive.units(agent, &line), backend.units(agent, &line));
            same(&format!("units of {line:?}"), &oracle, &engine)?;
            known.extend((is_last || !oracle.is_empty()).then_some(line));
        }
        if asks.is_empty() || known.is_empty() {
            continue;
        }
        for asked in [Asked::default()].iter().chain(asks) {
            for line in &known {
                let what = format!("{line:?} {asked:?}");
                let belief = naive.believe(agent, line, *asked);
                same(&what, &belief, &backend.believe(agent, line, *asked))?;
                let history = naive.history(agent, line, *asked);
                let what = format!("history of {what}");
                same(&what, &history, &backend.history(agent, line, *asked))?;
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

/// Runs the scripts of seeds from `first` on, `count` of them, on all cores.
pub(crate) fn run(first: u64, count: u64, progress: Option<u64>) {
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
                    if let Err(why) = compare(&script) {
                        failed.store(true, Ordering::SeqCst);
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

/// I1-I11, CLM-17, CLM-40: belief, history and subject view are those of the oracle.
#[test]
fn the_store_answers_as_the_oracle() {
    run(0, 1000, None);
}

/// I1-I11: on lines of many units, which a backend looks up in other ways than short ones.
#[test]
fn long_lines_answer_as_the_oracle() {
    for seed in 0..3 {
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
        if let Err(why) = compare(&script) {
            panic!("seed {seed}: {why}\n{script:?}");
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
    let count = |variable| std::env::var(variable).map_or(0, |text| text.parse().unwrap());
    let (first, sequences) = (count("COUNTERFOIL_SOAK_FROM"), count("COUNTERFOIL_SOAK"));
    run(first, sequences, Some(1000));
    if sequences > 0 {
        println!("seeds from {first} to {} agree", first + sequences);
    }
}
