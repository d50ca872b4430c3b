//! Memories: stored, listed, read, recalled, changed, hidden and erased.

use counterfoil::{
    DerivedPolicy, Detail, Edit, ErasureScope, Error, ErrorKind, Memory, Note, RecallOptions,
    Report, Scope, Timestamp,
};
use counterfoil_mcp::shared::{DetailName, correction, handle, moment, receipt_of, text_of};
use hyper::StatusCode;
use hyper::header::{HeaderValue, LOCATION};
use serde_json::{Map, Value, json};

use super::{Caller, VERSION, document, member, of_memory, tagged, typed};
use crate::body;
use crate::keys::{self, ApiChannel};
use crate::problem::{Problem, Reply};
use crate::requests::{DerivedName, ErasureRequest, RecallRequest, RememberRequest, UpdateRequest};
use crate::views::{
    ForgottenView, MemoriesView, MemoryView, RememberedView, SimilarView, UpdatedView, VersionView,
    VersionsView,
};

/// Memories of a recall when its caller does not say.
const MAX: usize = 10;
/// Most memories of a recall.
const MOST: usize = 100;
/// Memories or versions of a page when its caller does not say.
const PAGE: usize = 50;
/// Most memories or versions of a page.
const LARGEST_PAGE: usize = 200;
/// Longest reason, in bytes.
const MAX_REASON: usize = 512;
/// Reason of a deletion that names none.
const REASON: &str = "deleted over HTTP";
/// `POST /v1/memories`.
pub(super) async fn remember(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let request: RememberRequest = body::document(&caller.body)?;
    if request.text.trim().is_empty() {
        return Err(Problem::input("`text` is empty", "write what to remember"));
    }
    let memory = caller.within(request.scope)?;
    let mut note = match caller.key.channel() {
        ApiChannel::User => Note::from(request.text),
        channel => {
            Note::document(json!({"kind": "note", "text": request.text, "channel": channel.name()}))
        }
    };
    if let Some(who) = request.who {
        note = note.who(who);
    }
    if let Some(source) = request.source {
        note = note.source(source);
    }
    if let Some(when) = &request.when {
        note = note.when(moment(when)?);
    }
    if let Some(key) = caller.idempotency_key()? {
        note = note.key(key);
    }
    note = request.tags.into_iter().fold(note, Note::tag);
    for (name, value) in request.metadata {
        note = note.metadata(name, value);
    }
    let made = memory.remember(note).await?;
    let id = made.id.to_string();
    let mut similar = Vec::with_capacity(made.similar.len());
    for near in &made.similar {
        let id = near.to_string();
        let text = text_of(&memory.show(&id).await?).unwrap_or_default();
        similar.push(SimilarView { id, text });
    }
    let status = match made.became {
        "new" => StatusCode::CREATED,
        _ => StatusCode::OK,
    };
    let view = RememberedView {
        kind: "counterfoil/remembered",
        version: VERSION,
        receipt: receipt_of(&memory.show(&id).await?),
        became: made.became.to_owned(),
        similar,
        id,
    };
    let (current, _) = current(&memory, &view.id).await?;
    let mut reply = tagged(document(status, &view)?, &current);
    if let Ok(location) = HeaderValue::from_str(&format!("/v1/memories/{}", view.id)) {
        reply.headers_mut().insert(LOCATION, location);
    }
    Ok(reply)
}

/// `GET /v1/memories`: pages of the memory as it was when the first page was read.
pub(super) async fn list(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let limit = caller.query.limit("limit", PAGE, LARGEST_PAGE)?;
    let (time, skip) = match caller.query.text("cursor") {
        Some(cursor) => Cursor::parse(cursor)?,
        None => (keys::now()?, 0),
    };
    let no_cursor = |_| Problem::input("that is no cursor", NO_CURSOR);
    let as_of = Timestamp::from_micros(time).map_err(no_cursor)?;
    let listed = match caller.memory.as_of(as_of, skip, limit).await {
        // Nothing is recorded yet.
        Err(error) if error.kind() == ErrorKind::Input => None,
        listed => Some(listed?),
    };
    let items = listed.as_ref().map(items).unwrap_or_default();
    let all = listed.as_ref().and_then(|it| it.number("/memories"));
    let seen = skip.saturating_add(limit);
    let has_more = all
        .and_then(|all| usize::try_from(all).ok())
        .is_some_and(|all| seen < all);
    let view = MemoriesView {
        kind: "counterfoil/memories",
        version: VERSION,
        items,
        next_cursor: has_more.then(|| Cursor::text(time, seen)),
    };
    document(StatusCode::OK, &view)
}

