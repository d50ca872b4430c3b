//! Remembering: one memory sealed, its text or JSON kept as it is given.

use counterfoil_actor::ActError;
use counterfoil_capsule::World;
use counterfoil_store::{AppendReport, CapsuleLog, Draft, StoreError};
use counterfoil_types::WorldId;
use counterfoil_types::json::{Map, Value};
use serde::Serialize;

use crate::error::Error;
use crate::keys;
use crate::memory::Memory;
use crate::text::holds_nul;
use crate::{recall, when};

/// Most labels of one memory.
const MAX_LABELS: usize = 16;
/// Longest label, in bytes.
const MAX_LABEL_BYTES: usize = 64;

/// Content of a new memory: a text, or a JSON document.
#[derive(Debug, Clone)]
pub struct Note {
    content: Content,
    share: Vec<String>,
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
    pub world_id: WorldId,
    /// Index of its entry in the log, from 0.
    pub index: u64,
    /// Size of the log at the checkpoint that was signed with it.
    pub tree_size: u64,
}

impl Note {
    /// A JSON document, kept as it is.
    pub const fn document(value: Value) -> Self {
        Self {
            content: Content::Document(value),
            share: Vec::new(),
        }
    }

    /// Lets other agents have the text where the share policy lets this label out; at most 16 labels of 1 to 64 bytes.
    #[must_use]
    pub fn shared(mut self, label: impl Into<String>) -> Self {
        self.share.push(label.into());
        self
    }

    pub(crate) fn data(self) -> Result<Value, Error> {
        let share = labels(self.share)?;
        match self.content {
            Content::Text(text) => note(text, share),
            Content::Document(value) if holds_nul(&value) => Err(Error::input(
                "the document contains the character NUL in a string",
                "remove it",
            )),
            Content::Document(value) => Ok(value),
        }
    }
}

impl From<String> for Note {
    fn from(text: String) -> Self {
        Self {
            content: Content::Text(text),
            share: Vec::new(),
        }
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
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for an empty text, NUL characters and wrong labels.
    pub async fn remember(&self, note: impl Into<Note>) -> Result<Remembered, Error> {
        self.must_exist()?;
        let data = note.into().data()?;
        let world = counterfoil_capsule::remember(random_id()?, when::now()?, data);
        let sealed = self.seal(world.map_err(ActError::from)).await?;
        Ok(sealed.0)
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
            world_id: id,
            index,
            tree_size,
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

fn labels(share: Vec<String>) -> Result<Vec<Value>, Error> {
    let is_label = |label: &String| {
        !label.is_empty() && label.len() <= MAX_LABEL_BYTES && !label.contains(char::is_control)
    };
    if share.len() > MAX_LABELS || !share.iter().all(is_label) {
        return Err(Error::input(
            format_args!(
                "--share takes at most {MAX_LABELS} labels of 1 to {MAX_LABEL_BYTES} bytes"
            ),
            "name it as the share policy in exchange.toml does",
        ));
    }
    Ok(share.into_iter().map(Value::from).collect())
}

fn note(text: String, share: Vec<Value>) -> Result<Value, Error> {
    if text.trim().is_empty() {
        return Err(Error::input("the text is empty", "write what to remember"));
    }
    if text.contains('\0') {
        return Err(Error::input(
            "the text contains the character NUL",
            "remove it",
        ));
    }
    let mut data = Map::new();
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
    WorldId::new(format!("mem_{}", hex::encode(bytes)))
        .map_err(|_| Error::bug("an id that is none"))
}
