//! Tests of the backend against files, processes and damage.
#![cfg(test)]

mod claims;
mod common;
mod conformance;
mod corruption;
mod ending;
mod evolving;
mod folder;
mod guard;
mod kept_exchanges;
mod killed;
mod opening;
mod racing;
mod sightings;
mod writing;
