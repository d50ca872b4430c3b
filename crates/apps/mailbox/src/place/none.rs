//! Where there are no folders of this kind: nothing can be opened.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Left, Which};
use crate::MailboxError;

/// None can be made.
#[derive(Debug)]
pub(crate) enum Place {}
/// None can be made.
#[derive(Debug)]
pub(crate) enum Folder {}
/// None can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stamp {}

impl Place {
    pub(crate) fn open(_root: &Path) -> Result<Self, MailboxError> {
        Err(MailboxError::Unsupported)
    }

    pub(crate) const fn folder(&self, _which: Which) -> &Folder {
        match *self {}
    }

    pub(crate) fn rename(
        &self,
        _name: &str,
        _from: Which,
        _to: Which,
    ) -> Result<bool, MailboxError> {
        match *self {}
    }
}

impl Folder {
    pub(crate) fn names(
        &self,
        _wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, MailboxError> {
        match *self {}
    }

    pub(crate) fn look(&self, _name: &str) -> Result<Stamp, Left> {
        match *self {}
    }

    pub(crate) fn holds(&self, _name: &str) -> bool {
        match *self {}
    }

    pub(crate) fn read(&self, _name: &str) -> Result<Vec<u8>, Left> {
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