const NO_CURSOR: &str = "take `nextCursor` of the page before, or leave it out";

/// Place in a list: the time of its first page, and the number of memories before the next one.
struct Cursor;

impl Cursor {
    fn text(time: u64, skip: usize) -> String {
        format!("{time:x}-{skip:x}")
    }

    fn parse(text: &str) -> Result<(u64, usize), Problem> {
        let parsed = text.split_once('-').and_then(|(time, skip)| {
            let time = u64::from_str_radix(time, 16).ok()?;
            Some((time, u32::from_str_radix(skip, 16).ok()?))
        });
        let (time, skip) = parsed.ok_or_else(|| Problem::input("that is no cursor", NO_CURSOR))?;
        Ok((time, usize::try_from(skip).unwrap_or(usize::MAX)))
    }
}

fn items(listed: &Report) -> Vec<MemoryView> {
    let rows = listed.value().get("listed").and_then(Value::as_array);
    let beside = listed.detail("listed").as_array();
    let pairs = rows.into_iter().flatten().zip(beside.into_iter().flatten());
    let views = pairs.map(|(row, beside)| {
        let data = row.get("data").and_then(Value::as_object).cloned();
        let text = beside.get("text").and_then(Value::as_str);
        MemoryView {
            number: row.get("seq").and_then(Value::as_u64).unwrap_or_default(),
            recorded: text_at(row, "recordedAt"),
            marks: row
                .get("contested")
                .and_then(Value::as_str)
                .map(str::to_owned)
                .into_iter()
                .collect(),
            text: text.map(str::to_owned),
            when: when(beside.get("createdAt")),
            ..view(text_at(row, "id"), data)
        }
    });
    views.collect()
}

/// `GET /v1/memories/{id}`: the current version.
pub(super) async fn show(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let (id, hidden) = current(&caller.memory, caller.open(0)).await?;
    let shown = caller.memory.show(&id).await.map_err(of_memory)?;
    let data = shown
        .value()
        .pointer("/world/data")
        .and_then(Value::as_object);
    let marks = shown.value().get("marks").and_then(Value::as_array);
    let marks = marks.into_iter().flatten().filter_map(Value::as_str);
    let view = MemoryView {
        number: shown.number("/seq").unwrap_or_default(),
        recorded: shown
            .detail("recordedAt")
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        marks: marks.map(str::to_owned).collect(),
        text: text_of(&shown),
        when: when(shown.value().pointer("/world/createdAt")),
        receipt: receipt_of(&shown),
        hidden,
        ..view(id.clone(), data.cloned())
    };
    Ok(tagged(document(StatusCode::OK, &view)?, &id))
}

/// The view of a memory with these data, and nothing else of it.
fn view(id: String, data: Option<Map<String, Value>>) -> MemoryView {
    let mut data = data.unwrap_or_default();
    let who = member(&data, "speaker");
    let scope = Scope::in_members(&data);
    for name in ["text", "speaker", "scope"] {
        data.remove(name);
    }
    let pairs = scope
        .pairs()
        .map(|(key, value)| (key.to_owned(), value.to_owned()));
    MemoryView {
        kind: "counterfoil/memory",
        version: VERSION,
        id,
        number: 0,
        text: None,
        data,
        who,
        when: None,
        scope: pairs.collect(),
        recorded: String::new(),
        receipt: None,
        hidden: false,
        marks: Vec::new(),
    }
}

/// `PATCH /v1/memories/{id}`.
pub(super) async fn update(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let (memory, named) = (&caller.memory, caller.open(0));
    let request: UpdateRequest = body::document(&caller.body)?;
    let (id, _) = current(memory, named).await?;
    must_match(caller, &id)?;
    let reason = reason(request.reason.as_deref())?;
    let patch = correction(
        request.text,
        request.patch,
        caller.key.channel().name(),
        reason,
    )?;
    let edit = Edit::patch(patch).expecting(id.as_str());
    let report = match memory.update(&id, &edit).await {
        Ok(report) => report,
        // The facade has one word for a version that is not the newest and for a patch that does not fit.
        Err(error) => {
            let is_moved = current(memory, named).await?.0 != id;
            return Err(match is_moved {
                true => Problem::precondition_failed(),
                false => error.into(),
            });
        }
    };
    let id = report.text("/id").unwrap_or_default().to_owned();
    let changes = report.value().get("changes").and_then(Value::as_array);
    let view = UpdatedView {
        kind: "counterfoil/updated",
        version: VERSION,
        receipt: receipt_of(&memory.show(&id).await?),
        changes: changes.cloned().unwrap_or_default(),
        id,
    };
    Ok(tagged(document(StatusCode::OK, &view)?, &view.id))
}

