//! The transaction port, and the entries of the log as it reads and writes them.

use counterfoil_capsule::{ChainId, World};
use counterfoil_claims::Unit;
use counterfoil_store::append::{NewCapsule, Packer};
use counterfoil_store::claims::ClaimTxn;
use counterfoil_store::log::NodeReader;
use counterfoil_store::{StoreError, StoreLocation};
use counterfoil_types::{DidKey, Sha256Hash, WorldId};

use super::value::{Columns, Field, Row, Select, Table, Value};
use crate::read_check::ReadCheck;
use crate::report::AuditReport;

/// Entry of the log as it is stored: bytes, of which nothing is verified. A missing column is `None`.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct EntryRow {
    /// Log index of the row.
    pub index: i64,
    /// Header as canonical JSON; `None` where only a stub is left.
    pub header: Option<Vec<u8>>,
    /// Signature of the agent's key over the entry, 64 bytes.
    pub signature: Option<Vec<u8>>,
    /// Root of the field tree, 32 bytes.
    pub field_root: Option<Vec<u8>>,
    /// Number of fields.
    pub field_count: Option<u64>,
    /// Content and delta.
    pub body: BodyRow,
    /// Hashes of the subtrees that end at the entry, 32 bytes each, the leaf hash first.
    pub hashes: Option<Vec<u8>>,
    /// True if a text of the row could not be decoded: its bytes are then those of the column.
    pub damaged: bool,
}

/// Content and delta of an entry as they are stored.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct BodyRow {
    /// Content as canonical JSON. `None` with a salt: the content follows from the chain by deltas. `None` without: erased.
    pub payload: Option<Vec<u8>>,
    /// Salt of the content, 32 bytes.
    pub salt: Option<Vec<u8>>,
    /// Change from the content before.
    pub delta: Option<Vec<u8>>,
    /// Salt of the delta, 32 bytes.
    pub delta_salt: Option<Vec<u8>>,
}

/// Memory that full text takes in.
#[derive(Debug)]
pub struct IndexedWorld<'w> {
    /// Its log index.
    pub index: u64,
    /// Its content.
    pub world: &'w World,
    /// The version before it; `None` for the first of a chain.
    pub follows: Option<Succession>,
}

/// Chain and delta of a later version.
#[derive(Debug)]
pub struct Succession {
    /// The chain of both versions. The place of the later one in it is known to the index.
    pub chain: ChainId,
    /// The delta as it is kept; `None` once it is erased.
    pub delta: Option<String>,
}

/// Receiver of log index and text, as bytes; the text is the header or the content of the entry. Returns false to end.
pub type EachText<'e> = &'e mut dyn FnMut(u64, &[u8]) -> Result<bool, StoreError>;

/// One transaction of a backend. Methods that write take `&self`, as statements of one connection do.
pub trait Txn: NodeReader {
    /// Returns the check of what is handed out from this transaction; `None` in one of the writer, which hands out nothing.
    fn read_check(&self) -> Option<&ReadCheck>;

    /// Returns size and signed checkpoint of the log.
    ///
    /// # Errors
    /// When it cannot be read.
    fn head(&self) -> Result<(u64, String), StoreError>;

    /// Moves the head from `from` to `to`, size and checkpoint each.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when the head is not `from`.
    fn move_head(&self, from: (u64, &str), to: (u64, &str)) -> Result<(), StoreError>;

    /// Returns the verifier key (C2SP vkey) under which the log was made.
    ///
    /// # Errors
    /// When it cannot be read.
    fn verifier_key(&self) -> Result<String, StoreError>;

    /// Returns up to `count` entries behind the log index `after`, in their order; `None` begins with the first.
    ///
    /// # Errors
    /// When they cannot be read.
    fn entries(&self, after: Option<i64>, count: usize) -> Result<Vec<EntryRow>, StoreError>;

    /// Returns the entry at `index`.
    ///
    /// # Errors
    /// When it cannot be read.
    fn entry(&self, index: u64) -> Result<Option<EntryRow>, StoreError>;

    /// Returns the header at `index`; `None` when there is none, or only a stub.
    ///
    /// # Errors
    /// When it cannot be read.
    fn header(&self, index: u64) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns content and delta at `index`.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when a text cannot be decoded; when it cannot be read.
    fn body(&self, index: u64) -> Result<Option<BodyRow>, StoreError>;

    /// Tests whether content and salt at `index` are there: `(false, true)` for content that follows from its chain.
    ///
    /// # Errors
    /// When it cannot be read.
    fn has_body(&self, index: u64) -> Result<(bool, bool), StoreError>;

