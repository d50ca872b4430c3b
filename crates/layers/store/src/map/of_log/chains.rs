//! Chains of the log as its map has them: followed, forked, and decided about.

use counterfoil_capsule::documents::CapsuleName;
use counterfoil_capsule::keys::ForkResolution;
use counterfoil_capsule::{ChainId, Signed};
use counterfoil_types::DidKey;

use super::{LogMap, NewEntry, number, numbers, of, row};
use crate::StoreError;
use crate::map::corrupt;

/// In place of the record of a fork: a resolution has decided. No log has an entry of the highest number.
const SETTLED: u64 = u64::MAX;

/// Number of forks of one chain that count from its own agent. Each is a walk along the chain, so a stranger's records would make a
/// log expensive.
const MAX_FORKS: u64 = 16;

/// Row of a chain: four numbers of 8 bytes.
struct Chain {
    /// Log index of its first entry, whose agent is that of the chain.
    begun: u64,
    /// Number of that entry.
    first: u64,
    /// Entries in it, without those that a resolution left; 0 once it is forked.
    count: u64,
    /// The entry by which the log had two of one number.
    forked: Option<u64>,
}

impl Chain {
    fn to_bytes(&self) -> Vec<u8> {
        // No log has an entry of the highest number.
        let forked = self.forked.unwrap_or(u64::MAX);
        let numbers = [self.begun, self.first, self.count, forked];
        numbers.into_iter().flat_map(u64::to_be_bytes).collect()
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, StoreError> {
        let mut numbers = numbers(bytes)?;
        let mut next = || numbers.next().ok_or_else(corrupt);
        Ok(Self {
            begun: next()?,
            first: next()?,
            count: next()?,
            forked: Some(next()?).filter(|it| *it != u64::MAX),
        })
    }

    /// Number of the next entry.
    const fn next(&self) -> u64 {
        self.first.saturating_add(self.count)
    }
}

fn of_member(kind: u8, chain: &ChainId, seq: u64) -> Vec<u8> {
    of(
        kind,
        &[chain.as_bytes().as_slice(), &seq.to_be_bytes()].concat(),
    )
}

impl LogMap<'_> {
    fn chain(&self, chain: &ChainId) -> Result<Option<Chain>, StoreError> {
        let row = self.log().node(&of(row::CHAIN, chain.as_bytes()))?;
        row.map(|row| Chain::from_bytes(&row)).transpose()
    }

    fn put_chain(&self, chain: &ChainId, known: &Chain) -> Result<(), StoreError> {
        let key = of(row::CHAIN, chain.as_bytes());
        self.log().put_node(&key, &known.to_bytes())
    }

    /// Log index of the entry number `seq`, which the chain has.
    fn member(&self, chain: &ChainId, known: &Chain, seq: u64) -> Result<u64, StoreError> {
        match self.log().node(&of_member(row::MEMBER, chain, seq))? {
            Some(index) => number(&index),
            None if seq == known.first => Ok(known.begun),
            None => Err(corrupt()),
        }
    }

    /// Puts an entry into its chain: behind the last one, which it supersedes, or it forks the chain.
    pub(super) fn place(&mut self, index: u64, entry: &NewEntry<'_>) -> Result<(), StoreError> {
        let (chain, seq) = (entry.chain, entry.seq);
        let begun = Chain {
            begun: index,
            first: seq,
            count: 1,
            forked: None,
        };
        let key = of(row::CHAIN, chain.as_bytes());
        if self.log().add_node(&key, &begun.to_bytes())? {
            return Ok(());
        }
        let mut known = self.chain(&chain)?.ok_or_else(corrupt)?;
        // Nobody else writes in a chain.
        if self.placed(known.begun)?.1 != entry.agent {
            return Ok(());
        }
        if let Some(by) = known.forked {
            return self.change(index, |it| it.forked = Some(by));
        }
        let last = match known.count {
            0 => None,
            _ => Some(self.member(&chain, &known, known.next().saturating_sub(1))?),
        };
        let follows = match (last, entry.previous) {
            (Some(last), Some(previous)) => previous == Some(self.placed(last)?.0),
            _ => true,
        };
        if seq == known.next() && follows {
            known.count += 1;
            let key = of_member(row::MEMBER, &chain, seq);
            self.log().put_node(&key, &index.to_be_bytes())?;
            self.put_chain(&chain, &known)?;
            let by = (index, entry.world.cloned());
            return last.map_or(Ok(()), |last| {
                self.change(last, |it| it.superseded = Some(by))
            });
        }
        let mut members = vec![index];
        for seq in known.first..known.next() {
            members.push(self.member(&chain, &known, seq)?);
        }
        (known.forked, known.count) = (Some(index), 0);
        self.put_chain(&chain, &known)?;
        members
            .into_iter()
            .try_for_each(|member| self.change(member, |it| it.forked = Some(index)))
    }

