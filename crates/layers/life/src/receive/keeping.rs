//! Capsules that are not accepted: each waits, is refused, or is kept beside its chain (capsules 4.5, 4.6, C10).

use counterfoil_capsule::documents::Observation;
use counterfoil_capsule::{CapsuleDocument, Check, Code, Header, Verdict};
use counterfoil_store::collect::HeldClass;
use counterfoil_store::{StoreError, StoredCapsule};
use counterfoil_verifier::merkle;

use super::events;
use super::judgement::{Missing, Refusal};
use super::receiver::Receiver;
use super::report::LineReport;
use crate::entries::{Sides, Slot, capsule_here, slot};
use crate::events::Observer;
use crate::forks::{self, Branch};
use crate::held;
use crate::port::rows::HeldRow;

impl Receiver<'_, '_> {
    pub(super) fn wait(
        &mut self,
        document: &CapsuleDocument,
        missing: Missing,
        held: Option<&HeldRow>,
    ) -> Result<LineReport, StoreError> {
        let code = missing.code();
        if let Some(held) = held {
            let held = HeldRow {
                code: code.to_owned(),
                program: held::PROGRAM.to_owned(),
                ..held.clone()
            };
            held::insert(self.txn, held)?;
            return Ok(LineReport::Pending { code });
        }
        if let Some(code) = missing.contradiction() {
            self.observe(events::taken(document, code, &self.receiving.source))?;
        }
        self.hold(&document.to_text(), Some(document), code)
    }

    /// Writes down that a capsule names another predecessor than the accepted one. It may continue a branch that is not here.
    pub(super) fn stray(
        &self,
        document: &CapsuleDocument,
        accepted: &Slot,
        held: Option<&HeldRow>,
    ) -> Result<(), StoreError> {
        if held.is_some_and(|held| held.code == Missing::Branch.code()) {
            return Ok(());
        }
        let refusal = Refusal {
            check: Check::Sequence,
            code: Code::Previous.to_string(),
            signed: true,
            against: accepted.header.clone(),
        };
        let stored = capsule_here(self.txn, accepted.index)?;
        let against = stored.as_ref().map(StoredCapsule::document);
        let source = &self.receiving.source;
        self.observe(events::refused(
            document,
            &refusal,
            against.as_ref(),
            source,
        ))
    }

    /// Holds a document until the thing that it waits for is here.
    fn hold(
        &mut self,
        text: &str,
        document: Option<&CapsuleDocument>,
        code: &'static str,
    ) -> Result<LineReport, StoreError> {
        let row = self.row(text, document, HeldClass::Pending, code);
        if !held::is_held(self.txn, &row.hash)? && !self.pending.take(self.txn, &row)? {
            return Ok(LineReport::NoRoom {
                code: code.to_owned(),
            });
        }
        held::insert(self.txn, row)?;
        Ok(LineReport::Pending { code })
    }

    pub(super) fn refuse(
        &mut self,
        document: &CapsuleDocument,
        refusal: &Refusal,
        held: Option<&HeldRow>,
    ) -> Result<LineReport, StoreError> {
        let mut against = None;
        if let Some(before) = &refusal.against {
            let slot = slot(Sides::both(self.txn), &before.chain(), before.seq())?;
            if let Some(slot) = slot.filter(|slot| slot.hash == before.hash()) {
                let stored = capsule_here(self.txn, slot.index)?;
                against = stored.as_ref().map(StoredCapsule::document);
            }
        }
        let event = events::refused(document, refusal, against.as_ref(), &self.receiving.source);
        self.observe(event)?;
        let outcome = LineReport::Refused {
            check: refusal.check.to_string(),
            code: refusal.code.clone(),
        };
        let text = document.to_text();
        let mut row = self.row(&text, Some(document), HeldClass::Quarantine, &refusal.code);
        if held.is_some() {
            held::insert(self.txn, row)?;
            return Ok(outcome);
        }
        // A refused capsule is kept without its content.
        row.document = document.clone().without_bodies().to_text();
        self.quarantined(row, outcome)
    }

