//! Care of a memory: erasing, archiving, forks, and checks of what is stored.

mod archive;
mod audit;
mod check;
mod clock;
mod erase;
mod follow;
mod forget;
mod fork;
mod health;
pub(crate) mod log;
mod options;
mod store;
mod validate;

pub use options::CheckOptions;
