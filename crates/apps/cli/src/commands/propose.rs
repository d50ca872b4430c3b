//! `propose`: recalls, and makes a proposal that cannot leave the trace of it behind (M-2, FP-02).

use std::path::Path;

use counterfoil_actor::{Actor, IntentDraft, SourceKind};
use counterfoil_capsule::World;
use counterfoil_trace::from_proposal;
use counterfoil_types::json::{Limits, Map, Value, parse};
use counterfoil_types::{IntentBody, IntentInstance, Proposal};
use counterfoil_verify::read_file;
use serde::Serialize;
use uuid::Uuid;

use crate::args::ProposeArgs;
use crate::context::Context;
use crate::failure::{ErrorKind, Failure};
use crate::files::write_file;
use crate::output::{count, json_text, pairs};
use crate::selecting::{self, Session};
use crate::when;

/// The type of an intent that nobody named.
const DEFAULT_INTENT: &str = "counterfoil.proposal";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    proposal_id: String,
    output: String,
    memories: usize,
}

pub(crate) async fn run(context: &Context, args: ProposeArgs) -> Result<(), Failure> {
    if args.summary.trim().is_empty() {
        return Err(Failure::input(
            "the summary is empty",
            "say what is proposed",
        ));
    }
    let constraints = selecting::constraints(&(&args.select).into())?;
    let queries = args
        .recall
        .iter()
        .map(|text| selecting::query(text))
        .collect::<Result<Vec<_>, _>>()?;
    let stated = args.intent.as_deref().map(read_intent).transpose()?;
    let session = Session::open(&context.home, &(&args.select).into()).await?;
    let intent = intent(stated, &args.summary, &session.actor)?;
    let deliberation = session.actor.deliberate(session.base_world.clone());
    for query in queries {
        let recalled = deliberation.recall(query, Some(constraints.clone())).await;
        recalled.map_err(selecting::failure)?;
    }
    let id = format!("prop-{}", Uuid::new_v4());
    let proposal = deliberation
        .propose(intent, args.summary, id, when::now()?)
        .map_err(selecting::failure)?;
    answer(context, &proposal, args.output.as_deref())
}

fn answer(context: &Context, proposal: &Proposal, output: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = output else {
        return context.out.text(&json_text(proposal)?);
    };
    // What the authority will read, after several recalls were merged into one.
    let trace =
        from_proposal(proposal).map_err(|_| Failure::bug("a proposal with a malformed trace"))?;
    let memories = trace.map_or(0, |trace| trace.selected().len());
    write_file(path, &json_text(proposal)?)?;
    let written = Written {
        proposal_id: proposal.proposal_id().to_owned(),
        output: path.display().to_string(),
        memories,
    };
    context.out.answer(&written, |out| {
        let recalled = u64::try_from(memories).unwrap_or(u64::MAX);
        pairs(
            out,
            &[
                ("proposal", written.proposal_id.clone()),
                ("carries", count(recalled, "memory", "memories")),
                ("written to", written.output.clone()),
            ],
        )
    })
}

/// An intent as a file states it.
pub(crate) enum Stated {
    Body(IntentBody),
    Whole(Box<IntentInstance>),
}

fn read_intent(path: &Path) -> Result<Stated, Failure> {
    let shown = path.display();
    let refused = |error: &dyn core::fmt::Display| {
        Failure::input(
            format_args!("the intent in {shown} cannot be used: {error}"),
            "write {\"type\": \"...\", \"input\": ...}",
        )
    };
    let bytes = read_file("intent", path, Limits::CONTENT.bytes)
        .map_err(|error| Failure::new(ErrorKind::Input, error.to_string()))?;
    let value = parse(&bytes, Limits::CONTENT).map_err(|error| refused(&error))?;
    if value.get("body").is_some() {
        let whole = IntentInstance::try_from(value).map_err(|error| refused(&error))?;
        return Ok(Stated::Whole(Box::new(whole)));
    }
    IntentBody::try_from(value)
        .map(Stated::Body)
        .map_err(|error| refused(&error))
}

pub(crate) fn intent(
    stated: Option<Stated>,
    summary: &str,
    actor: &Actor,
) -> Result<IntentInstance, Failure> {
    let body = match stated {
        Some(Stated::Whole(intent)) => return Ok(*intent),
        Some(Stated::Body(body)) => body,
        None => default_body(summary)?,
    };
    let draft = IntentDraft {
        body,
        schema_hash: World::memory_schema_hash(),
        intent_id: format!("intent-{}", Uuid::new_v4()),
        projection_id: "counterfoil-cli".to_owned(),
        source: SourceKind::Agent,
        event_id: format!("event-{}", Uuid::new_v4()),
    };
    Ok(draft.by(actor.actor_ref()).map_err(selecting::failure)?)
}

fn default_body(summary: &str) -> Result<IntentBody, Failure> {
    let mut input = Map::new();
    input.insert("summary".into(), summary.into());
    IntentBody::new(DEFAULT_INTENT)
        .map(|body| body.with_input(Value::Object(input)))
        .map_err(|_| Failure::bug("an intent without type"))
}
