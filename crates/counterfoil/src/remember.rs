//! Remembering: one memory sealed, its text or JSON kept as it is given.

use counterfoil_actor::ActError;
use counterfoil_capsule::World;
use counterfoil_store::{AppendReport, CapsuleLog, Draft, StoreError};
use counterfoil_types::json::{Map, Value};
use counterfoil_types::{Scope, UnixMillis, WorldId};
use serde::{Deserialize as _, Serialize};
use serde_json::json;

use crate::error::Error;
use crate::keys;
use crate::memory::Memory;
use crate::text::holds_nul;
use crate::{recall, versions, when};

/// Most labels of one memory.
const MAX_LABELS: usize = 16;
/// Longest label, in bytes.
const MAX_LABEL_BYTES: usize = 64;
/// Longest speaker and idempotency key, in bytes.
const MAX_LINE_BYTES: usize = 256;
/// Longest value of metadata, in bytes.
const MAX_METADATA_BYTES: usize = 1024;

/// Values of [`Remembered::became`].
const NEW: &str = "new";
pub(crate) const SAME: &str = "same";

/// Content of a new memory: a text, or a JSON document; and what is known about it.
#[derive(Debug, Clone)]
pub struct Note {
    content: Content,
    share: Vec<String>,
    tags: Vec<String>,
    pub(crate) scope: Scope,
    who: Option<String>,
    when: Option<UnixMillis>,
    source: Option<String>,
    metadata: Vec<(String, String)>,
    key: Option<String>,
}

#[derive(Debug, Clone)]
enum Content {
    Text(String),
    Document(Value),
}

/// A sealed memory and its place in the log.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Remembered {
    /// Id of the memory.
    pub id: WorldId,
    /// Index of its entry in the log, from 0.
    pub index: u64,
    /// Size of the log at the checkpoint that was signed with it.
    pub tree_size: u64,
    /// `new` for a new memory, `same` for one that was there already.
    pub became: &'static str,
    /// Memories of the same scope that say nearly the same, the nearest first: at most 5.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub similar: Vec<WorldId>,
}

impl Note {
    /// A JSON document, kept as it is; what else is given about it is added to its members.
    pub const fn document(value: Value) -> Self {
        Self::of(Content::Document(value))
    }

    const fn of(content: Content) -> Self {
        Self {
            content,
            share: Vec::new(),
            tags: Vec::new(),
            scope: Scope::new(),
            who: None,
            when: None,
            source: None,
            metadata: Vec::new(),
            key: None,
        }
    }

    /// Scope of the memory; one that a [bound](Memory::scoped) value remembers has the pairs of that scope as well.
    #[must_use]
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// Adds a tag, a word of one's own about the memory; at most 16 of 1 to 64 bytes.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Person or agent who said it, of 1 to 256 bytes.
    #[must_use]
    pub fn who(mut self, who: impl Into<String>) -> Self {
        self.who = Some(who.into());
        self
    }

    /// Time that the memory is of, milliseconds since 1970; now by default.
    #[must_use]
    pub const fn when(mut self, when: UnixMillis) -> Self {
        self.when = Some(when);
        self
    }

    /// Id of the memory that it rests on, which has to be there.
    #[must_use]
    pub fn source(mut self, memory: impl Into<String>) -> Self {
        self.source = Some(memory.into());
        self
    }

    /// Adds a name and value of one's own; at most 16, names of 1 to 64 bytes and values of up to 1,024.
    #[must_use]
    pub fn metadata(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.metadata.push((name.into(), value.into()));
        self
    }

    /// Idempotency key, 1 to 256 bytes: to remember the same again under the key finds the memory, and other content is refused.
    /// A key is of one scope.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Lets other agents have the text where the share policy lets this label out; at most 16 labels of 1 to 64 bytes.
    #[must_use]
    pub fn shared(mut self, label: impl Into<String>) -> Self {
        self.share.push(label.into());
        self
    }

    /// Refuses what no memory in `scope` can be, whatever is in the store.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input), as [`Memory::remember`] gives it.
    pub fn check(&self, scope: &Scope) -> Result<(), Error> {
        self.clone().data(scope).map(drop)
    }

