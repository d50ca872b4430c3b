//! Looks into a draft by name, and says which member is not what it must be.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_capsule::Timestamp;
use counterfoil_claims::time::{Boundary, Granularity};
use counterfoil_types::json::Value;

use super::super::wire::{Share, Spelled, Whole, read};
use super::super::{DocumentError, DocumentKind, Member};

/// A value, and where it stands.
pub(super) struct Look<'a> {
    value: &'a Value,
    at: String,
}

impl<'a> Look<'a> {
    /// The whole.
    pub(super) const fn at(value: &'a Value) -> Self {
        Self {
            value,
            at: String::new(),
        }
    }

    pub(super) const fn value(&self) -> &'a Value {
        self.value
    }

    pub(super) fn wrong(&self, must: impl Into<String>) -> DocumentError {
        DocumentError::Member {
            at: Member(self.at.clone()),
            must: must.into(),
        }
    }

    /// A member that says something.
    pub(super) fn member(&self, name: &str) -> Option<Self> {
        let value = self.value.get(name)?;
        let says = !value.is_null() && value.as_str() != Some("");
        says.then(|| Self {
            value,
            at: format!("{}/{name}", self.at),
        })
    }

    /// A member that must be there.
    pub(super) fn required(&self, name: &str) -> Result<Self, DocumentError> {
        let at = format!("{}/{name}", self.at);
        self.member(name).ok_or(DocumentError::Member {
            at: Member(at),
            must: "there".into(),
        })
    }

    /// A member that stands in `header` or at the top.
    pub(super) fn header(&self, name: &str) -> Option<Self> {
        self.member("header")
            .and_then(|header| header.member(name))
            .or_else(|| self.member(name))
    }

    /// As text of one spelling.
    pub(super) fn text<T: Spelled>(&self) -> Result<T, DocumentError> {
        let text = self.value.as_str().and_then(T::read);
        text.ok_or_else(|| self.wrong(T::must()))
    }

    /// A member as text of one spelling.
    pub(super) fn text_of<T: Spelled>(&self, name: &str) -> Result<Option<T>, DocumentError> {
        self.member(name).map(|member| member.text()).transpose()
    }

    /// An instant as RFC 3339 writes it, in UTC.
    pub(super) fn time(&self) -> Result<Timestamp, DocumentError> {
        let text = self.value.as_str().unwrap_or_default();
        let utc = ["Z", "z", "+00:00"].iter().any(|end| text.ends_with(end));
        let instant = |boundary: &Boundary| utc && boundary.granularity() == Granularity::Instant;
        let boundary = Boundary::parse(text).ok().filter(instant);
        let micros = boundary.and_then(|boundary| u64::try_from(boundary.begin()).ok());
        let at = micros.and_then(|micros| Timestamp::from_micros(micros).ok());
        at.ok_or_else(|| self.wrong("a time in UTC, such as 2026-02-10T00:00:00Z"))
    }

    pub(super) fn time_of(&self, name: &str) -> Result<Option<Timestamp>, DocumentError> {
        self.member(name).map(|member| member.time()).transpose()
    }

    /// A number from 0 to 1 (R20).
    pub(super) fn share_of(&self, name: &str) -> Result<Option<f64>, DocumentError> {
        let share = |member: Self| {
            let share: Share = member.as_ours(DocumentKind::Attestation)?;
            Ok(share.0)
        };
        self.member(name).map(share).transpose()
    }

    /// A whole number of which more is never meant seriously.
    pub(super) fn count_of(&self, name: &str) -> Result<Option<u64>, DocumentError> {
        let count = |member: Self| {
            let count: Whole<0, { counterfoil_types::MAX_SAFE_INTEGER }> =
                member.as_ours(DocumentKind::Response)?;
            Ok(count.get())
        };
        self.member(name).map(count).transpose()
    }

    pub(super) fn flag_of(&self, name: &str) -> Result<Option<bool>, DocumentError> {
        let flag = |member: Self| {
            member
                .value
                .as_bool()
                .ok_or_else(|| member.wrong("true or false"))
        };
        self.member(name).map(flag).transpose()
    }

    /// Just as ours.
    pub(super) fn as_ours<T: serde::Deserialize<'a>>(
        &self,
        kind: DocumentKind,
    ) -> Result<T, DocumentError> {
        read(kind, self.value).map_err(|error| error.under(&self.at))
    }

    /// What is in an array, of at most `most`; one alone stands for an array of it.
    pub(super) fn each(&self, most: usize) -> Result<Vec<Self>, DocumentError> {
        let Value::Array(items) = self.value else {
            return Ok(Vec::from([Self {
                value: self.value,
                at: self.at.clone(),
            }]));
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

    /// The texts of an array, if there is one.
    pub(super) fn texts_of<T: Spelled>(
        &self,
        name: &str,
        most: usize,
    ) -> Result<Vec<T>, DocumentError> {
        let Some(member) = self.member(name) else {
            return Ok(Vec::new());
        };
        member.each(most)?.iter().map(Self::text).collect()
    }

    /// The same error, of what lies here.
    pub(super) fn nested(&self, error: DocumentError) -> DocumentError {
        error.under(&self.at)
    }
}
