//! Calls about memories: to store, to find and to correct them.

use counterfoil::{
    BeliefQuery, DerivedPolicy, Detail, Edit, ErasureScope, Memory, Note, RecallOptions, Recalled,
    Timestamp,
};
use serde_json::{Value, json};

use crate::arguments::{CorrectArgs, RecallArgs, RememberArgs};
use crate::failure::Failure;
use crate::quoting::{QUOTED, quote, quote_short};
use crate::results::{Answer, CorrectView, RememberView, SimilarView};
use crate::session::Session;
use crate::shared::{correction, handle, moment, receipt_of, text_of};

/// Channel of all that a model says.
const CHANNEL: &str = "model";
/// Memories that a recall returns when its caller does not say.
const MAX: usize = 8;
/// Characters that are shown of a similar memory.
const LINE: usize = 80;
/// Most memories of a recall.
const MOST: usize = 100;
/// Characters of a memory, and most memories made from it, that the question before an erasure shows.
const SHOWN: usize = 400;
const MAX_LISTED: usize = 10;

pub(super) async fn remember(session: &Session, args: RememberArgs) -> Result<Answer, Failure> {
    if args.text.trim().is_empty() {
        return Err(Failure::arguments(
            "`text` is empty",
            "write what to remember",
        ));
    }
    let memory = session.within(args.scope)?;
    let data = json!({"kind": "note", "text": args.text, "channel": CHANNEL});
    let mut note = Note::document(data);
    if let Some(who) = args.who {
        note = note.who(who);
    }
    if let Some(source) = args.source {
        note = note.source(source);
    }
    if let Some(when) = &args.when {
        note = note.when(moment(when)?);
    }
    if let Some(key) = args.key {
        note = note.key(key);
    }
    let made = memory.remember(note).await?;
    let id = made.id.to_string();
    let shown = memory.show(&id).await?;
    let mut similar = Vec::with_capacity(made.similar.len());
    for near in &made.similar {
        let id = near.to_string();
        let text = text_of(&memory.show(&id).await?).unwrap_or_default();
        similar.push(SimilarView { id, text });
    }
    let became = made.became;
    let view = RememberView {
        receipt: receipt_of(&shown).unwrap_or_default(),
        id,
        became: became.to_owned(),
        similar,
    };
    let mut text = format!("Remembered as {} ({}), {became}.", view.id, view.receipt);
    for near in &view.similar {
        let said = quote_short(&near.text, LINE);
        text.push_str(&format!("\nNearly the same: {said} ({})", near.id));
    }
    Answer::new(&view, text)
}

pub(super) async fn recall(session: &Session, args: RecallArgs) -> Result<Answer, Failure> {
    let memory = session.within(args.scope)?;
    let max = args.max.unwrap_or(MAX);
    if !(1..=MOST).contains(&max) {
        return Err(Failure::arguments(
            "`max` is from 1 to 100",
            "choose another",
        ));
    }
    let options = RecallOptions {
        max,
        after: args.after.as_deref().map(moment).transpose()?,
        before: args.before.as_deref().map(moment).transpose()?,
        token_budget: args.token_budget,
        ..RecallOptions::default()
    };
    let as_of = args.as_of.as_deref().map(recorded).transpose()?;
    let recalled = match as_of {
        Some(time) => memory.recall_as_of(time, &args.query, &options).await?,
        None => memory.recall(&args.query, &options).await?,
    };
    let document = document_of(&recalled, args.detail.into())?;
    let text = listed(&document);
    Answer::new(&document, text)
}

/// The recall document in the detail that was asked for.
pub(crate) fn document_of(recalled: &Recalled, detail: Detail) -> Result<Value, Failure> {
    serde_json::to_value(recalled.document(detail))
        .map_err(|error| Failure::new("bug", error.to_string(), "please report it"))
}

