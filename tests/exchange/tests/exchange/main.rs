//! The documents of the request protocol against their golden vectors and their published schemas.

#![cfg(test)]

mod golden;
mod schemas;