    /// Content as it is sealed, in `scope`.
    pub(crate) fn data(self, scope: &Scope) -> Result<Value, Error> {
        let mut about = Map::new();
        let tags = labels(self.tags, "--tag")?;
        if !tags.is_empty() {
            about.insert("tags".into(), Value::Array(tags));
        }
        for (name, option, text) in [("speaker", "--who", self.who), ("key", "--key", self.key)] {
            if let Some(text) = text {
                about.insert(name.into(), line(option, text)?.into());
            }
        }
        if !scope.is_empty() {
            let pairs = serde_json::to_value(scope);
            about.insert(
                "scope".into(),
                pairs.map_err(|_| Error::bug("a scope that is none"))?,
            );
        }
        if let Some(source) = self.source {
            about.insert("source".into(), json!({ "memory": source }));
        }
        if !self.metadata.is_empty() {
            about.insert("metadata".into(), pairs(self.metadata)?);
        }
        let share = labels(self.share, "--share")?;
        match self.content {
            Content::Text(text) => note(text, share, about),
            Content::Document(value) if holds_nul(&value) => Err(Error::input(
                "the document contains the character NUL in a string",
                "remove it",
            )),
            Content::Document(value) => document(value, about, scope),
        }
    }
}

impl From<String> for Note {
    fn from(text: String) -> Self {
        Self::of(Content::Text(text))
    }
}

impl From<&str> for Note {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Memory {
    /// Seals one memory under the agent's key. It is on disk and in the log when this returns.
    ///
    /// What is remembered already, with the same text, scope and speaker and nothing else about it that differs, is the same
    /// memory: a version confirms it, with the time in its member `confirmed`, and no recall finds it twice. Under a key that
    /// is known nothing is written at all.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for an empty text, NUL characters, wrong labels, a source that is not there,
    /// and a key under which something else is remembered.
    pub async fn remember(&self, note: impl Into<Note>) -> Result<Remembered, Error> {
        self.must_exist()?;
        let note = note.into();
        if let Some(source) = &note.source {
            let (whole, source) = self.reaching(source).await?;
            versions::locate(whole.reader()?.as_ref(), &source).await?;
        }
        let scope = self.joined(&note.scope)?;
        let (when, at) = (note.when, when::now()?);
        let data = note.data(&scope)?;
        let whole = self.whole();
        let world = counterfoil_capsule::remember(random_id()?, when.unwrap_or(at), data);
        let world = world.map_err(ActError::from).map_err(recall::failure)?;
        whole.remembered((world, when), &scope).await
    }

