//! Result of an exchange, from the store.

use std::sync::Arc;

use counterfoil_exchange::machine::{EventKind, Notice};
use counterfoil_exchange::trust::Level;

use super::ExchangeReport;
use super::drive::Drive;
use super::item::Item;
use crate::PeerError;

impl Drive<'_> {
    pub(super) async fn report(&mut self) -> Result<ExchangeReport, PeerError> {
        let host = self.host;
        let stored = host.store.exchange(&self.begun.id).await?;
        let stored = stored.ok_or_else(|| PeerError::NoExchange {
            id: self.begun.id.to_string(),
        })?;
        let memories = Item::read_all(&stored.items)?;
        let answer = self.answer_left().await?;
        let report = answer.as_ref().map(|answer| self.report_on(answer));
        let mut notices = self.notices.clone();
        for row in &stored.transitions {
            let notice = match row.event {
                EventKind::Equivocation => Notice::Equivocation,
                EventKind::Late => Notice::Late,
                _ => continue,
            };
            notices.entry(notice).or_insert(1);
        }
        Ok(ExchangeReport {
            id: self.begun.id.clone(),
            state: self.exchange.state(),
            responder: report.and_then(|report| report.responder),
            level: report.map_or(Level::Anonymous, |report| report.level),
            response: answer.map(|answer| Arc::clone(&answer.response)),
            memories: memories.into_iter().map(Item::into_report).collect(),
            notices,
            failure: self.failure.clone(),
        })
    }
}
