//! One operation of a delta: a place, and what comes to stand there for what stood there before.

use counterfoil_types::json::Value;

use super::pointer::Pointer;

/// One operation. Its path names the root only in a replacement.
#[derive(Debug, Clone)]
pub(super) struct Op {
    path: Pointer,
    effect: Effect<Value>,
}

/// Effect of an operation at its place; `V` is the representation of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect<V> {
    /// A member that was absent, or an element before which the later ones move up.
    Add(V),
    /// Removes the old value; later elements move down.
    Remove(V),
    /// Replaces one value by another.
    Replace {
        /// Old value.
        old: V,
        /// New value.
        value: V,
    },
}

impl Op {
    pub(super) fn new(path: Pointer, effect: Effect<Value>) -> Self {
        Self { path, effect }
    }

    pub(super) const fn path(&self) -> &Pointer {
        &self.path
    }

    pub(super) fn effect(&self) -> Effect<&Value> {
        self.effect.as_ref()
    }

    /// The operation that undoes it.
    pub(super) fn inverse(&self) -> Self {
        Self {
            path: self.path.clone(),
            effect: self.effect.clone().inverse(),
        }
    }
}

impl<V> Effect<V> {
    /// The name of the operation in RFC 6902.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Add(_) => "add",
            Self::Remove(_) => "remove",
            Self::Replace { .. } => "replace",
        }
    }

    /// Returns the operation that undoes this one.
    #[must_use]
    pub fn inverse(self) -> Self {
        match self {
            Self::Add(value) => Self::Remove(value),
            Self::Remove(old) => Self::Add(old),
            Self::Replace { old, value } => Self::Replace {
                old: value,
                value: old,
            },
        }
    }

    /// The same effect over references.
    pub const fn as_ref(&self) -> Effect<&V> {
        match self {
            Self::Add(value) => Effect::Add(value),
            Self::Remove(old) => Effect::Remove(old),
            Self::Replace { old, value } => Effect::Replace { old, value },
        }
    }

    /// The same effect over what `to` makes of the values.
    pub fn map<W>(self, to: impl Fn(V) -> W) -> Effect<W> {
        match self {
            Self::Add(value) => Effect::Add(to(value)),
            Self::Remove(old) => Effect::Remove(to(old)),
            Self::Replace { old, value } => Effect::Replace {
                old: to(old),
                value: to(value),
            },
        }
    }

    pub(super) fn try_map<W, E>(self, to: impl Fn(V) -> Result<W, E>) -> Result<Effect<W>, E> {
        Ok(match self {
            Self::Add(value) => Effect::Add(to(value)?),
            Self::Remove(old) => Effect::Remove(to(old)?),
            Self::Replace { old, value } => Effect::Replace {
                old: to(old)?,
                value: to(value)?,
            },
        })
    }
}
