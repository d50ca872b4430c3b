//! One step of an exchange: a total function (docs/format/exchange.md §9; R6, R21, MRP-48).

use alloc::vec::Vec;

use super::exchange::{ADOPT_US, MAX_NOISE, MAX_OTHERS, MAX_RETRIES, VERIFY_US};
use super::timing::{backoff_us, bounded_timeout, later};
use super::{Effect, Event, EventKind, Exchange, ExchangeState, Moment, Notice, Transition};
use crate::documents::{DocumentHash, StatusCode};

/// Returns the exchange after `event`, and the effects that the driver carries out.
///
/// Each event has an answer in each state; an event without meaning changes nothing and has no effects.
/// A durable change is in an [`Effect::Persist`], and [`fold`](super::fold) of all these rows gives the same exchange.
pub fn step(exchange: Exchange, event: Event, at: Moment) -> (Exchange, Vec<Effect>) {
    let mut step = Step {
        exchange,
        at,
        effects: Vec::new(),
    };
    step.begin(&event);
    match event {
        Event::Ask { timeout_us } => step.ask(timeout_us),
        Event::Answer { hash, code } => step.answer(hash, code),
        Event::Noise => step.noise(),
        Event::Failed {
            retry_after_us,
            jitter_ppm,
        } => step.failed(retry_after_us, jitter_ppm),
        Event::Refused => step.end(
            ExchangeState::Sent,
            EventKind::Refused,
            ExchangeState::PeerError,
        ),
        Event::Tick => step.tick(),
        Event::Examined { passed, rejected } => step.examined(passed, rejected),
        Event::Kept => step.stored(EventKind::Kept, ExchangeState::Stored),
        Event::NotKept => step.stored(EventKind::NotKept, ExchangeState::Discarded),
        Event::Cancel => step.cancel(),
        Event::Restarted => step.restarted(),
        Event::Adopt { hash } => step.adopt(hash),
    }
    (step.exchange, step.effects)
}

struct Step {
    exchange: Exchange,
    at: Moment,
    effects: Vec<Effect>,
}

impl Step {
    /// Rows that were read have no monotonic deadline; and an event after the deadline finds an exchange that has ended, even
    /// before its timer goes off.
    fn begin(&mut self, event: &Event) {
        if self.exchange.state != ExchangeState::Sent {
            return;
        }
        let restarted = matches!(event, Event::Restarted);
        if restarted || self.exchange.deadline_monotonic_us.is_none() {
            self.exchange.rearm(self.at);
        }
        if self.exchange.is_overdue(self.at) {
            let kind = if restarted {
                EventKind::Restarted
            } else {
                EventKind::Tick
            };
            self.end(ExchangeState::Sent, kind, ExchangeState::TimedOut);
        }
    }

    fn ask(&mut self, timeout_us: u64) {
        if self.exchange.state != ExchangeState::Idle {
            return;
        }
        let timeout = bounded_timeout(timeout_us);
        let row = self.row(EventKind::Ask, ExchangeState::Sent, None);
        self.persist(Transition {
            deadline_us: Some(self.at.wall_us.saturating_add(timeout)),
            ..row
        });
        self.exchange.deadline_monotonic_us = Some(self.at.monotonic_us.saturating_add(timeout));
        self.effects.push(Effect::Send { attempt: 0 });
        self.wake();
    }

    fn answer(&mut self, hash: DocumentHash, code: StatusCode) {
        let held = self.exchange.held();
        match (self.exchange.state, held) {
            (ExchangeState::Idle, _) => self.effects.push(Effect::Tell(Notice::Ignored)),
            (ExchangeState::Sent, _) => self.first_answer(hash, code),
            (_, Some(held)) if held == hash || self.exchange.others.contains(&hash) => {}
            (_, Some(_)) => self.keep_beside(hash, EventKind::Equivocation, Notice::Equivocation),
            (_, None) => self.keep_beside(hash, EventKind::Late, Notice::Late),
        }
    }

    fn first_answer(&mut self, hash: DocumentHash, code: StatusCode) {
        self.effects.push(Effect::KeepAnswer(hash));
        let to = match code {
            StatusCode::Success | StatusCode::Partial => ExchangeState::Received,
            StatusCode::NoMatch => ExchangeState::NoMatch,
            StatusCode::Declined => ExchangeState::Declined,
            StatusCode::Error => ExchangeState::PeerError,
        };
        self.change(EventKind::Answer, to, Some(hash));
        self.verify();
    }

    /// Stores an answer that changes no state, up to the limit of a store.
    fn keep_beside(&mut self, hash: DocumentHash, kind: EventKind, notice: Notice) {
        if kind == EventKind::Equivocation && self.exchange.others.len() >= MAX_OTHERS {
            return;
        }
        self.effects.push(Effect::KeepAnswer(hash));
        let row = self.row(kind, self.exchange.state, Some(hash));
        self.persist(row);
        self.effects.push(Effect::Tell(notice));
    }

    fn noise(&mut self) {
        let exchange = &mut self.exchange;
        if exchange.state.is_final() || exchange.noise >= MAX_NOISE {
            return;
        }
        exchange.noise = exchange.noise.saturating_add(1);
        if exchange.noise >= MAX_NOISE {
            self.effects
                .extend([Effect::Tell(Notice::TooMuchNoise), Effect::Close]);
        } else {
            self.effects.push(Effect::Tell(Notice::Ignored));
        }
    }

