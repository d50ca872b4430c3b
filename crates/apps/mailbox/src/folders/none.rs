//! Stand-in for systems other than Unix, on which no folder can be opened.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::MailboxError;

/// Folders that nothing can open.
#[derive(Debug)]
pub(crate) struct Folders {
    pub(crate) inbox: Folder,
    pub(crate) processing: Folder,
    pub(crate) outbox: Folder,
    pub(crate) done: Folder,
}
/// Type without values.
#[derive(Debug)]
pub(crate) enum Folder {}
/// Type without values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stamp {}

impl Folders {
    pub(crate) fn open(_root: &Path) -> Result<Self, MailboxError> {
        Err(MailboxError::Unsupported)
    }
}

impl Folder {
    pub(crate) fn rename(&self, _name: &str, _to: &Self) -> Result<bool, MailboxError> {
        match *self {}
    }

    pub(crate) fn names(
        &self,
        _wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, MailboxError> {
        match *self {}
    }

    pub(crate) fn look(&self, _name: &str) -> Result<Stamp, &'static str> {
        match *self {}
    }

    pub(crate) fn holds(&self, _name: &str) -> bool {
        match *self {}
    }

    pub(crate) fn read(&self, _name: &str) -> Result<Vec<u8>, &'static str> {
        match *self {}
    }

    pub(crate) fn publish(&self, _name: &str, _bytes: &[u8]) -> Result<bool, MailboxError> {
        match *self {}
    }

    pub(crate) fn age(&self, _name: &str) -> Option<Duration> {
        match *self {}
    }

    pub(crate) fn path(&self, _name: &str) -> PathBuf {
        match *self {}
    }
}
