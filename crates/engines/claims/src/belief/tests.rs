//! Each row of docs/format/claims.md 3 and 7, by example.

mod evidence;
mod foreign;
mod status;
mod time;
mod views;
