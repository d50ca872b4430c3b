//! Values, tables and selections: the vocabulary of rows between the rules and a backend.

use std::fmt::Debug;

use counterfoil_capsule::ChainId;
use counterfoil_types::json::Value as Json;
use counterfoil_types::{Blake3Hash, DidKey, WorldId};
use serde_json::json;

use crate::did_text::{did_of, did_text};

/// Value of one column.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// Absent.
    Null,
    /// Signed number of 64 bits.
    Integer(i64),
    /// Text in UTF-8.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

impl Value {
    /// The value in a line of JSON: bytes as an object with their hexadecimal digits.
    pub(crate) fn to_json(&self) -> Json {
        match self {
            Self::Null => Json::Null,
            Self::Integer(number) => json!(number),
            Self::Text(text) => json!(text),
            Self::Blob(bytes) => json!({ "hex": hex::encode(bytes) }),
        }
    }
}

/// Table with its columns, those of the primary key first.
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    /// Name of the table.
    pub name: &'static str,
    /// Names of the columns.
    pub columns: &'static [&'static str],
    /// Number of columns of the primary key.
    pub key: usize,
}

/// Selection of rows of one table, in the order of the primary key.
#[derive(Debug, Clone)]
pub struct Select {
    /// The table.
    pub table: &'static Table,
    /// Columns to read, in this order.
    pub columns: &'static [&'static str],
    /// Values that columns have in the selected rows.
    pub equal: Vec<(&'static str, Value)>,
    /// Least value of a column in the selected rows.
    pub from: Option<(&'static str, Value)>,
    /// Value that a column does not reach in the selected rows.
    pub below: Option<(&'static str, Value)>,
    /// True for the reverse order.
    pub reverse: bool,
    /// Maximum number of rows.
    pub limit: Option<u64>,
}

impl Select {
    /// All rows of the table of `R`.
    pub(crate) const fn of<R: Row>() -> Self {
        Self::all(R::TABLE)
    }

    /// All rows of a table.
    pub const fn all(table: &'static Table) -> Self {
        Self {
            table,
            columns: table.columns,
            equal: Vec::new(),
            from: None,
            below: None,
            reverse: false,
            limit: None,
        }
    }

    /// Rows whose key begins with `key`.
    pub(crate) fn keyed(table: &'static Table, key: &[Value]) -> Self {
        let columns = table.columns.iter().copied();
        Self {
            equal: columns.zip(key.iter().cloned()).collect(),
            ..Self::all(table)
        }
    }

    /// Those with `value` in `column`.
    pub(crate) fn with(mut self, column: &'static str, value: impl Field) -> Self {
        self.equal.push((column, value.value()));
        self
    }

    /// Those with `least` or more in `column`.
    pub(crate) fn from(mut self, column: &'static str, least: impl Field) -> Self {
        self.from = Some((column, least.value()));
        self
    }

    /// Those whose text in `column` begins with `prefix`.
    pub(crate) fn beginning(mut self, column: &'static str, prefix: &str) -> Self {
        let next = format!("{prefix}{}", char::MAX);
        self.below = Some((column, next.value()));
        self.from(column, prefix.to_owned())
    }

    /// The same rows, the last first.
    pub(crate) const fn reversed(mut self) -> Self {
        self.reverse = true;
        self
    }

    /// The first `limit` rows.
    pub(crate) const fn first(mut self, limit: u64) -> Self {
        self.limit = Some(limit);
        self
    }

    /// The same rows, with these columns alone.
    pub(crate) const fn only(mut self, columns: &'static [&'static str]) -> Self {
        self.columns = columns;
        self
    }
}

/// Row of a table as a value.
pub(crate) trait Row: Sized {
    /// The table.
    const TABLE: &'static Table;

    /// The columns, in the order of the table.
    fn values(&self) -> Vec<Value>;

    /// The row of these columns; `None` where one has another type.
    fn read(values: Vec<Value>) -> Option<Self>;
}

/// Value of a column in the types of the rules.
pub(crate) trait Field: Sized {
    /// The value as a backend keeps it.
    fn value(&self) -> Value;

    /// The value that a backend kept; `None` where it is of another type.
    fn read(value: Value) -> Option<Self>;
}

/// Value of one column, or a tuple of as many as are read.
pub(crate) trait Columns<const N: usize>: Sized {
    /// The next values; `None` where one has another type.
    fn of(values: &mut dyn Iterator<Item = Value>) -> Option<Self>;
}

impl<T: Field> Columns<1> for T {
    fn of(values: &mut dyn Iterator<Item = Value>) -> Option<Self> {
        T::read(values.next()?)
    }
}

macro_rules! columns {
    ($number:literal: $($column:ident),+) => {
        impl<$($column: Field),+> Columns<$number> for ($($column,)+) {
            fn of(values: &mut dyn Iterator<Item = Value>) -> Option<Self> {
                Some(($($column::read(values.next()?)?,)+))
            }
        }
    };
}

columns!(2: A, B);
columns!(3: A, B, C);
columns!(4: A, B, C, D);
columns!(6: A, B, C, D, E, F);

impl Field for Value {
    fn value(&self) -> Value {
        self.clone()
    }

    fn read(value: Value) -> Option<Self> {
        Some(value)
    }
}

impl Field for u64 {
    fn value(&self) -> Value {
        // A backend has no larger numbers. Saturated, the value is one that no row has.
        Value::Integer(i64::try_from(*self).unwrap_or(i64::MAX))
    }

    fn read(value: Value) -> Option<Self> {
        match value {
            Value::Integer(number) => Self::try_from(number).ok(),
            _ => None,
        }
    }
}

impl Field for i64 {
    fn value(&self) -> Value {
        Value::Integer(*self)
    }

    fn read(value: Value) -> Option<Self> {
        match value {
            Value::Integer(number) => Some(number),
            _ => None,
        }
    }
}

impl Field for String {
    fn value(&self) -> Value {
        Value::Text(self.clone())
    }

    fn read(value: Value) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Field for &str {
    fn value(&self) -> Value {
        Value::Text((*self).to_owned())
    }

    fn read(_: Value) -> Option<Self> {
        None
    }
}

impl<const N: usize> Field for [u8; N] {
    fn value(&self) -> Value {
        Value::Blob(self.to_vec())
    }

    fn read(value: Value) -> Option<Self> {
        Vec::read(value)?.try_into().ok()
    }
}

impl Field for Vec<u8> {
    fn value(&self) -> Value {
        Value::Blob(self.clone())
    }

    fn read(value: Value) -> Option<Self> {
        match value {
            Value::Blob(bytes) => Some(bytes),
            _ => None,
        }
    }
}

impl<T: Field> Field for Option<T> {
    fn value(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::value)
    }

    fn read(value: Value) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::read(value).map(Some),
        }
    }
}

impl Field for DidKey {
    fn value(&self) -> Value {
        Value::Text(did_text(self).as_ref().to_owned())
    }

    fn read(value: Value) -> Option<Self> {
        did_of(&String::read(value)?)
    }
}

impl Field for WorldId {
    fn value(&self) -> Value {
        Value::Text(String::from_utf8_lossy(self.opaque_bytes()).into_owned())
    }

    fn read(value: Value) -> Option<Self> {
        Self::new(String::read(value)?).ok()
    }
}

impl Field for ChainId {
    fn value(&self) -> Value {
        self.as_bytes().value()
    }

    fn read(value: Value) -> Option<Self> {
        Self::from_bytes(Field::read(value)?).ok()
    }
}

impl Field for Blake3Hash {
    fn value(&self) -> Value {
        self.as_bytes().value()
    }

    fn read(value: Value) -> Option<Self> {
        Field::read(value).map(Self::from_bytes)
    }
}
