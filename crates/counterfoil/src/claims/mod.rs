//! Claims and beliefs of a store: dates, settings, names of claims, and beliefs in words.

pub mod bulk;
pub mod dates;
pub mod desk;
pub mod refusals;
pub mod settings;
pub mod telling;