    /// Hands over log index and header of each capsule that is here, in the order of the log, while `each` returns true.
    ///
    /// # Errors
    /// Those of `each`, and when they cannot be read.
    fn each_header(&self, each: EachText<'_>) -> Result<(), StoreError>;

    /// Hands over log index and content of each capsule whose content is kept whole, in the order of the log, while `each`
    /// returns true.
    ///
    /// # Errors
    /// Those of `each`, and when they cannot be read.
    fn each_payload(&self, each: EachText<'_>) -> Result<(), StoreError>;

    /// Returns the function that packs the texts of a new capsule. Called on the threads that seal.
    fn packer(&self) -> Packer;

    /// Keeps a capsule at the end of the log: header, bodies and hashes.
    ///
    /// # Errors
    /// When it cannot be written.
    fn append(&self, new: &NewCapsule<'_>) -> Result<(), StoreError>;

    /// Keeps the place of an entry at the end of the log that lies in an archive: its hashes. Its stub has to follow.
    ///
    /// # Errors
    /// When it cannot be written.
    fn append_stub(&self, index: u64, hashes: &[Sha256Hash]) -> Result<(), StoreError>;

    /// Replaces header, signature and field tree of the entry at `index`; `None` leaves the stub alone.
    ///
    /// # Errors
    /// When it cannot be written, and where there is no stub.
    fn set_entry(
        &self,
        index: u64,
        entry: Option<(&str, &[u8; 64], &Sha256Hash, u64)>,
    ) -> Result<(), StoreError>;

    /// Replaces content and delta of the entry at `index`.
    ///
    /// # Errors
    /// When it cannot be written.
    fn set_body(&self, index: u64, body: &BodyRow) -> Result<(), StoreError>;

    /// Hands over the selected rows, each with the selected columns, while `each` returns true.
    ///
    /// # Errors
    /// Those of `each`, and when they cannot be read.
    fn select(
        &self,
        select: &Select,
        each: &mut dyn FnMut(Vec<Value>) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError>;

    /// Returns the number of selected rows, and the sum of the bytes of their column `text`, without reading it.
    ///
    /// # Errors
    /// When they cannot be read.
    fn measure(&self, select: &Select, text: &'static str) -> Result<(u64, u64), StoreError>;

    /// Adds a row, given all columns in the order of the table; `false` when one with its key is there.
    ///
    /// # Errors
    /// When it cannot be written.
    fn insert(&self, table: &'static Table, row: &[Value]) -> Result<bool, StoreError>;

    /// Replaces the columns behind the key of the row with that key; `false` when there is none.
    ///
    /// # Errors
    /// When it cannot be written.
    fn update(&self, table: &'static Table, row: &[Value]) -> Result<bool, StoreError>;

    /// Removes the row with that key; `false` when there is none.
    ///
    /// # Errors
    /// When it cannot be written.
    fn delete(&self, table: &'static Table, key: &[Value]) -> Result<bool, StoreError>;

    /// Begins a part of the transaction that [`Txn::keep`] or [`Txn::undo`] ends. Parts are nested.
    ///
    /// # Errors
    /// When the engine refuses.
    fn begin(&self) -> Result<(), StoreError>;

    /// Ends the part that was begun last and keeps its writes.
    ///
    /// # Errors
    /// When the engine refuses.
    fn keep(&self) -> Result<(), StoreError>;

    /// Ends the part that was begun last and takes its writes back.
    ///
    /// # Errors
    /// When the engine refuses.
    fn undo(&self) -> Result<(), StoreError>;

    /// Compares what only the backend can: its engine, the schema, rows of exchanges and of erased claims, and the index
    /// with one that is derived again from the entries of the log, as many as `report` counts. Adds each difference.
    ///
    /// # Errors
    /// When they cannot be read at all. Damage is a difference.
    fn check_tables(&self, report: &mut AuditReport) -> Result<(), StoreError>;

    /// Empties all tables of the index.
    ///
    /// # Errors
    /// When it cannot be written.
    fn clear_index(&self) -> Result<(), StoreError>;

    /// Ends a derivation of the whole index: what is kept beside it and belongs to no memory of it goes.
    ///
    /// # Errors
    /// When it cannot be written.
    fn finish_index(&self) -> Result<(), StoreError>;

    /// Returns a digest over all tables of the index: equal for any two ways of deriving them from the same ground.
    ///
    /// # Errors
    /// When a table cannot be read.
    fn index_digest(&self) -> Result<Sha256Hash, StoreError>;

    /// Adds a memory to the index of text, in the order of the log. Searches need not find it before
    /// [`Txn::flush_index`]: neighbours that arrive together are written once.
    ///
    /// # Errors
    /// When it cannot be written.
    fn index_world(&self, world: &IndexedWorld<'_>) -> Result<(), StoreError>;

    /// Writes the rest of the memories that were added. Called before the transaction ends.
    ///
    /// # Errors
    /// When it cannot be written.
    fn flush_index(&self) -> Result<(), StoreError>;

    /// Returns the lines of `agent`, for the gate.
    fn lines(&self, agent: DidKey) -> Box<dyn ClaimTxn + '_>;

    /// Adds a unit to the index of claims. `ground` has the log with it.
    ///
    /// # Errors
    /// When it cannot be written.
    fn index_unit(&self, ground: &dyn Txn, unit: &Unit) -> Result<(), StoreError>;

    /// Empties the index of claims. Returns the log indices of the units that it had, in any order.
    ///
    /// # Errors
    /// When it cannot be read or written.
    fn clear_claims(&self) -> Result<Vec<u64>, StoreError>;

    /// Adds the erased unit at `index` to the index of claims, as far as a row of `claim_erased` names its line.
    ///
    /// # Errors
    /// When it cannot be written.
    fn index_erased_unit(&self, ground: &dyn Txn, index: u64) -> Result<(), StoreError>;

    /// Returns the number of the unit at `index` on its line, and the last other unit of the line whose content is here;
    /// `None` when it is no unit, or there is no such other one.
    ///
    /// # Errors
    /// When it cannot be read.
    fn unit_place(&self, index: u64) -> Result<Option<(u64, u64)>, StoreError>;

    /// Takes the answers and reports of exchanges away that hold the content of `world`.
    ///
    /// # Errors
    /// When it cannot be written.
    fn take_exchanged(&self, world: &WorldId) -> Result<(), StoreError>;
}

impl dyn Txn + '_ {
    /// Returns the row with that key.
    pub(crate) fn find<R: Row>(&self, key: &[&dyn Keyed]) -> Result<Option<R>, StoreError> {
        let key: Vec<Value> = key.iter().map(|key| key.key()).collect();
        self.one(&Select::keyed(R::TABLE, &key).first(1))
    }

    /// Returns the columns of the row with that key.
    pub(crate) fn row(
        &self,
        table: &'static Table,
        key: &[Value],
    ) -> Result<Option<Vec<Value>>, StoreError> {
        let mut found = None;
        self.select(&Select::keyed(table, key).first(1), &mut |row| {
            found = Some(row);
            Ok(false)
        })?;
        Ok(found)
    }

    /// Returns the first selected row.
    pub(crate) fn one<R: Row>(&self, select: &Select) -> Result<Option<R>, StoreError> {
        let mut found = None;
        self.each(select, |row| {
            found = Some(row);
            Ok(false)
        })?;
        Ok(found)
    }

    /// Returns the selected rows.
    pub(crate) fn list<R: Row>(&self, select: &Select) -> Result<Vec<R>, StoreError> {
        let mut rows = Vec::new();
        self.each(select, |row| {
            rows.push(row);
            Ok(true)
        })?;
        Ok(rows)
    }

    /// Hands over the selected rows while `each` returns true.
    pub(crate) fn each<R: Row>(
        &self,
        select: &Select,
        mut each: impl FnMut(R) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        self.select(select, &mut |values| {
            let row = R::read(values);
            each(row.ok_or_else(|| damaged(select.table))?)
        })
    }

    /// Returns one column of the selected rows, or several as tuples.
    pub(crate) fn column<C: Columns<N>, const N: usize>(
        &self,
        select: Select,
        columns: &'static [&'static str; N],
    ) -> Result<Vec<C>, StoreError> {
        let (mut found, table) = (Vec::new(), select.table);
        self.select(&select.only(columns), &mut |values| {
            let row = C::of(&mut values.into_iter());
            found.push(row.ok_or_else(|| damaged(table))?);
            Ok(true)
        })?;
        Ok(found)
    }

    /// Tests whether a row is selected.
    pub(crate) fn has(&self, select: Select) -> Result<bool, StoreError> {
        let mut found = false;
        let select = select.first(1);
        self.select(&select, &mut |_| {
            found = true;
            Ok(false)
        })?;
        Ok(found)
    }

    /// Adds a row; `false` when one with its key is there.
    pub(crate) fn add<R: Row>(&self, row: &R) -> Result<bool, StoreError> {
        self.insert(R::TABLE, &row.values())
    }

    /// Adds a row, or replaces the one with its key.
    pub(crate) fn put<R: Row>(&self, row: &R) -> Result<(), StoreError> {
        let values = row.values();
        if !self.update(R::TABLE, &values)? {
            self.insert(R::TABLE, &values)?;
        }
        Ok(())
    }

    /// Removes the row with that key.
    pub(crate) fn remove<R: Row>(&self, key: &[&dyn Keyed]) -> Result<bool, StoreError> {
        let key: Vec<Value> = key.iter().map(|key| key.key()).collect();
        self.delete(R::TABLE, &key)
    }
}

/// Value of a key column.
pub(crate) trait Keyed {
    /// The value as a backend keeps it.
    fn key(&self) -> Value;
}

impl<T: Field> Keyed for T {
    fn key(&self) -> Value {
        self.value()
    }
}

fn damaged(table: &Table) -> StoreError {
    StoreError::corrupt(
        StoreLocation::table(table.name),
        "a column is not what the format says",
    )
}
