//! Tests of the backend against files, processes, damage, and capsules that travel between real databases.
#![cfg(test)]

mod claims;
mod common;
mod conformance;
mod corruption;
mod ending;
mod folder;
mod follow;
mod guard;
mod journal;
mod kept_exchanges;
mod killed;
mod lines;
mod map;
mod opening;
mod racing;
mod sealed;
mod sealing;
mod sightings;
mod trust_records;
mod writing;
