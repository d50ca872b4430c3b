//! Arrays of a bounded length.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::{Serialize, Serializer};

/// `MIN` to `MAX` values; read element by element, so that a fault names the element.
///
/// A list that is left out when it is empty is an `Option<List<T, 1, MAX>>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List<T, const MIN: usize, const MAX: usize>(Vec<T>);

impl<T, const MIN: usize, const MAX: usize> List<T, MIN, MAX> {
    /// Takes `MIN` to `MAX` values; gives back none for another number of them.
    pub fn new(values: Vec<T>) -> Option<Self> {
        (MIN..=MAX).contains(&values.len()).then_some(Self(values))
    }

    /// The values.
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T, const MIN: usize, const MAX: usize> Deref for List<T, MIN, MAX> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T, const MAX: usize> Default for List<T, 0, MAX> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Serialize, const MIN: usize, const MAX: usize> Serialize for List<T, MIN, MAX> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(to)
    }
}

impl<'de, T: Deserialize<'de>, const MIN: usize, const MAX: usize> Deserialize<'de>
    for List<T, MIN, MAX>
{
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reading<T, const MIN: usize, const MAX: usize>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>, const MIN: usize, const MAX: usize> Visitor<'de>
            for Reading<T, MIN, MAX>
        {
            type Value = List<T, MIN, MAX>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match MIN {
                    0 => write!(f, "an array of at most {MAX}"),
                    _ => write!(f, "an array of {MIN} to {MAX}"),
                }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = from.next_element()? {
                    if items.len() == MAX {
                        return Err(A::Error::invalid_length(MAX, &self));
                    }
                    items.push(item);
                }
                let found = items.len();
                List::new(items).ok_or_else(|| A::Error::invalid_length(found, &self))
            }
        }
        from.deserialize_seq(Reading(PhantomData))
    }
}
