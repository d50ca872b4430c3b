//! Intents in the shape of Intent & Projection §5, §6: the key that equal intents share, and the origin.

use counterfoil_types::json::{self, JsonError, Map, Value};
use counterfoil_types::{ActorRef, IntentBody, IntentInstance, Sha256Hash, words};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::ActError;

/// Parts of an intent instance; ids are the caller's. A draft is unchecked:
/// [`by`](IntentDraft::by) checks it, and only what it returns can be proposed.
#[derive(Debug, Clone)]
pub struct IntentDraft {
    /// The action.
    pub body: IntentBody,
    /// Hash of the schema that the intent is written for; part of the key.
    pub schema_hash: String,
    /// This instance's identifier, such as `intent-<uuid>`.
    pub intent_id: String,
    /// Projection that made the intent, such as `cli`.
    pub projection_id: String,
    /// Kind of the event's source.
    pub source: SourceKind,
    /// The event's identifier at its source.
    pub event_id: String,
}

words! {
    /// Kind of source of an intent's event.
    #[non_exhaustive]
    pub enum SourceKind {
        /// A user interface.
        Ui = "ui",
        /// An API call.
        Api = "api",
        /// An agent.
        Agent = "agent",
        /// The system itself.
        System = "system",
    }
}

impl IntentDraft {
    /// The intent in the name of `actor`.
    ///
    /// # Errors
    /// [`ActError::EmptyMember`] if the schema hash or an id is empty, [`ActError::Intent`] if the
    /// input has no canonical form.
    pub fn by(self, actor: &ActorRef) -> Result<IntentInstance, ActError> {
        let members = [
            ("schemaHash", &self.schema_hash),
            ("intentId", &self.intent_id),
            ("projectionId", &self.projection_id),
            ("eventId", &self.event_id),
        ];
        if let Some((member, _)) = members.into_iter().find(|(_, text)| text.is_empty()) {
            return Err(ActError::EmptyMember { member });
        }
        let intent_key = intent_key(&self.schema_hash, &self.body)?;
        let origin = json!({
            "projectionId": self.projection_id,
            "source": { "kind": self.source, "eventId": self.event_id },
            "actor": actor,
        });
        let meta = Map::from_iter([("origin".to_string(), origin)]);
        let intent = IntentInstance::new(self.body, self.intent_id, intent_key, meta);
        Ok(intent?)
    }
}

/// The key that equal intents share: lower-case hex of
/// `SHA-256(schemaHash ":" type ":" JCS(input ?? null) ":" JCS(scopeProposal ?? null))`
/// (Intent & Projection §6, RFC 8785).
///
/// # Errors
/// [`JsonError`] if input or scope has no canonical form, such as an integer beyond 2^53 - 1.
pub fn intent_key(schema_hash: &str, body: &IntentBody) -> Result<String, JsonError> {
    let input = json::canonical(body.input().unwrap_or(&Value::Null))?;
    let scope = match body.scope_proposal() {
        Some(scope) => json::canonical(&Value::Object(scope.clone()))?,
        None => "null".to_string(),
    };
    let preimage = format!("{schema_hash}:{}:{input}:{scope}", body.intent_type());
    let digest: [u8; 32] = Sha256::digest(preimage.as_bytes()).into();
    Ok(Sha256Hash::from_bytes(digest).to_hex())
}

#[cfg(test)]
mod tests {
    use counterfoil_types::ActorKind;

    use super::*;

    type Member = fn(&mut IntentDraft) -> &mut String;

    /// An intent with an empty key member or origin was built, for an authority to puzzle over.
    #[test]
    fn a_draft_with_an_empty_member_makes_no_intent() {
        let draft = || IntentDraft {
            body: IntentBody::new("note.add").unwrap(),
            schema_hash: "schema".into(),
            intent_id: "intent-1".into(),
            projection_id: "test".into(),
            source: SourceKind::Agent,
            event_id: "event-1".into(),
        };
        let planner = ActorRef::new("planner", ActorKind::Agent).unwrap();
        assert!(draft().by(&planner).is_ok());
        let emptied: [(&str, Member); 4] = [
            ("schemaHash", |draft| &mut draft.schema_hash),
            ("intentId", |draft| &mut draft.intent_id),
            ("projectionId", |draft| &mut draft.projection_id),
            ("eventId", |draft| &mut draft.event_id),
        ];
        for (name, text) in emptied {
            let mut draft = draft();
            text(&mut draft).clear();
            let error = draft.by(&planner).unwrap_err();
            assert!(
                matches!(error, ActError::EmptyMember { member } if member == name),
                "{error}"
            );
        }
    }
}
