//! Sealed lines of a commit, and slots of which nothing is left to open (docs/format/commit.md "Sealed files").

use counterfoil_capsule::{CapsuleDocument, SaltedBody};
use counterfoil_store::StoreError;
use counterfoil_types::json::{Map, Value as Json};
use serde_json::json;

use super::cells::{unknown, value_of};
use super::table;
use crate::entries::{header, in_chain};
use crate::port::rows::{ENTRY, ForkRow, HeldRow, OutboxRow, ShipRow};
use crate::port::{Row, Select, Table, Txn, Value};
use crate::sealing::{ContentKeys, SEALED_COLUMNS, open, seal, slot_columns};

const DOCUMENT: &str = "document";
const CONTENT: &str = "content";
const DELTA: &str = "delta";

/// Returns the slot of the content of an entry; that of its delta is below it.
pub(crate) fn slot_of_entry(index: u64) -> String {
    format!("{ENTRY}/{index}")
}

fn below(slot: &str, name: &str) -> String {
    format!("{slot}/{name}")
}

/// Returns the slot of a row; of a row of which only the key is known, one above it.
fn slot_of(table: &Table, row: &[Value]) -> String {
    let names = slot_columns(table);
    let values = names.filter_map(|column| value_at(table, row, column));
    values.fold(table.name.to_owned(), |slot, value| match value {
        Value::Integer(number) => below(&slot, &number.to_string()),
        Value::Blob(bytes) => below(&slot, &hex::encode_upper(bytes)),
        Value::Text(text) => below(&slot, text),
        Value::Null => slot,
    })
}

fn value_at<'r>(table: &Table, row: &'r [Value], column: &str) -> Option<&'r Value> {
    let at = table.columns.iter().position(|name| *name == column)?;
    row.get(at)
}

fn is_sealed(table: &Table, column: &str) -> bool {
    SEALED_COLUMNS.contains(&(table, column))
}

/// Returns the capsule in a document of a branch, or of one that is held; `None` for one that is not written as a capsule is.
fn capsule_in(table: &Table, row: &[Value]) -> Option<CapsuleDocument> {
    if ![HeldRow::TABLE.name, ForkRow::TABLE.name].contains(&table.name) {
        return None;
    }
    let Some(Value::Text(text)) = value_at(table, row, DOCUMENT) else {
        return None;
    };
    let document = CapsuleDocument::parse(text.as_bytes()).ok()?;
    (document.signature().is_some() && document.to_text() == *text).then_some(document)
}

fn sealed_cell(keys: &dyn ContentKeys, slot: &str, content: &[u8]) -> Result<Json, StoreError> {
    // Without a key nothing is there to open, and the place says so.
    let sealed = seal(keys, slot, content)?.unwrap_or_default();
    Ok(Value::Blob(sealed).to_json())
}

/// Returns the bodies of a capsule as members of its line.
fn sealed_bodies(
    keys: &dyn ContentKeys,
    slot: &str,
    document: &CapsuleDocument,
) -> Result<Map, StoreError> {
    let delta = (DELTA, below(slot, DELTA), document.delta());
    let bodies = [(CONTENT, slot.to_owned(), document.payload()), delta];
    let mut members = Map::new();
    for (name, slot, body) in bodies {
        if let Some(body) = body {
            let content = [body.salt.as_slice(), body.text.as_bytes()].concat();
            members.insert(name.to_owned(), sealed_cell(keys, &slot, &content)?);
        }
    }
    Ok(members)
}

/// Returns the line of an entry, of which `document` has the content also where it follows from its chain.
pub(super) fn entry_line(
    keys: &dyn ContentKeys,
    index: u64,
    document: &CapsuleDocument,
    follows: Option<[u8; 32]>,
) -> Result<Json, StoreError> {
    let mut line = sealed_bodies(keys, &slot_of_entry(index), document)?;
    let bare = document.clone().without_bodies().to_text();
    line.insert("capsule".to_owned(), bare.into());
    line.insert("index".to_owned(), index.into());
    if follows.is_some() {
        line.insert("follows".to_owned(), true.into());
    }
    Ok(Json::Object(line))
}

