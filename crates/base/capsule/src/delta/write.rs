//! Writes a delta in canonical form, and says what an operation takes before it is written.

use alloc::string::{String, ToString};

use counterfoil_types::json::{self, JsonError, Value};

use super::error::DeltaError;
use super::operation::{Effect, Op};
use super::size::Size;
use super::{Delta, MAX_DELTA_DEPTH};

// The members of each operation in the order of RFC 8785, with gaps for path and values.
const ADD: [&str; 3] = [r#"{"op":"add","path":"#, r#","value":"#, "}"];
const REMOVE: [&str; 3] = [r#"{"old":"#, r#","op":"remove","path":"#, "}"];
const REPLACE: [&str; 4] = [
    r#"{"old":"#,
    r#","op":"replace","path":"#,
    r#","value":"#,
    "}",
];

/// The list and the operation around a value.
const NESTING: usize = 2;

pub(super) fn canonical(delta: &Delta) -> Result<String, DeltaError> {
    let mut out = String::from("[");
    for (position, operation) in delta.operations.iter().enumerate() {
        if position > 0 {
            out.push(',');
        }
        write(&mut out, operation).map_err(DeltaError::Delta)?;
    }
    out.push(']');
    Ok(out)
}

fn write(out: &mut String, operation: &Op) -> Result<(), JsonError> {
    let path = json::canonical(&Value::String(operation.path().as_str().to_string()))?;
    match operation.effect().try_map(json::canonical)? {
        Effect::Add(value) => fill(out, ADD, [&path, &value]),
        Effect::Remove(old) => fill(out, REMOVE, [&old, &path]),
        Effect::Replace { old, value } => fill(out, REPLACE, [&old, &path, &value]),
    }
    Ok(())
}

fn fill<const F: usize, const G: usize>(out: &mut String, frame: [&str; F], gaps: [&str; G]) {
    let mut gaps = gaps.into_iter();
    for part in frame {
        out.push_str(part);
        out.push_str(gaps.next().unwrap_or(""));
    }
}

/// Bytes that an operation takes in a delta or in its inverse, whichever is more, with the comma
/// or bracket behind it; `usize::MAX` when it nests deeper than a delta may.
pub(super) fn cost(path_bytes: usize, effect: Effect<Size>) -> usize {
    let too_deep = |size: Size| size.depth + NESTING > MAX_DELTA_DEPTH;
    let (frame, values) = match effect {
        Effect::Add(size) | Effect::Remove(size) if too_deep(size) => return usize::MAX,
        Effect::Replace { old, value } if too_deep(old) || too_deep(value) => return usize::MAX,
        Effect::Add(size) | Effect::Remove(size) => (length(&REMOVE), size.bytes),
        Effect::Replace { old, value } => (length(&REPLACE), old.bytes + value.bytes),
    };
    frame + path_bytes + values + 1
}

fn length(frame: &[&str]) -> usize {
    frame.iter().map(|part| part.len()).sum()
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use serde_json::json;

    use super::super::pointer::Pointer;
    use super::super::size::measure;
    use super::*;

    /// Limits are held before anything is written, so the count must be that of the bytes.
    #[test]
    fn an_operation_costs_what_its_longer_direction_takes() {
        for effect in [
            Effect::Add(json!([1, "\n"])),
            Effect::Remove(json!({ "a\"": null })),
            Effect::Replace {
                old: json!(-0.5),
                value: json!({}),
            },
        ] {
            let sizes = effect.as_ref().try_map(measure).unwrap();
            let path: Pointer = "/a~1\"\u{1}/0".parse().unwrap();
            let charged = cost(path.bytes(), sizes);
            let operations = vec![Op::new(path, effect)];
            let delta = Delta { operations };
            let there = delta.canonical().unwrap().len();
            let back = delta.invert().canonical().unwrap().len();
            assert_eq!(charged + 1, there.max(back), "{delta:?}");
        }
    }
}
