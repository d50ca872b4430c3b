//! A naive oracle of the claim engine (I1-I11; docs/format/claims.md): literal, slow, and written from the page alone.
//!
//! It keeps a list of plain entries and looks through all of it for each answer. It depends on no crate of the
//! workspace: the tests of this package translate, and compare it with the engine on its store.

pub mod answer;
pub mod calendar;
pub mod entry;
pub mod request;

mod asserting;
mod believing;
mod names;
mod oracle;
mod scene;
mod window;
mod writing;

pub use oracle::Oracle;
