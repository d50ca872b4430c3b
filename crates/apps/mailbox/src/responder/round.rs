//! What one look at a folder came to.

use counterfoil_exchange::answering::Refusal;
use counterfoil_exchange::documents::RequestId;

use crate::Left;

/// The most files that a round names of those that it left.
const MAX_LEFT: usize = 100;

/// What one look at a folder came to.
#[derive(Debug, Default)]
pub struct Round {
    /// What was answered, and in which file.
    pub answered: Vec<(RequestId, String)>,
    /// What was refused. Refusals that pass leave the request in `inbox`; others put it into `done`, without an answer.
    pub refused: Vec<(RequestId, Refusal)>,
    /// Requests whose `request_id` is not that of their name; put into `done`.
    pub misnamed: Vec<String>,
    /// What was left in `inbox`, and why; at most 100 of it.
    pub left: Vec<(String, Left)>,
}

impl Round {
    pub(crate) fn leave(&mut self, name: String, why: Left) {
        if self.left.len() < MAX_LEFT {
            self.left.push((name, why));
        }
    }

    /// Was there nothing that has become another for it?
    #[must_use]
    pub const fn is_idle(&self) -> bool {
        self.answered.is_empty() && self.refused.is_empty() && self.misnamed.is_empty()
    }
}
