//! One exchange with what was written down of it.

use counterfoil_exchange::documents::{DocumentHash, StatusCode};
use counterfoil_exchange::machine::{
    Effect, Event, Exchange, ExchangeState, Moment, Transition, fold, step,
};
use counterfoil_types::Sha256Hash;

pub(crate) const SECOND: u64 = 1_000_000;
pub(crate) const HOUR: u64 = 3_600 * SECOND;
/// The wall clock when the monotonic one stands at 0.
pub(crate) const EPOCH: u64 = 1_790_000_000 * SECOND;

/// An exchange whose rows are kept as a store would keep them.
#[derive(Debug, Clone)]
pub(crate) struct Rig {
    pub(crate) exchange: Exchange,
    pub(crate) rows: Vec<Transition>,
    pub(crate) now: Moment,
}

impl Rig {
    pub(crate) fn new() -> Self {
        Self {
            exchange: Exchange::default(),
            rows: Vec::new(),
            now: Moment {
                monotonic_us: 0,
                wall_us: EPOCH,
            },
        }
    }

    /// One that was asked, with this many seconds to wait.
    pub(crate) fn asked(seconds: u64) -> Self {
        let mut rig = Self::new();
        rig.does(Event::Ask {
            timeout_us: seconds * SECOND,
        });
        rig
    }

    pub(crate) fn does(&mut self, event: Event) -> Vec<Effect> {
        let (exchange, effects) = step(self.exchange.clone(), event, self.now);
        self.exchange = exchange;
        self.rows
            .extend(effects.iter().filter_map(|effect| match effect {
                Effect::Persist(row) => Some(row.clone()),
                _ => None,
            }));
        effects
    }

    /// Both clocks go on.
    pub(crate) fn wait(&mut self, us: u64) -> &mut Self {
        self.now.monotonic_us = self.now.monotonic_us.saturating_add(us);
        self.now.wall_us = self.now.wall_us.saturating_add(us);
        self
    }

    /// The process is killed and begins again, with another monotonic clock.
    pub(crate) fn restart(&mut self) -> Vec<Effect> {
        self.exchange = fold(&self.rows).unwrap();
        self.now.monotonic_us = 77;
        self.does(Event::Restarted)
    }

    pub(crate) fn state(&self) -> ExchangeState {
        self.exchange.state()
    }
}

pub(crate) fn hash(number: u8) -> DocumentHash {
    DocumentHash::from_digest(Sha256Hash::from_bytes([number; 32]))
}

pub(crate) fn answer(number: u8, code: StatusCode) -> Event {
    Event::Answer {
        hash: hash(number),
        code,
    }
}

pub(crate) fn success(number: u8) -> Event {
    answer(number, StatusCode::Success)
}

pub(crate) fn failed(retry_after_us: Option<u64>) -> Event {
    Event::Failed {
        retry_after_us,
        jitter_ppm: 500_000,
    }
}

pub(crate) const fn passed(passed: u32, rejected: u32) -> Event {
    Event::Examined { passed, rejected }
}

/// When the machine wants to be woken next, on the monotonic clock.
pub(crate) fn woken(effects: &[Effect]) -> Option<u64> {
    effects.iter().rev().find_map(|effect| match effect {
        Effect::Wake { at } => Some(at.monotonic_us),
        _ => None,
    })
}

pub(crate) fn sends(effects: &[Effect]) -> usize {
    effects
        .iter()
        .filter(|effect| matches!(effect, Effect::Send { .. }))
        .count()
}