/// The items of a recall document, one a line, as quoted data.
pub(crate) fn listed(document: &Value) -> String {
    let items = document.get("items").and_then(Value::as_array);
    let items = items.map(Vec::as_slice).unwrap_or_default();
    let withheld = document.get("withheld").and_then(Value::as_array);
    let mut text = match items.len() {
        0 => "No memory answers.".to_owned(),
        _ => QUOTED.to_owned(),
    };
    for item in items {
        let member = |name: &str| item.get(name).and_then(Value::as_str);
        let said = member("text").unwrap_or_default();
        let said = quote(said);
        text.push_str(&format!("\n- {said}"));
        let about = [
            member("when").map(|when| when.chars().take(10).collect()),
            member("who").map(quote),
            member("status").map(str::to_owned),
            member("belief").map(str::to_owned),
            member("id").map(str::to_owned),
            member("receipt").map(str::to_owned),
        ];
        let about: Vec<String> = about.into_iter().flatten().collect();
        text.push_str(&format!(" ({})", about.join(", ")));
        if let Some(data) = item.get("data") {
            text.push_str(&format!(" data {}", quote(&data.to_string())));
        }
    }
    let withheld = withheld.map_or(0, Vec::len);
    if withheld > 0 {
        text.push_str(&format!(
            "\n{withheld} memories were withheld: they are not what was sealed. Tell the user to run `counterfoil check`."
        ));
    }
    text
}

pub(super) async fn correct(session: &Session, args: CorrectArgs) -> Result<Answer, Failure> {
    let memory = &session.memory;
    let patch = correction(args.text, args.patch, CHANNEL, Some(&args.reason));
    let edit = Edit::patch(patch.map_err(|error| Failure::of_arguments(&error))?);
    let report = memory.update(&args.id, &edit).await?;
    let id = report.text("/id").unwrap_or_default().to_owned();
    let shown = memory.show(&id).await?;
    let changes = report.value().get("changes").and_then(Value::as_array);
    let view = CorrectView {
        receipt: receipt_of(&shown).unwrap_or_default(),
        id,
        changes: changes.cloned().unwrap_or_default(),
    };
    let text = format!("The new version is {} ({}).", view.id, view.receipt);
    Answer::new(&view, text)
}

/// Matter of the question before an erasure: the present text, the number of versions, and the memories made from this one.
pub(super) async fn at_stake(memory: &Memory, id: &str) -> Result<String, Failure> {
    let history = memory.history(id, 1).await?;
    let newest = history.text("/versions/0/id").unwrap_or(id);
    let text = text_of(&memory.show(newest).await?).unwrap_or_default();
    let mut stake = format!("It says {}.", quote_short(&text, SHOWN));
    if let Some(count @ 2..) = history.number("/count") {
        stake.push_str(&format!(" All its {count} versions go."));
    }
    let derived = memory.derived(id, true).await?;
    let derived = derived.value().as_array().map_or(&[][..], Vec::as_slice);
    if !derived.is_empty() {
        stake.push_str(match derived_policy(memory) {
            DerivedPolicy::Take => " What was made from it goes as well:",
            DerivedPolicy::Keep => " What was made from it stays:",
        });
        let says = |made: &Value| {
            let says = made.get("says").and_then(Value::as_str);
            quote_short(says.unwrap_or_default(), LINE)
        };
        let listed: Vec<String> = derived.iter().take(MAX_LISTED).map(says).collect();
        let more = derived.len().saturating_sub(MAX_LISTED);
        stake.push_str(&format!(" {}", listed.join(", ")));
        if more > 0 {
            stake.push_str(&format!(" and {more} more"));
        }
        stake.push('.');
    }
    Ok(stake)
}

/// Memories made from one may be in other scopes than that of the session.
fn derived_policy(memory: &Memory) -> DerivedPolicy {
    match memory.scope().is_empty() {
        true => DerivedPolicy::Take,
        false => DerivedPolicy::Keep,
    }
}

/// Erases all versions of a memory. Gives the handle of the entry that says so, and the outcome in words.
pub(super) async fn erase(
    memory: &Memory,
    id: &str,
    reason: &str,
) -> Result<(Option<String>, String), Failure> {
    let scope = ErasureScope {
        all_versions: true,
        derived: derived_policy(memory),
    };
    let report = memory.erase(id, reason, scope).await?;
    let index = report.number("/erased/0/redaction/index");
    let handle = handle(index, report.text("/erased/0/redaction/capsule"));
    let said = match report.problem() {
        Some(problem) => format!("{problem}; the user can run `counterfoil erase` again"),
        None => "its content is gone for good, and the log proves that".to_owned(),
    };
    Ok((handle, said))
}

/// The first moment of a date, as a time of recording.
fn recorded(date: &str) -> Result<Timestamp, Failure> {
    let at = BeliefQuery::of_dates(None, Some(date))?
        .as_of
        .unwrap_or_default();
    Timestamp::from_micros(at)
        .map_err(|error| Failure::arguments(error.to_string(), "write a year up to 9999"))
}
