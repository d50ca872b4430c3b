//! Valid time: what a source says about when, with its granularity and how far it is trusted (I2).

mod boundary;
mod valid_time;
mod window;

pub use boundary::{Boundary, BoundaryError, Granularity};
pub use valid_time::{TRUST_THRESHOLD, ValidTime};
pub use window::Window;

/// An instant of valid time: microseconds since 1970, UTC; negative before.
pub type Micros = i64;