/// Checks that `If-Match` names the current version (RFC 9110, 13.1.1).
fn must_match(caller: &Caller<'_>, current: &str) -> Result<(), Problem> {
    let given = caller.one_header("if-match")?;
    let given = given.ok_or_else(Problem::precondition_required)?;
    let tag = format!("\"{current}\"");
    let mut tags = given.split(',').map(str::trim);
    match tags.any(|given| given == "*" || given == tag) {
        true => Ok(()),
        false => Err(Problem::precondition_failed()),
    }
}

/// `DELETE /v1/memories/{id}`: no recall finds it any more, and nothing is taken away.
pub(super) async fn hide(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let reason = reason(caller.query.text("reason"))?.unwrap_or(REASON);
    let (id, _) = current(&caller.memory, caller.open(0)).await?;
    must_be_own(caller, &id).await?;
    let report = caller.memory.forget(&id, reason).await.map_err(of_memory)?;
    let view = ForgottenView {
        kind: "counterfoil/forgotten",
        version: VERSION,
        id,
        became: "hidden",
        certificate: handle(report.number("/index"), report.text("/capsule")),
    };
    document(StatusCode::OK, &view)
}

/// `POST /v1/erasures`: all versions, for good.
pub(super) async fn erase(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let request: ErasureRequest = body::document(&caller.body)?;
    let reason = reason(Some(&request.reason))?.unwrap_or(REASON);
    let (id, _) = current(&caller.memory, &request.id).await?;
    let scope = ErasureScope {
        all_versions: true,
        derived: match request.derived {
            Some(DerivedName::Keep) => DerivedPolicy::Keep,
            Some(DerivedName::Take) => DerivedPolicy::Take,
            None => {
                must_have_none_derived(&caller.memory, &id).await?;
                DerivedPolicy::Keep
            }
        },
    };
    let report = caller.memory.erase(&id, reason, scope).await?;
    if let Some(problem) = report.problem() {
        return Err(problem.clone().into());
    }
    let index = report.number("/erased/0/redaction/index");
    let view = ForgottenView {
        kind: "counterfoil/forgotten",
        version: VERSION,
        id,
        became: "erased",
        certificate: handle(index, report.text("/erased/0/redaction/capsule")),
    };
    document(StatusCode::OK, &view)
}

/// Refuses to erase a memory from which others were made, unless the request decides about them. In a scope they are kept.
async fn must_have_none_derived(memory: &Memory, id: &str) -> Result<(), Problem> {
    if !memory.scope().is_empty() {
        return Ok(());
    }
    let derived = memory.derived(id, true).await?;
    match derived.value().as_array().map_or(0, Vec::len) {
        0 => Ok(()),
        made => Err(Error::input(
            format_args!("nothing was erased: memories were made from it ({made})"),
            "give `derived`: `take` erases them as well, `keep` leaves them",
        )
        .into()),
    }
}

/// Refuses to take back a fact that another channel stated: no word of a model takes the place of a person's.
async fn must_be_own(caller: &Caller<'_>, id: &str) -> Result<(), Problem> {
    let shown = caller.memory.show(id).await.map_err(of_memory)?;
    let class = shown.text("/world/data/provenance/class");
    let own: &[&str] = match caller.key.channel() {
        ApiChannel::User => return Ok(()),
        ApiChannel::Tool => &["first_hand", "model_derived"],
        ApiChannel::Model => &["model_derived"],
    };
    match class {
        Some(class) if !own.contains(&class) => Err(Problem::not_its_word()),
        _ => Ok(()),
    }
}

