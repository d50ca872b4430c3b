//! Asking for memories and being answered (§5.3; M-6).

use alloc::vec::Vec;

use serde::Serialize;

use crate::actor::ActorRef;
use crate::confidence::Confidence;
use crate::json::{Limits, Value, safe_integer};
use crate::limits::MAX_SELECTED;
use crate::memory::SelectedMemory;
use crate::shape::ShapeError;
use crate::text::Query;
use crate::time::UnixMillis;
use crate::wire::{Fields, boolean, checked_json};
use crate::world_id::WorldId;

/// An open interval of a World's `createdAt`, in milliseconds; both ends are excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct TimeRange {
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<UnixMillis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<UnixMillis>,
}

impl TimeRange {
    /// Takes the ends that are given; a missing end is open.
    ///
    /// # Errors
    /// `after` is not earlier than `before`: nothing could lie between.
    pub fn new(after: Option<UnixMillis>, before: Option<UnixMillis>) -> Result<Self, ShapeError> {
        match (after, before) {
            (Some(after), Some(before)) if after >= before => Err(ShapeError::one(
                "timeRange",
                "have after earlier than before",
            )),
            _ => Ok(Self { after, before }),
        }
    }

    /// The excluded lower end.
    pub const fn after(&self) -> Option<UnixMillis> {
        self.after
    }

    /// The excluded upper end.
    pub const fn before(&self) -> Option<UnixMillis> {
        self.before
    }

    /// Returns whether a time lies inside.
    pub fn contains(&self, time: UnixMillis) -> bool {
        self.after.is_none_or(|after| time > after)
            && self.before.is_none_or(|before| time < before)
    }
}

impl TryFrom<Value> for TimeRange {
    type Error = ShapeError;

    fn try_from(value: Value) -> Result<Self, ShapeError> {
        if !value.is_object() {
            return Err(ShapeError::one("timeRange", "be object"));
        }
        let mut fields = Fields::of(value);
        let after = fields.optional("after", UnixMillis::read);
        let before = fields.optional("before", UnixMillis::read);
        let (after, before) = fields.finish(|| Some((after, before)))?;
        Self::new(after, before)
    }
}

/// Constraints on selected memories (§5.3.2). The default asks for nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SelectionConstraints {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_results: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_confidence: Option<Confidence>,
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    require_verified: bool,
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    require_evidence: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_range: Option<TimeRange>,
}

impl SelectionConstraints {
    /// At most so many memories, 1 to [`MAX_SELECTED`].
    ///
    /// # Errors
    /// The number is 0 or above the limit.
    pub fn with_max_results(mut self, max_results: usize) -> Result<Self, ShapeError> {
        self.max_results = Some(check_max_results(max_results)?);
        Ok(self)
    }

    /// Only memories of at least this confidence.
    #[must_use]
    pub fn with_min_confidence(mut self, min_confidence: Confidence) -> Self {
        self.min_confidence = Some(min_confidence);
        self
    }

    /// Only memories whose verification passed.
    #[must_use]
    pub fn with_required_verification(mut self) -> Self {
        self.require_verified = true;
        self
    }

    /// Only memories with evidence of a method other than `none`.
    #[must_use]
    pub fn with_required_evidence(mut self) -> Self {
        self.require_evidence = true;
        self
    }

    /// Only Worlds created within this range.
    #[must_use]
    pub fn with_time_range(mut self, time_range: TimeRange) -> Self {
        self.time_range = Some(time_range);
        self
    }

    /// At most so many memories.
    pub const fn max_results(&self) -> Option<usize> {
        self.max_results
    }

    /// The least confidence.
    pub const fn min_confidence(&self) -> Option<Confidence> {
        self.min_confidence
    }

    /// Returns whether verification must have passed.
    pub const fn require_verified(&self) -> bool {
        self.require_verified
    }

    /// Returns whether evidence of a method other than `none` must be there.
    pub const fn require_evidence(&self) -> bool {
        self.require_evidence
    }

    /// Range that the World must have been created in.
    pub const fn time_range(&self) -> Option<TimeRange> {
        self.time_range
    }

    /// Returns whether a memory of a World created at `created_at` satisfies all constraints but the
    /// limit, checked in the order time range, confidence, verified, evidence.
    pub fn admits(&self, memory: &SelectedMemory, created_at: UnixMillis) -> bool {
        self.time_range
            .is_none_or(|range| range.contains(created_at))
            && self
                .min_confidence
                .is_none_or(|least| memory.confidence() >= least)
            && (!self.require_verified || memory.verified())
            && (!self.require_evidence || memory.has_required_evidence())
    }
}

fn check_max_results(found: usize) -> Result<usize, ShapeError> {
    match found {
        0 => Err(ShapeError::one("maxResults", "be positive integer")),
        _ if found > MAX_SELECTED => Err(ShapeError::at_most(
            "maxResults",
            MAX_SELECTED,
            "results",
            found,
        )),
        _ => Ok(found),
    }
}

fn max_results(name: &'static str, value: Value) -> Result<usize, ShapeError> {
    let count = safe_integer(&value).and_then(|count| usize::try_from(count).ok());
    check_max_results(count.ok_or_else(|| ShapeError::one(name, "be positive integer"))?)
}

fn min_confidence(name: &'static str, value: Value) -> Result<Confidence, ShapeError> {
    let number = value
        .as_f64()
        .ok_or_else(|| ShapeError::one(name, "be number"))?;
    Confidence::new(number).map_err(|_| ShapeError::one(name, "be in range [0, 1]"))
}

