//! Capsules that travel: export, import, events, forks, and restored backups, between real databases.

#[cfg(test)]
mod bounds;
#[cfg(test)]
mod common;
#[cfg(test)]
mod engines;
#[cfg(test)]
mod events;
#[cfg(test)]
mod forks;
#[cfg(test)]
mod order;
#[cfg(test)]
mod reconcile;
#[cfg(test)]
mod rotated;
#[cfg(test)]
mod strangers;
#[cfg(test)]
mod verdicts;
