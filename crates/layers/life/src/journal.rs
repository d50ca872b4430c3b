//! The journal: one chain of hashes over all rows that strangers cause (docs/format/database.md 9). Its head is named by the
//! next entry that is sealed here, and lies beside the keys.
//!
//! Gain of an attacker who edits the database: rows that were added after the last head that was named may be taken back,
//! where the file beside the keys is set back as well.

use counterfoil_capsule::{CapsuleDocument, journal_link};
use counterfoil_store::{StoreError, StoreLocation};
use counterfoil_types::Blake3Hash;
use counterfoil_types::json::canonical;
use serde_json::json;

use crate::port::rows::{
    EXCHANGE, EXCHANGE_ANSWER, EXCHANGE_ITEM, EXCHANGE_TRANSITION, EventRow, FollowedRow, ForkRow,
    JournalHeadRow, JournalRow,
};
use crate::port::{Field, Row, Select, Table, Txn, Value};

/// Tables with rows of evidence, each with the column that an erasure may empty.
pub(crate) const EVIDENCE: [(&Table, Option<usize>); 6] = [
    (ForkRow::TABLE, None),
    (EventRow::TABLE, None),
    (EXCHANGE, None),
    (EXCHANGE_TRANSITION, None),
    (EXCHANGE_ANSWER, Some(3)),
    (EXCHANGE_ITEM, Some(6)),
];
/// Part of a row that says that a restored backup was brought up to date at a size of the log: heads that entries before it
/// name went with the rows that were lost.
pub(crate) const RECONCILED: &str = "reconciled";
/// Link before the first row.
pub(crate) const START: Blake3Hash = Blake3Hash::from_bytes([0; 32]);
pub(crate) const NOT_LINKED: &str = "the journal does not link it: it was added from outside";

/// Returns the number of rows, and the link of the last.
///
/// # Errors
/// When it cannot be read.
pub fn head(txn: &dyn Txn) -> Result<(u64, Blake3Hash), StoreError> {
    let last = Select::of::<JournalRow>().reversed().first(1);
    let last: Option<(u64, Blake3Hash)> = txn.column(last, &["number", "link"])?.pop();
    Ok(last.map_or((0, START), |(number, link)| (number + 1, link)))
}

/// Returns the link of the last of the first `rows` rows; `None` when there are fewer.
///
/// # Errors
/// When it cannot be read.
pub fn link_at(txn: &dyn Txn, rows: u64) -> Result<Option<Blake3Hash>, StoreError> {
    let Some(last) = rows.checked_sub(1) else {
        return Ok(Some(START));
    };
    let row: Option<JournalRow> = txn.find(&[&last])?;
    Ok(row.map(|row| row.link))
}

/// Returns the head that the next entry has to name; `None` when there is no row, and when the last one that names a head
/// names it.
pub(crate) fn unnamed(txn: &dyn Txn) -> Result<Option<(u64, Blake3Hash)>, StoreError> {
    let head = head(txn)?;
    if head.0 == 0 {
        return Ok(None);
    }
    let last = Select::of::<JournalHeadRow>().reversed().first(1);
    let named: Option<JournalHeadRow> = txn.one(&last)?;
    Ok(Some(head).filter(|head| named.map(|named| (named.rows, named.link)) != Some(*head)))
}

/// Adds a row of evidence, and its row of the journal.
pub(crate) fn add<R: Row>(txn: &dyn Txn, row: &R) -> Result<(), StoreError> {
    match txn.add(row)? {
        true => push(txn, R::TABLE, row.values()),
        false => Ok(()),
    }
}

/// Adds the row of the journal of a row of evidence that was added just now, by table and key.
///
/// # Errors
/// [`StoreError::Bug`] when there is no such row; when it cannot be read or written.
pub fn link(txn: &dyn Txn, table: &str, key: &[i64]) -> Result<(), StoreError> {
    let missing = StoreError::Bug("a row of evidence that is not there");
    let Some((table, _)) = evidence(table) else {
        return Err(missing);
    };
    let key: Vec<Value> = key.iter().map(Field::value).collect();
    push(txn, table, txn.row(table, &key)?.ok_or(missing)?)
}

/// Adds the rows of the journal of all rows of evidence: in a store of before, table by table. A store that follows another
/// one gets them from there.
///
/// # Errors
/// When a row cannot be read or written.
pub fn begin(txn: &dyn Txn) -> Result<(), StoreError> {
    if txn.has(Select::of::<FollowedRow>())? {
        return Ok(());
    }
    for (table, _) in EVIDENCE {
        let push = &mut |row| push(txn, table, row).map(|()| true);
        txn.select(&Select::all(table), push)?;
    }
    Ok(())
}

/// Adds the row that says that entries up to the size `entries` of the log were brought back.
pub(crate) fn note_reconciled(txn: &dyn Txn, entries: u64) -> Result<(), StoreError> {
    let table = Table {
        name: RECONCILED,
        columns: &["entries"],
        key: 1,
    };
    push(txn, &table, vec![entries.value()])
}

