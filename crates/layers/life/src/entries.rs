//! Capsules of the log, by their index, their memory, or their place in a chain; archived ones by their stubs.

use counterfoil_capsule::{
    ChainId, Code, Header, LastTimes, LogEntry, SaltedBody, Timestamp, World,
};
use counterfoil_store::receipt::world_with_receipt;
use counterfoil_store::{ContentState, Head, StoreError, StoreLocation, StoredCapsule, VersionRow};
use counterfoil_types::{Blake3Hash, DidKey, Sha256Hash, WorldId};

use crate::contents::{LastContents, is_accounted_for};
use crate::port::rows::{AgentRow, ChainRow, ErasedUnitRow, KeyRow, WorldRow};
use crate::port::{EntryRow, Select, Txn};
use crate::read_check::{KnownNodes, LogView};
use crate::stubs;

/// Returns the log index of a memory.
///
/// # Errors
/// When it cannot be read.
pub fn index_of(txn: &dyn Txn, world_id: &WorldId) -> Result<Option<u64>, StoreError> {
    let select = Select::of::<WorldRow>().with("id", world_id.clone());
    Ok(txn.one::<WorldRow>(&select)?.map(|row| row.idx))
}

/// Returns the memory at a log index.
///
/// # Errors
/// [`StoreError::Corrupt`] when there is none; when it cannot be read.
pub fn world_at(txn: &dyn Txn, index: u64) -> Result<WorldId, StoreError> {
    let row: Option<WorldRow> = txn.find(&[&index])?;
    let missing = || StoreError::corrupt(StoreLocation::entry("world", index), "there is no World");
    Ok(row.ok_or_else(missing)?.id)
}

/// Returns the memory that was appended last; `None` while there is none.
///
/// # Errors
/// When it cannot be read.
pub fn latest_world(txn: &dyn Txn) -> Result<Option<WorldId>, StoreError> {
    let last = Select::of::<WorldRow>().reversed().first(1);
    Ok(txn.one::<WorldRow>(&last)?.map(|row| row.id))
}

/// Returns the capsule at `index` as it is handed out; `None` beyond the end of the log. Content, signature and place in the
/// log were checked by [`Txn::read_check`], where there is one: no memory leaves the store another way.
///
/// # Errors
/// [`StoreError::Archived`]; [`StoreError::Withheld`] when a check fails; when it cannot be read.
pub fn capsule(txn: &dyn Txn, index: u64) -> Result<Option<StoredCapsule>, StoreError> {
    Scan::default().checked(txn, index)
}

/// Returns the capsule number `seq` of a chain, as [`capsule`] does; `None` when there is none.
///
/// # Errors
/// As [`capsule`].
pub fn version(
    txn: &dyn Txn,
    chain: &ChainId,
    seq: u64,
) -> Result<Option<StoredCapsule>, StoreError> {
    let Some(index) = in_chain(txn, chain, seq)? else {
        return Ok(None);
    };
    let stored = capsule(txn, index)?;
    let is_there = |it: &StoredCapsule| (it.header.chain(), it.header.seq()) == (*chain, seq);
    match stored {
        Some(stored) if is_there(&stored) => Ok(Some(stored)),
        _ => Err(withheld(txn, name_of(txn, index), Code::Sequence)),
    }
}

/// Returns the chain of a memory and its number there, by its header or its stub; `None` when there is no such memory. Its
/// content is not looked at.
///
/// # Errors
/// [`StoreError::Withheld`] when the header is not that of the memory, or not at its place; when it cannot be read.
pub fn place(txn: &dyn Txn, world_id: &WorldId) -> Result<Option<(ChainId, u64)>, StoreError> {
    let Some(index) = index_of(txn, world_id)? else {
        return Ok(None);
    };
    let refused = |code| withheld(txn, world_id.to_string(), code);
    let state = match state(txn, index) {
        Err(StoreError::Corrupt { .. }) => return Err(refused(Code::Schema)),
        state => state?,
    };
    if state.version.world_id.as_ref() != Some(world_id) {
        return Err(refused(Code::World));
    }
    let (chain, seq) = (state.chain, state.version.seq);
    // One that is not there is of an abandoned branch, or its header is another one.
    if in_chain(txn, &chain, seq)? != Some(index) {
        match capsule(txn, index) {
            Err(StoreError::Archived { .. }) => {}
            read => drop(read?),
        }
    }
    Ok(Some((chain, seq)))
}

