//! Each row of docs/format/claims.md 3 and 7, by example.

mod changes;
mod collisions;
mod evidence;
mod foreign;
mod parts;
mod status;
mod time;
mod trust;
mod views;
