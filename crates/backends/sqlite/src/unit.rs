//! One unit of work of the writer: rows are changed and capsules appended together or not at all
//! (capsules 4.6: a redaction and what it takes away are one transaction).

use std::mem;

use counterfoil_capsule::{Kind, Signer, World};
use counterfoil_claims::{ClaimError, ClaimOutcome, Settings};
use counterfoil_store::append::AppendContext;
use counterfoil_store::claims::{JudgedDrafts, random_world_id};
use counterfoil_store::log::Frontier;
use counterfoil_store::{AppendReport, ClaimRequest, Draft, StoreError, StoredCapsule, now_after};
use rusqlite::{Connection, Transaction};

use crate::error::from_sqlite;
use crate::ledger::Rows;
use crate::options::Options;
use crate::text::{IndexedWorld, Succession, TextBatch};
use crate::{claims, clock_lead, rows};

/// The inside of one transaction of the writer.
pub(crate) struct Unit<'t> {
    transaction: &'t Transaction<'t>,
    frontier: &'t mut Frontier,
    options: &'t Options,
    text: TextBatch,
}

impl<'t> Unit<'t> {
    pub(crate) fn new(
        transaction: &'t Transaction<'t>,
        frontier: &'t mut Frontier,
        options: &'t Options,
    ) -> Self {
        Self {
            transaction,
            frontier,
            options,
            text: TextBatch::default(),
        }
    }

    /// The connection, inside of the transaction.
    pub(crate) fn connection(&self) -> &'t Connection {
        self.transaction
    }

    /// The transaction itself.
    pub(crate) const fn transaction(&self) -> &'t Transaction<'t> {
        self.transaction
    }

    /// The present time of the store's clock, in microseconds.
    pub(crate) fn now_micros(&self) -> u64 {
        self.options.clock.now_micros()
    }

    /// Options of the store.
    pub(crate) const fn options(&self) -> &'t Options {
        self.options
    }

    /// Seals the drafts and appends them. `tree_size` of the answers is the size after this call.
    ///
    /// # Errors
    /// As [`CapsuleLog::append`](counterfoil_store::CapsuleLog::append). After one the whole unit
    /// has to fail.
    pub(crate) fn append(
        &mut self,
        signer: &dyn Signer,
        drafts: &[Draft],
    ) -> Result<Vec<AppendReport>, StoreError> {
        let mut rows = Rows::new(self.transaction);
        let context = self.context(signer);
        let places = self.frontier.append_drafts(&mut rows, context, drafts)?;
        rows.finish()?;
        self.index_drafts(&places, drafts)?;
        Ok(places)
    }

    /// Judges claims against the lines inside of the transaction, and appends those that the gate lets in (I5, I9).
    ///
    /// # Errors
    /// As [`ClaimStore::submit`](counterfoil_store::ClaimStore::submit). After one the whole unit has to fail.
    pub(crate) fn submit(
        &mut self,
        signer: &dyn Signer,
        settings: &Settings,
        requests: &[ClaimRequest],
    ) -> Result<Vec<Result<ClaimOutcome, ClaimError>>, StoreError> {
        let (agent, context) = (signer.agent(), self.context(signer));
        let last = rows::last_recorded(self.transaction, &agent)?;
        let mut judged =
            JudgedDrafts::new(agent, self.frontier.size(), last, &*self.options.clock)?;
        let mut ledger = claims::Ledger::new(self.transaction, agent);
        let mut mint = || random_world_id(context.entropy);
        judged.judge_all(&mut ledger, settings, requests, &mut mint)?;
        ledger.finish()?;
        if !judged.drafts.is_empty() {
            let mut rows = Rows::new(self.transaction);
            let places = self.frontier.append_judged(&mut rows, context, &judged)?;
            rows.finish()?;
            self.index_drafts(&places, &judged.drafts)?;
        }
        Ok(judged.answers)
    }

    /// Appends capsules that were sealed elsewhere and judged valid, each after its predecessor.
    ///
    /// # Errors
    /// As [`CapsuleLog::receive`](counterfoil_store::CapsuleLog::receive). After one the whole unit
    /// has to fail.
    pub(crate) fn receive(
        &mut self,
        source: &str,
        capsules: &mut [StoredCapsule],
    ) -> Result<Vec<AppendReport>, StoreError> {
        let last = self.frontier.size().checked_sub(1);
        let last = last.map(|last| clock_lead::recorded_at(self.transaction, last));
        let now_us = now_after(&*self.options.clock, last.transpose()?)?;
        let received = Some((source, now_us));
        let mut rows = Rows::new(self.transaction);
        let places = self.frontier.receive(&mut rows, received, capsules)?;
        rows.finish()?;
        for (place, capsule) in places.iter().zip(capsules) {
            if !place.is_new {
                continue;
            }
            if capsule.header.kind() == Kind::Claim {
                claims::received(self.transaction, place.index)?;
            }
            // The World that it holds, for full text.
            let payload = capsule.payload.as_ref();
            let payload = payload.filter(|_| capsule.entry.world().is_some());
            let world = payload.and_then(|body| World::from_json(body.text.as_bytes()).ok());
            if let Some(world) = world {
                self.index(place, &world, capsule.header.previous().is_some())?;
            }
        }
        Ok(places)
    }

    /// Runs `job` in a savepoint: after an error of it nothing of it is kept.
    pub(crate) fn apart(
        &mut self,
        job: impl FnOnce(&mut Self) -> Result<(), StoreError>,
    ) -> Result<Result<(), StoreError>, StoreError> {
        let transaction = self.transaction;
        let run = |sql| transaction.execute_batch(sql).map_err(from_sqlite);
        run("SAVEPOINT job")?;
        let (edge, text) = (self.frontier.clone(), mem::take(&mut self.text));
        let outcome = job(self);
        let of_job = mem::replace(&mut self.text, text);
        match &outcome {
            Ok(()) => {
                self.text.extend(of_job);
                run("RELEASE job")?;
            }
            Err(_) => {
                *self.frontier = edge;
                run("ROLLBACK TO job; RELEASE job")?;
            }
        }
        Ok(outcome)
    }

    /// Writes the postings of all jobs of the transaction.
    pub(crate) fn finish(self) -> Result<(), StoreError> {
        self.text.write(self.transaction)
    }

    fn context<'s>(&self, signer: &'s dyn Signer) -> AppendContext<'s>
    where
        't: 's,
    {
        AppendContext {
            signer,
            clock: &*self.options.clock,
            entropy: &*self.options.entropy,
        }
    }

    /// Adds the Worlds among `drafts` that were appended at `places` to full text.
    fn index_drafts(
        &mut self,
        places: &[AppendReport],
        drafts: &[Draft],
    ) -> Result<(), StoreError> {
        let new = places.iter().zip(drafts).filter(|(place, _)| place.is_new);
        for (place, draft) in new {
            if let Some(world) = draft.world() {
                self.index(place, world, draft.expected.is_some())?;
            }
        }
        Ok(())
    }

    fn index(
        &mut self,
        place: &AppendReport,
        world: &World,
        is_later: bool,
    ) -> Result<(), StoreError> {
        let mut follows = None;
        if is_later {
            follows = Some(Succession {
                chain: place.chain,
                delta: rows::delta(self.transaction, place.index)?,
            });
        }
        let world = IndexedWorld {
            index: place.index,
            world,
            follows,
        };
        self.text.add(self.transaction, &world)
    }
}
