//! Input of every command: the memory, and the way to answer.

use counterfoil::{Memory, MemoryBuilder};

use crate::home::Home;
use crate::output::Output;

/// Input of every command.
pub(crate) struct Context {
    pub(crate) memory: Memory,
    /// The place of the memory, for `init`.
    pub(crate) builder: MemoryBuilder,
    /// The memory's folder, for commands that do not go through the memory yet.
    pub(crate) home: Home,
    pub(crate) out: Output,
}
