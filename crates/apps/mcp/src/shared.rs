//! Readings of the same members of a request, and of the same reports, for MCP and the HTTP API.

use counterfoil::{BeliefQuery, Detail, Error, Memory, ReceiptHandle, Report, UnixMillis, WorldId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Members that say whose word a memory is, whose it is, and who may have it: no patch reaches them.
const PROTECTED: [&str; 9] = [
    "channel",
    "correction",
    "file",
    "key",
    "kind",
    "scope",
    "share",
    "source",
    "speaker",
];

/// Amount of each memory that a recall returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DetailName {
    /// One line a memory
    Index,
    /// The texts
    #[default]
    Text,
    /// Texts, data and proofs
    Full,
}

impl From<DetailName> for Detail {
    fn from(name: DetailName) -> Self {
        match name {
            DetailName::Index => Self::Index,
            DetailName::Text => Self::Text,
            DetailName::Full => Self::Full,
        }
    }
}

/// Returns the merge patch (RFC 7396) of a new version: a text, or a patch of the memory's data, with whose word it is and why.
///
/// # Errors
/// [`ErrorKind::Input`](counterfoil::ErrorKind::Input) for both or neither, an empty text, and a patch of a member that no request
/// changes.
pub fn correction(
    text: Option<String>,
    patch: Option<Map<String, Value>>,
    channel: &str,
    reason: Option<&str>,
) -> Result<Value, Error> {
    let mut patch = match (text, patch) {
        (Some(text), None) if !text.trim().is_empty() => {
            [("text".to_owned(), text.into())].into_iter().collect()
        }
        (None, Some(patch)) => patch,
        _ => {
            return Err(Error::input(
                "either `text` or `patch` is given",
                "give one of them",
            ));
        }
    };
    if let Some(name) = PROTECTED.iter().find(|name| patch.contains_key(**name)) {
        return Err(Error::input(
            format_args!("`{name}` is not for a request to change"),
            "leave it out of the patch",
        ));
    }
    let by = json!({"by": channel, "reason": reason});
    patch.insert("channel".to_owned(), channel.into());
    patch.insert("correction".to_owned(), by);
    Ok(Value::Object(patch))
}

/// A fact as a request gives it.
#[derive(Debug)]
pub struct StatedFact {
    /// Of whom or what.
    pub subject: String,
    /// Predicate of it.
    pub predicate: String,
    /// Value: a text, a number, or any JSON.
    pub value: Value,
    /// From when on it holds.
    pub from: Option<String>,
    /// Until when it holds.
    pub until: Option<String>,
    /// Id of the memory that it rests on.
    pub source: Option<String>,
    /// Key of the request.
    pub key: Option<String>,
}

impl StatedFact {
    /// Returns the fact as the facade takes it: the members that are given.
    pub fn into_members(self) -> Map<String, Value> {
        let texts = [
            ("subject", Some(self.subject)),
            ("predicate", Some(self.predicate)),
            ("from", self.from),
            ("until", self.until),
            ("source", self.source),
            ("key", self.key),
        ];
        let given = texts.into_iter();
        let given = given.filter_map(|(name, text)| Some((name.to_owned(), text?.into())));
        given.chain([("value".to_owned(), self.value)]).collect()
    }
}

/// Returns the whole ids of claims that are named by ids or their beginnings.
///
/// # Errors
/// As [`Memory::find_id`].
pub async fn whole_ids(memory: &Memory, named: &[String]) -> Result<Vec<WorldId>, Error> {
    let mut ids = Vec::with_capacity(named.len());
    for id in named {
        ids.push(memory.find_id(id).await?);
    }
    Ok(ids)
}

/// Returns the first moment of a date as people write it.
///
/// # Errors
/// [`ErrorKind::Input`](counterfoil::ErrorKind::Input) for a text that is no date, or a date after the year 9999.
pub fn moment(date: &str) -> Result<UnixMillis, Error> {
    let at = BeliefQuery::of_dates(None, Some(date))?.as_of;
    let at = UnixMillis::new(at.unwrap_or_default() / 1_000);
    at.map_err(|error| Error::input(error, "write a year up to 9999"))
}

/// Returns the handle of an entry of the log, `rcpt_352_9f86d081`.
pub fn handle(index: Option<u64>, hash: Option<&str>) -> Option<String> {
    Some(ReceiptHandle::of_entry(index?, hash?)?.to_string())
}

/// Returns the handle of the receipt of a memory that is shown.
pub fn receipt_of(shown: &Report) -> Option<String> {
    handle(shown.number("/index"), shown.detail("hash").as_str())
}

/// Returns the text of a memory that is shown; of other content its JSON, and nothing of one that is erased.
pub fn text_of(shown: &Report) -> Option<String> {
    let data = shown.value().pointer("/world/data")?;
    let text = data.get("text").and_then(Value::as_str);
    Some(text.map_or_else(|| data.to_string(), str::to_owned))
}