    fn failed(&mut self, retry_after_us: Option<u64>, jitter_ppm: u32) {
        let exchange = &mut self.exchange;
        if exchange.state != ExchangeState::Sent || exchange.retry_at_us.is_some() {
            return;
        }
        if exchange.attempt >= MAX_RETRIES {
            self.end(
                ExchangeState::Sent,
                EventKind::Failed,
                ExchangeState::PeerError,
            );
            return;
        }
        let delay = backoff_us(exchange.attempt, jitter_ppm).max(retry_after_us.unwrap_or(0));
        let retry_at = self.at.monotonic_us.saturating_add(delay);
        if exchange
            .deadline_monotonic_us
            .is_some_and(|deadline| retry_at < deadline)
        {
            exchange.retry_at_us = Some(retry_at);
            self.wake();
        } else {
            self.end(
                ExchangeState::Sent,
                EventKind::Failed,
                ExchangeState::TimedOut,
            );
        }
    }

    fn tick(&mut self) {
        match self.exchange.state {
            ExchangeState::Sent => {
                if self
                    .exchange
                    .retry_at_us
                    .is_some_and(|retry_at| retry_at <= self.at.monotonic_us)
                {
                    self.exchange.retry_at_us = None;
                    self.exchange.attempt = self.exchange.attempt.saturating_add(1);
                    self.effects.push(Effect::Send {
                        attempt: self.exchange.attempt,
                    });
                }
                self.wake();
            }
            ExchangeState::Received if self.exchange.is_overdue(self.at) => {
                self.end(
                    ExchangeState::Received,
                    EventKind::Tick,
                    ExchangeState::TimedOut,
                );
            }
            ExchangeState::Received => self.wake(),
            _ => {}
        }
    }

    fn examined(&mut self, passed: u32, rejected: u32) {
        let to = match (passed, rejected) {
            (0, 0) => ExchangeState::NoMatch,
            (0, _) => ExchangeState::Rejected,
            (_, 0) => ExchangeState::Verified,
            (_, _) => ExchangeState::PartiallyVerified,
        };
        if self.exchange.state == ExchangeState::Received {
            self.change(EventKind::Examined, to, self.exchange.first);
            if !to.is_final() {
                self.effects.push(Effect::Store);
            }
        }
    }

    fn stored(&mut self, kind: EventKind, to: ExchangeState) {
        let from = self.exchange.state;
        if matches!(
            from,
            ExchangeState::Verified | ExchangeState::PartiallyVerified
        ) {
            self.end(from, kind, to);
        }
    }

    fn cancel(&mut self) {
        let from = self.exchange.state;
        if matches!(from, ExchangeState::Sent | ExchangeState::Received) {
            self.end(from, EventKind::Cancel, ExchangeState::Cancelled);
        }
    }

    fn restarted(&mut self) {
        match self.exchange.state {
            ExchangeState::Sent => {
                self.exchange.retry_at_us = None;
                self.effects.push(Effect::Send {
                    attempt: self.exchange.attempt,
                });
                self.wake();
            }
            ExchangeState::Received => self.verify(),
            ExchangeState::Verified | ExchangeState::PartiallyVerified => {
                self.effects.push(Effect::Store)
            }
            _ => {}
        }
    }

    fn adopt(&mut self, hash: DocumentHash) {
        let within = |came: u64| self.at.wall_us.saturating_sub(came) <= ADOPT_US;
        match self.exchange.late {
            Some((late, came))
                if late == hash && within(came) && self.exchange.state.is_final() =>
            {
                self.change(EventKind::Adopt, ExchangeState::Received, Some(hash));
                self.verify();
            }
            _ => self.effects.push(Effect::Tell(Notice::CannotAdopt)),
        }
    }

    /// Begins the verification, which has a time of its own.
    fn verify(&mut self) {
        if let (ExchangeState::Received, Some(first)) = (self.exchange.state, self.exchange.first) {
            let budget = VERIFY_US;
            self.exchange.deadline_monotonic_us = Some(self.at.monotonic_us.saturating_add(budget));
            self.effects.push(Effect::Verify(first));
            self.wake();
        }
    }

    fn end(&mut self, from: ExchangeState, kind: EventKind, to: ExchangeState) {
        if self.exchange.state == from {
            self.change(kind, to, self.exchange.first);
        }
    }

    fn change(&mut self, kind: EventKind, to: ExchangeState, evidence: Option<DocumentHash>) {
        let row = self.row(kind, to, evidence);
        self.persist(row);
        self.exchange.forget_timers();
        if to.is_final() {
            self.effects.push(Effect::Close);
        }
    }

    fn row(
        &self,
        event: EventKind,
        to: ExchangeState,
        evidence: Option<DocumentHash>,
    ) -> Transition {
        Transition {
            number: self.exchange.rows,
            from: self.exchange.state,
            event,
            to,
            at_us: self.at.wall_us,
            evidence,
            deadline_us: None,
        }
    }

    fn persist(&mut self, row: Transition) {
        self.exchange.record(&row);
        self.effects.push(Effect::Persist(row));
    }

    fn wake(&mut self) {
        let due = match (
            self.exchange.deadline_monotonic_us,
            self.exchange.retry_at_us,
        ) {
            (Some(deadline), Some(retry)) => Some(deadline.min(retry)),
            (one, other) => one.or(other),
        };
        self.effects.extend(due.map(|due| Effect::Wake {
            at: later(self.at, due),
        }));
    }
}
