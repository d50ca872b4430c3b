//! Members of a draft by name, with errors that name the member.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_capsule::Timestamp;
use counterfoil_claims::time::Boundary;
use counterfoil_types::document::{Whole, read};
use counterfoil_types::json::Value;
use counterfoil_types::{Confidence, MAX_SAFE_INTEGER};
use serde::Deserialize;

use super::super::DocumentError;

/// A value of a draft.
pub(super) struct Look<'a> {
    pub(super) value: &'a Value,
    /// Its JSON Pointer.
    at: String,
}

impl<'a> Look<'a> {
    /// The whole draft.
    pub(super) const fn at(value: &'a Value) -> Self {
        let at = String::new();
        Self { value, at }
    }

    /// The error of another value than this one must be.
    pub(super) fn wrong(&self, must: impl Into<String>) -> DocumentError {
        DocumentError::at(self.at.clone(), must)
    }

    /// A member that is present.
    pub(super) fn member(&self, name: &str) -> Option<Self> {
        let value = self.value.get(name)?;
        let says = !value.is_null() && value.as_str() != Some("");
        says.then(|| Self {
            value,
            at: format!("{}/{name}", self.at),
        })
    }

    /// A member that must be present.
    pub(super) fn required(&self, name: &str) -> Result<Self, DocumentError> {
        let missing = || DocumentError::at(format!("{}/{name}", self.at), "there");
        self.member(name).ok_or_else(missing)
    }

    /// A member in `header` or at the top.
    pub(super) fn header(&self, name: &str) -> Option<Self> {
        let header = self.member("header");
        let inner = header.and_then(|header| header.member(name));
        inner.or_else(|| self.member(name))
    }

    /// A member in `header` or at the top that must be present.
    pub(super) fn required_header(&self, name: &str) -> Result<Self, DocumentError> {
        self.header(name).map_or_else(|| self.required(name), Ok)
    }

    /// Reads it in the form of version `"1"`.
    pub(super) fn read<T: Deserialize<'a>>(&self) -> Result<T, DocumentError> {
        read(self.value).map_err(|fault| DocumentError::Member(fault.under(&self.at)))
    }

    /// Reads a member, if it is present.
    pub(super) fn read_of<T: Deserialize<'a>>(
        &self,
        name: &str,
    ) -> Result<Option<T>, DocumentError> {
        self.member(name).map(|member| member.read()).transpose()
    }

    /// Reads a member that is used only if it has the form of version `"1"`.
    pub(super) fn usable<T: Deserialize<'a>>(&self, name: &str) -> Option<T> {
        self.read_of(name).ok().flatten()
    }

    /// An instant in UTC as RFC 3339 writes it.
    pub(super) fn time(&self) -> Result<Timestamp, DocumentError> {
        let text = self.value.as_str().unwrap_or_default();
        let utc = ["Z", "z", "+00:00"].iter().any(|end| text.ends_with(end));
        let instant = |boundary: &Boundary| utc && boundary.is_instant();
        let boundary = Boundary::parse(text).ok().filter(instant);
        let micros = boundary.and_then(|boundary| u64::try_from(boundary.begin()).ok());
        let at = micros.and_then(|micros| Timestamp::from_micros(micros).ok());
        at.ok_or_else(|| self.wrong("a time in UTC, such as 2026-02-10T00:00:00Z"))
    }

    /// The time of a member, if it is present.
    pub(super) fn time_of(&self, name: &str) -> Result<Option<Timestamp>, DocumentError> {
        self.member(name).map(|member| member.time()).transpose()
    }

    /// A number from 0 to 1 (R20).
    pub(super) fn share_of(&self, name: &str) -> Result<Option<f64>, DocumentError> {
        let share: Option<Confidence> = self.read_of(name)?;
        Ok(share.map(Confidence::value))
    }

    /// An integer from 0 to 2^53 - 1.
    pub(super) fn count_of(&self, name: &str) -> Result<Option<u64>, DocumentError> {
        let count: Option<Whole<0, MAX_SAFE_INTEGER>> = self.read_of(name)?;
        Ok(count.map(Whole::get))
    }

    /// A truth value.
    pub(super) fn flag_of(&self, name: &str) -> Result<Option<bool>, DocumentError> {
        let flag = |member: Self| {
            let flag = member.value.as_bool();
            flag.ok_or_else(|| member.wrong("true or false"))
        };
        self.member(name).map(flag).transpose()
    }

    /// The items of an array, at most `most`; another value is the only item.
    pub(super) fn each(self, most: usize) -> Result<Vec<Self>, DocumentError> {
        let Value::Array(items) = self.value else {
            return Ok(Vec::from([self]));
        };
        if items.len() > most {
            return Err(self.wrong(format!("an array of at most {most}")));
        }
        let under = |(at, value): (usize, &'a Value)| {
            let at = [&self.at, "/", &at.to_string()].concat();
            Self { value, at }
        };
        Ok(items.iter().enumerate().map(under).collect())
    }

    /// Reads the items of a member, none if it is absent.
    pub(super) fn each_of<T>(
        &self,
        name: &str,
        most: usize,
        read: impl Fn(&Self) -> Result<T, DocumentError>,
    ) -> Result<Vec<T>, DocumentError> {
        let Some(member) = self.member(name) else {
            return Ok(Vec::new());
        };
        member.each(most)?.iter().map(read).collect()
    }

    /// An error of a document that lies here.
    pub(super) fn nested(&self, error: DocumentError) -> DocumentError {
        error.under(&self.at)
    }
}
