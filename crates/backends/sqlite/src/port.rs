//! The port of the rules on one connection: log tables as entries, all other tables as rows.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ptr;
use std::rc::Rc;

use counterfoil_capsule::{Header, Kind};
use counterfoil_claims::Unit;
use counterfoil_life::entries::Sides;
use counterfoil_life::port::{BodyRow, EachText, EntryRow, IndexedWorld, Select, Table, Value};
use counterfoil_life::{AuditReport, ReadCheck, Txn, index};
use counterfoil_store::append::{NewCapsule, PackedTexts, Packer};
use counterfoil_store::claims::ClaimTxn;
use counterfoil_store::log::{NodeReader, row_of};
use counterfoil_store::{StoreError, StoreLocation, StoredCapsule};
use counterfoil_types::{DidKey, Sha256Hash, WorldId};
use rusqlite::{Connection, Row, params, params_from_iter};

use crate::error::{at, from_sqlite};
use crate::packed::{self, Packed};
use crate::row::{Column, bytes, entry, unpacked, value};
use crate::statement::Statements;
use crate::text::TextBatch;
use crate::{apart, audit, claims, counts, derived, exchange, schema, sealed, vectors};

/// Columns of an entry, in the order in which [`entry`] reads them.
const ENTRY: &str =
    "SELECT capsule.idx, whole_header(header, packed), signature, field_root, field_count,
     payload, salt, delta, delta_salt, hashes
     FROM capsule LEFT JOIN body USING (idx) LEFT JOIN log USING (idx)";

/// Columns of the table of bodies.
const BODY: [&str; 5] = ["idx", "payload", "salt", "delta", "delta_salt"];

/// The tables behind a connection that is inside of a transaction.
pub(crate) struct Tables<'c> {
    connection: &'c Connection,
    /// Memories whose postings are not written yet: those of the transaction, and of each part of it that is open.
    text: RefCell<Vec<TextBatch>>,
    /// Statements that insert, of the tables into which rows were inserted: a batch adds rows to few tables.
    inserts: RefCell<Vec<(&'static Table, Rc<str>)>>,
    /// Check of the entries that are handed out.
    check: Option<&'c ReadCheck>,
}

impl<'c> Tables<'c> {
    pub(crate) const fn new(connection: &'c Connection) -> Self {
        Self {
            connection,
            text: RefCell::new(Vec::new()),
            inserts: RefCell::new(Vec::new()),
            check: None,
        }
    }

    /// The tables for those who read: `check` decides about each capsule.
    pub(crate) const fn checked(connection: &'c Connection, check: &'c ReadCheck) -> Self {
        let mut tables = Self::new(connection);
        tables.check = Some(check);
        tables
    }

    fn insert_into(&self, table: &'static Table) -> Rc<str> {
        let mut inserts = self.inserts.borrow_mut();
        if let Some((_, sql)) = inserts.iter().find(|(it, _)| ptr::eq(*it, table)) {
            return Rc::clone(sql);
        }
        let sql = sealed::insertion(self.connection, table.name, table.columns);
        let sql = sql + " ON CONFLICT DO NOTHING";
        let sql: Rc<str> = sql.into();
        inserts.push((table, Rc::clone(&sql)));
        sql
    }

    pub(crate) const fn connection(&self) -> &'c Connection {
        self.connection
    }
}

impl Tables<'_> {
    fn add_hashes(&self, index: u64, hashes: &[Sha256Hash]) -> Result<(), StoreError> {
        let hashes: Vec<u8> = hashes
            .iter()
            .flat_map(Sha256Hash::as_bytes)
            .copied()
            .collect();
        let sql = "INSERT INTO log (idx, hashes) VALUES (?1, ?2)";
        self.connection.run(sql, params![index, hashes])
    }
}

impl NodeReader for Tables<'_> {
    fn node(&self, level: u32, index: u64) -> Result<Sha256Hash, StoreError> {
        let leaf = row_of(level, index)?;
        let sql = "SELECT substr(hashes, ?2, 32) FROM log WHERE idx = ?1";
        self.connection
            .get(sql, params![leaf, level * 32 + 1])
            .map(Sha256Hash::from_bytes)
            .map_err(at(StoreLocation::entry("log", leaf)))
    }
}