    /// Returns true for a place of a chain whose fork a record names, or a resolution has settled: no other record about it counts.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn names_fork(&self, chain: &ChainId, seq: u64) -> Result<bool, StoreError> {
        Ok(self.fork(chain, seq)?.is_some())
    }

    /// The record that names a fork of the chain at this place, or [`SETTLED`].
    fn fork(&self, chain: &ChainId, seq: u64) -> Result<Option<u64>, StoreError> {
        let row = self.log().node(&of_member(row::FORK, chain, seq))?;
        // An empty row is that of a branch that a resolution left.
        let row = row.filter(|row| !row.is_empty());
        row.map(|row| number(&row)).transpose()
    }

    fn put_fork(&self, chain: &ChainId, seq: u64, record: Option<u64>) -> Result<(), StoreError> {
        let row = record.map(u64::to_be_bytes);
        let row = row.as_ref().map_or(&[][..], |row| row.as_slice());
        self.log().put_node(&of_member(row::FORK, chain, seq), row)
    }

    /// The memories of a chain from a fork on that lies beside the log. The chain itself goes on, as far as the log has it.
    pub(super) fn record_fork(
        &mut self,
        record: u64,
        agent: DidKey,
        fork: &CapsuleName,
    ) -> Result<(), StoreError> {
        let (chain, seq) = (fork.chain, fork.seq);
        let Some(known) = self.chain(&chain)? else {
            return Ok(());
        };
        let is_there =
            (known.first..known.next()).contains(&seq) && self.placed(known.begun)?.1 == fork.agent;
        if !is_there || !self.may_decide(agent, fork.agent)? || self.names_fork(&chain, seq)? {
            return Ok(());
        }
        if !self.is_owner(agent)? {
            let key = of(row::FORK, chain.as_bytes());
            let count = self.log().node(&key)?.map_or(Ok(0), |it| number(&it))?;
            if count == MAX_FORKS {
                return Ok(());
            }
            self.log().put_node(&key, &(count + 1).to_be_bytes())?;
        }
        self.put_fork(&chain, seq, Some(record))?;
        for seq in seq..known.next() {
            let member = self.member(&chain, &known, seq)?;
            self.change(member, |it| {
                it.forked.get_or_insert(record);
            })?;
        }
        Ok(())
    }

    /// Memories that a record about this place says are forked are so no more, but for another record about the chain.
    fn settle_fork(
        &mut self,
        (chain, known): (&ChainId, &Chain),
        (seq, record): (u64, u64),
    ) -> Result<(), StoreError> {
        let mut other = None;
        for at in known.first..known.next() {
            // An earlier one would have been the first for its memories.
            let named = self
                .fork(chain, at)?
                .filter(|it| *it > record && *it != SETTLED);
            other = other.into_iter().chain(named).min();
            if at >= seq {
                let member = self.member(chain, known, at)?;
                self.change(member, |it| {
                    if it.forked == Some(record) {
                        it.forked = other;
                    }
                })?;
            }
        }
        Ok(())
    }

    /// The branch that a resolution leaves is forked, and the chain ends before it. No resolution takes a branch back. To keep
    /// what the chain has takes away what a record of the fork has said.
    pub(super) fn resolve(
        &mut self,
        record: u64,
        agent: DidKey,
        resolution: &Signed<ForkResolution>,
    ) -> Result<(), StoreError> {
        self.read_keys(resolution.agent)?;
        let by_owner = self.keys.get(&resolution.agent);
        let by_owner = by_owner.is_some_and(|keys| keys.accepts(resolution).is_ok());
        let by_operator = resolution.recovery.is_none()
            && resolution.operator == Some(agent)
            && self.is_owner(agent)?;
        let (chain, seq) = (resolution.chain, resolution.seq);
        let Some(mut known) = self.chain(&chain)?.filter(|_| by_owner || by_operator) else {
            return Ok(());
        };
        let decided = of_member(row::DECIDED, &chain, seq);
        if self.placed(known.begun)?.1 != resolution.agent || self.log().node(&decided)?.is_some() {
            return Ok(());
        }
        if by_owner {
            self.log().put_node(&decided, &[])?;
        }
        let record_of_fork = self.fork(&chain, seq)?.filter(|it| *it != SETTLED);
        self.put_fork(&chain, seq, Some(SETTLED))?;
        // Below the first one all are left.
        let kept = seq.max(known.first);
        if kept >= known.next() {
            return Ok(());
        }
        let at_fork = self.member(&chain, &known, kept)?;
        if self.placed(at_fork)?.0 == resolution.keep {
            return record_of_fork
                .map_or(Ok(()), |it| self.settle_fork((&chain, &known), (seq, it)));
        }
        for at in kept..known.next() {
            if at != seq && self.fork(&chain, at)?.is_some() {
                self.put_fork(&chain, at, None)?;
            }
            let left = self.member(&chain, &known, at)?;
            self.change(left, |it| {
                it.forked.get_or_insert(record);
            })?;
        }
        known.count = kept - known.first;
        self.put_chain(&chain, &known)?;
        match known.count {
            0 => Ok(()),
            _ => {
                let last = self.member(&chain, &known, known.next() - 1)?;
                self.change(last, |it| it.superseded = None)
            }
        }
    }
}
