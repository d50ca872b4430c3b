//! Calls about facts: what is believed, what a model states, and why.

use counterfoil::text::meaning;
use counterfoil::{BeliefQuery, Memory};
use serde_json::Value;

use crate::arguments::{BelieveArgs, StateFactArgs, WhyArgs};
use crate::failure::Failure;
use crate::quoting::{QUOTED, quote};
use crate::results::{
    Answer, BeliefView, BelieveView, RivalView, StateFactView, ValueView, VersionView, WhyView,
};
use crate::session::Session;
use crate::shared::{StatedFact, handle, text_of, whole_ids};
use crate::tools::ToolUse;

/// Most versions and changes that an explanation lists.
const LISTED: usize = 50;

pub(super) async fn believe(session: &Session, args: BelieveArgs) -> Result<Answer, Failure> {
    let query = BeliefQuery::of_dates(args.at.as_deref(), args.as_of.as_deref())?;
    let memory = &session.memory;
    let beliefs = match &args.predicate {
        Some(predicate) => {
            let within = memory.believe_within(&args.subject, predicate, &query);
            within.await?
        }
        None => memory.believe_all(&args.subject, &query).await?,
    };
    let views = beliefs.beliefs.iter();
    let views = views.map(|belief| view(&belief.to_json(), meaning(belief)));
    let beliefs: Vec<BeliefView> = views.collect();
    let text = match beliefs.as_slice() {
        [] => "Nothing is known of it.".to_owned(),
        beliefs => {
            let lines: Vec<String> = beliefs.iter().map(line).collect();
            format!("{QUOTED}\n{}", lines.join("\n"))
        }
    };
    Answer::new(&BelieveView { beliefs }, text)
}

pub(super) async fn state(session: &Session, args: StateFactArgs) -> Result<Answer, Failure> {
    let stated = StatedFact {
        subject: args.subject,
        predicate: args.predicate,
        value: args.value,
        from: args.from,
        until: args.until,
        source: args.source,
        key: args.key,
    };
    let stated = stated.into_members();
    let memory = &session.memory;
    let superseding = whole_ids(memory, &args.supersedes).await?;
    let report = memory.claim_of_model(&stated, &superseding).await?;
    let id = report.text("/ref").unwrap_or_default().to_owned();
    let receipt = match report.number("/unit/index") {
        Some(index) => {
            let shown = session.whole.show_entry(index).await?;
            handle(Some(index), shown.detail("hash").as_str())
        }
        None => None,
    };
    let against = report.value().pointer("/because/rivals");
    let against = against.and_then(Value::as_array).into_iter().flatten();
    let became = report.text("/disposition").unwrap_or_default().to_owned();
    let view = StateFactView {
        next: next(&became),
        said_by: "model_derived".to_owned(),
        why: report.text("/why").unwrap_or_default().to_owned(),
        against: against
            .map(|rival| RivalView {
                id: member(rival, "ref"),
                value: rival.get("value").cloned().unwrap_or_default(),
            })
            .collect(),
        id,
        became,
        receipt,
    };
    let steps = view.next.join(" ");
    let text = format!("{} as {}: {}. {steps}", view.became, view.id, view.why);
    Answer::new(&view, text)
}

pub(super) async fn why(session: &Session, args: WhyArgs) -> Result<Answer, Failure> {
    match (args.id, args.subject, args.predicate) {
        (Some(id), None, None) => {
            session.must_grant(ToolUse::WhyMemory)?;
            of_memory(&session.memory, id).await
        }
        (None, Some(subject), Some(predicate)) => {
            session.must_grant(ToolUse::WhyBelief)?;
            of_belief(&session.memory, &subject, &predicate).await
        }
        _ => Err(Failure::arguments(
            "either `id`, or `subject` and `predicate` are given",
            "give one of the two",
        )),
    }
}

async fn of_memory(memory: &Memory, id: String) -> Result<Answer, Failure> {
    let shown = memory.show(&id).await?;
    let history = memory.history(&id, LISTED).await?;
    let used = memory.used(&id).await?.value().get("decisions").cloned();
    let versions = history.value().get("versions").and_then(Value::as_array);
    let marks = shown.value().get("marks").and_then(Value::as_array);
    let view = WhyView {
        data: shown.value().pointer("/world/data").cloned(),
        marks: marks
            .into_iter()
            .flatten()
            .filter_map(|mark| mark.as_str().map(str::to_owned))
            .collect(),
        versions: versions.into_iter().flatten().map(version).collect(),
        used,
        id: Some(id),
        belief: None,
        decided_by: None,
        changes: None,
    };
    let said = text_of(&shown).map_or_else(|| "erased".to_owned(), |text| quote(&text));
    let mut text = format!("{QUOTED}\n{said}, {} versions", view.versions.len());
    for version in &view.versions {
        text.push_str(&format!("\n- {} recorded {}", version.id, version.recorded));
        if !version.changes.is_empty() {
            let changes = Value::Array(version.changes.clone()).to_string();
            text.push_str(&format!(" with {}", quote(&changes)));
        }
    }
    Answer::new(&view, text)
}

