//! The cases, as `cases.json` has them.

use std::sync::LazyLock;

use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_types::{Proposal, SelectionRequest, VerificationProof, World, WorldId};

static CASES: LazyLock<Value> = LazyLock::new(|| {
    let text = include_str!("../cases.json");
    parse(text.as_bytes(), Limits::DOCUMENT).unwrap_or_default()
});

/// A proposal that no authority may approve.
pub(crate) struct Refused {
    pub(crate) rule: &'static str,
    pub(crate) about: &'static str,
    pub(crate) proposal: Proposal,
}

/// The Worlds that a store or a selector is checked with: it holds these, and no other is needed.
pub fn worlds() -> Vec<World> {
    let worlds = list("/worlds").iter();
    worlds
        .filter_map(|world| World::try_from(world.clone()).ok())
        .collect()
}

/// Identifiers of no World.
pub(crate) fn absent() -> Vec<WorldId> {
    let ids = list("/absent").iter().filter_map(Value::as_str);
    ids.filter_map(|id| WorldId::new(id).ok()).collect()
}

/// Requests, with what is special about each.
pub(crate) fn requests() -> Vec<(&'static str, SelectionRequest)> {
    let requests = list("/requests").iter();
    requests
        .filter_map(|case| {
            let request = SelectionRequest::try_from(case.get("request")?.clone());
            Some((case.get("about")?.as_str()?, request.ok()?))
        })
        .collect()
}

/// A proposal with one memory, which is claimed to be verified, and the proof of that memory.
pub(crate) fn sound() -> Option<(Proposal, VerificationProof)> {
    let proposal = Proposal::try_from(CASES.pointer("/proposals/sound")?.clone());
    let proof = VerificationProof::try_from(CASES.pointer("/proposals/proof")?.clone());
    proposal.ok().zip(proof.ok())
}

/// The sound proposal, broken in one place.
pub(crate) fn refused() -> Vec<Refused> {
    let broken = list("/proposals/refused").iter();
    broken
        .filter_map(|case| {
            let sound = CASES.pointer("/proposals/sound")?.clone();
            Some(Refused {
                rule: case.get("rule")?.as_str()?,
                about: case.get("about")?.as_str()?,
                proposal: Proposal::try_from(changed(sound, case.get("change")?)?).ok()?,
            })
        })
        .collect()
}

fn list(pointer: &str) -> &'static [Value] {
    let list = CASES.pointer(pointer).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

/// `document` after one operation of RFC 6902, `replace` or `remove` of a member.
fn changed(mut document: Value, change: &Value) -> Option<Value> {
    let path = change.get("path")?.as_str()?;
    match change.get("value") {
        Some(value) => *document.pointer_mut(path)? = value.clone(),
        None => {
            let (parent, name) = path.rsplit_once('/')?;
            document
                .pointer_mut(parent)?
                .as_object_mut()?
                .remove(name)?;
        }
    }
    Some(document)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A case that cannot be read would be left out without a word.
    #[test]
    fn every_case_is_read() {
        let sizes = ["worlds", "absent", "requests", "proposals/refused"]
            .map(|name| list(&format!("/{name}")).len());
        assert_eq!(sizes, [11, 9, 10, 23]);
        let read = [
            worlds().len(),
            absent().len(),
            requests().len(),
            refused().len(),
        ];
        assert_eq!(read, sizes);
        assert!(sound().is_some());
    }
}
