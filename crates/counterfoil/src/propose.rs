//! Proposing: recalls, and a proposal that cannot leave the trace of them behind (M-2, FP-02).

use counterfoil_actor::{Actor, IntentDraft, SourceKind, signed};
use counterfoil_types::json::{Map, Value};
use counterfoil_types::{IntentBody, IntentInstance, Proposal};
use uuid::Uuid;

use crate::error::Error;
use crate::memory::Memory;
use crate::recall::{RecallOptions, actor_of, failure, query};
use crate::when;

/// Default type of an intent.
const DEFAULT_INTENT: &str = "counterfoil.proposal";

impl Memory {
    /// Makes a proposal with the trace of these recalls, merged. An authority decides on it without this memory.
    ///
    /// The agent's key signs it, every member of it, for the authority of the name `to` and for once; its actor is then named
    /// by that key. With `None` it is not signed, which few policies approve. An authority that has no name of its own is
    /// `"local"`.
    ///
    /// `intent` is an intent's body (`type`, `input`, `scopeProposal`) or a whole intent; by default one whose input is
    /// the summary.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for an empty summary or query, an intent that is none, and a name that no
    /// authority can have; [`ErrorKind::Place`](crate::ErrorKind::Place) without the agent's key, if it is to be signed.
    pub async fn propose(
        &self,
        summary: &str,
        queries: &[impl AsRef<str>],
        intent: Option<Value>,
        to: Option<&str>,
        options: &RecallOptions,
    ) -> Result<Proposal, Error> {
        if summary.trim().is_empty() {
            return Err(Error::input("the summary is empty", "say what is proposed"));
        }
        let constraints = options.constraints()?;
        let queries = queries.iter().map(|text| query(text.as_ref()));
        let queries = queries.collect::<Result<Vec<_>, _>>()?;
        self.home().must_exist()?;
        let signer = to.map(|_| self.home().agent()).transpose()?;
        let actor = match &signer {
            Some(signer) => actor_of(signer.key())?,
            None => actor_of(self.home().agent_public()?)?,
        };
        let session = self.session(actor, options).await?;
        let intent = self.intent(intent, summary, &session.actor)?;
        let deliberation = session.actor.deliberate(session.base_world.clone());
        for query in queries {
            let recalled = deliberation.recall(query, Some(constraints.clone())).await;
            recalled.map_err(failure)?;
        }
        let id = format!("prop-{}", Uuid::new_v4());
        let proposal = deliberation
            .propose(intent, summary, id, when::now()?)
            .map_err(failure)?;
        let Some((signer, to)) = signer.zip(to) else {
            return Ok(proposal);
        };
        let nonce = Uuid::new_v4().simple().to_string();
        signed(&proposal, &*signer, to, &nonce).map_err(failure)
    }

    fn intent(
        &self,
        stated: Option<Value>,
        summary: &str,
        actor: &Actor,
    ) -> Result<IntentInstance, Error> {
        let refused = |error: &dyn core::fmt::Display| {
            Error::input(
                format_args!("the intent cannot be used: {error}"),
                "write {\"type\": \"...\", \"input\": ...}",
            )
        };
        let body = match stated {
            Some(whole) if whole.get("body").is_some() => {
                return IntentInstance::try_from(whole).map_err(|error| refused(&error));
            }
            Some(body) => IntentBody::try_from(body).map_err(|error| refused(&error))?,
            None => {
                let mut input = Map::new();
                input.insert("summary".into(), summary.into());
                let body = IntentBody::new(DEFAULT_INTENT);
                body.map_err(|_| Error::bug("an intent without type"))?
                    .with_input(Value::Object(input))
            }
        };
        let draft = IntentDraft {
            body,
            schema_hash: counterfoil_capsule::memory_schema_hash(),
            intent_id: format!("intent-{}", Uuid::new_v4()),
            projection_id: self.program().to_owned(),
            source: SourceKind::Agent,
            event_id: format!("event-{}", Uuid::new_v4()),
        };
        draft.by(actor.actor_ref()).map_err(failure)
    }
}
