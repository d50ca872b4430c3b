//! The driver of the machine: it writes down, sends, verifies and stores as it is told.

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_exchange::checks::Disposition;
use counterfoil_exchange::documents::{DocumentHash, Response};
use counterfoil_exchange::machine::{
    Effect, Event, Exchange, ExchangeState, Moment, Notice, Transition, fold, step,
};

use crate::support::scene::{PEER, Scene};

/// What the driver is to put on the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wish {
    Send,
    Timer { at_us: u64 },
    Examined(u32, u32),
    Store,
}

/// An agent that asks. What is in `rows`, `answers` and `stored` outlives its process.
pub(crate) struct Requester {
    pub(crate) scene: Scene,
    pub(crate) rows: Vec<Transition>,
    pub(crate) answers: BTreeMap<DocumentHash, Vec<u8>>,
    /// Memories by the name that was drawn before they were stored.
    pub(crate) stored: BTreeSet<(usize, String)>,
    pub(crate) told: Vec<Notice>,
    exchange: Exchange,
    closed: bool,
    /// Monotonic clocks of two processes have nothing to do with each other.
    epoch_us: u64,
    /// How far the wall clock is off.
    pub(crate) wall_us: u64,
}

impl Requester {
    pub(crate) fn new() -> Self {
        Self {
            scene: Scene::trusting(&[PEER]),
            rows: Vec::new(),
            answers: BTreeMap::new(),
            stored: BTreeSet::new(),
            told: Vec::new(),
            exchange: Exchange::default(),
            closed: false,
            epoch_us: 0,
            wall_us: crate::support::words::NOW,
        }
    }

    pub(crate) fn state(&self) -> ExchangeState {
        self.exchange.state()
    }

    pub(crate) fn exchange(&self) -> &Exchange {
        &self.exchange
    }

    pub(crate) fn does(&mut self, event: Event, now_us: u64) -> Vec<Wish> {
        let at = Moment {
            monotonic_us: now_us + self.epoch_us,
            wall_us: self.wall_us.saturating_add(now_us),
        };
        let (exchange, effects) = step(std::mem::take(&mut self.exchange), event, at);
        self.exchange = exchange;
        effects
            .into_iter()
            .filter_map(|effect| self.carry_out(effect))
            .collect()
    }

    fn carry_out(&mut self, effect: Effect) -> Option<Wish> {
        match effect {
            Effect::Persist(row) => self.rows.push(row),
            Effect::KeepAnswer(hash) => {
                assert!(self.answers.contains_key(&hash), "the driver has the bytes")
            }
            Effect::Tell(notice) => self.told.push(notice),
            Effect::Close => self.closed = true,
            Effect::Send { .. } => return Some(Wish::Send),
            Effect::Wake { at } => {
                return Some(Wish::Timer {
                    at_us: at.monotonic_us - self.epoch_us,
                });
            }
            Effect::Verify(hash) => return Some(self.verify(&hash)),
            Effect::Store => return Some(Wish::Store),
            _ => panic!("an effect that this driver does not know"),
        }
        None
    }

    /// Bytes came. Whoever has closed reads no more.
    pub(crate) fn hears(&mut self, bytes: Vec<u8>, now_us: u64) -> Vec<Wish> {
        if self.closed {
            return Vec::new();
        }
        let response = Response::parse(&bytes);
        let authentic = response
            .ok()
            .filter(|response| self.scene.whole(response).is_authentic);
        let Some(response) = authentic else {
            return self.does(Event::Noise, now_us);
        };
        self.answers.insert(response.hash(), bytes);
        self.does(
            Event::Answer {
                hash: response.hash(),
                code: response.parts().status.code,
            },
            now_us,
        )
    }

    fn verify(&self, hash: &DocumentHash) -> Wish {
        let (mut passed, mut rejected) = (0, 0);
        for memory in self.scene.judge(&self.kept(hash)) {
            let good = memory.disposition > Disposition::Reject;
            *if good { &mut passed } else { &mut rejected } += 1;
        }
        Wish::Examined(passed, rejected)
    }

    fn kept(&self, hash: &DocumentHash) -> Response {
        Response::parse(&self.answers[hash]).unwrap()
    }

    /// Stores what the answer says under names that were drawn before: to do it twice is to do it once.
    pub(crate) fn stores(&mut self) {
        let answer = self.kept(self.exchange.answer().unwrap());
        for (at, result) in answer.parts().results.iter().enumerate() {
            self.stored
                .insert((at, result.attestation.parts().claim.content.to_string()));
        }
    }

    /// The process is killed, and another one begins.
    pub(crate) fn killed(&mut self, now_us: u64) -> Vec<Wish> {
        self.exchange = fold(&self.rows).unwrap();
        self.epoch_us += 1_000_003;
        self.closed = self.exchange.state().is_final();
        self.does(Event::Restarted, now_us)
    }
}
