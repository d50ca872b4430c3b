//! From two documents to a delta: small, the same each time, never larger than replacing the root.
//!
//! Objects are compared member by member in the order of their names' bytes. Arrays of one length
//! are compared element by element; of two lengths, what they have in common in front and behind
//! is left alone first. Wherever the operations inside of a value would take more bytes than to
//! replace it, it is replaced.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use counterfoil_types::json::{JsonError, Map, Value};

use super::Delta;
use super::draft::{Draft, paid};
use super::error::DeltaError;
use super::operation::{Effect, Op};
use super::pointer::Pointer;
use super::size::{Size, digits, label_bytes, measure, same, string_bytes};
use super::write::cost;

/// The delta from `old` to `new`, both of them measured and within the limits.
pub(super) fn between(old: &Value, new: &Value) -> Result<Delta, DeltaError> {
    let mut comparison = Comparison::new();
    comparison
        .visit(ROOT, old, new)
        .map_err(DeltaError::Change)?;
    comparison.finish()
}

const ROOT: usize = 0;

/// The way to a value, kept as a link to its parent: written out, the paths of many values below a
/// long name would take that name as many times.
struct Place<'a> {
    parent: usize,
    token: Token<'a>,
    /// Of the pointer as a canonical string.
    path_bytes: usize,
}

#[derive(Clone, Copy)]
enum Token<'a> {
    Root,
    Name(&'a str),
    Index(usize),
}

/// Sizes of two values that were compared.
#[derive(Clone, Copy)]
struct Pair {
    old: Size,
    new: Size,
}

/// Differences found so far.
struct Comparison<'a> {
    places: Vec<Place<'a>>,
    found: Vec<(usize, Effect<&'a Value>)>,
    /// Size of the operations found so far.
    bytes: usize,
}

impl<'a> Comparison<'a> {
    fn new() -> Self {
        let root = Place {
            parent: ROOT,
            token: Token::Root,
            path_bytes: string_bytes(""),
        };
        Self {
            places: vec![root],
            found: Vec::new(),
            bytes: 0,
        }
    }

    /// Notes what differs at a place; whatever takes fewer bytes, inside or as a whole.
    fn visit(&mut self, place: usize, old: &'a Value, new: &'a Value) -> Result<Pair, JsonError> {
        let (found, bytes) = (self.found.len(), self.bytes);
        let pair = match (old, new) {
            (Value::Object(old), Value::Object(new)) => self.members(place, old, new)?,
            (Value::Array(old), Value::Array(new)) => self.elements(place, old, new)?,
            _ => {
                let pair = Pair::measure(old, new)?;
                if !same(old, new) {
                    self.note(place, Effect::Replace { old, value: new }, pair.replaced());
                }
                return Ok(pair);
            }
        };
        let whole = self.cost(place, pair.replaced());
        if whole < self.bytes.saturating_sub(bytes) {
            self.found.truncate(found);
            self.bytes = bytes;
            self.note(place, Effect::Replace { old, value: new }, pair.replaced());
        }
        Ok(pair)
    }

    fn members(&mut self, place: usize, old: &'a Map, new: &'a Map) -> Result<Pair, JsonError> {
        let mut pair = Pair::EMPTY;
        for name in names(old, new) {
            let label = label_bytes(name);
            let child = self.child(place, Token::Name(name));
            match (old.get(name), new.get(name)) {
                (Some(old), Some(new)) => pair = pair.with(self.visit(child, old, new)?, label),
                (Some(old), None) => pair.old = pair.old.with(self.removed(child, old)?, label),
                (None, Some(new)) => pair.new = pair.new.with(self.added(child, new)?, label),
                (None, None) => {}
            }
            self.forget(child);
        }
        Ok(pair)
    }

    fn elements(
        &mut self,
        place: usize,
        old: &'a [Value],
        new: &'a [Value],
    ) -> Result<Pair, JsonError> {
        let shared = Shared::of(old, new);
        let (old_middle, new_middle) = (shared.middle(old), shared.middle(new));
        let mut pair = Pair::EMPTY;
        for element in shared.around(old) {
            let size = measure(element)?;
            pair = pair.with(
                Pair {
                    old: size,
                    new: size,
                },
                0,
            );
        }
        let both = old_middle.iter().zip(new_middle);
        for (at, (old, new)) in (shared.front..).zip(both) {
            let child = self.child(place, Token::Index(at));
            pair = pair.with(self.visit(child, old, new)?, 0);
            self.forget(child);
        }
        for (position, element) in old_middle.iter().enumerate().skip(new_middle.len()).rev() {
            let child = self.child(place, Token::Index(shared.front + position));
            pair.old = pair.old.with(self.removed(child, element)?, 0);
        }
        for (position, element) in new_middle.iter().enumerate().skip(old_middle.len()) {
            let child = self.child(place, Token::Index(shared.front + position));
            pair.new = pair.new.with(self.added(child, element)?, 0);
        }
        Ok(pair)
    }

    fn added(&mut self, place: usize, value: &'a Value) -> Result<Size, JsonError> {
        let size = measure(value)?;
        self.note(place, Effect::Add(value), Effect::Add(size));
        Ok(size)
    }