/// Returns the line of a row.
pub(super) fn row_line(
    keys: &dyn ContentKeys,
    table: &Table,
    row: &[Value],
) -> Result<Json, StoreError> {
    let (slot, capsule) = (slot_of(table, row), capsule_in(table, row));
    let mut line = match &capsule {
        Some(document) => sealed_bodies(keys, &slot, document)?,
        None => Map::new(),
    };
    let mut cells = Vec::with_capacity(row.len());
    for (column, value) in table.columns.iter().zip(row) {
        let content = match value {
            Value::Text(_) if capsule.is_some() && *column == DOCUMENT => None,
            Value::Text(text) if is_sealed(table, column) => Some([b"t", text.as_bytes()]),
            Value::Blob(bytes) if is_sealed(table, column) => Some([b"b", bytes.as_slice()]),
            _ => None,
        };
        cells.push(match (content, &capsule) {
            (Some(parts), _) => {
                json!({ "sealed": sealed_cell(keys, &below(&slot, column), &parts.concat())? })
            }
            (None, Some(document)) if *column == DOCUMENT => {
                document.clone().without_bodies().to_text().into()
            }
            _ => value.to_json(),
        });
    }
    line.insert("row".to_owned(), cells.into());
    line.insert("table".to_owned(), table.name.into());
    Ok(Json::Object(line))
}

/// Bodies of a line.
#[derive(Default)]
pub(super) struct SealedBodies {
    pub(super) content: Option<Json>,
    pub(super) delta: Option<Json>,
}

impl SealedBodies {
    /// Returns the capsule with its bodies, and true where the key of one was destroyed.
    pub(super) fn open(
        self,
        keys: &dyn ContentKeys,
        slot: &str,
        bare: &CapsuleDocument,
    ) -> Result<(CapsuleDocument, bool), StoreError> {
        let mut is_lost = false;
        let mut body = |slot: &str, sealed: Option<Json>| {
            let Some(sealed) = sealed else {
                return Ok(None);
            };
            let Some(content) = opened(keys, slot, &sealed)? else {
                is_lost = true;
                return Ok(None);
            };
            let (salt, text) = content.split_first_chunk::<32>().ok_or_else(unknown)?;
            let text = String::from_utf8(text.to_vec()).map_err(|_| unknown())?;
            Ok::<_, StoreError>(Some(SaltedBody { text, salt: *salt }))
        };
        let payload = body(slot, self.content)?;
        let delta = body(&below(slot, DELTA), self.delta)?;
        let (Some(signature), None, None) = (bare.signature(), bare.payload(), bare.delta()) else {
            return Err(unknown());
        };
        let header = bare.header().clone();
        let document = CapsuleDocument::new(header, *signature, bare.fields(), payload, delta);
        Ok((document, is_lost))
    }
}

fn opened(
    keys: &dyn ContentKeys,
    slot: &str,
    sealed: &Json,
) -> Result<Option<Vec<u8>>, StoreError> {
    match value_of(sealed) {
        Some(Value::Blob(sealed)) => open(keys, slot, &sealed),
        _ => Err(unknown()),
    }
}

