//! `tombstone`: a memory is forgotten, for one actor or for all (MEM-MAINT-1..10).

use counterfoil_types::WorldId;
use counterfoil_types::document::{Fault, Line};
use serde::{Deserialize, Serialize};

use crate::document::Document;
use crate::error::{CapsuleError, line};
use crate::keys::MAX_REASON;
use crate::record::RecordKind;

counterfoil_types::words! {
    enum Scope {
        Actor = "actor",
        Global = "global",
    }
}

/// Statement that `actor` forgets a World.
///
/// ```json
/// {"type":"tombstone","version":"1","world":"…","scope":"actor","actor":"…","reason":"…"}
/// ```
/// With `"scope":"global"` also `decision`, and only then.
///
/// From here on no selection gives the World any more. It is not erased: the capsule and its body
/// stay, and it can be fetched by its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Tombstone {
    /// World that is forgotten.
    pub world: WorldId,
    scope: Scope,
    /// Actor that forgets it.
    pub actor: Line<MAX_REASON>,
    /// Reason, for people.
    pub reason: Line<MAX_REASON>,
    /// Decision of an authority by which the World is forgotten for all: the document in canonical form, or a name of it.
    /// `None`: it is forgotten for the actor alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Line<8192>>,
}

impl Document for Tombstone {
    const TYPE: &'static str = RecordKind::Tombstone.name();

    fn check(&self) -> Result<(), Fault> {
        if (self.scope == Scope::Global) != self.decision.is_some() {
            let must = "there when the scope is \"global\", and only then";
            return Err(Fault::new("/decision", must));
        }
        Ok(())
    }
}

impl Tombstone {
    /// States that `actor` forgets `world`: for all, where an authority decided so.
    ///
    /// # Errors
    /// [`CapsuleError::Document`] for an actor or a reason that is empty, longer than 1024 bytes or has
    /// control characters, and for a decision that is empty, longer than 8192 bytes or has any.
    pub fn new(
        world: WorldId,
        decision: Option<&str>,
        actor: &str,
        reason: &str,
    ) -> Result<Self, CapsuleError> {
        Ok(Self {
            world,
            scope: decision.map_or(Scope::Actor, |_| Scope::Global),
            actor: line(Self::TYPE, "/actor", actor)?,
            reason: line(Self::TYPE, "/reason", reason)?,
            decision: decision
                .map(|decision| line(Self::TYPE, "/decision", decision))
                .transpose()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::document::tests::is_closed;

    /// MEM-MAINT: what is written is read, and a global one names the authority's decision.
    #[test]
    fn a_tombstone_comes_back_as_it_was_written_and_nothing_else_does() {
        let good = [None, Some("sha256:00")].map(|decision| {
            let world = WorldId::new("world-1").unwrap();
            Tombstone::new(world, decision, "alice", "asked to").unwrap()
        });
        let wrong = [
            ("/scope", json!("global")),
            ("/scope", json!("everyone")),
            ("/decision", json!("sha256:00")),
            ("/reason", json!("")),
            ("/actor", json!(7)),
            ("/world", json!(null)),
            ("/more", json!(1)),
            ("/type", json!("redaction")),
            ("/version", json!("2")),
        ];
        is_closed(&good, &wrong);
    }
}