/// Returns the error for an entry of the log that is not handed out, and puts it on the list.
pub fn withheld(txn: &dyn Txn, id: String, code: Code) -> StoreError {
    match txn.read_check() {
        Some(check) => check.withhold(id, code),
        None => StoreError::Withheld { id, code },
    }
}

/// Returns the id of the memory at a log index; `entry N` where the index has none.
pub fn name_of(txn: &dyn Txn, index: u64) -> String {
    let id = world_at(txn, index).map(|id| id.to_string());
    id.unwrap_or_else(|_| format!("entry {index}"))
}

/// Returns the capsule at `index` as it is stored; `None` when there is none. Content that is not kept whole is rebuilt.
/// Nothing is verified: for checks, and for rules that compare it themselves.
///
/// # Errors
/// [`StoreError::Archived`]; [`StoreError::Corrupt`] when it cannot be parsed; when it cannot be read.
pub(crate) fn unchecked(txn: &dyn Txn, index: u64) -> Result<Option<StoredCapsule>, StoreError> {
    Scan::default().capsule(txn, index)
}

/// Returns the [`unchecked`] capsule; `None` as well for one that lies in an archive.
pub(crate) fn capsule_here(txn: &dyn Txn, index: u64) -> Result<Option<StoredCapsule>, StoreError> {
    match unchecked(txn, index) {
        Err(StoreError::Archived { .. }) => Ok(None),
        read => read,
    }
}

/// Returns the header at `index`; `None` when there is none, or only a stub.
///
/// # Errors
/// [`StoreError::Corrupt`] when it cannot be parsed; when it cannot be read.
pub fn header(txn: &dyn Txn, index: u64) -> Result<Option<Header>, StoreError> {
    let header = txn.header(index)?;
    header.map(|bytes| parsed_header(index, &bytes)).transpose()
}

/// Returns the header of a capsule that is here.
///
/// # Errors
/// [`StoreError::Corrupt`] when there is none, or only the stub that is left of it.
pub fn present_header(txn: &dyn Txn, index: u64) -> Result<Header, StoreError> {
    header(txn, index)?.ok_or_else(|| {
        StoreError::corrupt(StoreLocation::entry("capsule", index), "there is no header")
    })
}

/// Hands over the headers that contain `text`, each with its log index, in the order of the log.
pub(crate) fn each_header(
    txn: &dyn Txn,
    text: &str,
    mut each: impl FnMut(u64, Header) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    txn.each_header(&mut |index, bytes| {
        if std::str::from_utf8(bytes).map_or(true, |header| header.contains(text)) {
            each(index, parsed_header(index, bytes)?)?;
        }
        Ok(true)
    })
}

/// Reads capsules in log order: as [`unchecked`] does each, and each delta is applied once.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    contents: LastContents,
}

impl Scan {
    /// Returns the capsule at `index`; `None` when there is none.
    ///
    /// # Errors
    /// As [`unchecked`].
    pub(crate) fn capsule(
        &mut self,
        txn: &dyn Txn,
        index: u64,
    ) -> Result<Option<StoredCapsule>, StoreError> {
        let row = txn.entry(index)?;
        let read = row.map(|row| self.capsule_of(txn, index, row));
        read.transpose()
    }

    fn capsule_of(
        &mut self,
        txn: &dyn Txn,
        index: u64,
        row: EntryRow,
    ) -> Result<StoredCapsule, StoreError> {
        let place = || StoreLocation::entry("capsule", index);
        let damaged = |detail: &str| StoreError::corrupt(place(), detail);
        let Some(bytes) = &row.header else {
            return Err(match stubs::read(txn, index)? {
                Some(stub) => stub.archived(txn)?,
                None => damaged("there is no header"),
            });
        };
        let header = parsed_header(index, bytes)?;
        if row.damaged {
            return Err(StoreError::corrupt(
                StoreLocation::entry("body", index),
                "a text cannot be decoded",
            ));
        }
        let (entry, signature) = (entry_of(index, &header, &row)?, row.signature.as_deref());
        let signature = signature.and_then(|bytes| bytes.try_into().ok());
        let signature = signature.ok_or_else(|| damaged("there is no signature"))?;
        let body = row.body;
        let delta = salted(index, body.delta, body.delta_salt)?;
        let payload = match (body.payload, body.salt) {
            // It is not kept whole.
            (None, salt @ Some(_)) => {
                let own = delta.as_ref().map(|delta| delta.text.as_str());
                let text = self.contents.rebuilt(txn, index, &header, own)?;
                salted(index, Some(text.into_bytes()), salt)?
            }
            (payload, salt) => salted(index, payload, salt)?,
        };
        if let Some(payload) = &payload {
            self.contents.keep(&header, &payload.text);
        }
        Ok(StoredCapsule {
            index,
            key: key_of(txn, &header)?,
            entry,
            signature,
            header,
            payload,
            delta,
        })
    }

