//! What changes from one capsule of a chain to the next, until smaller deltas are made: the whole
//! content, in the reversible form of capsules 4.3 (`replace ""` covers roots).

use counterfoil_capsule::{BodyRef, CapsuleError};
use counterfoil_types::json;

use crate::capsule_log::{Body, Draft, StoredCapsule, Subject};

/// The format of a delta that this crate makes.
pub(crate) const FORMAT: &str = "rev-json-patch/1";

/// The delta from the content of `before` to that of `draft`; `None` when the former is erased.
pub(crate) fn between(
    before: &StoredCapsule,
    draft: &Draft,
    salt: [u8; 32],
) -> Result<Option<Body>, CapsuleError> {
    let Some(old) = &before.payload else {
        return Ok(None);
    };
    Ok(Some(Body {
        text: replacement(&old.text, &content(draft)?),
        salt,
    }))
}

/// `[{"old":...,"op":"replace","path":"","value":...}]`: canonical, since its parts are.
pub(crate) fn replacement(old: &str, new: &str) -> String {
    format!(r#"[{{"old":{old},"op":"replace","path":"","value":{new}}}]"#)
}

fn content(draft: &Draft) -> Result<String, CapsuleError> {
    match &draft.subject {
        Subject::World(world) => world.content(),
        Subject::Record { document, .. } => {
            json::canonical(document).map_err(|source| CapsuleError::Json {
                what: "record",
                source,
            })
        }
    }
}

/// How a header names a delta.
///
/// # Errors
/// Never with the format of this crate.
pub(crate) fn named(delta: &Body) -> Result<BodyRef, CapsuleError> {
    BodyRef::delta(&delta.salt, &delta.text, FORMAT)
}

#[cfg(test)]
mod tests {
    use counterfoil_types::json::{Limits, admit};

    use super::*;

    /// CAP 4.3: forward application by any RFC 6902 library, `old` for the way back.
    #[test]
    fn a_replacement_is_canonical_and_holds_both_contents() {
        let text = replacement(r#"{"a":1}"#, r#"{"b":[2]}"#);
        let delta = admit(text.as_bytes(), Limits::CONTENT).unwrap();
        assert_eq!(delta[0]["op"], "replace");
        assert_eq!(delta[0]["old"]["a"], 1);
        assert_eq!(delta[0]["value"]["b"][0], 2);
    }
}
