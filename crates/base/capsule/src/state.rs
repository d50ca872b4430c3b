//! The state of a version: what two versions of an evolving World have in common when they are the
//! same (decision 0007; capsules 4.3).

use alloc::string::{String, ToString};

use counterfoil_types::json::{self, Map, Value};
use counterfoil_types::{UnixMillis, WorldId};

use crate::error::CapsuleError;

/// Members that identify a version: its name, and its time of creation.
const IDENTITY: [&str; 2] = ["worldId", "createdAt"];

/// The canonical JSON of a World's content without `worldId` and `createdAt`. A rollback to a version
/// has the same, byte for byte.
///
/// # Errors
/// [`CapsuleError::Json`] when the content has no canonical form, [`CapsuleError::Document`] when it is no
/// object.
pub fn state_of(content: &Value) -> Result<String, CapsuleError> {
    let state = without_identity(content)?;
    json::canonical(&Value::Object(state)).map_err(|source| CapsuleError::Json {
        what: "World",
        source,
    })
}

/// The content with the state of `content` and another identity.
///
/// # Errors
/// [`CapsuleError::Document`] when the content is no object.
pub fn with_identity(
    content: &Value,
    world: &WorldId,
    created_at: UnixMillis,
) -> Result<Value, CapsuleError> {
    let mut members = without_identity(content)?;
    members.insert("worldId".to_string(), world.to_string().into());
    members.insert("createdAt".to_string(), created_at.value().into());
    Ok(Value::Object(members))
}

fn without_identity(content: &Value) -> Result<Map, CapsuleError> {
    let members = content.as_object();
    let members = members.ok_or_else(|| CapsuleError::at("World", "", "an object"))?;
    let kept = members
        .iter()
        .filter(|(name, _)| !IDENTITY.contains(&name.as_str()));
    Ok(kept
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_state_is_the_same_under_another_identity() {
        let first = json!({ "worldId": "a", "createdAt": 1, "data": { "worldId": "kept" } });
        let second = json!({ "createdAt": 2, "data": { "worldId": "kept" }, "worldId": "b" });
        assert_eq!(state_of(&first), state_of(&second));
        assert_eq!(state_of(&first).unwrap(), r#"{"data":{"worldId":"kept"}}"#);
        let id = WorldId::new("b").unwrap();
        let moved = with_identity(&first, &id, UnixMillis::new(2).unwrap());
        assert_eq!(moved.unwrap(), second);
        assert!(state_of(&json!([])).is_err());
    }
}