async fn of_belief(memory: &Memory, subject: &str, predicate: &str) -> Result<Answer, Failure> {
    let query = BeliefQuery::default();
    let why = memory.why(subject, predicate, &query, LISTED).await?;
    let belief = view(&why.belief.to_json(), meaning(&why.belief));
    let document = serde_json::to_value(&why)
        .map_err(|error| Failure::new("bug", error.to_string(), "please report it"))?;
    let mut text = format!("{QUOTED}\n{}", line(&belief));
    let decided_by = document.get("decidedBy").cloned();
    for unit in decided_by.iter().filter_map(Value::as_array).flatten() {
        let value = unit.get("value").map(Value::to_string).unwrap_or_default();
        let said_by = unit.pointer("/provenance/class").and_then(Value::as_str);
        text.push_str(&format!(
            "\n- {} said by {}, {} ({})",
            quote(&value),
            said_by.unwrap_or_default(),
            member(unit, "why"),
            member(unit, "ref"),
        ));
    }
    let view = WhyView {
        id: None,
        data: None,
        marks: Vec::new(),
        versions: Vec::new(),
        used: None,
        belief: Some(belief),
        decided_by,
        changes: document.get("changes").cloned(),
    };
    Answer::new(&view, text)
}

fn version(row: &Value) -> VersionView {
    let changes = row.get("changes").and_then(Value::as_array);
    VersionView {
        id: member(row, "id"),
        number: row.get("seq").and_then(Value::as_u64).unwrap_or_default(),
        recorded: member(row, "recordedAt"),
        changes: changes.cloned().unwrap_or_default(),
    }
}

/// A belief as the tools give it.
pub(super) fn view(belief: &Value, meaning: &str) -> BeliefView {
    let sides = |name: &str| {
        let sides = belief.get(name).and_then(Value::as_array);
        sides.into_iter().flatten().map(side).collect()
    };
    BeliefView {
        subject: member(belief, "subject"),
        predicate: member(belief, "predicate"),
        scope: belief.get("scope").cloned(),
        status: member(belief, "status"),
        support: belief
            .get("support")
            .and_then(Value::as_str)
            .map(str::to_owned),
        values: sides("sides"),
        others: sides("alternatives"),
        next: meaning.to_owned(),
    }
}

fn side(side: &Value) -> ValueView {
    let claims = side.get("claims").and_then(Value::as_array);
    let claims: Vec<&Value> = claims.into_iter().flatten().collect();
    let end = |name: &str| {
        let window = claims.first().and_then(|claim| claim.get("window"));
        window
            .map(|window| member(window, name))
            .unwrap_or_default()
    };
    let mut said_by: Vec<String> = claims
        .iter()
        .filter_map(|claim| claim.pointer("/provenance/class")?.as_str())
        .map(str::to_owned)
        .collect();
    said_by.dedup();
    ValueView {
        value: side.get("value").cloned().unwrap_or_default(),
        holds: match (end("start"), end("end")) {
            (start, end) if start.is_empty() && end.is_empty() => "ever".to_owned(),
            (start, end) => format!("{start}/{end}"),
        },
        said_by,
        claims: claims.iter().map(|claim| member(claim, "ref")).collect(),
        confirmed: member(side, "confirmed"),
    }
}

/// A belief on one line.
pub(super) fn line(belief: &BeliefView) -> String {
    let values = |values: &[ValueView]| {
        let values = values.iter().map(|it| {
            let by = it.said_by.join(", ");
            format!("{} (said by {by})", quote(&it.value.to_string()))
        });
        values.collect::<Vec<_>>().join(" or ")
    };
    let (subject, predicate) = (quote(&belief.subject), quote(&belief.predicate));
    let scope = belief.scope.as_ref();
    let scope = scope.map_or_else(String::new, |it| format!(" in {}", quote(&it.to_string())));
    let mut line = format!("{subject} {predicate}{scope}: {}", belief.status);
    if !belief.values.is_empty() {
        line.push_str(&format!(", {}", values(&belief.values)));
    }
    if !belief.others.is_empty() {
        line.push_str(&format!("; does not decide: {}", values(&belief.others)));
    }
    format!("{line}. {}.", belief.next)
}

/// The next steps of a model after the gate's decision.
fn next(became: &str) -> Vec<String> {
    let steps: &[&str] = match became {
        "contested" => &["Name both sides to the user, and let the user decide."],
        "queued_for_adjudication" => &["It waits for the verdict of a person."],
        "quarantined" => &["Cite the memory that it rests on with `source`, or ask the user."],
        "denied_already" => {
            &["It was denied before. Cite new evidence with `source`, or leave it."]
        }
        "committed_inferred" => &["It counts where nothing better is known."],
        _ => &[],
    };
    steps.iter().map(|step| (*step).to_owned()).collect()
}

fn member(value: &Value, name: &str) -> String {
    let text = value.get(name).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}