    /// Bytes that are no capsule as it is known here.
    pub(super) fn unreadable(
        &mut self,
        bytes: &[u8],
        verdict: Verdict,
    ) -> Result<LineReport, StoreError> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        match verdict {
            Verdict::Indeterminate { reason } => self.hold(&text, None, Missing::Of(reason).code()),
            Verdict::Invalid { check, code } => {
                let origin = &self.receiving.source;
                let event = match check {
                    Check::Mutation => events::mislinked(bytes, origin),
                    _ => None,
                };
                let unnamed = || events::unreadable(bytes, check, code.name(), origin);
                let event = event.or_else(unnamed);
                if let Some(event) = event {
                    self.observe(event)?;
                }
                let mut row = self.row(&text, None, HeldClass::Quarantine, code.name());
                // Its bytes are not kept: an erasure could not find its content in them.
                row.document = format!("{{\"bytes\":{}}}", bytes.len());
                let outcome = LineReport::Refused {
                    check: check.to_string(),
                    code: code.to_string(),
                };
                self.quarantined(row, outcome)
            }
            Verdict::Valid => Err(StoreError::Bug("a line that is refused as valid")),
        }
    }

    fn quarantined(&mut self, row: HeldRow, outcome: LineReport) -> Result<LineReport, StoreError> {
        // The refusal is counted without room as well; only its row is not kept.
        if held::is_held(self.txn, &row.hash)? || self.quarantine.take(self.txn, &row)? {
            held::insert(self.txn, row)?;
        }
        Ok(outcome)
    }

    /// Keeps it beside its chain. With `taken`, the place that it claims and the capsule that is
    /// accepted there, it begins a branch.
    pub(super) fn beside(
        &mut self,
        document: &CapsuleDocument,
        taken: Option<(&Slot, Option<&CapsuleDocument>)>,
    ) -> Result<LineReport, StoreError> {
        let header = document.header();
        let frozen = forks::frozen_at(self.txn, &header.chain())?;
        let branch = Branch {
            document: document.clone(),
            source: self.receiving.source.key(),
            at: self.now_us,
        };
        if !forks::insert(self.txn, &branch)? {
            return Ok(LineReport::NoRoom {
                code: "E_FORK".to_owned(),
            });
        }
        held::release(self.txn, header.hash())?;
        let earlier = frozen.is_none_or(|at| header.seq() < at);
        let decided = forks::settled_branch(self.txn, header)?.is_some();
        let settled = decided || forks::is_settled(self.txn, header)?;
        // The branch is one contradiction, not each of its capsules.
        if let Some((slot, accepted)) = taken
            && (decided || (!settled && earlier))
        {
            let event = events::fork(slot, accepted, document, &self.receiving.source);
            self.observe(event)?;
        }
        let outcome = match taken {
            Some(_) if !settled => LineReport::Forked,
            _ => LineReport::Branch,
        };
        self.wake(&header.chain(), header.seq())?;
        Ok(outcome)
    }

    fn row(
        &self,
        text: &str,
        document: Option<&CapsuleDocument>,
        class: HeldClass,
        code: &str,
    ) -> HeldRow {
        let header = document.map(CapsuleDocument::header);
        HeldRow {
            hash: *merkle::leaf_hash(text.as_bytes()).as_bytes(),
            capsule: header.map(Header::hash),
            class: class.name().to_owned(),
            agent: header.map(|header| header.agent().to_string()),
            chain: header.map(|header| *header.chain().as_bytes()),
            seq: header.map(Header::seq),
            document: text.to_owned(),
            code: code.to_owned(),
            source: self.receiving.source.key(),
            at: self.now_us,
            program: held::PROGRAM.to_owned(),
        }
    }

    fn observe(&self, seen: Observation) -> Result<(), StoreError> {
        let observer = Observer {
            detector: self.receiving.detector,
            now_micros: self.now_us,
            entropy: self.unit.entropy(),
        };
        observer.write(self.txn, seen)
    }
}
