//! Judges a capsule that was sealed elsewhere, by the capsules that are accepted here (capsules 4.5, 4.6, 4.8).

use counterfoil_capsule::keys::{ForkResolution, KeyHistory};
use counterfoil_capsule::{
    CapsuleDocument, ChainId, Check, Code, Header, IndeterminateReason, Kind, RecordKind, Signed,
    Surroundings, Timestamp, Verdict,
};
use counterfoil_store::StoreError;
use counterfoil_types::DidKey;
use counterfoil_types::json::Value;

use super::judgement::{Judgement, Missing, Refusal, by_keys, content, pending, refused};
use super::key_chain;
use super::redactions::Redactions;
use crate::entries::{self, Sides, Slot, by_hash, capsule_here, index_of, owner, slot};
use crate::forks;
use crate::keys::KeyChain;
use crate::port::rows::VersionIdRow;
use crate::port::{Select, Txn};
use crate::records::content_of;

/// Inputs of judging a capsule.
pub(crate) struct JudgeContext<'a> {
    pub(crate) txn: &'a dyn Txn,
    /// The keys of the capsule's agent.
    pub(crate) keys: Option<&'a KeyChain>,
    /// The keys of the agent whose fork it decides about.
    pub(crate) owner_keys: Option<&'a KeyHistory>,
    /// The content of the accepted capsule before it.
    pub(crate) content_before: Option<&'a Value>,
    /// Needed for a capsule without a body alone.
    pub(crate) redactions: Option<&'a Redactions>,
    pub(crate) now: Timestamp,
}