    /// Returns the capsule at `index` as it is handed out: see [`capsule`].
    ///
    /// # Errors
    /// As [`capsule`].
    pub(crate) fn checked(
        &mut self,
        txn: &dyn Txn,
        index: u64,
    ) -> Result<Option<StoredCapsule>, StoreError> {
        let Some(check) = txn.read_check() else {
            return self.capsule(txn, index);
        };
        let (size, checkpoint) = txn.head()?;
        // What the engine itself cannot read is its error.
        let read = match txn.entry(index)? {
            Some(row) => match self.capsule_of(txn, index, row) {
                Ok(stored) if stored.payload.is_some() || is_accounted_for(txn, index)? => {
                    Ok(stored)
                }
                Ok(_) => Err(Code::Missing),
                Err(StoreError::Corrupt { .. }) => Err(Code::Schema),
                Err(error) => return Err(error),
            },
            None if index >= size => return Ok(None),
            None => Err(Code::Missing),
        };
        let log = LogView {
            nodes: txn,
            size,
            checkpoint,
            key: &|| txn.verifier_key(),
        };
        check.admit(log, || name_of(txn, index), read).map(Some)
    }

    /// Returns the capsule at `index`, where there has to be one.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when there is none, and as [`unchecked`].
    pub(crate) fn present(
        &mut self,
        txn: &dyn Txn,
        index: u64,
    ) -> Result<StoredCapsule, StoreError> {
        self.capsule(txn, index)?.ok_or_else(|| {
            StoreError::corrupt(
                StoreLocation::entry("capsule", index),
                "there is no capsule",
            )
        })
    }
}

fn parsed_header(index: u64, bytes: &[u8]) -> Result<Header, StoreError> {
    Header::parse(bytes)
        .map_err(|error| StoreError::corrupt(StoreLocation::entry("capsule", index), error))
}

/// The entry of a header, with the field tree of its row.
fn entry_of(index: u64, header: &Header, row: &EntryRow) -> Result<LogEntry, StoreError> {
    let place = || StoreLocation::entry("capsule", index);
    let root = row.field_root.as_deref();
    let root = root.and_then(|root| root.try_into().ok().map(Sha256Hash::from_bytes));
    let (Some(root), Some(count)) = (root, row.field_count) else {
        return Err(StoreError::corrupt(place(), "there is no field tree"));
    };
    LogEntry::of(header, root, count).map_err(|error| StoreError::corrupt(place(), error))
}

fn salted(
    index: u64,
    text: Option<Vec<u8>>,
    salt: Option<Vec<u8>>,
) -> Result<Option<SaltedBody>, StoreError> {
    let damaged = |detail: &str| StoreError::corrupt(StoreLocation::entry("body", index), detail);
    let Some((text, salt)) = text.zip(salt) else {
        return Ok(None);
    };
    Ok(Some(SaltedBody {
        text: String::from_utf8(text).map_err(|_| damaged("the content is no text"))?,
        salt: salt
            .try_into()
            .map_err(|_| damaged("the salt has another length"))?,
    }))
}

/// Returns the text of the log entry at `index`.
///
/// # Errors
/// [`StoreError::Corrupt`] when there is none, or only a stub; when it cannot be read.
pub fn entry_text(txn: &dyn Txn, index: u64) -> Result<String, StoreError> {
    let missing = || {
        StoreError::corrupt(
            StoreLocation::entry("capsule", index),
            "there is no capsule",
        )
    };
    let row = txn.entry(index)?.ok_or_else(missing)?;
    let header = parsed_header(index, row.header.as_deref().unwrap_or_default())?;
    Ok(entry_of(index, &header, &row)?.to_text())
}

/// Returns the key that signs what names it by its number: the agent's own, or one of its key chain.
///
/// # Errors
/// [`StoreError::Corrupt`] when the index has no such key; when it cannot be read.
pub fn key_of(txn: &dyn Txn, header: &Header) -> Result<DidKey, StoreError> {
    let (agent, number) = (header.agent(), header.key_number());
    if number == 0 {
        return Ok(agent);
    }
    let row: Option<KeyRow> = txn.find(&[&agent, &number])?;
    let missing = || StoreError::corrupt(StoreLocation::table("key"), "there is no such key");
    Ok(row.ok_or_else(missing)?.public_key)
}

