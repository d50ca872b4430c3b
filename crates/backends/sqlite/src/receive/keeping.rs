//! Capsules that are not accepted: each waits, is refused, or stands beside its chain (capsules 4.5, 4.6, C10).

use counterfoil_capsule::documents::Observation;
use counterfoil_capsule::{CapsuleDocument, Verdict};
use counterfoil_store::collect::HeldClass;
use counterfoil_store::{StoreError, StoredCapsule};
use counterfoil_verifier::merkle;

use super::judge::{Missing, Refusal};
use super::receiver::Receiver;
use super::{LineReport, capsule_here, events};
use crate::events::Observer;
use crate::forks::{self, Branch};
use crate::held::{self, HeldDocument};
use crate::lookup::{self, Slot};

impl Receiver<'_, '_> {
    pub(super) fn wait(
        &mut self,
        document: &CapsuleDocument,
        missing: Missing,
        held: Option<&HeldDocument>,
    ) -> Result<LineReport, StoreError> {
        let code = missing.code();
        if let Some(held) = held {
            let mut held = held.clone();
            code.clone_into(&mut held.code);
            held::insert(self.unit.connection(), &held)?;
            return Ok(LineReport::Pending { code });
        }
        if let Some(code) = missing.contradiction() {
            self.observe(events::taken(document, code, &self.receiving.source))?;
        }
        self.hold(&document.to_text(), Some(document), code)
    }

    /// Holds a document until what it waits for is here.
    fn hold(
        &mut self,
        text: &str,
        document: Option<&CapsuleDocument>,
        code: &'static str,
    ) -> Result<LineReport, StoreError> {
        let row = self.row(text, document, HeldClass::Pending, code);
        let connection = self.unit.connection();
        let known = held::class_of(connection, &row.hash)?.is_some();
        if !known && !self.pending.take(connection, &row)? {
            return Ok(LineReport::NoRoom {
                code: code.to_owned(),
            });
        }
        held::insert(connection, &row)?;
        Ok(LineReport::Pending { code })
    }

    pub(super) fn refuse(
        &mut self,
        document: &CapsuleDocument,
        refusal: &Refusal,
        held: Option<&HeldDocument>,
    ) -> Result<LineReport, StoreError> {
        let connection = self.unit.connection();
        let mut against = None;
        if let Some(before) = &refusal.against {
            let slot = lookup::slot(connection, &before.chain(), before.seq())?;
            if let Some(slot) = slot.filter(|slot| slot.hash == before.hash()) {
                let stored = capsule_here(connection, slot.index)?;
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
            held::insert(self.unit.connection(), &row)?;
            return Ok(outcome);
        }
        // What is refused is kept without its content.
        row.document = document.clone().without_bodies().to_text();
        self.quarantined(&row, outcome)
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
                let event = events::unreadable(bytes, check, code.name(), origin);
                if let Some(event) = event {
                    self.observe(event)?;
                }
                let mut row = self.row(&text, None, HeldClass::Quarantine, code.name());
                // What it says is not kept: nobody could find in it what is to be erased.
                row.document = format!("{{\"bytes\":{}}}", bytes.len());
                let outcome = LineReport::Refused {
                    check: check.to_string(),
                    code: code.to_string(),
                };
                self.quarantined(&row, outcome)
            }
            Verdict::Valid => Err(StoreError::Bug("a line that is refused as valid")),
        }
    }

    fn quarantined(
        &mut self,
        row: &HeldDocument,
        outcome: LineReport,
    ) -> Result<LineReport, StoreError> {
        let connection = self.unit.connection();
        let known = held::class_of(connection, &row.hash)?.is_some();
        // That it was refused is counted; only what is left of it is not kept.
        if known || self.quarantine.take(connection, row)? {
            held::insert(self.unit.connection(), row)?;
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
        let connection = self.unit.connection();
        let frozen = forks::frozen_at(connection, &header.chain())?;
        let branch = Branch {
            document: document.clone(),
            source: self.receiving.source.key(),
            at: self.now_us,
        };
        if !forks::insert(connection, &branch)? {
            return Ok(LineReport::NoRoom {
                code: "E_FORK".to_owned(),
            });
        }
        held::release(connection, header.hash())?;
        let earlier = frozen.is_none_or(|at| header.seq() < at);
        let connection = self.unit.connection();
        let decided = forks::settled_branch(connection, header)?.is_some();
        let settled = decided || forks::is_settled(connection, header)?;
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
    ) -> HeldDocument {
        let header = document.map(CapsuleDocument::header);
        HeldDocument {
            hash: *merkle::leaf_hash(text.as_bytes()).as_bytes(),
            capsule: header.map(counterfoil_capsule::Header::hash),
            class,
            place: header.map(|header| {
                let (agent, chain) = (header.agent().to_string(), *header.chain().as_bytes());
                (agent, chain, header.seq())
            }),
            document: text.to_owned(),
            code: code.to_owned(),
            source: self.receiving.source.key(),
            at: self.now_us,
        }
    }

    fn observe(&self, seen: Observation) -> Result<(), StoreError> {
        let options = self.unit.options();
        let observer = Observer {
            detector: self.receiving.detector,
            now_micros: self.now_us,
            entropy: &*options.entropy,
        };
        observer.write(self.unit.connection(), seen)
    }
}
