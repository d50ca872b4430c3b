//! Calls of the tools: each one goes to the facade, bound to the scope of the session.

mod facts;
mod memories;
mod proving;

use counterfoil::{Memory, Scope};
use rmcp::model::{CallToolRequestParams, CallToolResponse, JsonObject};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

use crate::arguments::{self, ForgetMode};
use crate::erasing::Consent;
use crate::failure::Failure;
use crate::quoting::quote;
use crate::results::{Answer, ForgetView};
use crate::session::{Session, result};
use crate::shared::handle;
use crate::tools::{ToolName, ToolUse};

pub(crate) use memories::{document_of, listed};

/// Runs every tool but `forget`, which may have to ask the user.
pub(crate) async fn run(
    session: &Session,
    tool: ToolName,
    arguments: Option<JsonObject>,
) -> Result<Answer, Failure> {
    let _turn = session.turn().await?;
    match tool {
        ToolName::Remember => memories::remember(session, arguments::read(arguments)?).await,
        ToolName::Recall => memories::recall(session, arguments::read(arguments)?).await,
        ToolName::Believe => facts::believe(session, arguments::read(arguments)?).await,
        ToolName::StateFact => facts::state(session, arguments::read(arguments)?).await,
        ToolName::Why => facts::why(session, arguments::read(arguments)?).await,
        ToolName::Correct => memories::correct(session, arguments::read(arguments)?).await,
        ToolName::Prove => proving::prove(session, arguments::read(arguments)?).await,
        ToolName::Check => proving::check(session, arguments::read(arguments)?).await,
        ToolName::Forget => Err(Failure::new("bug", "forget needs its client", "report it")),
    }
}

/// Hides a memory, or erases it after the user has agreed.
pub(crate) async fn forget(
    session: &Session,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let outcome = match forgotten(session, request, context).await {
        Ok(Forgotten::Ask(question)) => return Ok((*question).into()),
        Ok(Forgotten::Done(answer)) => Ok(*answer),
        Err(failure) => Err(failure),
    };
    session.whole.write_heads();
    Ok(result(outcome).into())
}

enum Forgotten {
    Done(Box<Answer>),
    Ask(Box<rmcp::model::InputRequiredResult>),
}

async fn forgotten(
    session: &Session,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<Forgotten, Failure> {
    let args: arguments::ForgetArgs = arguments::read(request.arguments.clone())?;
    session.must_grant(match args.mode {
        ForgetMode::Hide => ToolUse::Hide,
        ForgetMode::Erase => ToolUse::Erase,
    })?;
    let memory = &session.memory;
    let turn = session.turn().await?;
    let shown = memory.show(&args.id).await?;
    let provenance = shown.text("/world/data/provenance/class");
    // No word of a model takes the place of what others stated.
    if provenance.is_some_and(|class| class != "model_derived") {
        return Err(Failure::new(
            "refused",
            "this is a fact that a model did not state, and a model does not take it back",
            "tell the user, who can run `counterfoil claim retract`",
        ));
    }
    let (became, certificate, next) = match args.mode {
        ForgetMode::Hide => {
            let report = memory.forget(&args.id, &args.reason).await?;
            let handle = handle(report.number("/index"), report.text("/capsule"));
            (
                "hidden",
                handle,
                "no recall finds it any more; the log keeps it".to_owned(),
            )
        }
        ForgetMode::Erase => {
            let stake = memories::at_stake(memory, &args.id).await?;
            let asked = (args.id.as_str(), stake.as_str(), args.reason.as_str());
            // The user may take their time, and others have their turn.
            drop(turn);
            match session.erasures.ask(asked, &request, context).await? {
                Consent::Ask(question) => return Ok(Forgotten::Ask(Box::new(question))),
                Consent::Refused => {
                    let next = "the user did not agree; nothing was erased";
                    ("kept", None, next.to_owned())
                }
                Consent::Given => {
                    let _turn = session.turn().await?;
                    if memories::at_stake(memory, &args.id).await? != stake {
                        return Err(Failure::new(
                            "conflict",
                            "the memory changed while the user was asked; nothing was erased",
                            "ask again: the user has to see what it says now",
                        ));
                    }
                    let (handle, next) = memories::erase(memory, &args.id, &args.reason).await?;
                    ("erased", handle, next)
                }
            }
        }
    };
    let view = ForgetView {
        id: args.id,
        became: became.to_owned(),
        certificate,
        next,
    };
    let text = format!("{} is {became}: {}.", quote(&view.id), view.next);
    Ok(Forgotten::Done(Box::new(Answer::new(&view, text)?)))
}

/// A belief on one line, from its document and its meaning for a reader.
pub(crate) fn belief_line(belief: &Value, meaning: &str) -> String {
    facts::line(&facts::view(belief, meaning))
}

impl Session {
    /// The memory, narrowed to a scope within that of the session.
    pub(crate) fn within(&self, scope: Option<arguments::ScopePairs>) -> Result<Memory, Failure> {
        let scope = Scope::from_pairs(scope.unwrap_or_default());
        let scope = scope.map_err(|error| {
            Failure::arguments(
                error.to_string(),
                "leave `scope` out, or choose other pairs",
            )
        })?;
        Ok(self.memory.scoped(&scope)?)
    }
}