    fn removed(&mut self, place: usize, old: &'a Value) -> Result<Size, JsonError> {
        let size = measure(old)?;
        self.note(place, Effect::Remove(old), Effect::Remove(size));
        Ok(size)
    }

    fn note(&mut self, place: usize, effect: Effect<&'a Value>, sizes: Effect<Size>) {
        self.bytes = self.bytes.saturating_add(self.cost(place, sizes));
        self.found.push((place, effect));
    }

    fn cost(&self, place: usize, sizes: Effect<Size>) -> usize {
        let path_bytes = self.places.get(place).map_or(0, |place| place.path_bytes);
        cost(path_bytes, sizes)
    }

    fn child(&mut self, parent: usize, token: Token<'a>) -> usize {
        let above = self.places.get(parent).map_or(0, |place| place.path_bytes);
        self.places.push(Place {
            parent,
            token,
            path_bytes: above + token.bytes(),
        });
        self.places.len() - 1
    }

    /// Drops a place at or below which nothing was noted.
    fn forget(&mut self, place: usize) {
        if self.found.last().is_none_or(|(last, _)| *last < place) {
            self.places.truncate(place);
        }
    }

    /// Only here values are cloned and paths written out, after the sum was checked.
    fn finish(self) -> Result<Delta, DeltaError> {
        paid(self.bytes)?;
        let mut draft = Draft::default();
        for (place, effect) in &self.found {
            draft.push(Op::new(self.pointer(*place), effect.map(Value::clone)));
        }
        Ok(draft.finish())
    }

    fn pointer(&self, place: usize) -> Pointer {
        let mut tokens = Vec::new();
        let mut at = self.places.get(place);
        while let Some(place) = at {
            match place.token {
                Token::Root => break,
                Token::Name(name) => tokens.push(Cow::Borrowed(name)),
                Token::Index(index) => tokens.push(Cow::Owned(index.to_string())),
            }
            at = self.places.get(place.parent);
        }
        Pointer::of(tokens.into_iter().rev())
    }
}

impl Token<'_> {
    /// Bytes of the slash and the token in a pointer as a canonical string.
    fn bytes(self) -> usize {
        let token = match self {
            Self::Root => return 0,
            Self::Index(index) => digits(u64::try_from(index).unwrap_or(u64::MAX)),
            Self::Name(name) => {
                let escaped = name.bytes().filter(|byte| matches!(byte, b'~' | b'/'));
                string_bytes(name) - string_bytes("") + escaped.count()
            }
        };
        token + 1
    }
}

impl Pair {
    const EMPTY: Self = Self {
        old: Size::EMPTY,
        new: Size::EMPTY,
    };

    fn measure(old: &Value, new: &Value) -> Result<Self, JsonError> {
        Ok(Self {
            old: measure(old)?,
            new: measure(new)?,
        })
    }

    fn with(self, child: Self, label: usize) -> Self {
        Self {
            old: self.old.with(child.old, label),
            new: self.new.with(child.new, label),
        }
    }

    const fn replaced(self) -> Effect<Size> {
        Effect::Replace {
            old: self.old,
            value: self.new,
        }
    }
}

/// Returns the number of elements that two arrays of different lengths share in front and behind.
struct Shared {
    front: usize,
    back: usize,
}

impl Shared {
    /// For one length there is nothing to find: elements keep their places.
    fn of(old: &[Value], new: &[Value]) -> Self {
        if old.len() == new.len() {
            return Self { front: 0, back: 0 };
        }
        let equal = |(old, new): &(&Value, &Value)| same(old, new);
        let front = old.iter().zip(new).take_while(equal).count();
        let shorter = old.len().min(new.len());
        let ends = old.iter().rev().zip(new.iter().rev());
        let back = ends.take(shorter - front).take_while(equal).count();
        Self { front, back }
    }

    fn middle<'v>(&self, elements: &'v [Value]) -> &'v [Value] {
        let end = elements.len() - self.back;
        elements.get(self.front..end).unwrap_or_default()
    }

    /// Shared part of one of the two arrays.
    fn around<'v>(&self, elements: &'v [Value]) -> impl Iterator<Item = &'v Value> {
        let behind = elements.len() - self.back;
        elements
            .iter()
            .take(self.front)
            .chain(elements.iter().skip(behind))
    }
}

/// The names of both objects, each once, in the order of their bytes.
fn names<'a>(old: &'a Map, new: &'a Map) -> Vec<&'a str> {
    let added = new.keys().filter(|name| !old.contains_key(*name));
    let mut names: Vec<&str> = old.keys().chain(added).map(String::as_str).collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Equal parts of large documents leave nothing behind but the root.
    #[test]
    fn places_without_a_difference_are_dropped() {
        let value = json!([[1, 2], {"a": {"b": []}}, 3]);
        let mut comparison = Comparison::new();
        comparison.visit(ROOT, &value, &value).unwrap();
        assert_eq!((comparison.places.len(), comparison.found.len()), (1, 0));
    }
}