/// `GET /v1/memories/{id}/versions`.
pub(super) async fn versions(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let limit = caller.query.limit("limit", PAGE, LARGEST_PAGE)?;
    let history = caller.memory.history(caller.open(0), limit).await;
    let history = history.map_err(of_memory)?;
    let rows = history.value().get("versions").and_then(Value::as_array);
    let view = VersionsView {
        kind: "counterfoil/versions",
        version: VERSION,
        count: history.number("/count").unwrap_or_default(),
        hidden: history.value().get("forgotten").is_some(),
        items: rows.into_iter().flatten().map(version).collect(),
    };
    document(StatusCode::OK, &view)
}

fn version(row: &Value) -> VersionView {
    let changes = row.get("changes").and_then(Value::as_array);
    VersionView {
        id: text_at(row, "id"),
        number: row.get("seq").and_then(Value::as_u64).unwrap_or_default(),
        recorded: text_at(row, "recordedAt"),
        content: text_at(row, "content"),
        changes: changes.cloned().unwrap_or_default(),
        contested: row
            .get("contested")
            .and_then(Value::as_str)
            .map(str::to_owned),
    }
}

/// `GET /v1/memories/{id}/receipt`.
pub(super) async fn receipt(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let (id, _) = current(&caller.memory, caller.open(0)).await?;
    let receipt = caller.memory.receipt(&id).await;
    typed("receipt", receipt.map_err(of_memory)?.value())
}

/// `GET /v1/memories/{id}/uses`: decisions about proposals that used it.
pub(super) async fn uses(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let used = caller.memory.used(caller.open(0)).await;
    typed("uses", used.map_err(of_memory)?.value())
}

/// `POST /v1/recall`: the recall document, as every door gives it.
pub(super) async fn recall(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let request: RecallRequest = body::document(&caller.body)?;
    let memory = caller.within(request.scope)?;
    let max = request.max.unwrap_or(MAX);
    if !(1..=MOST).contains(&max) {
        return Err(Problem::input("`max` is from 1 to 100", "choose another"));
    }
    let options = RecallOptions {
        max,
        after: request.after.as_deref().map(moment).transpose()?,
        before: request.before.as_deref().map(moment).transpose()?,
        token_budget: request.token_budget,
        ..RecallOptions::default()
    };
    let recalled = match &request.as_of {
        Some(time) => {
            let time = Timestamp::from_micros(moment(time)?.value().saturating_mul(1_000));
            let next = "write a year up to 9999";
            let time = time.map_err(|error| Problem::input(error.to_string(), next))?;
            memory.recall_as_of(time, &request.query, &options).await?
        }
        None => memory.recall(&request.query, &options).await?,
    };
    let detail: Detail = request.detail.into();
    let mut found = recalled.document(detail);
    if request.proofs && !matches!(request.detail, DetailName::Full) {
        found.proofs = Some(recalled.proofs());
    }
    document(StatusCode::OK, &found)
}

/// Id of the current version of a memory, and true if it is hidden.
async fn current(memory: &Memory, id: &str) -> Result<(String, bool), Problem> {
    let history = memory.history(id, 1).await.map_err(of_memory)?;
    let newest = history.text("/versions/0/id");
    let newest = newest.ok_or_else(Problem::absent)?.to_owned();
    Ok((newest, history.value().get("forgotten").is_some()))
}

fn reason(given: Option<&str>) -> Result<Option<&str>, Problem> {
    match given {
        Some(reason) if reason.trim().is_empty() || reason.len() > MAX_REASON => Err(
            Problem::input("the reason is empty or too long", "write 1 to 512 bytes"),
        ),
        reason => Ok(reason),
    }
}

/// Milliseconds since 1970 as RFC 3339, as in the recall document.
fn when(millis: Option<&Value>) -> Option<String> {
    let micros = millis?.as_u64()?.checked_mul(1_000)?;
    let text = Timestamp::from_micros(micros).ok()?.to_string();
    let text = text.trim_end_matches('Z').trim_end_matches('0');
    Some(format!("{}Z", text.trim_end_matches('.')))
}

fn text_at(value: &Value, name: &str) -> String {
    let text = value.get(name).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_is_written() {
        let text = Cursor::text(1_795_845_899_588_247, 50);
        assert_eq!(Cursor::parse(&text).unwrap(), (1_795_845_899_588_247, 50));
        for wrong in ["", "-", "1-", "g-1", "1-fffffffff", "1-1-1", "é"] {
            assert!(Cursor::parse(wrong).is_err(), "{wrong}");
        }
    }
}
