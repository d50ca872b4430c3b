//! The working copy of a document: changed in place with its size kept up, dropped when a step fails.

use alloc::borrow::Cow;

use counterfoil_types::json::{JsonError, Limits, Value};

use super::error::{DeltaError, beginning, kind};
use super::pointer::{self, Pointer};
use super::size::{Size, label_bytes, measure};

/// A document under change. Its size is that of the canonical form at each moment.
pub(super) struct Document {
    root: Value,
    bytes: usize,
    values: usize,
}

impl Document {
    /// Measures the document and clones it, which happens nowhere else.
    pub(super) fn open(document: &Value) -> Result<Self, JsonError> {
        let size = measure(document)?.admitted()?;
        Ok(Self {
            root: document.clone(),
            bytes: size.bytes,
            values: size.values,
        })
    }

    /// Checks the document against its limits. Depth is checked at each step.
    pub(super) fn admitted(&self) -> Result<(), JsonError> {
        let size = Size {
            bytes: self.bytes,
            values: self.values,
            depth: 0,
        };
        size.admitted().map(drop)
    }

    pub(super) fn into_value(self) -> Value {
        self.root
    }

    /// Returns the value at a place.
    pub(super) fn find(&self, path: &Pointer) -> Result<&Value, DeltaError> {
        self.look(path.as_str())
    }

    /// Returns the value at a place that is known to be a pointer.
    pub(super) fn look(&self, path: &str) -> Result<&Value, DeltaError> {
        pointer::tokens(path).try_fold(&self.root, |value, token| child(value, &token))
    }

    /// Inserts a clone of a value at an empty place, or before an element.
    pub(super) fn insert(
        &mut self,
        path: &Pointer,
        value: &Value,
        size: Size,
    ) -> Result<(), DeltaError> {
        shallow(path, size)?;
        let (parent, token) = self.parent(path)?;
        let punctuation = match parent {
            Value::Object(members) => {
                if let Some(found) = members.get(&*token) {
                    let found = kind(found);
                    return Err(DeltaError::Occupied { found });
                }
                let bytes = comma(members.len()) + label_bytes(&token);
                members.insert(token.into_owned(), value.clone());
                bytes
            }
            Value::Array(elements) => {
                let bytes = comma(elements.len());
                let at = up_to(&token, elements.len(), elements.len())?;
                elements.insert(at, value.clone());
                bytes
            }
            scalar => return Err(no_parts(scalar)),
        };
        self.bytes += size.bytes + punctuation;
        self.values += size.values;
        Ok(())
    }

    /// Removes the value at a place; `size` is its size.
    pub(super) fn remove(&mut self, path: &Pointer, size: Size) -> Result<Value, DeltaError> {
        let (parent, token) = self.parent(path)?;
        let (value, punctuation) = match parent {
            Value::Object(members) => {
                let value = members.remove(&*token).ok_or_else(|| no_member(&token))?;
                (value, comma(members.len()) + label_bytes(&token))
            }
            Value::Array(elements) => {
                let at = element(&token, elements.len())?;
                let value = elements.remove(at);
                (value, comma(elements.len()))
            }
            scalar => return Err(no_parts(scalar)),
        };
        self.shrink(size.bytes + punctuation, size.values);
        Ok(value)
    }

    /// Puts a clone of a value in the place of another, of which the size is `old`.
    pub(super) fn replace(
        &mut self,
        path: &Pointer,
        old: Size,
        value: &Value,
        size: Size,
    ) -> Result<Value, DeltaError> {
        shallow(path, size)?;
        let place = path
            .tokens()
            .try_fold(&mut self.root, |value, token| child_mut(value, &token))?;
        let replaced = core::mem::replace(place, value.clone());
        self.shrink(old.bytes, old.values);
        self.bytes += size.bytes;
        self.values += size.values;
        Ok(replaced)
    }

    fn parent<'p>(&mut self, path: &'p Pointer) -> Result<(&mut Value, Cow<'p, str>), DeltaError> {
        let (parent, token) = path.split().ok_or(DeltaError::Root)?;
        let place = pointer::tokens(parent)
            .try_fold(&mut self.root, |value, token| child_mut(value, &token))?;
        Ok((place, token))
    }

    fn shrink(&mut self, bytes: usize, values: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
        self.values = self.values.saturating_sub(values);
    }
}

