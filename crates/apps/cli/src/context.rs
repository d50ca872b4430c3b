//! What every command is given: where the store is, and how to answer.

use crate::home::Home;
use crate::output::Output;

/// What every command is given.
pub(crate) struct Context {
    pub(crate) home: Home,
    pub(crate) out: Output,
}
