//! What it costs to ask. Run by hand:
//! `cargo test --release -p counterfoil-peer --test asking speed -- --ignored --nocapture`.

use std::time::{Duration, Instant};

use counterfoil_exchange::documents::ResultParts;
use counterfoil_exchange::machine::ExchangeState;

use crate::answers::{answer, key, memory, text};
use crate::rig::{Rig, Scripted, question};

const ASKED: usize = 400;
const MEMORIES: usize = 5;

/// An answer with five memories, each with a signature of its own: six in all, beside that of the answerer's writing.
#[test]
#[ignore = "measures; run by hand in release"]
fn asks_a_second() {
    let rig = Rig::new();
    rig.trust(key(9));
    let (mut took, mut wrote) = (Vec::new(), Duration::ZERO);
    for number in 0..ASKED {
        let memories: Vec<ResultParts> = (0..MEMORIES)
            .map(|at| {
                memory(
                    &format!("m{number}-{at}"),
                    text(&format!("word {number} {at}")),
                )
            })
            .collect();
        let (writes, written) = std::sync::mpsc::channel();
        let mut way = Scripted::answering(&rig, move |request| {
            let begun = Instant::now();
            let answer = answer(request, memories.clone());
            writes.send(begun.elapsed()).unwrap();
            answer
        });
        let begun = Instant::now();
        let report = rig.ask(question(Some(key(9))), &mut way);
        let whole = begun.elapsed();
        let writing = written.recv().unwrap();
        assert_eq!(report.state, ExchangeState::Stored, "{report:?}");
        took.push(whole.saturating_sub(writing));
        wrote += writing;
    }
    took.sort_unstable();
    println!(
        "an ask with {MEMORIES} memories: median {:?}, best {:?}; beside that the answer takes {:?} to write",
        took[ASKED / 2],
        took[0],
        wrote / u32::try_from(ASKED).unwrap(),
    );
}