fn child<'v>(value: &'v Value, token: &str) -> Result<&'v Value, DeltaError> {
    match value {
        Value::Object(members) => members.get(token).ok_or_else(|| no_member(token)),
        Value::Array(elements) => {
            let at = element(token, elements.len())?;
            elements.get(at).ok_or_else(|| beyond(at, elements.len()))
        }
        scalar => Err(no_parts(scalar)),
    }
}

fn child_mut<'v>(value: &'v mut Value, token: &str) -> Result<&'v mut Value, DeltaError> {
    match value {
        Value::Object(members) => members.get_mut(token).ok_or_else(|| no_member(token)),
        Value::Array(elements) => {
            let length = elements.len();
            let at = element(token, length)?;
            elements.get_mut(at).ok_or_else(|| beyond(at, length))
        }
        scalar => Err(no_parts(scalar)),
    }
}

/// The index of an element that is there.
fn element(token: &str, length: usize) -> Result<usize, DeltaError> {
    match length.checked_sub(1) {
        Some(last) => up_to(token, last, length),
        None => up_to(token, 0, length).and_then(|at| Err(beyond(at, length))),
    }
}

fn up_to(token: &str, last: usize, length: usize) -> Result<usize, DeltaError> {
    let at = pointer::index(token).ok_or_else(|| DeltaError::NotAnIndex {
        token: beginning(token),
    })?;
    if at <= last {
        Ok(at)
    } else {
        Err(beyond(at, length))
    }
}

/// Held before anything is cloned: what recurses over a document may rely on its depth.
fn shallow(path: &Pointer, size: Size) -> Result<(), DeltaError> {
    let limit = Limits::CONTENT.depth;
    if path.depth() + size.depth > limit {
        return Err(DeltaError::Value(JsonError::TooDeep { limit }));
    }
    Ok(())
}

fn comma(others: usize) -> usize {
    usize::from(others > 0)
}

const fn beyond(index: usize, length: usize) -> DeltaError {
    DeltaError::BeyondEnd { index, length }
}

fn no_member(name: &str) -> DeltaError {
    let name = beginning(name);
    DeltaError::NoMember { name }
}

const fn no_parts(value: &Value) -> DeltaError {
    let found = kind(value);
    DeltaError::NoParts { found }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn place(text: &str) -> Pointer {
        text.parse().unwrap()
    }

    /// Adversarial case C47: the size that limits are checked against is never behind the document.
    #[test]
    fn the_size_follows_every_step() {
        let mut document = Document::open(&json!({ "a\"": [], "b": { "c": 1 } })).unwrap();
        let value = json!({ "x": [1, "\n"] });
        let size = measure(&value).unwrap();
        let one = measure(&json!(1)).unwrap();
        document.insert(&place("/a\"/0"), &value, size).unwrap();
        held(&document);
        document.insert(&place("/a\"/0"), &value, size).unwrap();
        held(&document);
        document.remove(&place("/a\"/1"), size).unwrap();
        held(&document);
        document.replace(&place("/b/c"), one, &value, size).unwrap();
        held(&document);
        document.remove(&place("/b/c"), size).unwrap();
        held(&document);
        document.insert(&place("/\u{1}"), &json!(1), one).unwrap();
        held(&document);
    }

    fn held(document: &Document) {
        let size = measure(&document.root).unwrap();
        assert_eq!((document.bytes, document.values), (size.bytes, size.values));
    }

    #[test]
    fn a_value_may_not_lie_deeper_than_a_document() {
        let nested = |depth| (0..depth).fold(json!(0), |value, _| json!([value]));
        let mut document = Document::open(&json!([nested(62)])).unwrap();
        let deep = nested(64);
        let refused = document.insert(&place("/0"), &deep, measure(&deep).unwrap());
        assert_eq!(
            refused,
            Err(DeltaError::Value(JsonError::TooDeep { limit: 64 }))
        );
        let fits = nested(63);
        assert!(
            document
                .insert(&place("/0"), &fits, measure(&fits).unwrap())
                .is_ok()
        );
    }
}
