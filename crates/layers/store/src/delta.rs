//! Change from one capsule of a chain to the next: a reversible delta, or the names of both
//! contents where no delta is small enough (CAP-3, capsules 4.3).

use counterfoil_capsule::delta::{self, Change, Delta};
use counterfoil_capsule::{
    BodyRef, CapsuleId, Header, Position, SaltedBody, Stamp, mutate_capsule, payload_hash,
};
use counterfoil_types::json::{self, Limits};

use crate::capsule_log::{Draft, StoredCapsule};
use crate::{StoreError, StoreLocation};

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

/// Returns the delta of a capsule from its text; `None` for one that cannot be undone, of another format.
pub fn reversible(header: &Header, text: &str) -> Option<Delta> {
    let label = header.delta()?.label();
    let is_known = label.is_none_or(|label| label == delta::FORMAT);
    is_known.then(|| Delta::parse(text.as_bytes()).ok())?
}

/// The salts of the later capsule.
#[derive(Clone, Copy)]
pub(crate) struct Salts {
    pub(crate) payload: [u8; 32],
    pub(crate) delta: [u8; 32],
}

/// Position of `draft`, whose canonical content is `new`, behind `before`, and the change: the delta of the draft, or else
/// the one from the one content to the other.
///
/// # Errors
/// [`StoreError::ContentErased`]; [`StoreError::Change`] when the draft's delta does not fit; [`StoreError::Seal`] when
/// the header has no room for it.
pub(crate) fn after(
    before: &StoredCapsule,
    (draft, new): (&Draft, &str),
    salts: Salts,
    place: (CapsuleId, Stamp),
) -> Result<(Position, SaltedBody), StoreError> {
    let chain = before.header.chain();
    let Some(old) = &before.payload else {
        return Err(StoreError::ContentErased { chain });
    };
    let damaged = |error| StoreError::corrupt(StoreLocation::entry("body", before.index), error);
    let old = json::admit(old.text.as_bytes(), Limits::CONTENT).map_err(damaged)?;
    let made = match &draft.delta {
        Some(delta) => Some(delta.clone()),
        None => delta::normalise(&old, Change::Replacement(draft.value())).ok(),
    };
    let Some(delta) = made else {
        let hash = payload_hash(&salts.payload, new.as_bytes());
        let text = delta::replacement(&before.header.payload().hash(), &hash);
        let named = BodyRef::delta(&salts.delta, &text, delta::REPLACE_FORMAT)
            .map_err(|error| draft.refused(error))?;
        let position = Position::after(&before.header, named, place.0, place.1);
        let salt = salts.delta;
        return Ok((position, SaltedBody { text, salt }));
    };
    let (position, payload, body) =
        mutate_capsule((&before.header, &old), (&delta, salts.delta), place)
            .map_err(StoreError::Change)?;
    match json::canonical(&payload) {
        Ok(payload) if payload == new => Ok((position, body)),
        _ => Err(StoreError::Bug("a draft that its delta does not lead to")),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use counterfoil_capsule::{AgentSigner, SecretKey, delta_hash, mutation_hash, seal_world};
    use counterfoil_types::json::Value;
    use counterfoil_types::{UnixMillis, World, WorldId};
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

    /// The header of the next capsule, and its delta.
    fn next(before: &StoredCapsule, draft: &Draft) -> Result<(Header, SaltedBody), StoreError> {
        let stamp = Stamp::next(1_772_323_200_000_001, None).unwrap();
        let place = (CapsuleId::from_parts(2, [2; 10]), stamp);
        let (position, body) = after(before, (draft, &draft.content()?), SALTS, place)?;
        let signer = AgentSigner::new(SecretKey::from_seed([3; 32]));
        let sealed = seal_world(draft.world().unwrap(), &position, SALTS.payload, &signer);
        Ok((sealed.unwrap().header, body))
    }

    /// CAP-3: the delta leads from the one content to the other and says only what differs.
    #[test]
    fn a_small_change_is_a_small_delta() {
        let before = stored(json!({ "long": "x".repeat(60_000), "short": "a" }));
        let draft = draft("new", json!({ "long": "x".repeat(60_000), "short": "b" }));
        let (header, body) = next(&before, &draft).unwrap();
        assert_eq!(header.delta().unwrap().label(), Some(delta::FORMAT));
        assert!(body.text.len() < 600, "{}", body.text);
        let old = before.payload.unwrap().text;
        let old = json::admit(old.as_bytes(), Limits::CONTENT).unwrap();
        let read = Delta::parse(body.text.as_bytes()).unwrap();
        let new = read.apply(&old).unwrap();
        let expected = draft.world().unwrap().content().unwrap();
        assert_eq!(json::canonical(&new).unwrap(), expected);
    }

    /// The delta of a draft is the one that is sealed, operation by operation, and the header names it; one that leads
    /// elsewhere is not sealed. (CAP-18, CAP-21)
    #[test]
    fn the_sealed_delta_is_the_one_that_was_given() {
        let before = stored(json!({ "a": 1, "b": 2 }));
        let text = &before.payload.as_ref().unwrap().text;
        let old = json::admit(text.as_bytes(), Limits::CONTENT).unwrap();
        // A comparison of the contents finds two replacements.
        let patch = json!([
            { "op": "remove", "path": "/data/a" },
            { "op": "add", "path": "/data/a", "value": 3 },
            { "op": "replace", "path": "/worldId", "value": "new" },
        ]);
        let delta = delta::normalise(&old, Change::Patch(&patch)).unwrap();
        let world = World::try_from(delta.apply(&old).unwrap()).unwrap();
        let (header, body) = next(&before, &Draft::new(world).by(delta.clone())).unwrap();
        assert_eq!(Delta::parse(body.text.as_bytes()), Ok(delta.clone()));
        let hash = delta_hash(&body.salt, body.text.as_bytes());
        assert_eq!(
            header.mutation(),
            Some(mutation_hash(&before.header.hash(), &hash))
        );
        assert_ne!(header.id(), before.header.id());
        let elsewhere = draft("new", json!({ "a": 4, "b": 2 })).by(delta);
        assert!(next(&before, &elsewhere).is_err());
    }

    /// CAP-3, C14: what no delta holds is named by the addresses of both contents.
    #[test]
    fn a_change_beyond_the_limits_names_both_contents() {
        let before = stored(json!({ "text": "a".repeat(200_000) }));
        let draft = draft("new", json!({ "text": "b".repeat(200_000) }));
        let (header, body) = next(&before, &draft).unwrap();
        assert_eq!(header.delta().unwrap().label(), Some(delta::REPLACE_FORMAT));
        let text = json::admit(body.text.as_bytes(), Limits::CONTENT).unwrap();
        assert_eq!(text["new_hash"], header.payload().hash().to_string());
        assert_eq!(text["old_hash"], before.header.payload().hash().to_string());
    }

    #[test]
    fn nothing_follows_an_erased_content() {
        let mut before = stored(json!({}));
        before.payload = None;
        let erased = next(&before, &draft("new", json!({})));
        assert!(matches!(erased, Err(StoreError::ContentErased { .. })));
    }
}
