//! Remarks for the person who runs the program, beside results.

use core::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};

/// Remarks not read yet; clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notices {
    lines: Arc<Mutex<Vec<String>>>,
}

impl Notices {
    pub(crate) fn add(&self, line: impl Display) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push(line.to_string());
    }

    pub(crate) fn take(&self) -> Vec<String> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut lines)
    }
}
