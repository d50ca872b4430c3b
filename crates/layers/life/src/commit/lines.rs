//! Commits as lines of canonical JSON: strict, closed, and limited.

use counterfoil_capsule::CapsuleDocument;
use counterfoil_store::StoreError;
use counterfoil_types::Sha256Hash;
use counterfoil_types::document;
use counterfoil_types::json::{Limits, Value as Json, admit, canonical};
use serde::Deserialize;
use serde_json::json;

use super::cells::{salt_of, unknown, values_of};
use super::sealed::{self, SealedBodies};
use super::{Change, Commit, CommitHead, FORMAT, SEALED_FORMAT, refused, table};
use crate::port::Value;
use crate::sealing::ContentKeys;

/// Maximum bytes of the text of a part.
pub(super) const MAX_TEXT: u64 = 64 << 20;
/// Maximum number of lines of a part.
const MAX_LINES: usize = 262_144;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    capsule: Option<String>,
    content: Option<Json>,
    delta: Option<Json>,
    follows: Option<bool>,
    gone: Option<Vec<Json>>,
    index: Option<u64>,
    leaf: Option<Sha256Hash>,
    row: Option<Vec<Json>>,
    salt: Option<Json>,
    table: Option<String>,
}

impl CommitHead {
    /// Returns the head line, without its line feed.
    pub(super) fn to_line(&self) -> Result<String, StoreError> {
        written(&document::write(self))
    }

    /// Reads a head line.
    pub(super) fn parse(line: &[u8]) -> Result<Self, StoreError> {
        let value = admit(line, Limits::PROOF).map_err(refused)?;
        let head: Self = document::read(&value).map_err(refused)?;
        match head.format == FORMAT || head.is_sealed() {
            true => Ok(head),
            false => Err(refused(format_args!("its format is {}", head.format))),
        }
    }

    /// Tests whether the bodies of the commit are sealed.
    #[must_use]
    pub fn is_sealed(&self) -> bool {
        self.format == SEALED_FORMAT
    }
}

impl Change {
    /// Returns the line of the change, without its line feed; with keys, the sealed one.
    pub(super) fn to_line(&self, keys: Option<&dyn ContentKeys>) -> Result<String, StoreError> {
        let cells = |values: &[Value]| values.iter().map(Value::to_json).collect::<Vec<_>>();
        written(&match (self, keys) {
            (
                Self::Entry {
                    index,
                    document,
                    follows,
                    ..
                },
                Some(keys),
            ) => sealed::entry_line(keys, *index, document, *follows)?,
            (Self::Row { table, row, .. }, Some(keys)) => sealed::row_line(keys, table, row)?,
            (
                Self::Entry {
                    index,
                    document,
                    follows,
                    ..
                },
                None,
            ) => {
                let mut line = json!({ "capsule": document.to_text(), "index": index });
                if let (Some(salt), Some(line)) = (follows, line.as_object_mut()) {
                    line.insert("salt".to_owned(), Value::Blob(salt.to_vec()).to_json());
                }
                line
            }
            (Self::Stub { index, leaf }, _) => json!({ "index": index, "leaf": leaf }),
            (Self::Row { table, row, .. }, None) => {
                json!({ "row": cells(row), "table": table.name })
            }
            (Self::Gone(table, key), _) => json!({ "gone": cells(key), "table": table.name }),
        })
    }

