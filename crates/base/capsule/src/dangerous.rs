//! Single checks, for a validator that makes all of them in an order of its own (capsules 4.8). None of
//! them says anything alone; [`check_capsule`](crate::check_capsule) is what to use.

pub use crate::check::first_of as decisive;
pub use crate::check::single::{
    check_bodies, check_content, check_place, check_signature, check_transition, in_order,
};
