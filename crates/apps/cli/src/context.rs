//! Input of every command: the memory, and the way to answer.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use counterfoil::{Error, Memory, MemoryBuilder, Report};
use indicatif::ProgressBar;

use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Output, notice, text};

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
    /// Makes the memory where there is none yet, and says where: for commands by which a person begins.
    pub(crate) async fn begin(&self) -> Result<(), Failure> {
        let (_, made) = self.builder.clone().open_or_create().await?;
        if let Some(made) = made {
            notice(said(&made));
        }
        Ok(())
    }

    /// As [`Context::begin`], once it is clear that there is something to read at `path`, which is what `check` says where there is
    /// no memory yet; `-` is standard input.
    pub(crate) async fn begin_with(
        &self,
        path: &Path,
        check: impl FnOnce(&Memory) -> Result<(), Error>,
    ) -> Result<(), Failure> {
        if path.as_os_str() != "-" {
            std::fs::metadata(path).map_err(|error| {
                Failure::input(
                    format_args!("{} cannot be read ({error})", path.display()),
                    "check the path and your rights",
                )
            })?;
        }
        if self.memory.must_exist().is_err() {
            check(&self.memory)?;
        }
        self.begin().await
    }

    /// Lets Ctrl-C end a long task of the memory between two steps.
    pub(crate) fn watch_for_interruption(&self) -> Result<(), Failure> {
        interrupt::set_on_interruption(Arc::clone(&self.interruption))
    }
}

/// Sentence about a memory that was made, for the person.
pub(crate) fn said(made: &Report) -> String {
    let (dir, recovery) = (text(made.value(), "dir"), text(made.value(), "recoveryDir"));
    format!(
        "made a memory in {dir}, with keys: keep a copy of {dir}/keys, and move {recovery} to another medium"
    )
}
