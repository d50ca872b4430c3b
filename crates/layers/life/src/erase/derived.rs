//! Memories that were made from erased ones: derivations and their later versions, claims that cite them or follow from
//! such claims, corroborations that cite them, and assertions about these (capsules 4.6; docs/format/claims.md 2). Transitively.

use std::collections::{BTreeMap, HashMap, HashSet};

use counterfoil_capsule::{CapsuleDocument, Header, Kind};
use counterfoil_store::{ContentState, StoreError, StoreLocation};
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_types::{Blake3Hash, WorldId, words};

use crate::entries::{self, CapsuleState, header, places};
use crate::forks;
use crate::port::rows::ForkRow;
use crate::port::{Select, Txn};

words! {
    /// Kind of a memory that was made from another.
    #[non_exhaustive]
    pub enum DerivedKind {
        /// Memory that names its source in its header, or a later version of one.
        Memory = "memory",
        /// Claim that cites its source, or names it as a claim that it follows from.
        Claim = "claim",
        /// Assertion about a claim, such as its end: it holds subject and predicate of the claim. Or a corroboration that
        /// cites its source.
        Assertion = "assertion",
    }
}

/// Memory that was made from another.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DerivedMemory {
    /// The memory.
    pub world: WorldId,
    /// Its log index; `None` for a version in a branch beside its chain.
    pub index: Option<u64>,
    /// Its kind.
    pub kind: DerivedKind,
    /// The memory that it was made from: the one asked about, or one that was made from that.
    pub source: WorldId,
    /// Availability of its content.
    pub content: ContentState,
}

/// Memories that were made from others and have content.
#[derive(Debug, Default)]
pub(super) struct Derived {
    /// Entries of the log, in their order.
    pub(super) entries: BTreeMap<u64, DerivedMemory>,
    /// Capsules beside their chains.
    pub(super) branches: Vec<(CapsuleDocument, DerivedMemory)>,
}

impl Derived {
    /// Returns the memories, those of the log first.
    pub(super) fn into_list(self) -> Vec<DerivedMemory> {
        let branches = self.branches.into_iter().map(|(_, memory)| memory);
        self.entries.into_values().chain(branches).collect()
    }
}

/// Returns the memories that were made from those at `roots`, but for other versions of `roots` themselves.
pub(super) fn of(txn: &dyn Txn, roots: &[u64]) -> Result<Derived, StoreError> {
    let mut search = Search::new(txn);
    for &root in roots {
        let state = entries::state(txn, root)?;
        if let Some(world) = state.version.world_id {
            search.name(state.capsule, &world);
        }
        search.seen.insert(root);
    }
    // A source is in the log before the memories that were made from it, but for those of other stores.
    while search.headers()? | search.claims()? | search.branches()? {}
    let mut derived = search.derived;
    derived
        .entries
        .retain(|_, memory| memory.content != ContentState::Erased);
    derived
        .branches
        .retain(|(document, _)| document.payload().is_some());
    Ok(derived)
}

/// Search for all that was made from the named memories.
struct Search<'t> {
    txn: &'t dyn Txn,
    /// Log indices of the roots and of what was found.
    seen: HashSet<u64>,
    /// Capsules of the roots and of what was found, with their memories.
    capsules: HashMap<Blake3Hash, WorldId>,
    /// The same memories by the text of their ids, as claims name them.
    names: HashMap<String, WorldId>,
    /// Capsules that were found: versions after them hold their content as well.
    found: HashSet<Blake3Hash>,
    derived: Derived,
}

impl<'t> Search<'t> {
    fn new(txn: &'t dyn Txn) -> Self {
        Self {
            txn,
            seen: HashSet::new(),
            capsules: HashMap::new(),
            names: HashMap::new(),
            found: HashSet::new(),
            derived: Derived::default(),
        }
    }

    fn name(&mut self, capsule: Blake3Hash, world: &WorldId) {
        self.capsules.insert(capsule, world.clone());
        self.names.insert(world.to_string(), world.clone());
    }

    /// Adds the entry at `index`, and later versions of a memory, which hold its content as well.
    fn add(&mut self, index: u64, kind: DerivedKind, source: WorldId) -> Result<(), StoreError> {
        let state = entries::state(self.txn, index)?;
        let (chain, seq) = (state.chain, state.version.seq);
        let Some(world) = self.add_one(state, kind, source) else {
            return Ok(());
        };
        if kind != DerivedKind::Memory {
            return Ok(());
        }
        for place in places(self.txn, &chain, seq.saturating_add(1))? {
            let state = entries::state(self.txn, place.idx)?;
            self.add_one(state, kind, world.clone());
        }
        for index in forks::abandoned(self.txn, &chain)? {
            let before = header(self.txn, index)?.and_then(|header| header.previous());
            if before.is_some_and(|it| self.found.contains(&it)) {
                let state = entries::state(self.txn, index)?;
                self.add_one(state, kind, world.clone());
            }
        }
        Ok(())
    }

