//! Exchanges with other agents, beside the log and without proof (docs/format/exchange.md §9, §10; R4).

mod erasing;
mod items;
mod records;
mod rows;
mod seen;
mod sharing;
mod store;

pub(crate) use erasing::forget;
pub(crate) use rows::transitions;
pub(crate) use sharing::{SharedJob, WriteJob, commit};