fn push(txn: &dyn Txn, table: &Table, row: Vec<Value>) -> Result<(), StoreError> {
    let (number, before) = head(txn)?;
    let [first, second, third] = places(row.get(..table.key).unwrap_or_default());
    let words = words(table.name, &row);
    txn.add(&JournalRow {
        number,
        part: table.name.to_owned(),
        first,
        second,
        third,
        words,
        link: journal_link(&before, line(table.name, row, words)?.as_bytes()),
    })
    .map(drop)
}

/// Checks that the rows of a table of evidence whose key begins with `first` are those that the journal links.
///
/// # Errors
/// [`StoreError::Corrupt`] with the place of one that is not; when they cannot be read.
pub fn check(txn: &dyn Txn, table: &str, first: i64) -> Result<(), StoreError> {
    let damaged = |detail| StoreError::corrupt(place(table, &Value::Integer(first)), detail);
    let mut linked = 0;
    let select = Select::of::<JournalRow>()
        .with("part", table)
        .with("first", first);
    for row in txn.list::<JournalRow>(&select)? {
        let before = link_at(txn, row.number)?.unwrap_or(START);
        difference(txn, &row, before)?.map_or(Ok(()), |detail| Err(damaged(detail)))?;
        linked += 1;
    }
    let Some((table, _)) = evidence(table) else {
        return Ok(());
    };
    let rows = Select::keyed(table, &[Value::Integer(first)]);
    let column = table.columns.first().copied().unwrap_or_default();
    match txn.measure(&rows, column)?.0 == linked {
        true => Ok(()),
        false => Err(damaged(NOT_LINKED)),
    }
}

/// Compares a row of the journal, which follows the link `before`, with the row that it links. `None` when they agree.
pub(crate) fn difference(
    txn: &dyn Txn,
    linked: &JournalRow,
    before: Blake3Hash,
) -> Result<Option<&'static str>, StoreError> {
    let all = [&linked.first, &linked.second, &linked.third].map(Clone::clone);
    let table = evidence(&linked.part).map(|(table, _)| table);
    let key = all
        .get(..table.map_or(1, |table| table.key))
        .unwrap_or_default();
    let row = match table {
        _ if places(key) != all => None,
        Some(table) => txn.row(table, key)?,
        None => Some(key.to_vec()).filter(|_| linked.part == RECONCILED),
    };
    let Some(row) = row else {
        // In a copy of a sealed store a branch whose key was destroyed is there and cannot be read.
        let is_closed = match table.filter(|table| table.name == ForkRow::TABLE.name) {
            Some(table) => txn.measure(&Select::keyed(table, key), "document")?.0 > 0,
            None => false,
        };
        return Ok((!is_closed).then_some("the journal links it, and it is gone"));
    };
    let words = words(&linked.part, &row);
    let line = line(&linked.part, row, linked.words)?;
    let is_same = (words.is_none() || words == linked.words)
        && journal_link(&before, line.as_bytes()) == linked.link;
    Ok((!is_same).then_some("it is not the row that the journal links: it was changed"))
}

/// Returns the selection of the row of the journal of the row with that key.
pub(crate) fn of(table: &Table, key: &[Value]) -> Select {
    let select = Select::of::<JournalRow>().with("part", table.name);
    let keyed = ["first", "second", "third"].into_iter().zip(places(key));
    keyed.fold(select, |select, (name, value)| select.with(name, value))
}

/// The values of a key in the three places of the journal.
fn places(key: &[Value]) -> [Value; 3] {
    [0, 1, 2].map(|at| key.get(at).cloned().unwrap_or(Value::Integer(0)))
}

/// Location of a row with this first column of its key.
pub(crate) fn place(table: &str, first: &Value) -> StoreLocation {
    match u64::read(first.clone()) {
        Some(number) => StoreLocation::entry(table, number),
        None => StoreLocation::table(table),
    }
}

fn evidence(name: &str) -> Option<(&'static Table, Option<usize>)> {
    EVIDENCE.into_iter().find(|(table, _)| table.name == name)
}

/// Digest of the text that an erasure may take out of a row; `None` where it was taken, and in a table without one.
fn words(part: &str, row: &[Value]) -> Option<Blake3Hash> {
    let (_, column) = evidence(part)?;
    match row.get(column?)? {
        Value::Text(text) => Some(journal_link(&START, text.as_bytes())),
        Value::Blob(bytes) => Some(journal_link(&START, bytes)),
        Value::Null | Value::Integer(_) => None,
    }
}

/// The line of a row as a commit has it, with the digest of what may be erased in its place, and of a branch the capsule
/// without its bodies, which its header names.
fn line(part: &str, mut row: Vec<Value>, words: Option<Blake3Hash>) -> Result<String, StoreError> {
    let column = evidence(part).and_then(|(_, column)| column);
    if let Some(text) = column.and_then(|column| row.get_mut(column)) {
        *text = words.value();
    }
    if part == ForkRow::TABLE.name
        && let Some(mut branch) = ForkRow::read(row.clone())
        && let Ok(document) = CapsuleDocument::parse(branch.document.as_bytes())
    {
        branch.document = document.without_bodies().to_text();
        row = branch.values();
    }
    let cells: Vec<_> = row.iter().map(Value::to_json).collect();
    canonical(&json!({ "row": cells, "table": part }))
        .map_err(|_| StoreError::Bug("a row without a canonical form"))
}
