//! Chains of the log as its map has them: followed, forked, and decided about.

use counterfoil_capsule::keys::ForkResolution;
use counterfoil_capsule::{ChainId, Signed};
use counterfoil_types::DidKey;

use super::{LogMap, NewEntry, number, numbers, of, row};
use crate::StoreError;
use crate::map::corrupt;

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
        let Some(mut known) = self.chain(&chain)? else {
            let begun = Chain {
                begun: index,
                first: seq,
                count: 1,
                forked: None,
            };
            return self.put_chain(&chain, &begun);
        };
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

    /// The branch that a resolution leaves is forked, and the chain ends before it. No resolution takes a branch back.
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
        // Below the first one all are left.
        let kept = seq.max(known.first);
        if kept >= known.next() {
            return Ok(());
        }
        let at_fork = self.member(&chain, &known, kept)?;
        if self.placed(at_fork)?.0 == resolution.keep {
            return Ok(());
        }
        for seq in kept..known.next() {
            let left = self.member(&chain, &known, seq)?;
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