impl JudgeContext<'_> {
    pub(crate) fn judge(&self, document: &CapsuleDocument) -> Result<Judgement, StoreError> {
        let header = document.header();
        let slot = slot(Sides::both(self.txn), &header.chain(), header.seq())?;
        if slot.as_ref().is_some_and(|slot| slot.hash == header.hash())
            || forks::known(self.txn, header.hash())?.is_some()
        {
            // The delivered document may have another body under its hash.
            let found = document.check_all(&Surroundings {
                key: self.key(header),
                ..Surroundings::default()
            });
            let refused = refusal(&found, &Before::Nothing).map(Box::new);
            return Ok(refused.map_or(Judgement::Known, Judgement::Refuse));
        }
        let (before, accepted_before) = self.before(header)?;
        let restored;
        let mut around = Surroundings {
            predecessor: before.header(),
            before: self
                .content_before
                .filter(|_| matches!(before, Before::Accepted(_))),
            key: self.key(header),
            least_key: self.least_key(header),
            now: Some(self.now),
            ..Surroundings::default()
        };
        let mut found = document.check_all(&around);
        // The version that it restores is looked for once everything else about it holds.
        if before.header().is_some()
            && refusal(&found, &before).is_none()
            && !missing(&found).contains(&IndeterminateReason::MissingKey)
        {
            restored = self.restored(header)?;
            if let Some((header, content)) = &restored {
                around.restored = Some((header, content.as_ref()));
                found = document.check_all(&around);
            }
        }
        if let Some(refusal) = refusal(&found, &before) {
            return Ok(Judgement::Refuse(Box::new(refusal)));
        }
        let owner = owner(Sides::both(self.txn), &header.chain())?;
        if owner.is_some_and(|owner| owner != header.agent()) {
            // Any agent may give its chain the name of another's, and be the first to arrive.
            return Ok(Judgement::Pending(Missing::Chain));
        }
        let missing = missing(&found);
        // The signer is not known before the key is.
        if missing.contains(&IndeterminateReason::MissingKey) {
            return Ok(pending(IndeterminateReason::MissingKey));
        }
        let parent_missing = missing.contains(&IndeterminateReason::MissingParent);
        let objection = key_chain::objection(self.txn, self.keys, document, parent_missing)?;
        if let Some(objection) = objection {
            return Ok(objection);
        }
        let settled = forks::settled_branch(self.txn, header)?;
        if let Some(slot) = slot {
            // A compromised key would fork, with an earlier time, every chain that it ever signed.
            let history = self.keys.map(|keys| &keys.history);
            let compromised =
                history.is_some_and(|it| it.compromise_of(header.key_number()).is_some());
            return Ok(match settled.is_none() && compromised {
                true => Judgement::Pending(Missing::Key),
                false => Judgement::Fork(Box::new(slot)),
            });
        }
        let abandoned = settled.is_some_and(|(keep, _)| keep != header.hash());
        if abandoned || matches!(before, Before::Branch(_)) {
            return Ok(Judgement::OfBranch);
        }
        if let Some(accepted) = accepted_before {
            return Ok(Judgement::Stray(Box::new(accepted)));
        }
        self.by_itself(document, &missing)
    }

    fn key(&self, header: &Header) -> Option<DidKey> {
        self.keys?.history.key_at(header.key_number())
    }

    /// The number of the agent's key at the capsule's own time: capsules come here in any order,
    /// so the time of its arrival does not count.
    fn least_key(&self, header: &Header) -> u64 {
        let rotations = self
            .keys
            .map_or(&[][..], |keys| &keys.records)
            .iter()
            .filter(|record| {
                record.header.kind() == Kind::Record(RecordKind::KeyRotation)
                    && record.header.timestamp() < header.timestamp()
            });
        u64::try_from(rotations.count()).unwrap_or(u64::MAX)
    }

    /// The version that it says it restores, if it is here.
    fn restored(&self, header: &Header) -> Result<Option<(Header, Option<Value>)>, StoreError> {
        let Some(target) = header.extensions().rollback_to else {
            return Ok(None);
        };
        let Some(index) = by_hash(self.txn, &header.chain(), target)? else {
            return Ok(None);
        };
        let stored = capsule_here(self.txn, index)?;
        Ok(stored.map(|stored| {
            let content = content(stored.payload.as_ref());
            (stored.header, content)
        }))
    }

    /// The rest, for a capsule whose place is free.
    fn by_itself(
        &self,
        document: &CapsuleDocument,
        missing: &[IndeterminateReason],
    ) -> Result<Judgement, StoreError> {
        let header = document.header();
        let erased = IndeterminateReason::BodyErased;
        if let Some(reason) = missing.iter().find(|reason| **reason != erased) {
            return Ok(pending(*reason));
        }
        let covered = self.redactions.is_some_and(|known| known.cover(header));
        // A record without its content says nothing, and never will again.
        let silent = matches!(header.kind(), Kind::Record(_)) && document.payload().is_none();
        if missing.contains(&erased) && (silent || !covered) {
            return Ok(pending(erased));
        }
        let frozen = forks::frozen_at(self.txn, &header.chain())?;
        if frozen.is_some_and(|at| at <= header.seq()) {
            return Ok(Judgement::Pending(Missing::Resolution));
        }
        if let Some(other) = self.with_its_id(header)? {
            return Ok(Judgement::Refuse(Box::new(Refusal {
                check: Check::Sequence,
                code: Code::Id.to_string(),
                signed: true,
                against: Some(other),
            })));
        }
        if let Some(world) = header.world() {
            // Any agent may give any name: the first one keeps it.
            if index_of(self.txn, world)?.is_some() {
                return Ok(Judgement::Pending(Missing::World));
            }
        }
        let value = content_of(header, document.payload(), RecordKind::ForkResolution);
        Ok(match value.map(|value| ForkResolution::parse(&value)) {
            None => Judgement::Accept,
            Some(Ok(resolution)) => self.resolution(&resolution),
            Some(Err(_)) => refused(Check::State, Code::Schema.name()),
        })
    }

    /// An owner's decision counts everywhere, so it must be the owner's.
    fn resolution(&self, resolution: &Signed<ForkResolution>) -> Judgement {
        match (resolution.recovery, self.owner_keys) {
            (None, _) => Judgement::Accept,
            (Some(_), None) => pending(IndeterminateReason::MissingKey),
            (Some(_), Some(keys)) => keys
                .accepts(resolution)
                .map_or_else(|error| by_keys(&error), |()| Judgement::Accept),
        }
    }

    /// The accepted capsule before it, or the one of a branch that it names; the accepted one beside it where it names
    /// another that is not here.
    fn before(&self, header: &Header) -> Result<(Before, Option<Slot>), StoreError> {
        let (Some(previous), Some(seq)) = (header.previous(), header.seq().checked_sub(1)) else {
            return Ok((Before::Nothing, None));
        };
        let slot = slot(Sides::both(self.txn), &header.chain(), seq)?;
        if let Some(slot) = &slot
            && slot.hash == previous
        {
            let header = slot.header.clone();
            return Ok((header.map_or(Before::Nothing, Before::Accepted), None));
        }
        Ok(match forks::known(self.txn, previous)? {
            Some(branch) => (Before::Branch(branch), None),
            None => (Before::Nothing, slot),
        })
    }

    /// The accepted capsule of the agent that has this id, of which another one is here.
    fn with_its_id(&self, header: &Header) -> Result<Option<Header>, StoreError> {
        let first = slot(Sides::both(self.txn), &ChainId::of_seed(header.id()), 0)?;
        let later = Select::of::<VersionIdRow>().with("id", *header.id().as_bytes());
        let mut found = Vec::from_iter(first.and_then(|slot| slot.header));
        for index in self.txn.column::<u64, 1>(later, &["idx"])? {
            found.extend(entries::header(self.txn, index)?);
        }
        let same = |it: &Header| it.agent() == header.agent() && it.id() == header.id();
        Ok(found.into_iter().find(same))
    }
}

/// Predecessor of a capsule.
enum Before {
    Nothing,
    Accepted(Header),
    Branch(Header),
}

impl Before {
    const fn header(&self) -> Option<&Header> {
        match self {
            Self::Nothing => None,
            Self::Accepted(header) | Self::Branch(header) => Some(header),
        }
    }
}

fn refusal(found: &[Verdict], before: &Before) -> Option<Refusal> {
    let failures = found.iter().filter_map(|verdict| match verdict {
        Verdict::Invalid { check, code } => Some((*check, *code)),
        _ => None,
    });
    let failures: Vec<_> = failures.collect();
    let (check, code) = *failures.first()?;
    let unsigned = |(check, _): &(Check, Code)| *check <= Check::Signature;
    let against_before = matches!(check, Check::Sequence | Check::Chronology);
    Some(Refusal {
        check,
        code: code.to_string(),
        signed: !failures.iter().any(unsigned)
            && !missing(found).contains(&IndeterminateReason::MissingKey),
        against: before.header().filter(|_| against_before).cloned(),
    })
}

fn missing(found: &[Verdict]) -> Vec<IndeterminateReason> {
    let reasons = found.iter().filter_map(|verdict| match verdict {
        Verdict::Indeterminate { reason } => Some(*reason),
        _ => None,
    });
    reasons.collect()
}
