//! JSON Merge Patch (RFC 7396 §2).

use counterfoil_types::json::{Map, Value};

use super::document::Document;
use super::error::DeltaError;
use super::size::measure;

/// The document with the patch merged in. Both are measured first, so nothing recurses deep.
pub(super) fn merged(document: &Value, patch: &Value) -> Result<Value, DeltaError> {
    let size = measure(patch).and_then(|size| size.admitted());
    size.map_err(DeltaError::Change)?;
    let mut target = Document::open(document)
        .map_err(DeltaError::Document)?
        .into_value();
    merge(&mut target, patch);
    Ok(target)
}

fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(changes) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(members) = target else {
        return;
    };
    for (name, change) in changes {
        if change.is_null() {
            members.remove(name);
        } else {
            merge(members.entry(name.as_str()).or_insert(Value::Null), change);
        }
    }
}
