//! Reads a delta, strictly: canonical bytes, closed members, sizes that hold in both directions.

use counterfoil_types::json::{self, Limits, Map, Value};

use super::draft::Draft;
use super::error::{DeltaError, beginning, kind};
use super::operation::{Effect, Op};
use super::request::place;
use super::size::measure;
use super::{Delta, MAX_DELTA_BYTES, MAX_DELTA_DEPTH};

/// Bytes bound the values: no JSON has more of these than of those.
const LIMITS: Limits = Limits {
    bytes: MAX_DELTA_BYTES,
    depth: MAX_DELTA_DEPTH,
    nodes: MAX_DELTA_BYTES,
};

pub(super) fn parse(bytes: &[u8]) -> Result<Delta, DeltaError> {
    json::admit(bytes, LIMITS)
        .map_err(DeltaError::Delta)?
        .try_into()
}

impl TryFrom<Value> for Delta {
    type Error = DeltaError;

    /// Reads a delta that lies in another document, of which the bytes were checked there.
    ///
    /// # Errors
    /// As [`Delta::parse`], but for the canonical form, which a value does not have.
    fn try_from(value: Value) -> Result<Self, DeltaError> {
        let found = kind(&value);
        let Value::Array(operations) = value else {
            return Err(DeltaError::NotAList {
                what: "delta",
                found,
            });
        };
        let mut draft = Draft::default();
        for (number, value) in operations.into_iter().enumerate() {
            let operation = operation(number, value)?;
            let sizes = operation.effect().try_map(measure);
            let sizes = sizes.map_err(DeltaError::Delta)?;
            draft.charge(operation.path().bytes(), sizes)?;
            draft.push(operation);
        }
        Ok(draft.finish())
    }
}

fn operation(number: usize, value: Value) -> Result<Op, DeltaError> {
    let Value::Object(members) = value else {
        return Err(wrong(number, "it", "an object"));
    };
    let mut members = Members { number, members };
    let path = place(number, "path", members.members.remove("path").as_ref())?;
    let name = members.members.remove("op");
    let effect = match name.as_ref().and_then(Value::as_str) {
        Some("add") => Effect::Add(members.take("value")?),
        Some("remove") => Effect::Remove(members.take("old")?),
        Some("replace") => Effect::Replace {
            old: members.take("old")?,
            value: members.take("value")?,
        },
        _ => return Err(wrong(number, "op", "\"add\", \"remove\" or \"replace\"")),
    };
    if let Some(name) = members.members.keys().next() {
        return Err(DeltaError::UnknownMember {
            operation: number,
            member: beginning(name),
        });
    }
    // The root is always there, so it can only be replaced.
    if path.is_root() && !matches!(effect, Effect::Replace { .. }) {
        let must = "a place below the root; the root can only be replaced";
        return Err(wrong(number, "path", must));
    }
    Ok(Op::new(path, effect))
}

/// Members of an operation that are not read yet.
struct Members {
    number: usize,
    members: Map,
}

impl Members {
    fn take(&mut self, member: &'static str) -> Result<Value, DeltaError> {
        let value = self.members.remove(member);
        value.ok_or_else(|| wrong(self.number, member, "there; null is a value too"))
    }
}

const fn wrong(operation: usize, member: &'static str, must: &'static str) -> DeltaError {
    DeltaError::Member {
        operation,
        member,
        must,
    }
}