    /// Reads a line; `None` for one of which nothing can be opened any more.
    pub(super) fn parse(
        line: &[u8],
        keys: Option<&dyn ContentKeys>,
    ) -> Result<Option<Self>, StoreError> {
        let value = admit(line, Limits::DOCUMENT).map_err(refused)?;
        let mut line: Line = document::read(&value).map_err(refused)?;
        let bodies = SealedBodies {
            content: line.content.take(),
            delta: line.delta.take(),
        };
        let Some(keys) = keys else {
            let is_plain = bodies.content.is_none() && bodies.delta.is_none();
            return match is_plain && line.follows.is_none() {
                true => Self::of_line(line).map(Some),
                false => Err(unknown()),
            };
        };
        if let (Some(cells), Some(table)) = (&line.row, line.table.as_deref().and_then(table)) {
            let row = sealed::open_row(keys, table, cells, bodies)?;
            return Ok(row.map(|(row, is_lost)| Self::Row {
                table,
                row,
                is_lost,
            }));
        }
        let keeps_whole = line.follows.take() != Some(true);
        let mut change = Self::of_line(line)?;
        if let Self::Entry {
            index,
            document,
            follows: follows @ None,
            is_lost,
        } = &mut change
        {
            let slot = sealed::slot_of_entry(*index);
            (**document, *is_lost) = bodies.open(keys, &slot, document)?;
            // Without all of its chain the content is kept whole.
            if let (false, false, Some(body)) = (keeps_whole, *is_lost, document.payload()) {
                *follows = Some(body.salt);
            }
        }
        Ok(Some(change))
    }

    /// Reads a line that is not sealed, or what is plain in one.
    fn of_line(line: Line) -> Result<Self, StoreError> {
        let places = (line.index, line.table.as_deref().and_then(table));
        match (line.capsule, line.gone, line.leaf, line.row, places) {
            (Some(capsule), None, None, None, (Some(index), None)) => {
                let document = CapsuleDocument::parse(capsule.as_bytes()).map_err(refused)?;
                let follows = line.salt.map(|salt| salt_of(&salt).ok_or_else(unknown));
                let follows = follows.transpose()?;
                match follows.is_some() && document.payload().is_some() {
                    true => Err(unknown()),
                    false => Ok(Self::Entry {
                        index,
                        document: Box::new(document),
                        follows,
                        is_lost: false,
                    }),
                }
            }
            _ if line.salt.is_some() || (line.table.is_some() && places.1.is_none()) => {
                Err(unknown())
            }
            (None, None, Some(leaf), None, (Some(index), None)) => Ok(Self::Stub { index, leaf }),
            (None, None, None, Some(row), (None, Some(table))) => {
                let row = values_of(&row, table.columns.len()).ok_or_else(unknown)?;
                Ok(Self::Row {
                    table,
                    row,
                    is_lost: false,
                })
            }
            (None, Some(key), None, None, (None, Some(table))) => {
                let key = values_of(&key, table.key).ok_or_else(unknown)?;
                Ok(Self::Gone(table, key))
            }
            _ => Err(unknown()),
        }
    }
}

impl Commit {
    /// Reads the text of a part, and opens it with the keys of its log where it is sealed.
    ///
    /// # Errors
    /// [`StoreError::Commit`] for anything that is not of this format, or larger than it may be; [`StoreError::Sealed`] for
    /// content that its keys do not open.
    pub fn parse(text: &[u8], keys: Option<&dyn ContentKeys>) -> Result<Self, StoreError> {
        let text = text.strip_suffix(b"\n");
        let text = text.ok_or_else(|| refused("its last line is cut off"))?;
        let mut lines = text.split(|byte| *byte == b'\n');
        let head = CommitHead::parse(lines.next().unwrap_or_default())?;
        let keys = match (head.is_sealed(), keys) {
            (false, _) => None,
            (true, Some(keys)) if keys.log() == head.key => Some(keys),
            (true, Some(_)) => return Err(refused("the keys are of another log")),
            (true, None) => {
                let next = "its content is sealed: name the folder of its keys with --keys";
                return Err(refused(next));
            }
        };
        let lines: Vec<_> = lines.take(MAX_LINES).collect();
        match lines.len() < MAX_LINES {
            true => {
                let changes = lines.into_iter().map(|line| Change::parse(line, keys));
                let changes: Result<Vec<_>, _> = changes.filter_map(Result::transpose).collect();
                Ok(Self {
                    head,
                    changes: changes?,
                })
            }
            false => Err(refused("it has more lines than a part may have")),
        }
    }
}

fn written(value: &Json) -> Result<String, StoreError> {
    canonical(value).map_err(|error| refused(format_args!("a value cannot be written: {error}")))
}
