//! Change from one capsule of a chain to the next: a reversible delta, or the names of both
//! contents where no delta is small enough (CAP-3, capsules 4.3).

use counterfoil_capsule::delta::{self, Change};
use counterfoil_capsule::{BodyRef, CapsuleError, Header, SaltedBody, payload_hash};
use counterfoil_types::json::{self, Limits, Value};

use crate::capsule_log::{Draft, StoredCapsule, Subject};

/// Name in a header of a change that is kept as two whole contents.
pub const REPLACE: &str = "replace/1";

/// Every so many capsules of a chain the whole content is kept beside the delta, so that no content
/// is more deltas away from a whole one.
pub const SNAPSHOT_INTERVAL: u64 = 64;

/// Returns whether a backend that keeps deltas must keep the content of this capsule whole: it begins a
/// chain, has a multiple of [`SNAPSHOT_INTERVAL`] as its number, is a record, or its delta is incomplete.
pub fn is_whole(header: &Header) -> bool {
    let Some(named) = header.delta() else {
        return true;
    };
    header.seq().is_multiple_of(SNAPSHOT_INTERVAL)
        || header.world().is_none()
        || named.label() != Some(delta::FORMAT)
}

/// A change, and how the header of the later capsule names it.
pub(crate) struct Changed {
    pub(crate) body: SaltedBody,
    pub(crate) named: BodyRef,
}

/// The salts of the later capsule.
#[derive(Clone, Copy)]
pub(crate) struct Salts {
    pub(crate) payload: [u8; 32],
    pub(crate) delta: [u8; 32],
}

/// The change from the content of `before` to that of `draft`; `None` when the former is erased.
///
/// # Errors
/// When the new content has no canonical form or is too large.
pub(crate) fn between(
    before: &StoredCapsule,
    draft: &Draft,
    salts: Salts,
) -> Result<Option<Changed>, CapsuleError> {
    let Some(old) = &before.payload else {
        return Ok(None);
    };
    let new = content(draft)?;
    let (text, format) = match reversible(&old.text, draft) {
        Some(text) => (text, delta::FORMAT),
        None => (
            replacement(before, &payload_hash(&salts.payload, new.as_bytes())),
            REPLACE,
        ),
    };
    let salt = salts.delta;
    let named = BodyRef::delta(&salt, &text, format)?;
    let body = SaltedBody { text, salt };
    Ok(Some(Changed { body, named }))
}

/// The delta in canonical form, unless it would be beyond its limits.
fn reversible(old: &str, draft: &Draft) -> Option<String> {
    let old = json::admit(old.as_bytes(), Limits::CONTENT).ok()?;
    let new = match &draft.subject {
        Subject::World(world) => world.content_value(),
        Subject::Claim(claim) => claim.world().content_value(),
        Subject::Record { document, .. } => document,
    };
    let delta = delta::normalise(&old, Change::Replacement(new)).ok()?;
    delta.canonical().ok()
}

/// `{"new_hash":"blake3:…","old_hash":"blake3:…"}`: the addresses of both contents.
fn replacement(before: &StoredCapsule, new: &impl std::fmt::Display) -> String {
    let old = before.header.payload().hash();
    format!(r#"{{"new_hash":"{new}","old_hash":"{old}"}}"#)
}

fn content(draft: &Draft) -> Result<String, CapsuleError> {
    match &draft.subject {
        Subject::World(world) => Ok(world.content()?),
        Subject::Claim(claim) => Ok(claim.world().content()?),
        Subject::Record { document, .. } => canonical(document),
    }
}

fn canonical(document: &Value) -> Result<String, CapsuleError> {
    json::canonical(document).map_err(|source| CapsuleError::Json {
        what: "record",
        source,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use counterfoil_capsule::delta::Delta;
    use counterfoil_capsule::{AgentSigner, CapsuleId, Position, SecretKey, Stamp, seal_world};
    use counterfoil_types::{UnixMillis, WorldId};
    use serde_json::json;

    use super::*;

    const SALTS: Salts = Salts {
        payload: [1; 32],
        delta: [2; 32],
    };

    fn draft(id: &str, data: Value) -> Draft {
        let at = UnixMillis::new(1).unwrap();
        Draft::new(counterfoil_capsule::remember(WorldId::new(id).unwrap(), at, data).unwrap())
    }

    fn stored(data: Value) -> StoredCapsule {
        let signer = Arc::new(AgentSigner::new(SecretKey::from_seed([3; 32])));
        let stamp = Stamp::next(1_772_323_200_000_000, None).unwrap();
        let position = Position::seed(CapsuleId::from_parts(1, [1; 10]), stamp);
        let draft = draft("old", data);
        let sealed = seal_world(draft.world().unwrap(), &position, [4; 32], &*signer).unwrap();
        StoredCapsule::new(0, sealed, None)
    }

    /// CAP-3: the delta leads from the one content to the other and says only what differs.
    #[test]
    fn a_small_change_is_a_small_delta() {
        let before = stored(json!({ "long": "x".repeat(60_000), "short": "a" }));
        let next = draft("new", json!({ "long": "x".repeat(60_000), "short": "b" }));
        let changed = between(&before, &next, SALTS).unwrap().unwrap();
        assert_eq!(changed.named.label(), Some(delta::FORMAT));
        assert!(changed.body.text.len() < 600, "{}", changed.body.text);
        let old = before.payload.unwrap().text;
        let old = json::admit(old.as_bytes(), Limits::CONTENT).unwrap();
        let read = Delta::parse(changed.body.text.as_bytes()).unwrap();
        let new = read.apply(&old).unwrap();
        let expected = next.world().unwrap().content().unwrap();
        assert_eq!(json::canonical(&new).unwrap(), expected);
    }

    /// CAP-3, C14: what no delta holds is named by the addresses of both contents.
    #[test]
    fn a_change_beyond_the_limits_names_both_contents() {
        let before = stored(json!({ "text": "a".repeat(200_000) }));
        let next = draft("new", json!({ "text": "b".repeat(200_000) }));
        let changed = between(&before, &next, SALTS).unwrap().unwrap();
        assert_eq!(changed.named.label(), Some(REPLACE));
        let text = json::admit(changed.body.text.as_bytes(), Limits::CONTENT).unwrap();
        let content = next.world().unwrap().content().unwrap();
        let new = payload_hash(&SALTS.payload, content.as_bytes());
        assert_eq!(text["new_hash"], new.to_string());
        assert_eq!(text["old_hash"], before.header.payload().hash().to_string());
    }

    #[test]
    fn nothing_follows_an_erased_content() {
        let mut before = stored(json!({}));
        before.payload = None;
        let next = draft("new", json!({}));
        assert!(between(&before, &next, SALTS).unwrap().is_none());
    }
}