    /// Adds one entry. Returns its memory; `None` where it is known, or is of no memory.
    fn add_one(
        &mut self,
        state: CapsuleState,
        kind: DerivedKind,
        source: WorldId,
    ) -> Option<WorldId> {
        let (index, world) = (state.version.index, state.version.world_id?);
        if !self.seen.insert(index) {
            return None;
        }
        self.name(state.capsule, &world);
        self.found.insert(state.capsule);
        let memory = DerivedMemory {
            world: world.clone(),
            index: Some(index),
            kind,
            source,
            content: state.version.content,
        };
        self.derived.entries.insert(index, memory);
        Some(world)
    }

    /// Looks for memories whose header names one that is known as a source. Returns true if there are new ones.
    fn headers(&mut self) -> Result<bool, StoreError> {
        let before = self.seen.len();
        let txn = self.txn;
        txn.each_header(&mut |index, bytes| {
            let text = std::str::from_utf8(bytes).unwrap_or_default();
            if text.contains("\"derived_from\"") && !self.seen.contains(&index) {
                let header = Header::parse(bytes).map_err(|error| {
                    StoreError::corrupt(StoreLocation::entry("capsule", index), error)
                })?;
                if let Some(source) = self.source_of(&header) {
                    self.add(index, DerivedKind::Memory, source)?;
                }
            }
            Ok(true)
        })?;
        Ok(self.seen.len() > before)
    }

    /// Returns the known memory that a header names as a source, or that it follows.
    fn source_of(&self, header: &Header) -> Option<WorldId> {
        let named = header.extensions().derived_from.into_iter();
        let before = header.previous().filter(|it| self.found.contains(it));
        named
            .chain(before)
            .find_map(|it| self.capsules.get(&it).cloned())
    }

    /// Looks for claims of a known memory, and assertions about these. Returns true if there are new ones.
    fn claims(&mut self) -> Result<bool, StoreError> {
        let before = self.seen.len();
        let txn = self.txn;
        txn.each_payload(&mut |index, payload| {
            let text = std::str::from_utf8(payload).unwrap_or_default();
            let is_named = NAMING.iter().any(|member| text.contains(member));
            if is_named
                && !self.seen.contains(&index)
                && let Some((kind, source)) = self.source_of_claim(payload)
                && header(txn, index)?.is_some_and(|header| header.kind() == Kind::Claim)
            {
                self.add(index, kind, source)?;
            }
            Ok(true)
        })?;
        Ok(self.seen.len() > before)
    }

    /// Returns the known memory that the content of a unit comes from. A verdict is a decision about its target: to cite a
    /// memory as evidence makes it none that was read out of that memory.
    fn source_of_claim(&self, payload: &[u8]) -> Option<(DerivedKind, WorldId)> {
        let content = parse(payload, Limits::CONTENT).ok()?;
        let data = content.get("data")?;
        let known = |name: &Value| self.names.get(name.as_str()?).cloned();
        if let Some(target) = data.get("target").and_then(known) {
            return Some((DerivedKind::Assertion, target));
        }
        let list = |name| {
            data.get(name)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
        };
        let cited = list("anchors").filter_map(|anchor| anchor.get("world"));
        let named = cited.chain(list("derivedFrom")).find_map(known);
        let kind = match data.get("act").and_then(Value::as_str)? {
            "claim" => DerivedKind::Claim,
            "corroborate" => DerivedKind::Assertion,
            _ => return None,
        };
        Some((kind, named?))
    }

    /// Looks for capsules beside their chains. Returns true if there are new ones.
    fn branches(&mut self) -> Result<bool, StoreError> {
        let before = self.found.len();
        let txn = self.txn;
        txn.each(&Select::of::<ForkRow>(), |row: ForkRow| {
            if self.found.contains(&row.hash) {
                return Ok(true);
            }
            let document = CapsuleDocument::parse(row.document.as_bytes()).ok();
            let source = document.as_ref().and_then(|it| self.source_of(it.header()));
            if let Some((document, source)) = document.zip(source)
                && let Some(world) = document.header().world().cloned()
            {
                self.name(row.hash, &world);
                self.found.insert(row.hash);
                let memory = DerivedMemory {
                    world,
                    index: None,
                    kind: DerivedKind::Memory,
                    source,
                    content: ContentState::Present,
                };
                self.derived.branches.push((document, memory));
            }
            Ok(true)
        })?;
        Ok(self.found.len() > before)
    }
}

/// Members of a unit that name others.
const NAMING: [&str; 3] = ["\"anchors\":", "\"derivedFrom\":", "\"target\":"];
