//! Reads a JSON object member by member and reports everything that is wrong at once (§12).
//!
//! For crates that define further wire types in the same manner (the trace does): take each
//! member with its rule, then [`Fields::finish`].

use alloc::string::String;

use crate::json::{Map, Value};
use crate::shape::{ShapeError, Violations};

/// The members of an object that have not been read yet, and the violations of those that have.
#[derive(Debug)]
pub struct Fields {
    members: Map,
    wrong: Violations,
}

impl Fields {
    /// A value that is no object counts as one without members, as in §12's JavaScript.
    pub fn of(value: Value) -> Self {
        let members = match value {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        Self {
            members,
            wrong: Violations::default(),
        }
    }

    /// Takes a member as it is.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        self.members.remove(name)
    }

    /// Takes the members that were not read: unknown here, kept for others that know them.
    pub fn rest(&mut self) -> Map {
        core::mem::take(&mut self.members)
    }

    /// A required member, read by its own rule; its violations stand at this level.
    pub fn required<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&'static str, Value) -> Result<T, ShapeError>,
    ) -> Option<T> {
        let value = self.take(name).unwrap_or(Value::Null);
        self.keep(read(name, value))
    }

    /// An optional member: absent is fine, `null` is not absent.
    pub fn optional<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&'static str, Value) -> Result<T, ShapeError>,
    ) -> Option<T> {
        let value = self.take(name)?;
        self.keep(read(name, value))
    }

    /// A required nested value, whose violations stand behind its name.
    pub fn nested<T: TryFrom<Value, Error = ShapeError>>(
        &mut self,
        name: &'static str,
    ) -> Option<T> {
        let value = self.take(name).unwrap_or(Value::Null);
        self.keep_at(name, T::try_from(value))
    }

    /// An optional nested value; `null` is read and refused like any other wrong value.
    pub fn optional_nested<T: TryFrom<Value, Error = ShapeError>>(
        &mut self,
        name: &'static str,
    ) -> Option<T> {
        let value = self.take(name)?;
        self.keep_at(name, T::try_from(value))
    }

    /// Keeps a good value; records the violations of a bad one, at this level.
    pub fn keep<T>(&mut self, result: Result<T, ShapeError>) -> Option<T> {
        self.wrong.here(result)
    }

    /// Keeps a good value; records the violations of a bad one, behind its place.
    pub fn keep_at<T>(&mut self, place: &str, result: Result<T, ShapeError>) -> Option<T> {
        self.wrong.within(place, result)
    }

    /// The value, if nothing went wrong.
    ///
    /// # Errors
    /// Every violation that was recorded.
    pub fn finish<T>(self, value: impl FnOnce() -> Option<T>) -> Result<T, ShapeError> {
        self.wrong.finish(value())
    }
}

/// Reads a string.
///
/// # Errors
/// The value is no string.
pub fn text(name: &'static str, value: Value) -> Result<String, ShapeError> {
    match value {
        Value::String(text) => Ok(text),
        _ => Err(ShapeError::one(name, "be string")),
    }
}

/// Reads a string of at least one character.
///
/// # Errors
/// The value is no string, or empty.
pub fn non_empty_text(name: &'static str, value: Value) -> Result<String, ShapeError> {
    match value {
        Value::String(text) if !text.is_empty() => Ok(text),
        _ => Err(ShapeError::one(name, "be non-empty string")),
    }
}

/// Reads a boolean.
///
/// # Errors
/// The value is no boolean.
pub fn boolean(name: &'static str, value: Value) -> Result<bool, ShapeError> {
    value
        .as_bool()
        .ok_or_else(|| ShapeError::one(name, "be boolean"))
}

/// Reads an object.
///
/// # Errors
/// The value is no object.
pub fn object(name: &'static str, value: Value) -> Result<Map, ShapeError> {
    match value {
        Value::Object(members) => Ok(members),
        _ => Err(ShapeError::one(name, "be object")),
    }
}

/// Gives a struct its `TryFrom<Value>`: of each field the method of [`Fields`] that reads its member. A `required` or
/// `nested` one has to be there.
#[macro_export]
macro_rules! from_members {
    ($type:ident { $($field:ident: $read:ident($($rule:expr),*)),+ $(,)? }) => {
        impl TryFrom<$crate::json::Value> for $type {
            type Error = $crate::ShapeError;

            fn try_from(value: $crate::json::Value) -> Result<Self, $crate::ShapeError> {
                let mut fields = $crate::wire::Fields::of(value);
                $(let $field = fields.$read($($rule),*);)+
                fields.finish(|| Some(Self { $($field: $crate::from_members!(@ $read $field)),+ }))
            }
        }
    };
    (@ required $field:ident) => { $field? };
    (@ nested $field:ident) => { $field? };
    (@ $read:ident $field:ident) => { $field };
}

/// Gives a type the checked JSON entrance (`from_json`, `Deserialize`) over its `TryFrom<Value>`.
macro_rules! checked_json {
    ($type:ty, $limits:expr) => {
        crate::wire::from_json!($type, $limits);

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let value = crate::json::Strict::deserialize(from)?.into_value();
                Self::try_from(value).map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use checked_json;

/// Gives a type `from_json` over its `TryFrom<Value>`.
macro_rules! from_json {
    ($type:ty, $limits:expr) => {
        impl $type {
            /// Reads one from the bytes of a JSON document.
            ///
            /// # Errors
            /// [`ReadError::Json`](crate::ReadError::Json) if the bytes are not strict JSON within
            /// the limits, [`ReadError::Shape`](crate::ReadError::Shape) with every violation in
            /// the words of §12 if the JSON is something else.
            pub fn from_json(bytes: &[u8]) -> Result<Self, crate::ReadError> {
                Ok(Self::try_from(crate::json::parse_message(bytes, $limits)?)?)
            }
        }
    };
}
pub(crate) use from_json;
