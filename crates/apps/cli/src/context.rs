//! Input of every command: the memory, and the way to answer.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use counterfoil::{Memory, MemoryBuilder};
use indicatif::ProgressBar;

use crate::failure::Failure;
use crate::interrupt;
use crate::output::Output;

/// Input of every command.
pub(crate) struct Context {
    pub(crate) memory: Memory,
    /// The place of the memory, for `init`.
    pub(crate) builder: MemoryBuilder,
    /// Folder that was named on the command line.
    pub(crate) dir: Option<PathBuf>,
    /// Ends long tasks of the memory.
    pub(crate) interruption: Arc<AtomicBool>,
    /// Progress of a command that takes long, hidden unless a person watches.
    pub(crate) progress: ProgressBar,
    pub(crate) out: Output,
}

impl Context {
    /// Lets Ctrl-C end a long task of the memory between two steps.
    pub(crate) fn watch_for_interruption(&self) -> Result<(), Failure> {
        interrupt::set_on_interruption(Arc::clone(&self.interruption))
    }
}
