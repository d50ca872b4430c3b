//! Reads the members of a closed object, and names the one that is wrong.

use alloc::vec::Vec;

use counterfoil_types::json::{Map, Value};

use crate::{ClaimRef, UnitError};

pub(super) const REFERENCE: &str = "a reference: text of 1 to 1024 bytes";
pub(super) const TEXT: &str = "text";

/// An object whose members are all among those that are known.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    members: &'a Map,
}

pub(super) const fn wrong(member: &'static str, must: &'static str) -> UnitError {
    UnitError::Member { member, must }
}

impl<'a> Reading<'a> {
    pub(super) fn of(member: &'static str, value: &'a Value) -> Result<Self, UnitError> {
        let members = value.as_object().ok_or(wrong(member, "an object"))?;
        Ok(Self { members })
    }

    /// Fails on the first member that is not among those of the lists.
    pub(super) fn close(self, known: &[&[&str]]) -> Result<Self, UnitError> {
        let is_known = |name: &str| known.iter().any(|list| list.contains(&name));
        match self.members.keys().find(|name| !is_known(name)) {
            Some(name) => Err(UnitError::Unknown(name.chars().take(64).collect())),
            None => Ok(self),
        }
    }

    pub(super) fn optional(self, member: &str) -> Option<&'a Value> {
        self.members.get(member)
    }

    pub(super) fn is_empty(self) -> bool {
        self.members.is_empty()
    }

    pub(super) fn required(
        self,
        member: &'static str,
        must: &'static str,
    ) -> Result<&'a Value, UnitError> {
        self.optional(member).ok_or(wrong(member, must))
    }

    pub(super) fn text(self, member: &'static str) -> Result<&'a str, UnitError> {
        let value = self.required(member, TEXT)?;
        value.as_str().ok_or(wrong(member, TEXT))
    }

    pub(super) fn optional_text(self, member: &'static str) -> Result<Option<&'a str>, UnitError> {
        self.optional(member)
            .map(|value| value.as_str().ok_or(wrong(member, TEXT)))
            .transpose()
    }

    /// An integer that is not negative.
    pub(super) fn count(self, member: &'static str) -> Result<u64, UnitError> {
        const COUNT: &str = "an integer, 0 or more";
        let value = self.required(member, COUNT)?;
        value.as_u64().ok_or(wrong(member, COUNT))
    }

    /// The one of a closed list of words.
    pub(super) fn word<T>(
        self,
        member: &'static str,
        must: &'static str,
        named: impl Fn(&str) -> Option<T>,
    ) -> Result<T, UnitError> {
        let value = self.required(member, must)?;
        value.as_str().and_then(named).ok_or(wrong(member, must))
    }

    pub(super) fn reference(self, member: &'static str) -> Result<ClaimRef, UnitError> {
        reference(member, self.required(member, REFERENCE)?)
    }

    pub(super) fn optional_reference(
        self,
        member: &'static str,
    ) -> Result<Option<ClaimRef>, UnitError> {
        self.optional(member)
            .map(|value| reference(member, value))
            .transpose()
    }

    /// A list that is absent, or has 1 to `limit` entries, none twice.
    pub(super) fn list<T: PartialEq>(
        self,
        member: &'static str,
        limit: usize,
        read: impl Fn(&'static str, &'a Value) -> Result<T, UnitError>,
    ) -> Result<Vec<T>, UnitError> {
        let Some(value) = self.optional(member) else {
            return Ok(Vec::new());
        };
        let must = "a list that is not empty and not too long, with nothing twice";
        let entries = value.as_array().ok_or(wrong(member, must))?;
        if entries.is_empty() || entries.len() > limit {
            return Err(wrong(member, must));
        }
        let mut found: Vec<T> = Vec::with_capacity(entries.len());
        for entry in entries {
            let entry = read(member, entry)?;
            if found.contains(&entry) {
                return Err(wrong(member, must));
            }
            found.push(entry);
        }
        Ok(found)
    }

    pub(super) fn references(
        self,
        member: &'static str,
        limit: usize,
    ) -> Result<Vec<ClaimRef>, UnitError> {
        self.list(member, limit, reference)
    }
}

pub(super) fn reference(member: &'static str, value: &Value) -> Result<ClaimRef, UnitError> {
    value
        .as_str()
        .and_then(|text| ClaimRef::new(text).ok())
        .ok_or(wrong(member, REFERENCE))
}
