//! `IntentInstance`: what a proposal wants done (Intent & Projection §5, §6).

use alloc::string::String;

use serde::Serialize;

use crate::actor::ActorRef;
use crate::json::{Limits, Map, Value};
use crate::shape::ShapeError;
use crate::wire::{checked_json, non_empty_text, object};

/// Requested action: a type, its input, and the scope that is asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IntentBody {
    #[serde(rename = "type")]
    intent_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope_proposal: Option<Map>,
    #[serde(flatten)]
    rest: Map,
}

impl IntentBody {
    /// An intent of this type, with nothing else said.
    ///
    /// # Errors
    /// The type is empty.
    pub fn new(intent_type: impl Into<String>) -> Result<Self, ShapeError> {
        let intent_type = non_empty_text("type", Value::String(intent_type.into()))?;
        Ok(Self {
            intent_type,
            input: None,
            scope_proposal: None,
            rest: Map::new(),
        })
    }

    /// Adds the input.
    #[must_use]
    pub fn with_input(mut self, input: Value) -> Self {
        self.input = Some(input);
        self
    }

    /// Type of the intent, never empty.
    pub fn intent_type(&self) -> &str {
        &self.intent_type
    }

    /// The input.
    pub const fn input(&self) -> Option<&Value> {
        self.input.as_ref()
    }

    /// The scope that is asked for: `allowedPaths`, `note`.
    pub const fn scope_proposal(&self) -> Option<&Map> {
        self.scope_proposal.as_ref()
    }
}

crate::from_members!(IntentBody {
    intent_type: required("type", non_empty_text),
    input: take("input"),
    scope_proposal: optional("scopeProposal", object),
    rest: rest(),
});

checked_json!(IntentBody, Limits::CONTENT);

/// One occurrence of an intent. Members that we do not know are kept.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IntentInstance {
    body: IntentBody,
    intent_id: String,
    intent_key: String,
    meta: Map,
    #[serde(flatten)]
    rest: Map,
}

impl IntentInstance {
    /// Puts an instance together: the requested action, an identifier such as `intent-<uuid>`, the key that equal intents
    /// share (SHA-256 over schema, type, input and scope in lower-case hex, Intent & Projection §6), and the origin
    /// (`{"origin": {"projectionId", "source", "actor"}}`).
    ///
    /// # Errors
    /// An identifier is empty.
    pub fn new(
        body: IntentBody,
        intent_id: String,
        intent_key: String,
        meta: Map,
    ) -> Result<Self, ShapeError> {
        Ok(Self {
            body,
            intent_id: non_empty_text("intentId", Value::String(intent_id))?,
            intent_key: non_empty_text("intentKey", Value::String(intent_key))?,
            meta,
            rest: Map::new(),
        })
    }

    /// Requested action.
    pub const fn body(&self) -> &IntentBody {
        &self.body
    }

    /// This instance's identifier, never empty.
    pub fn intent_id(&self) -> &str {
        &self.intent_id
    }

    /// The key that equal intents share, never empty.
    pub fn intent_key(&self) -> &str {
        &self.intent_key
    }

    /// Origin of the intent.
    pub const fn meta(&self) -> &Map {
        &self.meta
    }

    /// The actor whose intent it is, by `meta.origin.actor`; World Protocol P-3 has it equal the
    /// proposal's actor.
    pub fn origin_actor(&self) -> Option<ActorRef> {
        let actor = self.meta.get("origin")?.get("actor")?;
        ActorRef::try_from(actor.clone()).ok()
    }
}

crate::from_members!(IntentInstance {
    body: nested("body"),
    intent_id: required("intentId", non_empty_text),
    intent_key: required("intentKey", non_empty_text),
    meta: required("meta", object),
    rest: rest(),
});

checked_json!(IntentInstance, Limits::CONTENT);
