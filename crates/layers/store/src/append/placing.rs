//! Gives each draft its place: in a chain, at its head, and in time (capsules 4.4, 4.7, C5, C15, C17).

use counterfoil_capsule::Document as _;
use counterfoil_capsule::documents::TrustRecord;
use counterfoil_capsule::{
    BodyRef, CapsuleId, ChainId, Extensions, Header, LastTimes, Position, RecordKind, SaltedBody,
    feed_commitment, feed_salt, line_tag, trust_tag,
};
use counterfoil_types::Blake3Hash;

use super::random::Random;
use super::{AppendContext, AppendTxn, NextInFeed};
use super::{claims, keys};
use crate::StoreError;
use crate::capsule_log::{Draft, StoredCapsule, Subject};
use crate::clock::next_stamp;
use crate::delta::{self, Salts};

/// State that the drafts of one append share and advance in order: random bytes, time, feed and journal.
pub(super) struct Order<'e> {
    random: Random<'e>,
    /// Head of the journal, for the next draft to name.
    journal: Option<(u64, Blake3Hash)>,
    /// Transaction time of the last draft; `None` before the first one.
    last: Option<LastTimes>,
    /// Place of the next draft in the agent's feed.
    feed: Option<NextInFeed>,
}

/// A draft with all that its capsule holds but the seal.
pub(super) struct Unsealed<'d> {
    pub(super) draft: &'d Draft,
    /// Its index in the log.
    pub(super) index: u64,
    /// Header of the capsule and canonical content.
    pub(super) unsigned: (Header, String),
    pub(super) delta: Option<SaltedBody>,
    pub(super) salt: [u8; 32],
}

impl<'e> Order<'e> {
    pub(super) const fn new(random: Random<'e>, journal: Option<(u64, Blake3Hash)>) -> Self {
        Self {
            random,
            journal,
            last: None,
            feed: None,
        }
    }

    /// Counts a draft, whose capsule the next one follows in time and in the agent's feed.
    fn advance(&mut self, header: &Header) {
        self.last = Some(header.times());
        if let Some((_, number, last)) = &mut self.feed {
            *number += 1;
            *last = Some(header.hash());
        }
    }

    /// Returns the tag of a draft that the log counts: that of its line if it is a claim unit, or that of records of trust.
    fn line(&self, draft: &Draft) -> Option<Blake3Hash> {
        if let Subject::Record {
            kind: RecordKind::Trust,
            document,
        } = &draft.subject
        {
            let is_of_names = TrustRecord::parse(document).is_ok_and(|it| it.is_of_names());
            return (!is_of_names).then(trust_tag);
        }
        let (secret, ..) = self.feed.as_ref()?;
        let (subject, predicate, scope) = draft.line()?;
        Some(line_tag(secret, subject, predicate, &scope))
    }

    /// Returns the commitment of the next draft to its place in the agent's feed.
    fn commitment(&self) -> Option<Blake3Hash> {
        let (secret, number, last) = self.feed.as_ref()?;
        let salt = feed_salt(secret, *number);
        Some(feed_commitment(&salt, *number, last.as_ref()))
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

    /// A draft with its place in its chain, in time and in the agent's feed, and what it changes there, behind the drafts
    /// before it (I2, C5).
    pub(super) fn unsealed<'d>(
        &self,
        txn: &mut dyn AppendTxn,
        draft: &'d Draft,
        index: u64,
        order: &mut Order<'_>,
    ) -> Result<Unsealed<'d>, StoreError> {
        if order.last.is_none() {
            order.feed = txn.feed(&self.signer.agent(), self.entropy)?;
        }
        let before = match draft.expected {
            None => None,
            Some((chain, head)) => {
                let before = self.predecessor(txn, &chain, head)?;
                claims::none_before(&before.header)?;
                keys::may_follow(&before.header, &draft.subject)?;
                Some(before)
            }
        };
        let last = match order.last {
            // A chain that continues one whose clock ran ahead begins its time anew (C39).
            _ if draft.extensions.continues.is_some() => None,
            Some(last) => Some(last),
            None => txn.last_recorded(&self.signer.agent())?,
        };
        // What was received may be later than all that was recorded here.
        let last = last.max(before.as_ref().map(|before| before.header.times()));
        let stamp = next_stamp(self.clock, last, &draft.subject)?;
        let id = CapsuleId::from_parts(stamp.recorded().millis(), order.random.take()?);
        let salt = order.random.take()?;
        let content = draft.content()?;
        let (position, delta) = match before {
            None => (Position::seed(id, stamp), None),
            Some(before) => {
                let salts = Salts {
                    payload: salt,
                    delta: order.random.take()?,
                };
                let (position, delta) =
                    delta::after(&before, (draft, &content), salts, (id, stamp))?;
                (position, Some(delta))
            }
        };
        let position = position.with(Extensions {
            feed: order.commitment(),
            line: order.line(draft),
            journal: order.journal.take(),
            ..draft.extensions.clone()
        });
        let body = BodyRef::payload(&salt, &content);
        let header = Header::of(self.signer, &position, body, draft.kind())
            .map_err(|error| draft.refused(error))?;
        order.advance(&header);
        Ok(Unsealed {
            draft,
            index,
            unsigned: (header, content),
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
