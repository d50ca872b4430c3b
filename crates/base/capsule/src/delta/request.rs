//! One operation of an RFC 6902 patch, as it comes; members that it does not need are ignored.

use counterfoil_types::json::Value;

use super::error::DeltaError;
use super::pointer::Pointer;

const NAMES: &str = "\"add\", \"remove\", \"replace\", \"move\", \"copy\" or \"test\"";

/// Operation of a patch (RFC 6902 §4).
pub(super) enum Request<'p> {
    Add { path: Pointer, value: &'p Value },
    Remove { path: Pointer },
    Replace { path: Pointer, value: &'p Value },
    Move { from: Pointer, path: Pointer },
    Copy { from: Pointer, path: Pointer },
    Test { path: Pointer, value: &'p Value },
}

impl<'p> Request<'p> {
    pub(super) fn read(number: usize, operation: &'p Value) -> Result<Self, DeltaError> {
        if !operation.is_object() {
            return Err(wrong(number, "it", "an object"));
        }
        let name = operation.get("op").and_then(Value::as_str);
        let path = place(number, "path", operation.get("path"))?;
        let from = || place(number, "from", operation.get("from"));
        let value = || {
            let value = operation.get("value");
            value.ok_or(wrong(number, "value", "there; null is a value too"))
        };
        Ok(match name {
            Some("add") => Self::Add {
                path,
                value: value()?,
            },
            Some("remove") => Self::Remove { path },
            Some("replace") => Self::Replace {
                path,
                value: value()?,
            },
            Some("move") => Self::Move {
                from: from()?,
                path,
            },
            Some("copy") => Self::Copy {
                from: from()?,
                path,
            },
            Some("test") => Self::Test {
                path,
                value: value()?,
            },
            _ => return Err(wrong(number, "op", NAMES)),
        })
    }
}

/// The pointer that a member holds.
pub(super) fn place(
    number: usize,
    member: &'static str,
    value: Option<&Value>,
) -> Result<Pointer, DeltaError> {
    let text = value.and_then(Value::as_str);
    let text = text.ok_or(wrong(number, member, "a JSON pointer (RFC 6901)"))?;
    text.parse()
        .map_err(|cause: DeltaError| DeltaError::at(number, text, cause))
}

const fn wrong(operation: usize, member: &'static str, must: &'static str) -> DeltaError {
    DeltaError::Member {
        operation,
        member,
        must,
    }
}
