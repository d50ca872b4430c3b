//! Calls about proofs: made for those who have no access to the store, and checked as they would.

use std::time::{SystemTime, UNIX_EPOCH};

use counterfoil::{BeliefQuery, Error, FloorChoice, Memory, RecallOptions, UnixMillis, WorldId};
use serde_json::Value;

use crate::arguments::{CheckArgs, ProveArgs};
use crate::failure::Failure;
use crate::proofs::{PROOF, no_proof};
use crate::quoting::{QUOTED, quote};
use crate::results::{Answer, CheckView, CheckedView, ProveView};
use crate::session::Session;
use crate::shared::text_of;
use crate::tools::ToolUse;

/// Authority that a proposal is for when its caller does not say.
const LOCAL: &str = "local";

pub(super) async fn prove(session: &Session, args: ProveArgs) -> Result<Answer, Failure> {
    let memory = &session.memory;
    let proof = match (args.ids.as_slice(), args.subject, args.predicate) {
        ([_, ..], None, None) => {
            let Some(summary) = args.summary else {
                return Err(Failure::arguments(
                    "a proposal needs a `summary`",
                    "say in one sentence what is proposed",
                ));
            };
            let to = args.to.as_deref().unwrap_or(LOCAL);
            let json = proposal(memory, &args.ids, &summary, to).await?;
            session.proofs.keep("proposal", json)
        }
        ([], Some(subject), Some(predicate)) => {
            let query = BeliefQuery::default();
            let proof = memory.prove(&subject, &predicate, &query, None).await?;
            session.proofs.keep("belief", proof.json().to_owned())
        }
        _ => {
            return Err(Failure::arguments(
                "either `ids` with a `summary`, or `subject` and `predicate` are given",
                "give one of the two",
            ));
        }
    };
    let view = ProveView {
        proof: proof.uri.clone(),
        kind: proof.kind.to_owned(),
        bytes: proof.json.len(),
        next: "read the resource and hand it on; whoever has the anchors of this log can check it with counterfoil-verify".to_owned(),
    };
    let text = format!(
        "The proof is {} ({} bytes): {}.",
        view.proof, view.bytes, view.next
    );
    let mut answer = Answer::new(&view, text)?;
    answer.links.push(proof.resource());
    Ok(answer)
}

async fn proposal(
    memory: &Memory,
    ids: &[String],
    summary: &str,
    to: &str,
) -> Result<String, Failure> {
    let only = ids.iter().map(|id| {
        WorldId::new(id.as_str()).map_err(|_| {
            Failure::arguments(
                format!("{} is no id", quote(id)),
                "take the ids from `recall`",
            )
        })
    });
    let options = RecallOptions {
        max: ids.len(),
        only: only.collect::<Result<_, _>>()?,
        ..RecallOptions::default()
    };
    let proposal = memory
        .propose(summary, &[summary], None, Some(to), &options)
        .await?;
    serde_json::to_string_pretty(&proposal)
        .map_err(|error| Failure::new("bug", error.to_string(), "please report it"))
}

pub(super) async fn check(session: &Session, args: CheckArgs) -> Result<Answer, Failure> {
    let view = match (args.proof, args.ids.as_slice()) {
        (Some(proof), []) => {
            session.must_grant(ToolUse::CheckProof)?;
            let json = match &proof {
                Value::String(uri) => match session.proofs.find(uri) {
                    Some(kept) => kept.json,
                    None if uri.starts_with(PROOF) => return Err(no_proof()),
                    None => uri.clone(),
                },
                document => document.to_string(),
            };
            of_proof(&session.whole, &json).await?
        }
        (None, ids @ [_, ..]) => {
            session.must_grant(ToolUse::CheckMemories)?;
            of_memories(&session.memory, ids).await?
        }
        _ => {
            return Err(Failure::arguments(
                "either `proof` or `ids` is given",
                "give one of the two",
            ));
        }
    };
    let mut text = format!("{}. {QUOTED}", view.verdict);
    for reason in &view.reasons {
        text.push_str(&format!("\n  {reason}"));
    }
    for memory in &view.memories {
        let said = memory.text.as_deref().map(quote).unwrap_or_default();
        text.push_str(&format!("\n- {} {} {said}", memory.verdict, memory.id));
    }
    Answer::new(&view, text)
}

/// Checks a proof with the anchors of this log, as an authority does that has no more than those.
async fn of_proof(memory: &Memory, json: &str) -> Result<CheckView, Failure> {
    let (anchors, _floor) = memory.anchors(FloorChoice::Kept).await?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.ok().and_then(|now| u64::try_from(now.as_millis()).ok());
    let now = now.and_then(|now| UnixMillis::new(now).ok());
    let now = now.ok_or_else(|| Error::place("there is no time", "set the clock"))?;
    let checked = counterfoil_verify::check(json.as_bytes(), anchors.as_bytes(), now);
    let (report, verdict) = checked.map_err(|error| {
        Failure::new(
            "input",
            error.to_string(),
            "give a proof as `prove` made it",
        )
    })?;
    let listed = |name: &str| {
        let listed = report.get(name).and_then(Value::as_array);
        listed.cloned().unwrap_or_default()
    };
    let reasons = listed("reasons").into_iter().chain(
        report
            .pointer("/decision/reasons")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default(),
    );
    Ok(CheckView {
        verdict: verdict.name().to_owned(),
        reasons: reasons
            .filter_map(|reason| text(&reason, "message"))
            .collect(),
        memories: listed("memories").iter().map(checked_memory).collect(),
        report: Some(report),
    })
}

fn checked_memory(memory: &Value) -> CheckedView {
    let fields = memory.pointer("/words/fields").and_then(Value::as_array);
    let mut fields = fields.into_iter().flatten();
    let words = fields.find(|field| text(field, "path").as_deref() == Some("/data/text"));
    let words = words.and_then(|field| field.get("value")?.as_str());
    CheckedView {
        id: text(memory, "worldId").unwrap_or_default(),
        verdict: text(memory, "outcome").unwrap_or_default(),
        text: words.map(str::to_owned),
    }
}

/// Reads memories again: what is handed out matches its hash, its signature and its place in the log.
async fn of_memories(memory: &Memory, ids: &[String]) -> Result<CheckView, Failure> {
    let mut memories = Vec::with_capacity(ids.len());
    for id in ids {
        let shown = memory.show(id).await;
        let (verdict, text) = match &shown {
            Ok(shown) => match text_of(shown) {
                Some(text) => ("verified".to_owned(), Some(text)),
                None => ("erased".to_owned(), None),
            },
            Err(error) => (error.to_string(), None),
        };
        memories.push(CheckedView {
            id: id.clone(),
            verdict,
            text,
        });
    }
    let verified = memories
        .iter()
        .filter(|memory| memory.verdict == "verified");
    let (verified, all) = (verified.count(), memories.len());
    let verdict = if verified == all {
        "approved"
    } else {
        "rejected"
    };
    Ok(CheckView {
        verdict: verdict.to_owned(),
        reasons: vec![format!("{verified} of {all} memories are what was sealed")],
        memories,
        report: None,
    })
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(Value::as_str).map(str::to_owned)
}
