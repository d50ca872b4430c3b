//! Care of a memory: erasing, archiving, forks, and checks of what is stored.

mod archive;
mod audit;
mod clock;
mod doctor;
mod erase;
mod follow;
mod forget;
mod fork;
pub(crate) mod log;
mod store;
mod validate;

pub use validate::Validating;
