//! Values as cells of a line.

use counterfoil_store::StoreError;
use counterfoil_types::json::Value as Json;

use super::refused;
use crate::port::Value;

pub(super) fn unknown() -> StoreError {
    refused("a line is no change of this format")
}

/// Returns the values of `columns` cells, as [`Value::to_json`] writes them.
pub(super) fn values_of(cells: &[Json], columns: usize) -> Option<Vec<Value>> {
    let values = cells.iter().map(value_of);
    values
        .collect::<Option<Vec<_>>>()
        .filter(|values| values.len() == columns)
}

pub(super) fn value_of(cell: &Json) -> Option<Value> {
    match cell {
        Json::Null => Some(Value::Null),
        Json::Number(number) => number.as_i64().map(Value::Integer),
        Json::String(text) => Some(Value::Text(text.clone())),
        Json::Object(members) if members.len() == 1 => {
            let text = members.get("hex")?.as_str()?;
            let bytes = hex::decode(text).ok()?;
            (hex::encode(&bytes) == text).then_some(Value::Blob(bytes))
        }
        _ => None,
    }
}

pub(super) fn salt_of(cell: &Json) -> Option<[u8; 32]> {
    match value_of(cell)? {
        Value::Blob(bytes) => bytes.try_into().ok(),
        _ => None,
    }
}
