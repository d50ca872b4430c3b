//! Forks that a record names, and decisions about them.

use super::*;

fn forks(log: &Log, memories: &[u64]) -> Vec<Option<u64>> {
    memories.iter().map(|it| log.standing(*it).forked).collect()
}

/// A log of agent 1 with a chain of agent 2, and its memories.
fn chain_of_four() -> (Log, [u64; 4]) {
    let mut log = Log::new();
    log.memory(&signer(1), None);
    let mut last = None;
    let chain = [0; 4].map(|_| {
        let next = log.memory(&signer(2), last);
        last = Some(next);
        next
    });
    (log, chain)
}

/// From its number on a chain is forked, for the log's owner and for its agent, once, and nothing else of it changes.
#[test]
fn a_recorded_fork_marks_the_chain_from_its_number_on() {
    for by in [1, 2] {
        let (mut log, chain) = chain_of_four();
        let before = log.standing(chain[1]).superseded;
        let record = log.fork(&signer(by), chain[1], Contradiction::FORK);
        let marked = Some(record);
        assert_eq!(forks(&log, &chain), [None, marked, marked, marked]);
        assert_eq!(log.standing(chain[1]).superseded, before);
        log.fork(&signer(by), chain[1], Contradiction::FORK);
        let lower = log.fork(&signer(by), chain[0], Contradiction::FORK);
        assert_eq!(forks(&log, &chain), [Some(lower), marked, marked, marked]);
    }
}

/// Others, other contradictions, and places that the chain does not have.
#[test]
fn what_is_no_recorded_fork_marks_nothing() {
    let (mut log, chain) = chain_of_four();
    let named = CapsuleName::of(log.header(chain[1]));
    let fork = (ContradictionKind::Equivocation, Contradiction::FORK);
    log.contradiction(&signer(3), fork, named);
    for (fork, named) in [
        ((fork.0, "E_LOG_FORK"), named),
        ((ContradictionKind::Sequence, fork.1), named),
        (fork, CapsuleName { seq: 4, ..named }),
        (
            fork,
            CapsuleName {
                agent: signer(1).agent(),
                ..named
            },
        ),
        (
            fork,
            CapsuleName {
                chain: log.header(0).chain(),
                ..named
            },
        ),
    ] {
        log.contradiction(&signer(1), fork, named);
    }
    assert_eq!(forks(&log, &chain), [None; 4]);
    assert_eq!(forks(&log, &[0]), [None]);
}

/// What the log has is current again when it is kept, but for another fork; when it is left it stays forked.
#[test]
fn a_resolution_takes_away_what_its_fork_has_marked() {
    let away = Blake3Hash::from_bytes([9; 32]);
    let (mut log, chain) = chain_of_four();
    let high = log.fork(&signer(1), chain[2], Contradiction::FORK);
    let low = log.fork(&signer(1), chain[1], Contradiction::FORK);
    let keep = |log: &Log, at: usize| (log.header(chain[at]).hash(), away);
    let kept = keep(&log, 2);
    log.settle(&signer(3), chain[2], kept);
    let (high, low) = (Some(high), Some(low));
    assert_eq!(forks(&log, &chain), [None, low, high, high]);
    log.settle(&signer(1), chain[2], kept);
    assert_eq!(forks(&log, &chain), [None, low, low, low]);
    // It is decided: no record brings it back, nor a fork that was decided before there was one.
    let last = keep(&log, 3);
    log.settle(&signer(1), chain[3], last);
    for decided in [2, 3] {
        log.fork(&signer(2), chain[decided], Contradiction::FORK);
    }
    let kept = keep(&log, 1);
    log.settle(&signer(1), chain[1], kept);
    assert_eq!(forks(&log, &chain), [None; 4]);
    assert_eq!(log.standing(chain[3]), MemoryStanding::new(chain[3]));

    let (mut log, chain) = chain_of_four();
    log.fork(&signer(1), chain[1], Contradiction::FORK);
    let high = log.fork(&signer(1), chain[3], Contradiction::FORK);
    let kept = keep(&log, 1);
    log.settle(&signer(1), chain[1], kept);
    assert_eq!(forks(&log, &chain), [None, None, None, Some(high)]);
    // Another branch stands there now. Forks of the one before were not its forks.
    let left = (away, log.header(chain[2]).hash());
    let record = log.settle(&signer(1), chain[2], left);
    assert_eq!(forks(&log, &chain), [None, None, Some(record), Some(high)]);
    assert_eq!(log.standing(chain[1]).superseded, None);
    let third = log.memory(&signer(2), Some(chain[1]));
    let fourth = log.memory(&signer(2), Some(third));
    assert_eq!(forks(&log, &[third, fourth]), [None; 2]);
    let again = log.fork(&signer(1), fourth, Contradiction::FORK);
    assert_eq!(forks(&log, &[third, fourth]), [None, Some(again)]);
}

/// The mark of a fork that is still open stays, and an entry that came after its record has none of it.
#[test]
fn a_resolution_takes_away_nothing_else() {
    let (mut log, chain) = chain_of_four();
    let low = Some(log.fork(&signer(1), chain[1], Contradiction::FORK));
    let next = log.memory(&signer(2), Some(chain[3]));
    assert_eq!(forks(&log, &[next]), [None]);
    let high = log.fork(&signer(1), chain[2], Contradiction::FORK);
    assert_eq!(forks(&log, &[next]), [Some(high)]);
    let kept = log.header(chain[2]).hash();
    log.settle(
        &signer(1),
        chain[2],
        (kept, Blake3Hash::from_bytes([9; 32])),
    );
    assert_eq!(forks(&log, &chain), [None, low, low, low]);
    assert_eq!(forks(&log, &[next]), [None]);
}

/// An agent could name each number of a long chain, and each time the map walks along it.
#[test]
fn of_one_chain_its_agent_names_sixteen_forks() {
    let mut log = Log::new();
    log.memory(&signer(1), None);
    let mut chain = vec![log.memory(&signer(2), None)];
    for _ in 1..20 {
        chain.push(log.memory(&signer(2), chain.last().copied()));
    }
    for memory in chain.iter().rev() {
        log.fork(&signer(2), *memory, Contradiction::FORK);
    }
    let named = forks(&log, &chain);
    assert_eq!(named.iter().position(Option::is_some), Some(4));
    log.fork(&signer(1), chain[2], Contradiction::FORK);
    assert!(forks(&log, &chain)[2].is_some());
}
