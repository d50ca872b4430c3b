//! The fold of an agent's key chain: keys by number, commitments, and marks on stolen keys (capsules 4.7).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use counterfoil_types::{Blake3Hash, DidKey};

use super::commitment::{next_key_commitment, recovery_key_commitment};
use super::{ForkResolution, KeyCompromise, KeyDocument, KeyError, KeyInception, KeyRotation};
use crate::document::Signed;
use crate::header::{Header, Kind};
use crate::id::ChainId;
use crate::key::Signer;

/// The keys of one agent, as far as its key chain is known.
///
/// A pure function of that chain: the same records give the same history, and each record is taken
/// only at the place that it was made for. It checks the proofs of the documents; the signature of
/// each capsule's entry is for [`check_capsule`](crate::check_capsule), with the history up to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyHistory {
    agent: DidKey,
    chain: ChainId,
    seq: u64,
    head: Blake3Hash,
    /// By number; never empty, the first is the agent's name.
    keys: Vec<DidKey>,
    next_key: Blake3Hash,
    recovery_key: Blake3Hash,
    compromised: BTreeMap<u64, KeyCompromise>,
}

impl KeyHistory {
    /// Begins with the first record of a key chain.
    ///
    /// # Errors
    /// [`KeyError::Inception`] for anything but a seed, and the fault of the document.
    pub fn begin(header: &Header, inception: &Signed<KeyInception>) -> Result<Self, KeyError> {
        let owner = inception.agent;
        of_kind(header, &KeyDocument::Inception(inception.clone()))?;
        if header.agent() != owner {
            let found = header.agent();
            return Err(KeyError::Agent { owner, found });
        }
        if header.previous().is_some() {
            return Err(KeyError::Inception);
        }
        if header.key_number() != 0 {
            return Err(KeyError::NotAuthorised {
                number: header.key_number(),
                current: 0,
            });
        }
        inception.verify(owner, &[owner])?;
        let history = Self {
            agent: owner,
            chain: header.chain(),
            seq: 0,
            head: header.hash(),
            keys: alloc::vec![owner],
            next_key: inception.next_key,
            recovery_key: inception.recovery_key,
            compromised: BTreeMap::new(),
        };
        history.is_unused(inception.next_key)?;
        Ok(history)
    }

    /// Takes the record after the last one. On an error the history is as it was.
    ///
    /// # Errors
    /// See [`KeyError`]; [`KeyError::is_indeterminate`] tells those that more records may cure.
    pub fn extend(&mut self, header: &Header, document: &KeyDocument) -> Result<(), KeyError> {
        self.follows(header, document)?;
        match document {
            KeyDocument::Inception(_) => return Err(KeyError::Inception),
            KeyDocument::Rotation(rotation) => {
                self.made_for_here(rotation.chain, rotation.previous)?;
                self.may_follow(rotation)?;
                for key in [self.current(), rotation.key] {
                    rotation.verify(self.agent, &[key])?;
                }
                self.keys.push(rotation.key);
                self.next_key = rotation.next_key;
            }
            KeyDocument::Compromise(compromise) => {
                self.made_for_here(compromise.chain, compromise.previous)?;
                self.may_mark(compromise)?;
                compromise.verify(self.agent, &[compromise.recovery])?;
                // Of several marks on one key the earliest holds.
                let since = |mark: &KeyCompromise| (mark.from_time, mark.from);
                let earlier = |held: &KeyCompromise| since(held) <= since(compromise);
                let number = compromise.number;
                if !self.compromise_of(number).is_some_and(earlier) {
                    self.compromised.insert(number, (**compromise).clone());
                }
            }
        }
        (self.seq, self.head) = (header.seq(), header.hash());
        Ok(())
    }

