//! Care of a memory: erasing, archiving, forks, and checks of what is stored.

mod archive;
mod audit;
mod doctor;
mod erase;
mod events;
mod forget;
mod fork;
mod fork_checkpoint;
mod fork_resolve;
mod gc;
pub(crate) mod log;
mod rebuild;
mod reconcile;
mod restore;
mod stats;
mod validate;

pub use validate::Validating;