impl Txn for Tables<'_> {
    fn read_check(&self) -> Option<&ReadCheck> {
        self.check
    }

    fn head(&self) -> Result<(u64, String), StoreError> {
        let sql = "SELECT size, checkpoint FROM head WHERE id = 0";
        self.connection.get(sql, [])
    }

    fn move_head(&self, from: (u64, &str), to: (u64, &str)) -> Result<(), StoreError> {
        let moved = self.connection.change(
            "UPDATE head SET size = ?1, checkpoint = ?2
             WHERE id = 0 AND size = ?3 AND checkpoint = ?4",
            params![to.0, to.1, from.0, from.1],
        )?;
        match moved {
            1 => Ok(()),
            _ => Err(StoreError::corrupt(
                StoreLocation::table("head"),
                "the head moved inside a transaction",
            )),
        }
    }

    fn verifier_key(&self) -> Result<String, StoreError> {
        let sql = "SELECT verifier_key FROM origin WHERE id = 0";
        self.connection.get(sql, [])
    }

    fn entries(&self, after: Option<i64>, count: usize) -> Result<Vec<EntryRow>, StoreError> {
        let sql = format!("{ENTRY} WHERE capsule.idx > ?1 ORDER BY capsule.idx LIMIT ?2");
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let range = params![after.unwrap_or(i64::MIN), count];
        match self.connection.list_with(&sql, range, entry) {
            // An entry without its key is damaged, and no other.
            Err(StoreError::Corrupt { .. }) if apart::is_attached(self.connection) => {
                let closed = format!("{ENTRY} WHERE capsule.idx = ?1");
                let closed = closed.replace("JOIN body", "JOIN main.body AS body");
                let sql = "SELECT idx FROM capsule WHERE idx > ?1 ORDER BY idx LIMIT ?2";
                let all: Vec<u64> = self.connection.list(sql, range)?;
                let each = |index: u64| match self.entry(index) {
                    Ok(row) => Ok(row),
                    Err(_) => self.connection.find_with(&closed, [index], entry),
                };
                let rows = all.into_iter().filter_map(|index| each(index).transpose());
                rows.collect()
            }
            read => read,
        }
        .map_err(at(StoreLocation::table("capsule")))
    }

    fn entry(&self, index: u64) -> Result<Option<EntryRow>, StoreError> {
        let sql = format!("{ENTRY} WHERE capsule.idx = ?1");
        self.connection
            .find_with(&sql, [index], entry)
            .map_err(at(StoreLocation::entry("capsule", index)))
    }

    fn header(&self, index: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let sql = "SELECT whole_header(header, packed) FROM capsule
             WHERE idx = ?1 AND header IS NOT NULL";
        let found = self.connection.find_with(sql, [index], |row| bytes(row, 0));
        let found = found.map_err(at(StoreLocation::entry("capsule", index)))?;
        Ok(found.flatten())
    }

    fn body(&self, index: u64) -> Result<Option<BodyRow>, StoreError> {
        let sql = "SELECT payload, salt, delta, delta_salt FROM body WHERE idx = ?1";
        self.connection
            .find_with(sql, [index], |row| {
                Ok(BodyRow {
                    payload: packed::text(row, 0)?.map(String::into_bytes),
                    salt: bytes(row, 1)?,
                    delta: packed::text(row, 2)?.map(String::into_bytes),
                    delta_salt: bytes(row, 3)?,
                })
            })
            .map_err(at(StoreLocation::entry("body", index)))
    }

    fn has_body(&self, index: u64) -> Result<(bool, bool), StoreError> {
        let sql = "SELECT payload IS NOT NULL, salt IS NOT NULL FROM body WHERE idx = ?1";
        let found = self.connection.find(sql, [index]);
        let found = found.map_err(at(StoreLocation::entry("body", index)))?;
        Ok(found.unwrap_or_default())
    }

    fn each_header(&self, each: EachText<'_>) -> Result<(), StoreError> {
        self.connection.visit(
            "SELECT idx, whole_header(header, packed) FROM capsule
             WHERE header IS NOT NULL ORDER BY idx",
            [],
            |row| Ok((row.get(0)?, bytes(row, 1)?.unwrap_or_default())),
            |(index, header)| each(index, &header),
        )
    }

    fn each_payload(&self, each: EachText<'_>) -> Result<(), StoreError> {
        self.connection.visit(
            "SELECT idx, payload FROM body WHERE payload IS NOT NULL ORDER BY idx",
            [],
            |row| Ok((row.get(0)?, unpacked(row, 1)?.0.unwrap_or_default())),
            |(index, payload)| each(index, &payload),
        )
    }

    fn packer(&self) -> Packer {
        pack
    }

    fn append(&self, new: &NewCapsule<'_>) -> Result<(), StoreError> {
        let stored = new.stored;
        let (index, delta) = (stored.index, stored.delta.as_ref());
        let owned;
        let (packed_header, packed_content) = match new.packed {
            Some(packed) => packed,
            None => {
                owned = pack(stored);
                &owned
            }
        };
        let header = match packed_header {
            Some(_) => "",
            None => stored.header.canonical(),
        };
        self.connection.run(
            "INSERT INTO capsule (idx, header, signature, field_root, field_count, packed)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                index,
                header,
                stored.signature,
                stored.entry.field_root.as_bytes(),
                stored.entry.field_count,
                packed_header,
            ],
        )?;
        // A sealed content that followed from others would go with their keys.
        let is_sealed = apart::is_attached(self.connection);
        let whole = stored
            .payload
            .as_ref()
            .filter(|_| is_sealed || !new.follows);
        let whole = whole.map(|content| match stored.header.kind() {
            Kind::Claim => Packed::claim(&content.text, packed_content.as_deref()),
            _ => Packed::of_content(stored.header.seq(), &content.text),
        });
        let insert = match is_sealed {
            true => Cow::Owned(sealed::insertion(self.connection, "body", &BODY)),
            false => Cow::Borrowed(
                "INSERT INTO body (idx, payload, salt, delta, delta_salt) VALUES (?1, ?2, ?3, ?4, ?5)",
            ),
        };
        self.connection.run(
            &insert,
            params![
                index,
                whole,
                stored.payload.as_ref().map(|content| content.salt),
                delta.map(|delta| Packed::small(&delta.text)),
                delta.map(|delta| delta.salt),
            ],
        )?;
        self.add_hashes(index, new.hashes)
    }

    fn append_stub(&self, index: u64, hashes: &[Sha256Hash]) -> Result<(), StoreError> {
        // A header comes first, and goes with the stub.
        self.connection.run(
            "INSERT INTO capsule (idx, header, signature, field_root, field_count)
             VALUES (?1, '', zeroblob(64), zeroblob(32), 1)",
            [index],
        )?;
        let sql = "INSERT INTO main.body (idx) VALUES (?1)";
        self.connection.run(sql, [index])?;
        self.add_hashes(index, hashes)
    }

    fn set_entry(
        &self,
        index: u64,
        entry: Option<(&str, &[u8; 64], &Sha256Hash, u64)>,
    ) -> Result<(), StoreError> {
        // A header that comes back is kept as text.
        self.connection.run(
            "UPDATE capsule SET header = ?2, signature = ?3, field_root = ?4, field_count = ?5
             WHERE idx = ?1",
            params![
                index,
                entry.map(|entry| entry.0),
                entry.map(|entry| entry.1),
                entry.map(|entry| entry.2.as_bytes()),
                entry.map(|entry| entry.3),
            ],
        )
    }

    fn set_body(&self, index: u64, body: &BodyRow) -> Result<(), StoreError> {
        let text = |bytes: &Option<Vec<u8>>| {
            let text = bytes.as_ref().map(|bytes| String::from_utf8(bytes.clone()));
            text.transpose()
                .map_err(|_| StoreError::Bug("a content that is no text"))
        };
        let (payload, delta) = (text(&body.payload)?, text(&body.delta)?);
        // A text that stays is not packed again: another version of the compressor would make other bytes of it.
        let before = self.body(index)?.unwrap_or_default();
        let header = self
            .header(index)?
            .and_then(|header| Header::parse(&header).ok());
        let seq = header.map_or(0, |header| header.seq());
        let given = [
            ("payload", "?2"),
            ("salt", "?3"),
            ("delta", "?4"),
            ("delta_salt", "?5"),
        ];
        let [payload_as, salt, delta_as, delta_salt] =
            given.map(|(column, given)| sealed::written(self.connection, ("body", column), given));
        self.connection.run(
            &format!(
                "UPDATE main.body SET payload = iif(?6, payload, {payload_as}), salt = {salt},
                 delta = iif(?7, delta, {delta_as}), delta_salt = {delta_salt} WHERE idx = ?1"
            ),
            params![
                index,
                payload.as_deref().map(|text| Packed::of_content(seq, text)),
                body.salt,
                delta.as_deref().map(Packed::small),
                body.delta_salt,
                body.payload.is_some() && before.payload == body.payload,
                body.delta.is_some() && before.delta == body.delta,
            ],
        )
    }

    fn select(
        &self,
        select: &Select,
        each: &mut dyn FnMut(Vec<Value>) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        let mut sql = format!(
            "SELECT {} FROM {}",
            select.columns.join(", "),
            rows_of(select)
        );
        let order = if select.reverse { " DESC" } else { "" };
        let keys = select.table.columns.iter().take(select.table.key);
        for (place, key) in keys.enumerate() {
            let before = if place == 0 { " ORDER BY " } else { ", " };
            sql.extend([before, key, order]);
        }
        if let Some(limit) = select.limit {
            sql += &format!(" LIMIT {limit}");
        }
        let columns = select.columns.len();
        let read = |row: &Row<'_>| (0..columns).map(|column| value(row, column)).collect();
        self.connection.visit(&sql, parameters(select), read, each)
    }

    fn measure(&self, select: &Select, text: &'static str) -> Result<(u64, u64), StoreError> {
        let sum = format!("SELECT count(*), coalesce(sum(octet_length({text})), 0)");
        let sql = format!("{sum} FROM main.{}", rows_of(select));
        self.connection.get(&sql, parameters(select))
    }

    fn insert(&self, table: &'static Table, row: &[Value]) -> Result<bool, StoreError> {
        let sql = self.insert_into(table);
        let added = self
            .connection
            .change(&sql, params_from_iter(row.iter().map(Column)))?;
        counts::add(self.connection, table.name, added)?;
        Ok(added > 0)
    }

    fn update(&self, table: &'static Table, row: &[Value]) -> Result<bool, StoreError> {
        let (keys, columns) = table
            .columns
            .split_at_checked(table.key)
            .unwrap_or_default();
        if columns.is_empty() {
            return Ok(false);
        }
        // A fork is left with header and signature.
        let write = |column: &&str| match table.name {
            "fork" => format!("{column} = ?"),
            name => format!(
                "{column} = {}",
                sealed::written(self.connection, (name, column), "?")
            ),
        };
        let set: Vec<String> = columns.iter().map(write).collect();
        let (set, of) = (set.join(", "), assigned(keys, " AND "));
        let sql = format!("UPDATE main.{} SET {set} WHERE {of}", table.name);
        let (key, others) = row.split_at_checked(table.key).unwrap_or_default();
        let values = others.iter().chain(key).map(Column);
        let changed = self.connection.change(&sql, params_from_iter(values))?;
        Ok(changed > 0)
    }

    fn delete(&self, table: &'static Table, key: &[Value]) -> Result<bool, StoreError> {
        let keys = table.columns.get(..table.key).unwrap_or_default();
        let of = assigned(keys, " AND ");
        let sql = format!("DELETE FROM main.{} WHERE {of}", table.name);
        let removed = self
            .connection
            .change(&sql, params_from_iter(key.iter().map(Column)))?;
        counts::take(self.connection, table.name, removed)?;
        Ok(removed > 0)
    }

    fn begin(&self) -> Result<(), StoreError> {
        let mut text = self.text.borrow_mut();
        if text.is_empty() {
            text.push(TextBatch::default());
        }
        text.push(TextBatch::default());
        self.connection
            .execute_batch("SAVEPOINT part")
            .map_err(from_sqlite)
    }

    fn keep(&self) -> Result<(), StoreError> {
        let mut text = self.text.borrow_mut();
        let of_part = text.pop().unwrap_or_default();
        if let Some(before) = text.last_mut() {
            before.extend(of_part);
        }
        self.connection
            .execute_batch("RELEASE part")
            .map_err(from_sqlite)
    }

    fn undo(&self) -> Result<(), StoreError> {
        self.text.borrow_mut().pop();
        self.connection
            .execute_batch("ROLLBACK TO part; RELEASE part")
            .map_err(from_sqlite)
    }

    fn check_tables(&self, report: &mut AuditReport) -> Result<(), StoreError> {
        let entries = report.entries;
        // An audit compares what is stored, and hands out nothing.
        let ground = &Tables::new(self.connection);
        let derive = |scratch: &Connection| {
            let index = &Tables::new(scratch);
            index::derive(Sides { ground, index }, 0..entries)
        };
        audit::check((ground, self.connection), &derive, report)
    }

    fn clear_index(&self) -> Result<(), StoreError> {
        self.text.borrow_mut().clear();
        self.connection.flush_prepared_statement_cache();
        for table in schema::derived_tables(self.connection)? {
            let quoted = table.replace('"', "\"\"");
            self.connection
                .execute_batch(&format!("DROP TABLE IF EXISTS \"{quoted}\""))
                .map_err(from_sqlite)?;
        }
        self.connection
            .execute_batch(&schema::derived_sql(self.connection))
            .map_err(from_sqlite)?;
        schema::make_vectors(self.connection)
    }

    fn finish_index(&self) -> Result<(), StoreError> {
        vectors::finish_index(self.connection)
    }

    fn index_digest(&self) -> Result<Sha256Hash, StoreError> {
        derived::digest(self.connection)
    }

    fn index_world(&self, world: &IndexedWorld<'_>) -> Result<(), StoreError> {
        let mut text = self.text.borrow_mut();
        if text.is_empty() {
            text.push(TextBatch::default());
        }
        match text.last_mut() {
            Some(batch) => batch.add(self.connection, world),
            None => Err(StoreError::Bug("no batch of text")),
        }
    }

    fn flush_index(&self) -> Result<(), StoreError> {
        apart::mark(self.connection)?;
        let batches = self.text.take();
        let mut batches = batches.into_iter();
        let Some(mut all) = batches.next() else {
            return Ok(());
        };
        batches.for_each(|batch| all.extend(batch));
        all.write(self.connection)
    }

    fn lines(&self, agent: DidKey) -> Box<dyn ClaimTxn + '_> {
        let both = Sides::both(self);
        Box::new(claims::Ledger::new(both, self.connection, agent))
    }

    fn index_unit(&self, ground: &dyn Txn, unit: &Unit) -> Result<(), StoreError> {
        let sides = Sides {
            ground,
            index: self,
        };
        claims::derive(sides, self.connection, unit)
    }

    fn clear_claims(&self) -> Result<Vec<u64>, StoreError> {
        claims::clear(self.connection)
    }

    fn index_erased_unit(&self, ground: &dyn Txn, index: u64) -> Result<(), StoreError> {
        let sides = Sides {
            ground,
            index: self,
        };
        claims::derive_erased(sides, self.connection, index)
    }

    fn unit_place(&self, index: u64) -> Result<Option<(u64, u64)>, StoreError> {
        let tables = Tables::new(self.connection);
        claims::Units::new(Sides::both(&tables), self.connection).place(index)
    }

    fn take_exchanged(&self, world: &WorldId) -> Result<(), StoreError> {
        exchange::take_away(self.connection, world)
    }
}

