//! Tests of the backend against files, processes and damage.

#[cfg(test)]
mod claims;
#[cfg(test)]
mod common;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod corruption;
#[cfg(test)]
mod ending;
#[cfg(test)]
mod evolving;
#[cfg(test)]
mod folder;
#[cfg(test)]
mod guard;
#[cfg(test)]
mod kept_exchanges;
#[cfg(test)]
mod killed;
#[cfg(test)]
mod opening;
#[cfg(test)]
mod racing;
#[cfg(test)]
mod sightings;
#[cfg(test)]
mod writing;
