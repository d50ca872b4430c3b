//! Tests of the backend against files, processes, damage, and capsules that travel between real databases.
#![cfg(test)]

mod author;
mod bounds;
mod claims;
mod common;
mod conformance;
mod corruption;
mod ending;
mod engines;
mod events;
mod folder;
mod forks;
mod guard;
mod kept_exchanges;
mod killed;
mod opening;
mod order;
mod racing;
mod reconcile;
mod rotated;
mod sightings;
mod strangers;
mod verdicts;
mod writing;
