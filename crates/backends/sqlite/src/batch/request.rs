//! Requests that wait for a commit: drafts to append, or claims that the gate judges first (I5, I9).

use std::sync::Arc;

use counterfoil_capsule::Signer;
use counterfoil_claims::{ClaimError, ClaimOutcome, Settings};
use counterfoil_store::append::AppendContext;
use counterfoil_store::claims::{JudgedDrafts, random_world_id};
use counterfoil_store::log::Frontier;
use counterfoil_store::{AppendReport, ClaimRequest, Draft, StoreError};
use rusqlite::Transaction;

use super::Reply;
use crate::claims;
use crate::ledger::Rows;
use crate::options::Options;
use crate::rows;

/// One caller who waits.
pub(crate) struct Request {
    pub(crate) signer: Arc<dyn Signer>,
    pub(crate) wants: Wants,
}

/// Operation that the caller requests.
pub(crate) enum Wants {
    /// Drafts are appended.
    Append {
        drafts: Vec<Draft>,
        reply: Reply<Vec<AppendReport>>,
    },
    /// Claims and assertions are judged, and written if the gate lets them in.
    Submit {
        settings: Arc<Settings>,
        requests: Vec<ClaimRequest>,
        reply: Reply<Vec<Result<ClaimOutcome, ClaimError>>>,
    },
}

/// Result of a request inside of the transaction.
pub(crate) struct Done {
    pub(super) places: Vec<AppendReport>,
    judged: Option<JudgedDrafts>,
}

pub(crate) type Answer = Result<Done, StoreError>;

impl Request {
    /// Maximum number of entries that the request adds.
    pub(crate) const fn len(&self) -> usize {
        match &self.wants {
            Wants::Append { drafts, .. } => drafts.len(),
            Wants::Submit { requests, .. } => requests.len(),
        }
    }

    /// Does it inside of a transaction. Claims are judged against the lines as they stand in it, and those that the
    /// gate lets in are appended.
    pub(super) fn perform(
        &self,
        transaction: &Transaction<'_>,
        frontier: &mut Frontier,
        options: &Options,
    ) -> Answer {
        let context = AppendContext {
            signer: &*self.signer,
            clock: &*options.clock,
            entropy: &*options.entropy,
        };
        let (settings, requests) = match &self.wants {
            Wants::Append { drafts, .. } => {
                let mut rows = Rows::new(transaction);
                let places = frontier.append_drafts(&mut rows, context, drafts)?;
                rows.finish()?;
                let judged = None;
                return Ok(Done { places, judged });
            }
            Wants::Submit {
                settings, requests, ..
            } => (settings, requests),
        };
        let agent = self.signer.agent();
        let last = rows::last_recorded(transaction, &agent)?;
        let now_us = options.clock.now_micros();
        let mut judged = JudgedDrafts::new(agent, frontier.size(), last, now_us);
        let mut ledger = claims::Ledger::new(transaction, agent);
        let mut mint = || random_world_id(context.entropy);
        judged.judge_all(&mut ledger, settings, requests, &mut mint)?;
        ledger.finish()?;
        let mut places = Vec::new();
        if !judged.drafts.is_empty() {
            let mut rows = Rows::new(transaction);
            places = frontier.append_judged(&mut rows, context, &judged)?;
            rows.finish()?;
        }
        let judged = Some(judged);
        Ok(Done { places, judged })
    }

    /// The drafts of `done` that were appended.
    pub(super) fn drafts<'d>(&'d self, done: &'d Done) -> &'d [Draft] {
        match (&self.wants, &done.judged) {
            (Wants::Append { drafts, .. }, _) => drafts,
            (_, Some(judged)) => &judged.drafts,
            (_, None) => &[],
        }
    }

    /// Answers the caller. The returned value may be dropped later, which takes a while.
    pub(crate) fn answer(self, answer: Answer) -> Vec<Draft> {
        match self.wants {
            Wants::Append { drafts, reply } => {
                drop(reply.send(answer.map(|done| done.places)));
                drafts
            }
            Wants::Submit { reply, .. } => {
                let judged = answer.and_then(|done| {
                    done.judged
                        .ok_or(StoreError::Bug("requests that were not judged"))
                });
                let (told, drafts) = match judged {
                    Ok(judged) => (Ok(judged.answers), judged.drafts),
                    Err(error) => (Err(error), Vec::new()),
                };
                drop(reply.send(told));
                drafts
            }
        }
    }
}