    /// The fold of a whole chain, in its order; `None` of no record at all.
    ///
    /// # Errors
    /// The first that [`begin`](Self::begin) or [`extend`](Self::extend) gives.
    pub fn of<'a>(
        records: impl IntoIterator<Item = (&'a Header, &'a KeyDocument)>,
    ) -> Result<Option<Self>, KeyError> {
        let mut history: Option<Self> = None;
        for (header, document) in records {
            match (&mut history, document) {
                (Some(history), document) => history.extend(header, document)?,
                (None, KeyDocument::Inception(inception)) => {
                    history = Some(Self::begin(header, inception)?);
                }
                (None, _) => return Err(KeyError::Inception),
            }
        }
        Ok(history)
    }

    /// Agent of the keys.
    pub const fn agent(&self) -> DidKey {
        self.agent
    }

    /// The key chain.
    pub const fn chain(&self) -> ChainId {
        self.chain
    }

    /// The number of its last known record.
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// Hash of its last known record, which the next one links to.
    pub const fn head(&self) -> Blake3Hash {
        self.head
    }

    /// All keys, by number.
    pub fn keys(&self) -> &[DidKey] {
        &self.keys
    }

    /// The key of that number, which signs the capsules that name it.
    pub fn key_at(&self, number: u64) -> Option<DidKey> {
        let index = usize::try_from(number).ok()?;
        self.keys.get(index).copied()
    }

    /// The key that signs now.
    pub fn current(&self) -> DidKey {
        self.keys.last().copied().unwrap_or(self.agent)
    }

    /// Its number: how often was rotated.
    pub fn current_number(&self) -> u64 {
        let last = self.keys.len().saturating_sub(1);
        u64::try_from(last).unwrap_or(u64::MAX)
    }

    /// All keys by agent, of this one alone.
    pub fn by_agent(&self) -> BTreeMap<DidKey, Vec<DidKey>> {
        BTreeMap::from([(self.agent, self.keys.clone())])
    }

    /// Commitment of the agent to its next key.
    pub const fn next_key(&self) -> Blake3Hash {
        self.next_key
    }

    /// Commitment of the agent to its recovery key.
    pub const fn recovery_key(&self) -> Blake3Hash {
        self.recovery_key
    }

    /// The mark on the key of that number, which says from where on its capsules are contested; `None` when it is not marked.
    pub fn compromise_of(&self, number: u64) -> Option<&KeyCompromise> {
        self.compromised.get(&number)
    }

    /// The keys that are not marked.
    pub fn uncompromised(&self) -> impl Iterator<Item = DidKey> {
        let marked = |number: &usize| {
            u64::try_from(*number).is_ok_and(|number| self.compromised.contains_key(&number))
        };
        let keys = self.keys.iter().enumerate();
        keys.filter_map(move |(number, key)| (!marked(&number)).then_some(*key))
    }

    /// The key of that number, if it may sign what comes after the last known record: the current
    /// one alone.
    ///
    /// # Errors
    /// [`KeyError::NotAuthorised`] for one that was rotated away from, [`KeyError::Missing`] for one
    /// that is not known yet, which is open.
    pub fn authorise(&self, number: u64) -> Result<DidKey, KeyError> {
        let current = self.current_number();
        match number {
            known if known == current => Ok(self.current()),
            known if known < current => Err(KeyError::NotAuthorised { number, current }),
            _ => Err(KeyError::Missing { number, current }),
        }
    }

    /// Checks that a fork's resolution is by this agent's recovery key, and so holds for everyone.
    ///
    /// # Errors
    /// [`KeyError::Agent`] for the fork of another, [`KeyError::RecoveryKey`] when an operator or
    /// another key decided, and the fault of a proof that does not hold.
    pub fn accepts(&self, resolution: &Signed<ForkResolution>) -> Result<(), KeyError> {
        self.is_about(resolution.agent)?;
        let revealed = resolution.operator.unwrap_or(self.agent);
        let key = resolution
            .recovery
            .ok_or(KeyError::RecoveryKey { revealed })?;
        self.is_recovery(key)?;
        resolution.verify(self.agent, &[key])?;
        Ok(())
    }

    /// Checks that `signer` signs with the current key, in this agent's name.
    pub(super) fn signs_now(&self, signer: &dyn Signer) -> Result<(), KeyError> {
        self.is_about(signer.agent())?;
        let number = signer.key_number();
        if self.authorise(number)? != signer.key() {
            let current = self.current_number();
            return Err(KeyError::NotAuthorised { number, current });
        }
        Ok(())
    }

    /// Checks a rotation, apart from its proofs.
    pub(super) fn may_follow(&self, rotation: &KeyRotation) -> Result<(), KeyError> {
        let (current, found) = (self.current_number(), rotation.number);
        if found != current + 1 {
            return Err(KeyError::Number { current, found });
        }
        let revealed = rotation.key;
        if next_key_commitment(&revealed) != self.next_key {
            return Err(KeyError::NextKey { revealed });
        }
        if rotation.recovery_key != self.recovery_key {
            return Err(KeyError::RecoveryChanged);
        }
        let next = rotation.next_key;
        if next == self.next_key {
            return Err(KeyError::Reused { number: found });
        }
        self.is_unused(next)
    }

    /// Checks a mark, apart from its proof.
    pub(super) fn may_mark(&self, compromise: &KeyCompromise) -> Result<(), KeyError> {
        let (current, found) = (self.current_number(), compromise.number);
        if found > current {
            return Err(KeyError::Number { current, found });
        }
        self.is_recovery(compromise.recovery)
    }

    /// Checks that the record directly follows the last one, signed with the current key.
    fn follows(&self, header: &Header, document: &KeyDocument) -> Result<(), KeyError> {
        self.is_about(header.agent())?;
        self.is_about(document.agent())?;
        if header.chain() != self.chain {
            return Err(KeyError::Chain);
        }
        let (known, found) = (self.seq, header.seq());
        if found > known + 1 {
            return Err(KeyError::Gap { known, found });
        }
        if found <= known {
            return Err(KeyError::Sequence { found });
        }
        if header.previous() != Some(self.head) {
            return Err(KeyError::Previous);
        }
        of_kind(header, document)?;
        self.authorise(header.key_number()).map(drop)
    }

    fn made_for_here(&self, chain: ChainId, previous: Blake3Hash) -> Result<(), KeyError> {
        if chain != self.chain {
            return Err(KeyError::Chain);
        }
        if previous != self.head {
            return Err(KeyError::Previous);
        }
        Ok(())
    }

    fn is_about(&self, found: DidKey) -> Result<(), KeyError> {
        let owner = self.agent;
        match found == owner {
            true => Ok(()),
            false => Err(KeyError::Agent { owner, found }),
        }
    }

    fn is_recovery(&self, revealed: DidKey) -> Result<(), KeyError> {
        match recovery_key_commitment(&revealed) == self.recovery_key {
            true => Ok(()),
            false => Err(KeyError::RecoveryKey { revealed }),
        }
    }

    /// A thief knows the old keys, so none of them may become the next one.
    fn is_unused(&self, commitment: Blake3Hash) -> Result<(), KeyError> {
        let mut keys = (0..).zip(&self.keys);
        match keys.find(|(_, key)| next_key_commitment(key) == commitment) {
            Some((number, _)) => Err(KeyError::Reused { number }),
            None => Ok(()),
        }
    }
}

/// Checks that the header is of this kind and announces the commitments of the document.
fn of_kind(header: &Header, document: &KeyDocument) -> Result<(), KeyError> {
    if header.kind() != Kind::Record(document.kind()) {
        let document = document.kind().name();
        return Err(KeyError::Kind { document });
    }
    let (announced, committed) = (header.extensions(), document.extensions());
    let same = (announced.next_key, announced.recovery_key)
        == (committed.next_key, committed.recovery_key);
    match same {
        true => Ok(()),
        false => Err(KeyError::Announced),
    }
}
