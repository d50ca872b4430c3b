//! The agent's keys over its life, from the commitment to the replacement of a stolen one (capsules 4.7).

mod compromise;
mod export;
mod guard;
mod rotate;
mod show;
