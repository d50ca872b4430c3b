//! How an exchange went, from what was written down.

use std::sync::Arc;

use counterfoil_exchange::machine::{EventKind, Notice};
use counterfoil_exchange::trust::Level;

use super::Report;
use super::drive::Drive;
use super::item::Item;
use crate::PeerError;

impl Drive<'_> {
    /// How it went.
    pub(super) async fn report(&mut self) -> Result<Report, PeerError> {
        let host = &self.asking().host;
        let kept = host.store.exchange(self.id()).await?;
        let kept = kept.ok_or_else(|| PeerError::NoExchange {
            id: self.id().to_string(),
        })?;
        let memories = Item::read_all(&kept.items)?;
        let answer = self.answer_left().await?;
        let answerer = answer.as_ref().map(|answer| self.answerer(answer));
        let mut notices = self.notices().clone();
        for row in &kept.transitions {
            let notice = match row.event {
                EventKind::Equivocation => Notice::Equivocation,
                EventKind::Late => Notice::Late,
                _ => continue,
            };
            notices.entry(notice).or_insert(1);
        }
        Ok(Report {
            id: self.id().clone(),
            state: self.exchange().state(),
            responder: answerer.and_then(|answerer| answerer.key),
            level: answerer.map_or(Level::Anonymous, |answerer| answerer.level),
            response: answer.map(|answer| Arc::clone(&answer.response)),
            memories: memories.into_iter().map(Item::told).collect(),
            notices,
            failure: self.failure().map(str::to_owned),
        })
    }
}
