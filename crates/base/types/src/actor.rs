//! `ActorRef`: who selects, verifies or proposes (Intent & Projection §3.1; CR-02).

use alloc::string::String;

use serde::Serialize;

use crate::json::{Limits, Map, Value};
use crate::shape::ShapeError;
use crate::wire::{checked_json, non_empty_text, object, text};

crate::words! {
    /// Kind of an actor.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum ActorKind {
        /// A person.
        Human = "human",
        /// A program that decides by itself.
        Agent = "agent",
        /// A program that follows instructions.
        System = "system",
    }
}

impl ActorKind {
    fn read(name: &'static str, value: Value) -> Result<Self, ShapeError> {
        let kind = value.as_str().and_then(|kind| kind.parse().ok());
        kind.ok_or_else(|| ShapeError::one(name, "be one of human, agent, system"))
    }
}

/// A reference to an actor. Unauthenticated: it says who somebody claims to be. Members that we do not know are kept, so
/// that a signature over a document covers them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ActorRef {
    actor_id: String,
    kind: ActorKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<Map>,
    #[serde(flatten)]
    rest: Map,
}

impl ActorRef {
    /// Refers to the actor with this identifier.
    ///
    /// # Errors
    /// The identifier is empty.
    pub fn new(actor_id: impl Into<String>, kind: ActorKind) -> Result<Self, ShapeError> {
        let actor_id = non_empty_text("actorId", Value::String(actor_id.into()))?;
        Ok(Self {
            actor_id,
            kind,
            name: None,
            meta: None,
            rest: Map::new(),
        })
    }

    /// Adds a name for people to read.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Adds members of the application's own.
    #[must_use]
    pub fn with_meta(mut self, meta: Map) -> Self {
        self.meta = Some(meta);
        self
    }

    /// The identifier, never empty.
    pub fn actor_id(&self) -> &str {
        &self.actor_id
    }

    /// Kind of the actor.
    pub const fn kind(&self) -> ActorKind {
        self.kind
    }

    /// A name for people to read.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Members of the application's own.
    pub const fn meta(&self) -> Option<&Map> {
        self.meta.as_ref()
    }

    /// Reads one from the member `name`.
    ///
    /// # Errors
    /// The value is anything else; §12 has one text for whatever is wrong with it.
    pub fn read(name: &'static str, value: Value) -> Result<Self, ShapeError> {
        Self::try_from(value).map_err(|_| ShapeError::one(name, "be valid ActorRef"))
    }
}

crate::from_members!(ActorRef {
    actor_id: required("actorId", non_empty_text),
    kind: required("kind", ActorKind::read),
    name: optional("name", text),
    meta: optional("meta", object),
    rest: rest(),
});

checked_json!(ActorRef, Limits::DOCUMENT);

#[cfg(test)]
mod tests {
    use super::*;

    /// CR-02.
    #[test]
    fn null_is_not_absent() {
        for wire in [
            r#"{"actorId":"a","kind":"agent","name":null}"#,
            r#"{"actorId":"a","kind":"agent","meta":null}"#,
            r#"{"actorId":"","kind":"agent"}"#,
            r#"{"actorId":"a","kind":"robot"}"#,
            r#"{"actorId":"a","kind":"Agent"}"#,
            "null",
        ] {
            assert!(ActorRef::from_json(wire.as_bytes()).is_err(), "{wire}");
        }
    }

    #[test]
    fn the_wire_has_camel_case_and_no_absent_members() {
        let actor = ActorRef::new("a", ActorKind::Agent).unwrap();
        assert_eq!(
            serde_json::to_string(&actor).unwrap(),
            r#"{"actorId":"a","kind":"agent"}"#
        );
    }
}
