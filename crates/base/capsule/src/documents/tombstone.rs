//! `tombstone`: a memory is forgotten, for one actor or for all (MEM-MAINT-1..10).

use alloc::string::{String, ToString};

use counterfoil_types::WorldId;
use counterfoil_types::json::Value;

use crate::error::CapsuleError;
use crate::keys::reading::{REASON, Reading, document, is_reason, written};
use crate::record::RecordKind;

const KIND: RecordKind = RecordKind::Tombstone;
const MEMBERS: [&str; 5] = ["actor", "decision", "reason", "scope", "world"];

/// For whom a memory is forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// For the actor that forgets it.
    Actor,
    /// For all. An authority decided so; this keeps its decision.
    Global {
        /// The decision: the document in canonical form, or what names it; 1 to 8192 bytes of text.
        decision: String,
    },
}

/// ```json
/// {"type":"tombstone","version":"1","world":"…","scope":"actor","actor":"…","reason":"…"}
/// ```
/// With `"scope":"global"` also `decision`, and only then.
///
/// From here on no selection gives the World any more. It is not erased: the capsule and its body
/// stay, and it can be fetched by its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tombstone {
    world: WorldId,
    scope: Scope,
    actor: String,
    reason: String,
}

impl Tombstone {
    /// Says that `actor` forgets `world`.
    ///
    /// # Errors
    /// [`CapsuleError::Member`] for an actor or a reason that is empty, longer than 1024 bytes or has
    /// control characters, and for a decision that is empty, longer than 8192 bytes or has any.
    pub fn new(
        world: WorldId,
        scope: Scope,
        actor: &str,
        reason: &str,
    ) -> Result<Self, CapsuleError> {
        for (member, text) in [("actor", actor), ("reason", reason)] {
            if !is_reason(text) {
                return Err(wrong(member, REASON));
            }
        }
        if let Scope::Global { decision } = &scope
            && !is_decision(decision)
        {
            return Err(wrong("decision", DECISION));
        }
        Ok(Self {
            world,
            scope,
            actor: actor.to_string(),
            reason: reason.to_string(),
        })
    }

    /// Reads one: closed members, each what it must be.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn parse(value: &Value) -> Result<Self, CapsuleError> {
        let reading = Reading::of(KIND, value, &MEMBERS)?;
        let world = reading.world("world")?;
        let decision = reading.value("decision").is_some();
        let scope = match (reading.text("scope")?, decision) {
            ("actor", false) => Scope::Actor,
            ("global", true) => Scope::Global {
                decision: reading.text("decision")?.to_string(),
            },
            ("actor" | "global", _) => {
                let must = "there when the scope is \"global\", and only then";
                return Err(wrong("decision", must));
            }
            _ => return Err(wrong("scope", "\"actor\" or \"global\"")),
        };
        Self::new(
            world,
            scope,
            reading.text("actor")?,
            reading.text("reason")?,
        )
    }

    /// The document.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let (scope, decision) = match &self.scope {
            Scope::Actor => ("actor", None),
            Scope::Global { decision } => ("global", Some(("decision", decision.as_str().into()))),
        };
        let members = [
            ("world", written(&self.world)),
            ("scope", scope.into()),
            ("actor", self.actor.as_str().into()),
            ("reason", self.reason.as_str().into()),
        ];
        document(KIND.name(), members.into_iter().chain(decision))
    }

    /// What is forgotten.
    #[must_use]
    pub const fn world(&self) -> &WorldId {
        &self.world
    }

    /// For whom.
    #[must_use]
    pub const fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Who forgets.
    #[must_use]
    pub fn actor(&self) -> &str {
        &self.actor
    }

    /// Why, for people.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// The most bytes of a decision.
const MAX_DECISION: usize = 8192;
const DECISION: &str = "1 to 8192 bytes of text without control characters";

fn is_decision(text: &str) -> bool {
    (1..=MAX_DECISION).contains(&text.len()) && !text.chars().any(char::is_control)
}

const fn wrong(member: &'static str, must: &'static str) -> CapsuleError {
    CapsuleError::Member {
        what: "tombstone",
        member,
        must,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn world() -> WorldId {
        WorldId::new("world-1").unwrap()
    }

    /// MEM-MAINT: what is written is read, and a global one names the authority's decision.
    #[test]
    fn a_tombstone_comes_back_as_it_was_written() {
        let global = Scope::Global {
            decision: "sha256:00".to_string(),
        };
        for scope in [Scope::Actor, global] {
            let tombstone = Tombstone::new(world(), scope, "alice", "asked to").unwrap();
            assert_eq!(Tombstone::parse(&tombstone.to_value()), Ok(tombstone));
        }
    }

    #[test]
    fn anything_else_is_refused() {
        let good = Tombstone::new(world(), Scope::Actor, "alice", "asked to").unwrap();
        for (member, value) in [
            ("scope", json!("global")),
            ("scope", json!("everyone")),
            ("decision", json!("sha256:00")),
            ("reason", json!("")),
            ("actor", json!(7)),
            ("world", json!(null)),
            ("more", json!(1)),
            ("type", json!("redaction")),
            ("version", json!("2")),
        ] {
            let mut bad = good.to_value();
            bad[member] = value;
            assert!(Tombstone::parse(&bad).is_err(), "{member}");
        }
    }
}
