//! Forms of members with a limit: `#[serde(with = "…")]` reads and writes a member by them, and its schema is theirs (R20).

use alloc::vec::Vec;
use core::marker::PhantomData;

use counterfoil_capsule::Timestamp;
use counterfoil_claims::FactValue;
use counterfoil_types::Confidence;
use counterfoil_types::document::{List, Whole};
use counterfoil_types::json::Value;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::DocumentError;

/// `MIN` to `MAX` values. A list that may be left out is never written empty, so that a document has one spelling.
pub(crate) struct Items<T, const MIN: usize, const MAX: usize>(PhantomData<T>);

impl<T, const MIN: usize, const MAX: usize> Items<T, MIN, MAX> {
    pub(crate) fn serialize<S: Serializer>(items: &[T], to: S) -> Result<S::Ok, S::Error>
    where
        T: Serialize,
    {
        items.serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<T>, D::Error>
    where
        T: Deserialize<'de>,
    {
        List::<T, MIN, MAX>::deserialize(from).map(List::into_vec)
    }
}

/// A member of version `"1"` that drafts do not have.
pub(super) struct Required<T>(PhantomData<T>);

impl<T> Required<T> {
    pub(super) fn serialize<S: Serializer>(member: &Option<T>, to: S) -> Result<S::Ok, S::Error>
    where
        T: Serialize,
    {
        member.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error>
    where
        T: Deserialize<'de>,
    {
        T::deserialize(from).map(Some)
    }
}

/// An integer from `MIN` to `MAX`.
pub(super) struct Number<const MIN: u64, const MAX: u64>;

impl<const MIN: u64, const MAX: u64> Number<MIN, MAX> {
    pub(super) fn serialize<N: Copy + Into<u64>, S: Serializer>(
        number: &N,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.serialize_u64((*number).into())
    }

    pub(super) fn deserialize<'de, N: TryFrom<u64>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<N, D::Error> {
        let number = Whole::<MIN, MAX>::deserialize(from)?.get();
        N::try_from(number).map_err(|_| D::Error::custom("a smaller number"))
    }
}

/// An integer from `MIN` to `MAX`, or an absent member.
pub(super) struct MaybeNumber<const MIN: u64, const MAX: u64>;

impl<const MIN: u64, const MAX: u64> MaybeNumber<MIN, MAX> {
    pub(super) fn serialize<N: Copy + Into<u64>, S: Serializer>(
        number: &Option<N>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        number.map(Into::into).serialize(to)
    }

    pub(super) fn deserialize<'de, N: TryFrom<u64>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<N>, D::Error> {
        Number::<MIN, MAX>::deserialize(from).map(Some)
    }
}

/// A number from 0 to 1, or an absent member.
pub(super) struct Share;

impl Share {
    pub(super) fn serialize<S: Serializer>(share: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
        share.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
        Confidence::deserialize(from).map(|share| Some(share.value()))
    }
}

/// `true`, or an absent member: a document has one spelling.
pub(super) struct True;

impl True {
    pub(super) fn serialize<S: Serializer>(is_true: &bool, to: S) -> Result<S::Ok, S::Error> {
        is_true.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
        match bool::deserialize(from)? {
            true => Ok(true),
            false => Err(D::Error::custom("true, or absent")),
        }
    }
}

/// The value of a fact, or an absent member.
pub(super) struct Fact;

impl Fact {
    pub(super) fn serialize<S: Serializer>(
        value: &Option<FactValue>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_ref().map(FactValue::to_json).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<FactValue>, D::Error> {
        let value = FactValue::new(&Value::deserialize(from)?);
        let must = "at most 65,536 bytes, 8,192 values and 62 levels";
        value.map(Some).map_err(|_| D::Error::custom(must))
    }
}

/// Is a member in its usual value, which is left out?
pub(super) fn is_usual<T: Default + PartialEq>(member: &T) -> bool {
    *member == T::default()
}

/// Begin and end of a span of time.
pub(super) type Span = (Option<Timestamp>, Option<Timestamp>);

/// Checks that a span of time begins before it ends.
pub(super) fn check_order((from, until): Span) -> Result<(), DocumentError> {
    match (from, until) {
        (Some(from), Some(until)) if from >= until => Err(DocumentError::Incoherent(
            "query.time_range begins where it ends or later; let from be before until",
        )),
        _ => Ok(()),
    }
}