    /// Seals a World. Returns its place, and true if it was not there before.
    pub(crate) async fn seal(
        &self,
        world: Result<World, ActError>,
    ) -> Result<(Remembered, bool), Error> {
        let world = world.map_err(recall::failure)?;
        let id = world.world_id().clone();
        let (signer, store) = (self.signer()?, self.writer()?);
        let appended = store.append_one(signer, Draft::new(world)).await;
        let AppendReport {
            index,
            tree_size,
            is_new,
            ..
        } = appended.map_err(|error| unacknowledged(&id, error))?;
        let remembered = Remembered {
            id,
            index,
            tree_size,
            became: if is_new { NEW } else { SAME },
            similar: Vec::new(),
        };
        Ok((remembered, is_new))
    }
}

/// Names the id in a failure that kept the memory, or may have: a second attempt would draw another id, and so
/// remember twice.
pub(crate) fn unacknowledged(id: &WorldId, error: StoreError) -> Error {
    match error {
        StoreError::NotAcknowledged { detail } => Error::place(
            format_args!(
                "the memory is kept as {id}, but the last checkpoint could not be written beside \
                 the keys ({detail})"
            ),
            "repair that, and do not remember it again",
        ),
        StoreError::NotConfirmed { detail } => Error::place(
            format_args!("the shared ground has not confirmed the memory {id} ({detail})"),
            format_args!(
                "look with `counterfoil show {id}` once it can be reached, and remember it again if it is not there"
            ),
        ),
        StoreError::OutcomeUnknown => Error::place(
            format_args!("the disk failed, and it is not known whether the memory is kept as {id}"),
            format_args!(
                "repair the disk, look with `counterfoil show {id}`, and remember it again if it \
                 is not there"
            ),
        ),
        other => other.into(),
    }
}

fn labels(labels: Vec<String>, option: &str) -> Result<Vec<Value>, Error> {
    let is_label = |label: &String| {
        !label.is_empty() && label.len() <= MAX_LABEL_BYTES && !label.contains(char::is_control)
    };
    if labels.len() > MAX_LABELS || !labels.iter().all(is_label) {
        return Err(Error::input(
            format_args!(
                "{option} takes at most {MAX_LABELS} labels of 1 to {MAX_LABEL_BYTES} bytes"
            ),
            match option {
                "--share" => "name it as the share policy in exchange.toml does",
                _ => "choose other words",
            },
        ));
    }
    Ok(labels.into_iter().map(Value::from).collect())
}

fn line(option: &str, text: String) -> Result<String, Error> {
    let is_line = (1..=MAX_LINE_BYTES).contains(&text.len()) && !text.contains(char::is_control);
    match is_line && !text.trim().is_empty() {
        true => Ok(text),
        false => Err(Error::input(
            format_args!("{option} takes a text of 1 to {MAX_LINE_BYTES} bytes on one line"),
            "choose another",
        )),
    }
}

fn pairs(metadata: Vec<(String, String)>) -> Result<Value, Error> {
    let is_pair = |(name, value): &(String, String)| {
        (1..=MAX_LABEL_BYTES).contains(&name.len())
            && !name.contains(char::is_control)
            && value.len() <= MAX_METADATA_BYTES
            && !value.contains('\0')
    };
    let count = metadata.len();
    let are_pairs = count <= MAX_LABELS && metadata.iter().all(is_pair);
    let pairs = metadata
        .into_iter()
        .map(|(name, value)| (name, value.into()));
    let pairs: Map = pairs.collect();
    match are_pairs && pairs.len() == count {
        true => Ok(Value::Object(pairs)),
        false => Err(Error::input(
            format_args!(
                "--meta takes at most {MAX_LABELS} names, each once, of 1 to {MAX_LABEL_BYTES} bytes with values of up to \
                 {MAX_METADATA_BYTES}"
            ),
            "put more into the text, or into a document with --json",
        )),
    }
}

/// A document with what is given about it: members that it has itself are not replaced.
fn document(mut value: Value, about: Map, scope: &Scope) -> Result<Value, Error> {
    let own = value.get("scope").map(Scope::deserialize);
    let is_scope = own.is_none_or(|own| own.is_ok_and(|own| own.contains(scope)));
    if let Some(members) = value.as_object_mut().filter(|_| is_scope) {
        for (name, given) in about {
            let member = members.entry(name.clone()).or_insert_with(|| given.clone());
            if *member != given && name != "scope" {
                return Err(Error::input(
                    format_args!("the document has another `{name}` than the one that is given"),
                    "leave one of them out",
                ));
            }
        }
        return Ok(value);
    }
    match is_scope && about.is_empty() {
        true => Ok(value),
        false => Err(Error::input(
            "the document cannot hold the scope and the labels: it is no object, or its member `scope` is another scope",
            "write a JSON object, with scope as {\"user\": \"kit\"} or without",
        )),
    }
}

fn note(text: String, share: Vec<Value>, mut data: Map) -> Result<Value, Error> {
    if text.trim().is_empty() {
        return Err(Error::input("the text is empty", "write what to remember"));
    }
    if text.contains('\0') {
        return Err(Error::input(
            "the text contains the character NUL",
            "remove it",
        ));
    }
    data.insert("kind".into(), "note".into());
    data.insert("text".into(), text.into());
    if !share.is_empty() {
        data.insert("share".into(), Value::Array(share));
    }
    Ok(Value::Object(data))
}

pub(crate) fn random_id() -> Result<WorldId, Error> {
    let mut bytes = [0_u8; 16];
    keys::fill(&mut bytes)?;
    named_id(&hex::encode(bytes))
}

/// The id of a memory with these hexadecimal digits.
pub(crate) fn named_id(digits: &str) -> Result<WorldId, Error> {
    WorldId::new(format!("mem_{digits}")).map_err(|_| Error::bug("an id that is none"))
}
