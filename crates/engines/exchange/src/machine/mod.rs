//! States of an exchange and of each memory in it: `step(state, event) -> (state, effects)`, without clock or socket
//! (MRP "Protocol States"; R6, R7; docs/format/exchange.md §9).

mod event;
mod exchange;
mod state;
mod step;
mod timing;

pub use event::{Effect, Event, EventKind, Notice};
pub use exchange::{Exchange, MAX_NOISE, Transition, fold};
pub use state::{ExchangeState, ItemState};
pub use step::step;
pub use timing::Moment;