/// Table and conditions of a selection.
fn rows_of(select: &Select) -> String {
    let mut sql = select.table.name.to_owned();
    let equal = select.equal.iter().map(|(column, value)| match value {
        Value::Null => (*column, " IS ?"),
        _ => (*column, " = ?"),
    });
    let from = select.from.iter().map(|(column, _)| (*column, " >= ?"));
    let below = select.below.iter().map(|(column, _)| (*column, " < ?"));
    let mut before = " WHERE ";
    for (column, compared) in equal.chain(from).chain(below) {
        sql.extend([before, column, compared]);
        before = " AND ";
    }
    sql
}

/// The parameters of [`rows_of`].
fn parameters(select: &Select) -> impl rusqlite::Params + '_ {
    let values = select.equal.iter().chain(&select.from).chain(&select.below);
    params_from_iter(values.map(|(_, value)| Column(value)))
}

/// Columns with a parameter each.
fn assigned(columns: &[&str], between: &str) -> String {
    columns.join(&format!(" = ?{between}")) + " = ?"
}

/// The texts of a claim unit are kept in frames.
fn pack(capsule: &StoredCapsule) -> PackedTexts {
    let content = capsule.payload.as_ref().map(|body| body.text.as_str());
    match capsule.header.kind() {
        Kind::Claim => (
            packed::packed_claim(capsule.header.canonical()),
            content.and_then(packed::packed_claim),
        ),
        _ => (None, None),
    }
}