/// Returns the key that signs for `agent` now, with its number.
///
/// # Errors
/// When it cannot be read.
pub fn current_key(txn: &dyn Txn, agent: &DidKey) -> Result<(u64, DidKey), StoreError> {
    let last = Select::of::<KeyRow>().with("agent", *agent).reversed();
    let last: Option<KeyRow> = txn.one(&last.first(1))?;
    Ok(last.map_or((0, *agent), |row| (row.number, row.public_key)))
}

/// Returns the times of an agent's last capsule.
///
/// # Errors
/// When they cannot be read.
pub fn last_recorded(txn: &dyn Txn, agent: &DidKey) -> Result<Option<LastTimes>, StoreError> {
    let row: Option<AgentRow> = txn.find(&[agent])?;
    let Some(row) = row else { return Ok(None) };
    let time = |micros| {
        let place = StoreLocation::table("agent");
        Timestamp::from_micros(micros).map_err(|error| StoreError::corrupt(place, error))
    };
    Ok(Some(LastTimes {
        timestamp: time(row.recorded_at)?,
        recorded: time(row.observed.unwrap_or(row.recorded_at))?,
    }))
}

/// Returns the log index of the capsule `seq` of a chain.
///
/// # Errors
/// When it cannot be read.
pub fn in_chain(txn: &dyn Txn, chain: &ChainId, seq: u64) -> Result<Option<u64>, StoreError> {
    let row: Option<ChainRow> = txn.find(&[chain, &seq])?;
    Ok(row.map(|row| row.idx))
}

/// Returns the places of a chain from `seq` on, in their order.
pub(crate) fn places(
    txn: &dyn Txn,
    chain: &ChainId,
    seq: u64,
) -> Result<Vec<ChainRow>, StoreError> {
    let select = Select::of::<ChainRow>().with("chain", *chain);
    txn.list(&select.from("seq", seq))
}

/// Data of a capsule that is available even while it is in an archive.
#[derive(Debug)]
pub struct CapsuleState {
    /// Its agent.
    pub agent: DidKey,
    /// Its chain.
    pub chain: ChainId,
    /// Its hash.
    pub capsule: Blake3Hash,
    /// Its row in a history.
    pub version: VersionRow,
}

fn no_capsule() -> StoreError {
    StoreError::corrupt(StoreLocation::table("chain"), "a row points to no capsule")
}

/// Returns the data of the capsule at `index`, or of the stub that is left of it.
///
/// # Errors
/// [`StoreError::Corrupt`] when there is neither; when it cannot be read.
pub fn state(txn: &dyn Txn, index: u64) -> Result<CapsuleState, StoreError> {
    let content = match txn.has_body(index)? {
        (false, false) => ContentState::Erased,
        _ => ContentState::Present,
    };
    let Some(header) = header(txn, index)? else {
        let stub = stubs::read(txn, index)?.ok_or_else(no_capsule)?;
        let time = Timestamp::from_micros(stub.recorded_us())
            .map_err(|error| StoreError::corrupt(StoreLocation::entry("stub", index), error))?;
        return Ok(CapsuleState {
            agent: stub.agent,
            chain: stub.chain,
            capsule: stub.hash,
            version: VersionRow::archived(index, stub.seq, stub.world, time, stub.hash),
        });
    };
    Ok(CapsuleState {
        agent: header.agent(),
        chain: header.chain(),
        capsule: header.hash(),
        version: VersionRow::of(index, &header, content),
    })
}

/// Returns the capsules of a chain, in its order.
///
/// # Errors
/// As [`state`].
pub fn versions(txn: &dyn Txn, chain: &ChainId) -> Result<Vec<VersionRow>, StoreError> {
    let places = places(txn, chain, 0)?.into_iter();
    places
        .map(|place| state(txn, place.idx).map(|state| state.version))
        .collect()
}

/// Returns the last capsule of a chain, which may be in an archive.
///
/// # Errors
/// As [`state`].
pub fn chain_head(txn: &dyn Txn, chain: &ChainId) -> Result<Option<Head>, StoreError> {
    let last = Select::of::<ChainRow>().with("chain", *chain).reversed();
    let Some(ChainRow { idx: index, .. }) = txn.one(&last.first(1))? else {
        return Ok(None);
    };
    let state = state(txn, index)?;
    if state.chain != *chain {
        return Err(no_capsule());
    }
    Ok(Some(Head {
        agent: state.agent,
        seq: state.version.seq,
        capsule: state.capsule,
        index,
    }))
}

