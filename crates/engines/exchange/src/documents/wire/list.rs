//! Arrays of a bounded length. One that may be left out is never written empty, so that a document has one spelling.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::{Serialize, Serializer};

/// `MIN` to `MAX` of them.
#[derive(Debug, Clone)]
pub(in super::super) struct List<T, const MIN: usize, const MAX: usize>(
    pub(in super::super) Vec<T>,
);

/// A list that is left out when there is nothing in it.
pub(in super::super) fn list<F, T, const MAX: usize>(
    from: Vec<F>,
    write: impl Fn(F) -> T,
) -> Option<List<T, 1, MAX>> {
    (!from.is_empty()).then(|| List(from.into_iter().map(write).collect()))
}

/// What is in a list, if there is one.
pub(in super::super) fn items<F, T, const MIN: usize, const MAX: usize>(
    from: Option<List<F, MIN, MAX>>,
    read: impl Fn(F) -> T,
) -> Vec<T> {
    from.into_iter().flat_map(|list| list.0).map(read).collect()
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
                if items.len() < MIN {
                    return Err(A::Error::invalid_length(items.len(), &self));
                }
                Ok(List(items))
            }
        }
        from.deserialize_seq(Reading(PhantomData))
    }
}
