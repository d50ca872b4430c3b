//! From RFC 6902 to a delta: each operation is made on a working copy, and noted with what it took.

use alloc::string::ToString;

use counterfoil_types::json::Value;

use super::document::Document;
use super::draft::Draft;
use super::error::{DeltaError, kind};
use super::operation::{Effect, Op};
use super::pointer::Pointer;
use super::request::Request;
use super::size::{Size, measure, same};
use super::{Delta, MAX_OPERATIONS};

pub(super) fn normalise(document: &Value, patch: &Value) -> Result<Delta, DeltaError> {
    let Value::Array(operations) = patch else {
        return Err(DeltaError::NotAList {
            what: "patch",
            found: kind(patch),
        });
    };
    let (found, limit) = (operations.len(), MAX_OPERATIONS);
    if found > limit {
        return Err(DeltaError::TooManyOperations { found, limit });
    }
    let mut work = Work {
        document: Document::open(document).map_err(DeltaError::Document)?,
        draft: Draft::default(),
        number: 0,
    };
    for (number, operation) in operations.iter().enumerate() {
        work.number = number;
        work.make(Request::read(number, operation)?)?;
    }
    work.document.admitted().map_err(DeltaError::Result)?;
    Ok(work.draft.finish())
}

/// The document after the operations so far, and the delta that they are.
struct Work {
    document: Document,
    draft: Draft,
    /// Of the operation that is being made.
    number: usize,
}

impl Work {
    fn make(&mut self, request: Request<'_>) -> Result<(), DeltaError> {
        match request {
            Request::Add { path, value } => {
                let path = self.concrete(path)?;
                if self.occupied(&path)? {
                    self.settle(path, value)
                } else {
                    self.insert(path, value)
                }
            }
            Request::Replace { path, value } => self.settle(path, value),
            Request::Remove { path } => self.remove(path).map(drop),
            Request::Move { from, path } if from.contains(&path) => {
                Err(self.at(&path, DeltaError::IntoItself))
            }
            Request::Move { from, path } => {
                let found = self.find(&from)?;
                if from == path {
                    return Ok(());
                }
                self.draft.room(self.size(&from, found)?)?;
                let value = found.clone();
                self.remove(from)?;
                self.put(path, &value)
            }
            // A copy is noted even onto its equal, so that its cost is paid for.
            Request::Copy { from, path } => {
                let found = self.find(&from)?;
                self.draft.room(self.size(&from, found)?)?;
                let value = found.clone();
                self.put(path, &value)
            }
            Request::Test { path, value } => {
                let found = self.find(&path)?;
                if same(found, value) {
                    return Ok(());
                }
                let cause = DeltaError::TestFailed {
                    expected: kind(value),
                    found: kind(found),
                };
                Err(self.at(&path, cause))
            }
        }
    }

    /// `-` is the place behind the last element (RFC 6901 §4); in an object it is a name.
    fn concrete(&self, path: Pointer) -> Result<Pointer, DeltaError> {
        let Some((parent, token)) = path.split().filter(|(_, token)| token == "-") else {
            return Ok(path);
        };
        match self.document.look(parent) {
            Ok(Value::Array(elements)) => Ok(Pointer::below(parent, &elements.len().to_string())),
            Ok(_) => Ok(Pointer::below(parent, &token)),
            Err(cause) => Err(self.at(&path, cause)),
        }
    }

    /// Returns whether a value at this place replaces another.
    fn occupied(&self, path: &Pointer) -> Result<bool, DeltaError> {
        let Some((parent, token)) = path.split() else {
            return Ok(true);
        };
        let parent = self.document.look(parent);
        match parent.map_err(|cause| self.at(path, cause))? {
            Value::Object(members) => Ok(members.contains_key(&*token)),
            _ => Ok(false),
        }
    }

    /// Replaces, unless the value is there already.
    fn settle(&mut self, path: Pointer, value: &Value) -> Result<(), DeltaError> {
        if same(self.find(&path)?, value) {
            return Ok(());
        }
        self.replace(path, value)
    }

    fn replace(&mut self, path: Pointer, value: &Value) -> Result<(), DeltaError> {
        let old = self.size(&path, self.find(&path)?)?;
        let size = self.size(&path, value)?;
        let sizes = Effect::Replace { old, value: size };
        self.draft.charge(path.bytes(), sizes)?;
        let replaced = self.document.replace(&path, old, value, size);
        let old = replaced.map_err(|cause| self.at(&path, cause))?;
        let value = value.clone();
        self.draft
            .push(Op::new(path, Effect::Replace { old, value }));
        Ok(())
    }

    fn insert(&mut self, path: Pointer, value: &Value) -> Result<(), DeltaError> {
        let size = self.size(&path, value)?;
        self.draft.charge(path.bytes(), Effect::Add(size))?;
        let inserted = self.document.insert(&path, value, size);
        inserted.map_err(|cause| self.at(&path, cause))?;
        self.draft.push(Op::new(path, Effect::Add(value.clone())));
        Ok(())
    }

    fn remove(&mut self, path: Pointer) -> Result<(), DeltaError> {
        let size = self.size(&path, self.find(&path)?)?;
        self.draft.charge(path.bytes(), Effect::Remove(size))?;
        let removed = self.document.remove(&path, size);
        let old = removed.map_err(|cause| self.at(&path, cause))?;
        self.draft.push(Op::new(path, Effect::Remove(old)));
        Ok(())
    }

    fn put(&mut self, path: Pointer, value: &Value) -> Result<(), DeltaError> {
        let path = self.concrete(path)?;
        if self.occupied(&path)? {
            self.replace(path, value)
        } else {
            self.insert(path, value)
        }
    }

    fn find(&self, path: &Pointer) -> Result<&Value, DeltaError> {
        let found = self.document.find(path);
        found.map_err(|cause| self.at(path, cause))
    }

    fn size(&self, path: &Pointer, value: &Value) -> Result<Size, DeltaError> {
        measure(value).map_err(|error| self.at(path, DeltaError::Value(error)))
    }

    fn at(&self, path: &Pointer, cause: DeltaError) -> DeltaError {
        DeltaError::at(self.number, path.as_str(), cause)
    }
}
