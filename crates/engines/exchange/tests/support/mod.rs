//! Two agents and a log, made of numbers, so that every run is alike.

pub(crate) mod log;
pub(crate) mod scene;
pub(crate) mod words;
