//! What is on its way, in the order of its arrival.

use std::collections::BTreeMap;

/// What becomes of one message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fate {
    /// So often it arrives; 0 is lost.
    pub(crate) copies: u8,
    /// After so long, and each copy later by as much again.
    pub(crate) delay_us: u64,
    /// What somebody else sends at the same time.
    pub(crate) forgery: Option<Forgery>,
}

/// What others put on an open channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Forgery {
    /// Bytes of no meaning.
    Garbage,
    /// A refusal in the peer's name, unsigned (case 72).
    UnsignedRefusal,
    /// An answer signed by somebody else.
    Stranger,
    /// The true answer with a changed memory.
    Edited,
    /// An answer of the peer to another question (case 69).
    Replayed,
    /// A second answer that the peer itself has signed (case 73).
    Equivocation,
}

/// Everything that will happen.
#[derive(Debug, Clone)]
pub(crate) enum Happening {
    /// The request reaches the responder.
    Request(Vec<u8>),
    /// Bytes reach the requester.
    Answer(Vec<u8>),
    /// The transport tells the requester that it failed.
    Failure,
    /// The requester's timer goes off.
    Timer,
    /// The requester has verified.
    Examined(u32, u32),
    /// The requester has stored, and is about to write that down.
    Stored,
    /// The requester's process is killed and begins again.
    Kill,
}

/// What is on its way. What arrives at the same time arrives in the order in which it was sent.
#[derive(Debug, Default)]
pub(crate) struct Network {
    pub(crate) now_us: u64,
    queue: BTreeMap<(u64, u64), Happening>,
    sent: u64,
}

impl Network {
    pub(crate) fn after(&mut self, delay_us: u64, happening: Happening) {
        self.queue
            .insert((self.now_us + delay_us, self.sent), happening);
        self.sent += 1;
    }

    /// The next thing, with the clock set to it.
    pub(crate) fn next(&mut self) -> Option<Happening> {
        let ((at, _), happening) = self.queue.pop_first()?;
        self.now_us = self.now_us.max(at);
        Some(happening)
    }

    /// What was on its way inside of the requester's process is gone with it.
    pub(crate) fn forget_inner(&mut self) {
        let inner = |happening: &Happening| {
            matches!(
                happening,
                Happening::Timer | Happening::Examined(..) | Happening::Stored
            )
        };
        self.queue.retain(|_, happening| !inner(happening));
    }
}
