//! One file per command.

pub(crate) mod anchors;
pub(crate) mod audit;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod log;
pub(crate) mod propose;
pub(crate) mod rebuild;
pub(crate) mod recall;
pub(crate) mod remember;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod verify;
