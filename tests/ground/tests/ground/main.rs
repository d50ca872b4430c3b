//! Stores whose ground lies in PostgreSQL: a real one, which this program starts.
#![cfg(test)]

mod durable;
mod faults;
mod history;
mod killed;
mod nodes;
mod rig;
mod suites;
mod tenants;
mod tls;