impl TryFrom<Value> for SelectionConstraints {
    type Error = ShapeError;

    fn try_from(value: Value) -> Result<Self, ShapeError> {
        if !value.is_object() {
            return Err(ShapeError::one("constraints", "be object"));
        }
        let mut fields = Fields::of(value);
        let constraints = Self {
            max_results: fields.optional("maxResults", max_results),
            min_confidence: fields.optional("minConfidence", min_confidence),
            require_verified: fields.optional("requireVerified", boolean).unwrap_or(false),
            require_evidence: fields.optional("requireEvidence", boolean).unwrap_or(false),
            time_range: fields.optional("timeRange", |_, value| TimeRange::try_from(value)),
        };
        fields.finish(|| Some(constraints))
    }
}

/// A request for memories (§5.3.1).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SelectionRequest {
    query: Query,
    at_world_id: WorldId,
    selector: ActorRef,
    #[serde(skip_serializing_if = "Option::is_none")]
    constraints: Option<SelectionConstraints>,
}

impl SelectionRequest {
    /// Asks, on behalf of `selector`, for memories that are relevant to `query` in the context of a World.
    pub const fn new(query: Query, at_world_id: WorldId, selector: ActorRef) -> Self {
        Self {
            query,
            at_world_id,
            selector,
            constraints: None,
        }
    }

    /// Adds constraints that every result must satisfy.
    #[must_use]
    pub fn with_constraints(mut self, constraints: SelectionConstraints) -> Self {
        self.constraints = Some(constraints);
        self
    }

    /// Search text.
    pub const fn query(&self) -> &Query {
        &self.query
    }

    /// The World in whose context the selection is made.
    pub const fn at_world_id(&self) -> &WorldId {
        &self.at_world_id
    }

    /// Actor that selects.
    pub const fn selector(&self) -> &ActorRef {
        &self.selector
    }

    /// Constraints on every result.
    pub const fn constraints(&self) -> Option<&SelectionConstraints> {
        self.constraints.as_ref()
    }
}

/// The answer to a request (§5.3.3). Made by a selector, which is impure: the same request may
/// be answered differently another time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SelectionResult {
    selected: Vec<SelectedMemory>,
    selected_at: UnixMillis,
}

impl SelectionResult {
    /// Puts an answer together, at most [`MAX_SELECTED`] memories, possibly none (MR-05).
    ///
    /// # Errors
    /// There are more memories than that.
    pub fn new(selected: Vec<SelectedMemory>, selected_at: UnixMillis) -> Result<Self, ShapeError> {
        let found = selected.len();
        if found > MAX_SELECTED {
            return Err(ShapeError::at_most(
                "selected",
                MAX_SELECTED,
                "memories",
                found,
            ));
        }
        Ok(Self {
            selected,
            selected_at,
        })
    }

    /// The memories, best first.
    pub fn selected(&self) -> &[SelectedMemory] {
        &self.selected
    }

    /// Time of the selection, by the selector's clock.
    pub const fn selected_at(&self) -> UnixMillis {
        self.selected_at
    }

    /// Reads the member `selected`, element by element, with the places of §12.
    ///
    /// # Errors
    /// It is no array, holds more than [`MAX_SELECTED`] elements, or any element is wrong.
    pub fn selected_from(value: Value) -> Result<Vec<SelectedMemory>, ShapeError> {
        let Value::Array(elements) = value else {
            return Err(ShapeError::one("selected", "be array"));
        };
        let found = elements.len();
        if found > MAX_SELECTED {
            return Err(ShapeError::at_most(
                "selected",
                MAX_SELECTED,
                "memories",
                found,
            ));
        }
        let mut fields = Fields::of(Value::Null);
        let selected = elements
            .into_iter()
            .enumerate()
            .filter_map(|(index, element)| {
                fields.keep_at(
                    &alloc::format!("selected[{index}]"),
                    SelectedMemory::try_from(element),
                )
            })
            .collect();
        fields.finish(|| Some(selected))
    }
}

crate::from_members!(SelectionRequest {
    query: required("query", Query::read),
    at_world_id: required("atWorldId", WorldId::read),
    selector: required("selector", ActorRef::read),
    constraints: optional_nested("constraints"),
});

checked_json!(SelectionRequest, Limits::DOCUMENT);
checked_json!(SelectionConstraints, Limits::PROOF);

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn an_interval_that_holds_nothing_is_refused() {
        let at = |millis| Some(UnixMillis::new(millis).unwrap());
        assert!(TimeRange::new(at(1), at(2)).is_ok());
        for (after, before) in [(2, 2), (3, 2)] {
            assert!(TimeRange::new(at(after), at(before)).is_err());
        }
    }

    #[test]
    fn both_ends_are_excluded() {
        let at = |millis| UnixMillis::new(millis).unwrap();
        let range = TimeRange::new(Some(at(10)), Some(at(20))).unwrap();
        let inside: Vec<u64> = [9, 10, 11, 19, 20, 21]
            .into_iter()
            .filter(|&ms| range.contains(at(ms)))
            .collect();
        assert_eq!(inside, [11, 19]);
    }

    #[test]
    fn null_constraints_are_refused() {
        let wire = r#"{"query":"q","atWorldId":"w","selector":{"actorId":"a","kind":"agent"},"constraints":null}"#;
        let error = SelectionRequest::from_json(wire.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), "constraints: constraints must be object");
    }
}