/// Accepted capsule at a place of a chain.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) index: u64,
    pub(crate) hash: Blake3Hash,
    pub(crate) agent: DidKey,
    /// `None` while it is in an archive.
    pub(crate) header: Option<Header>,
}

/// Ground and index of a derivation: the same transaction, but for an audit.
#[derive(Clone, Copy)]
pub struct Sides<'t> {
    /// Transaction that reads the ground.
    pub ground: &'t dyn Txn,
    /// Transaction that reads and writes the index.
    pub index: &'t dyn Txn,
}

impl<'t> Sides<'t> {
    /// The index where the ground is.
    pub const fn both(txn: &'t dyn Txn) -> Self {
        Self {
            ground: txn,
            index: txn,
        }
    }
}

impl std::fmt::Debug for Sides<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sides")
    }
}

/// Returns the accepted capsule number `seq` of a chain.
pub(crate) fn slot(
    sides: Sides<'_>,
    chain: &ChainId,
    seq: u64,
) -> Result<Option<Slot>, StoreError> {
    let index = in_chain(sides.index, chain, seq)?;
    index.map(|index| slot_at(sides.ground, index)).transpose()
}

/// Returns the capsule at `index`, or the stub that is left of it.
pub(crate) fn slot_at(txn: &dyn Txn, index: u64) -> Result<Slot, StoreError> {
    if let Some(stub) = stubs::read(txn, index)? {
        return Ok(Slot {
            index,
            hash: stub.hash,
            agent: stub.agent,
            header: None,
        });
    }
    let header = present_header(txn, index)?;
    Ok(Slot {
        index,
        hash: header.hash(),
        agent: header.agent(),
        header: Some(header),
    })
}

/// Returns the owner of a chain: the agent of its first capsule that is here.
pub(crate) fn owner(sides: Sides<'_>, chain: &ChainId) -> Result<Option<DidKey>, StoreError> {
    let first = Select::of::<ChainRow>().with("chain", *chain).first(1);
    let first: Option<ChainRow> = sides.index.one(&first)?;
    let slot = first.map(|place| slot_at(sides.ground, place.idx));
    Ok(slot.transpose()?.map(|slot| slot.agent))
}

/// Returns the log index of a capsule of a chain, by its hash.
pub(crate) fn by_hash(
    txn: &dyn Txn,
    chain: &ChainId,
    hash: Blake3Hash,
) -> Result<Option<u64>, StoreError> {
    let of_tag = Select::of::<ChainRow>().with("chain", *chain);
    for row in txn.list::<ChainRow>(&of_tag.with("tag", tag(hash)))? {
        if state(txn, row.idx)?.capsule == hash {
            return Ok(Some(row.idx));
        }
    }
    Ok(None)
}

/// The first eight bytes of a hash: a capsule is looked up by them, and its hash is compared.
pub(crate) fn tag(hash: Blake3Hash) -> Option<i64> {
    let first = hash.as_bytes().first_chunk();
    first.copied().map(i64::from_be_bytes)
}

/// Returns the number of an erased claim unit on its line, and the log index of another unit of the line.
///
/// # Errors
/// When it cannot be read.
pub fn erased_unit(ground: &dyn Txn, index: u64) -> Result<Option<(u64, u64)>, StoreError> {
    let row: Option<ErasedUnitRow> = ground.find(&[&index])?;
    Ok(row.map(|row| (row.number, row.beside)))
}

/// Returns a memory with its receipt, with a consistency proof from the log's size `floor`; `None` when there is none, or
/// its content is erased.
///
/// # Errors
/// [`StoreError::Archived`]; [`StoreError::Withheld`], also when the index points to another capsule; when it cannot be read.
pub fn world(
    txn: &dyn Txn,
    world_id: &WorldId,
    floor: Option<u64>,
) -> Result<Option<World>, StoreError> {
    let Some(index) = index_of(txn, world_id)? else {
        return Ok(None);
    };
    let stored = capsule(txn, index)?
        .filter(|stored| stored.entry.world() == Some(world_id))
        .ok_or_else(|| withheld(txn, world_id.to_string(), Code::World))?;
    if stored.payload.is_none() {
        return Ok(None);
    }
    let (head, nodes) = (txn.head()?, KnownNodes(txn, txn.read_check()));
    world_with_receipt(stored, &nodes, (head.0, &head.1), floor).map(Some)
}
