//! `counterfoil-verify`: the memories of a proposal, and beliefs, checked offline and with no database (§7.4, M-4).
//!
//! The command line `counterfoil verify` is this library too. It reads three files and a clock,
//! hands them to [`counterfoil_authority`], and prints the report. Exit codes: 0 approved,
//! 1 rejected, 2 indeterminate, 3 usage or input error.

mod args;
pub mod belief;
mod check;
mod error;
mod input;
mod nonces;
mod render;
mod run;
pub mod time;
mod usage;

pub use args::{Form, VerifyArgs};
pub use check::check;
pub use counterfoil_authority::types::terminal;
pub use counterfoil_authority::verifier::envelope::DEFAULT_AUDIENCE;
pub use counterfoil_authority::{
    DecisionReason, MemoryOutcome, MemoryReport, ReviewDecision, ReviewReport, Verdict,
};
pub use error::InputError;
pub use input::{load_anchors, load_policy, load_proposal, read_file, read_standard_input};
pub use render::{render, to_json};
pub use run::{decide, exit_code, finish, review, verify};
pub use usage::one_line;
