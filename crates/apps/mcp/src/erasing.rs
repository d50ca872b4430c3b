//! Consent before content is taken away for good: the host asks the user, and no argument of a model stands in for the answer.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    InputRequest, InputRequests, InputRequiredResult, ProtocolVersion,
};
use rmcp::service::{ElicitationMode, RequestContext};
use serde_json::json;
use uuid::Uuid;

use crate::failure::Failure;
use crate::quoting::quote;

/// Name of the question in requests of several rounds, and of its answer in the form.
const QUESTION: &str = "erase";
/// Most questions that wait for an answer.
const MAX_WAITING: usize = 16;

/// Answer of the user, or the question that is still to be put.
#[derive(Debug)]
pub(crate) enum Consent {
    Given,
    Refused,
    /// The client calls again with the answer (revision 2026-07-28).
    Ask(InputRequiredResult),
}

/// Questions that wait for an answer: each token with its question.
#[derive(Debug, Default)]
pub(crate) struct Erasures {
    waiting: Mutex<VecDeque<(String, String)>>,
    /// Time that the user has to answer; without one, as long as the session.
    patience: Option<Duration>,
}

impl Erasures {
    /// Questions of which each waits for at most this time.
    pub(crate) fn with_patience(patience: Duration) -> Self {
        Self {
            patience: Some(patience),
            ..Self::default()
        }
    }

    /// Asks the user whether the memory `id` is to be erased; `stake` says what goes with it.
    ///
    /// # Errors
    /// The client cannot ask its user, or answers another question.
    pub(crate) async fn ask(
        &self,
        (id, stake, reason): (&str, &str, &str),
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Consent, Failure> {
        let capabilities = context.client_capabilities().and_then(|it| it.elicitation);
        let asks_by_form = capabilities.is_some_and(|it| it.form.is_some() || it.url.is_none());
        if !asks_by_form {
            return Err(Failure::new(
                "consent",
                "this client cannot ask its user, and nothing is erased without the user's consent",
                "use mode hide, or let the user run `counterfoil erase`",
            ));
        }
        let message = format!(
            "The agent wants to erase the memory {id} for good. {stake} The agent's reason: {}.",
            quote(reason)
        );
        let question = question(message.clone())?;
        let is_in_rounds = context
            .protocol_version()
            .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
        if !is_in_rounds {
            let modes = context.peer.supported_elicitation_modes();
            if !modes.contains(&ElicitationMode::Form) {
                return Ok(Consent::Refused);
            }
            let (peer, patience) = (&context.peer, self.patience);
            let answer = peer.create_elicitation_with_timeout(question, patience);
            let answer = answer.await;
            let answer = answer.map_err(|error| {
                Failure::new(
                    "consent",
                    format!("the client did not ask its user ({error})"),
                    "ask the user, and try again",
                )
            })?;
            return Ok(consent(&answer));
        }
        let answered = request.request_state.as_deref();
        let answer = request
            .input_responses
            .as_ref()
            .and_then(|it| it.get(QUESTION));
        match answered.zip(answer) {
            Some((token, answer)) if self.take(token, &message) => {
                let answer: Option<ElicitResult> = serde_json::from_value(answer.clone()).ok();
                Ok(answer.as_ref().map_or(Consent::Refused, consent))
            }
            _ => {
                let mut requests = InputRequests::new();
                let asked = InputRequest::Elicitation(ElicitRequest::new(question));
                requests.insert(QUESTION.to_owned(), asked);
                let token = self.wait_for(message);
                Ok(Consent::Ask(InputRequiredResult::new(
                    Some(requests),
                    Some(token),
                )))
            }
        }
    }

    fn wait_for(&self, message: String) -> String {
        let token = Uuid::new_v4().simple().to_string();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push_back((token.clone(), message));
        if waiting.len() > MAX_WAITING {
            waiting.pop_front();
        }
        token
    }

    /// Returns true if the token was given for this question. It counts once.
    fn take(&self, token: &str, message: &str) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let at = waiting
            .iter()
            .position(|it| it.0 == token && it.1 == message);
        at.and_then(|at| waiting.remove(at)).is_some()
    }
}

/// Consent is an accepted form in which the box is ticked, and nothing else.
fn consent(answer: &ElicitResult) -> Consent {
    let ticked = answer.content.as_ref();
    let ticked = ticked.and_then(|content| content.get(QUESTION)?.as_bool());
    match (&answer.action, ticked) {
        (ElicitationAction::Accept, Some(true)) => Consent::Given,
        _ => Consent::Refused,
    }
}

fn question(message: String) -> Result<ElicitRequestParams, Failure> {
    let schema = json!({
        "type": "object",
        "properties": {
            QUESTION: {
                "type": "boolean",
                "title": "Erase it for good",
                "description": "Its content cannot be brought back",
                "default": false,
            },
        },
        "required": [QUESTION],
    });
    let requested_schema = serde_json::from_value(schema)
        .map_err(|error| Failure::new("bug", error.to_string(), "please report it"))?;
    Ok(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(action: ElicitationAction, ticked: serde_json::Value) -> ElicitResult {
        let mut answer = ElicitResult::new(action);
        answer.content = Some(json!({ QUESTION: ticked }));
        answer
    }

    /// AGT-2; mutant `erase-consent`: any answer to the question was taken for consent.
    #[test]
    fn consent_is_an_accepted_form_with_the_box_ticked() {
        let yes = consent(&answer(ElicitationAction::Accept, json!(true)));
        assert!(matches!(yes, Consent::Given));
        for (action, ticked) in [
            (ElicitationAction::Accept, json!(false)),
            (ElicitationAction::Accept, json!("true")),
            (ElicitationAction::Decline, json!(true)),
            (ElicitationAction::Cancel, json!(true)),
        ] {
            let no = consent(&answer(action, ticked));
            assert!(matches!(no, Consent::Refused));
        }
    }

    #[test]
    fn a_token_counts_once_and_for_its_memory_alone() {
        let erasures = Erasures::default();
        let token = erasures.wait_for("a".to_owned());
        assert!(!erasures.take(&token, "b"));
        assert!(erasures.take(&token, "a"));
        assert!(!erasures.take(&token, "a"));
    }
}