/// Returns the row of a line, and true where the key of a column was destroyed; `None` for a held document without its key.
pub(super) fn open_row(
    keys: &dyn ContentKeys,
    table: &Table,
    cells: &[Json],
    bodies: SealedBodies,
) -> Result<Option<(Vec<Value>, bool)>, StoreError> {
    let sealed = |cell: &Json| cell.get("sealed").cloned();
    let plain = |cell: &Json| match sealed(cell) {
        Some(_) => Some(Value::Null),
        None => value_of(cell),
    };
    let row: Option<Vec<Value>> = cells.iter().map(plain).collect();
    let mut row = row.filter(|row| row.len() == table.columns.len());
    let row = row.as_mut().ok_or_else(unknown)?;
    let (slot, mut is_lost) = (slot_of(table, row), false);
    for ((column, cell), value) in table.columns.iter().zip(cells).zip(row.iter_mut()) {
        let Some(sealed) = sealed(cell) else { continue };
        match opened(keys, &below(&slot, column), &sealed)?.as_deref() {
            Some([b't', text @ ..]) => {
                let text = String::from_utf8(text.to_vec());
                *value = Value::Text(text.map_err(|_| unknown())?);
            }
            Some([b'b', bytes @ ..]) => *value = Value::Blob(bytes.to_vec()),
            None if table.name == HeldRow::TABLE.name => return Ok(None),
            None => is_lost = true,
            Some(_) => return Err(unknown()),
        }
    }
    if bodies.content.is_some() || bodies.delta.is_some() {
        let bare = capsule_in(table, row).ok_or_else(unknown)?;
        let text = bodies.open(keys, &slot, &bare)?.0.to_text();
        let column = table.columns.iter().position(|name| *name == DOCUMENT);
        if let Some(document) = column.and_then(|column| row.get_mut(column)) {
            *document = Value::Text(text);
        }
    }
    Ok(Some((std::mem::take(row), is_lost)))
}

/// Returns the slots whose content is gone from the store since a destination was shipped to.
pub(super) fn emptied(txn: &dyn Txn, row: &ShipRow) -> Result<Vec<String>, StoreError> {
    let mut changes: Vec<OutboxRow> = Vec::new();
    let select = Select::of::<OutboxRow>().from("number", row.change + 1);
    txn.each(&select, |change| {
        changes.push(change);
        Ok(true)
    })?;
    let mut slots = Vec::new();
    for change in changes {
        if let (ENTRY, Value::Integer(index)) = (change.part.as_str(), &change.first) {
            if let Ok(index) = u64::try_from(*index) {
                slots.extend(emptied_entry(txn, index)?);
            }
            continue;
        }
        let Some(table) = table(&change.part) else {
            continue;
        };
        let mut key = vec![change.first, change.second, change.third];
        key.truncate(table.key);
        match txn.row(table, &key)? {
            None => slots.push(slot_of(table, &key)),
            Some(row) => slots.extend(emptied_row(table, &row)),
        }
    }
    Ok(slots)
}

/// Returns the slots of an entry whose content or delta is erased. One that lies in an archive has neither here.
pub(super) fn emptied_entry(txn: &dyn Txn, index: u64) -> Result<Vec<String>, StoreError> {
    let slot = slot_of_entry(index);
    let Some(found) = header(txn, index)? else {
        return Ok(Vec::new());
    };
    let body = txn.body(index)?.unwrap_or_default();
    let is_gone = body.payload.is_none() && body.salt.is_none();
    if !is_gone {
        let lacks_delta = body.delta.is_none() && found.delta().is_some();
        return Ok(lacks_delta
            .then(|| below(&slot, DELTA))
            .into_iter()
            .collect());
    }
    let mut slots = vec![slot];
    // The next version may lie in an archive: its delta was shipped before, and holds the content.
    if let Some(next) = in_chain(txn, &found.chain(), found.seq() + 1)?
        && header(txn, next)?.is_none()
    {
        slots.push(below(&slot_of_entry(next), DELTA));
    }
    Ok(slots)
}

fn emptied_row(table: &Table, row: &[Value]) -> Vec<String> {
    let slot = slot_of(table, row);
    if let Some(document) = capsule_in(table, row) {
        return match (document.payload(), document.delta()) {
            (None, _) => vec![slot],
            // It may have been sealed whole, before a body was taken out of it.
            (_, None) => vec![below(&slot, DELTA), below(&slot, DOCUMENT)],
            _ => Vec::new(),
        };
    }
    let columns = table.columns.iter().zip(row);
    let gone = columns.filter(|(column, value)| is_sealed(table, column) && **value == Value::Null);
    gone.map(|(column, _)| below(&slot, column)).collect()
}
