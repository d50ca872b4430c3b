//! Gives each draft its place: in a chain, at its head, and in time (capsules 4.4, 4.7, C5, C15, C17).

use counterfoil_capsule::{CapsuleId, ChainId, Extensions, LastTimes, Position, SaltedBody};
use counterfoil_types::Blake3Hash;

use super::random::Random;
use super::{AppendContext, AppendTxn};
use super::{claims, keys};
use crate::StoreError;
use crate::capsule_log::{Draft, StoredCapsule};
use crate::clock::next_stamp;
use crate::delta::{self, Salts};

/// Drafts that are ready to be sealed: none depends on another, so they can be sealed at once.
#[derive(Default)]
pub(super) struct Run<'d> {
    unsealed: Vec<Unsealed<'d>>,
    /// Transaction time of the last draft, of this run or an earlier one of the append.
    last: Option<LastTimes>,
}

/// A draft with all that its capsule holds but the seal.
pub(super) struct Unsealed<'d> {
    pub(super) draft: &'d Draft,
    /// Its index in the log.
    pub(super) index: u64,
    pub(super) position: Position,
    pub(super) delta: Option<SaltedBody>,
    pub(super) salt: [u8; 32],
}

impl<'d> Run<'d> {
    pub(super) fn push(&mut self, unsealed: Unsealed<'d>) {
        self.last = Some(unsealed.position.times());
        self.unsealed.push(unsealed);
    }

    pub(super) fn len(&self) -> u64 {
        u64::try_from(self.unsealed.len()).unwrap_or(u64::MAX)
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.unsealed.is_empty()
    }

    /// Returns the transaction time of the last draft, of this run or an earlier one.
    pub(super) const fn last(&self) -> Option<LastTimes> {
        self.last
    }

    pub(super) fn take(&mut self) -> Vec<Unsealed<'d>> {
        core::mem::take(&mut self.unsealed)
    }
}

impl AppendContext<'_> {
    /// That the signer signs with its agent's current key (capsules 4.7).
    pub(super) fn signs_now(&self, txn: &mut dyn AppendTxn) -> Result<(), StoreError> {
        let (agent, used) = (self.signer.agent(), self.signer.key_number());
        let (current, key) = txn.current_key(&agent)?;
        if (used, self.signer.key()) == (current, key) {
            return Ok(());
        }
        Err(StoreError::KeyNotCurrent {
            agent,
            used,
            current,
        })
    }

    /// A draft with its place in its chain and in time, and what it changes there. `last` is the
    /// time of the agent's last record, if it is known already (I2, C5); `journal` is named by its header.
    pub(super) fn unsealed<'d>(
        &self,
        txn: &mut dyn AppendTxn,
        draft: &'d Draft,
        (index, journal): (u64, Option<(u64, Blake3Hash)>),
        random: &mut Random<'_>,
        last: Option<LastTimes>,
    ) -> Result<Unsealed<'d>, StoreError> {
        let before = match draft.expected {
            None => None,
            Some((chain, head)) => {
                let before = self.predecessor(txn, &chain, head)?;
                claims::none_before(&before.header)?;
                keys::may_follow(&before.header, &draft.subject)?;
                Some(before)
            }
        };
        let last = match last {
            // A chain that continues one whose clock ran ahead begins its time anew (C39).
            _ if draft.extensions.continues.is_some() => None,
            Some(last) => Some(last),
            None => txn.last_recorded(&self.signer.agent())?,
        };
        // What was received may be later than all that was recorded here.
        let last = last.max(before.as_ref().map(|before| before.header.times()));
        let stamp = next_stamp(self.clock, last, &draft.subject)?;
        let id = CapsuleId::from_parts(stamp.recorded().millis(), random.take()?);
        let salt = random.take()?;
        let (position, delta) = match before {
            None => (Position::seed(id, stamp), None),
            Some(before) => {
                let salts = Salts {
                    payload: salt,
                    delta: random.take()?,
                };
                let (position, delta) = delta::after(&before, draft, salts, (id, stamp))?;
                (position, Some(delta))
            }
        };
        Ok(Unsealed {
            draft,
            index,
            position: position.with(Extensions {
                journal,
                ..draft.extensions.clone()
            }),
            delta,
            salt,
        })
    }

    /// The capsule that the next one follows, if `head` is the end of a chain of this agent that
    /// did not fork (C8, C15, C17).
    fn predecessor(
        &self,
        txn: &mut dyn AppendTxn,
        chain: &ChainId,
        head: Blake3Hash,
    ) -> Result<StoredCapsule, StoreError> {
        let moved = |actual| StoreError::HeadMoved {
            chain: *chain,
            expected: head,
            actual,
        };
        let last = txn.head(chain)?.ok_or_else(|| moved(None))?;
        if last.agent != self.signer.agent() {
            return Err(StoreError::ForeignChain { chain: *chain });
        }
        if let Some(at) = txn.forked_at(chain)? {
            return Err(StoreError::ChainForked { chain: *chain, at });
        }
        if last.capsule != head {
            return Err(moved(Some(last.capsule)));
        }
        txn.capsule(last.index)
    }
}
