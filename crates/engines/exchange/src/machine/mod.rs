//! States of an exchange and of each memory in it: `step(state, event) -> (state, effects)`, without clock or socket
//! (MRP "Protocol States"; R6, R7; docs/format/exchange.md §9).

mod effect;
mod event;
mod exchange;
mod item;
mod moment;
mod state;
mod step;
mod timing;
mod transition;

pub use effect::{Effect, Notice};
pub use event::{Event, EventKind};
pub use exchange::{Exchange, ExchangeLimits};
pub use item::{ItemEvent, ItemState, step_item};
pub use moment::Moment;
pub use state::ExchangeState;
pub use step::step;
pub use transition::{Transition, UnknownTransition, fold};
