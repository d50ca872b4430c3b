//! Both agents and what lies between them.

use counterfoil_exchange::machine::Event;

use super::network::{Fate, Happening, Network};
use super::requester::{Requester, Wish};
use super::responder::{Responder, forge};

/// What the network does, message by message; when it has no more to say it delivers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Script {
    pub(crate) fates: Vec<Fate>,
    /// Whether the requester is told when something is lost.
    pub(crate) tells: bool,
    /// When the requester is killed, microseconds from the beginning.
    pub(crate) kills: Vec<u64>,
    /// How far the wall clock jumps at each of them.
    pub(crate) jumps: Vec<i64>,
}

/// Both agents and what lies between them.
pub(crate) struct World {
    pub(crate) requester: Requester,
    pub(crate) network: Network,
    /// When true answers reached whoever was listening.
    pub(crate) delivered: Vec<u64>,
    pub(crate) sends: Vec<u64>,
    responder: Responder,
    script: Script,
    messages: usize,
}

impl World {
    /// Asks, and lets everything happen that follows from it.
    pub(crate) fn run(script: Script, timeout_us: u64) -> Self {
        let mut world = Self {
            requester: Requester::new(),
            network: Network::default(),
            delivered: Vec::new(),
            sends: Vec::new(),
            responder: Responder::default(),
            messages: 0,
            script,
        };
        for at in world.script.kills.clone() {
            world.network.after(at, Happening::Kill);
        }
        let wishes = world.requester.does(Event::Ask { timeout_us }, 0);
        world.fulfil(wishes);
        let mut happened = 0;
        while let Some(happening) = world.network.next() {
            happened += 1;
            assert!(happened < 10_000, "it does not come to an end");
            let wishes = world.happens(happening);
            world.fulfil(wishes);
        }
        world
    }

    fn happens(&mut self, happening: Happening) -> Vec<Wish> {
        let now = self.network.now_us;
        match happening {
            Happening::Request(bytes) => {
                let answer = self.responder.answer(&bytes);
                self.deliver(&Happening::Answer(answer));
                Vec::new()
            }
            Happening::Answer(bytes) => {
                let truth = self.responder.answer(self.requester.scene.request.bytes());
                if bytes == truth {
                    self.delivered.push(now);
                }
                self.requester.hears(bytes, now)
            }
            Happening::Failure => self.requester.does(
                Event::Failed {
                    retry_after_us: None,
                    jitter_ppm: 500_000,
                },
                now,
            ),
            Happening::Timer => self.requester.does(Event::Tick, now),
            Happening::Examined(passed, rejected) => self
                .requester
                .does(Event::Examined { passed, rejected }, now),
            Happening::Stored => self.requester.does(Event::Kept, now),
            Happening::Kill => {
                self.network.forget_inner();
                if let Some(jump) = self.script.jumps.pop() {
                    self.requester.wall_us = self.requester.wall_us.saturating_add_signed(jump);
                }
                self.requester.killed(now)
            }
        }
    }

    fn fulfil(&mut self, wishes: Vec<Wish>) {
        for wish in wishes {
            match wish {
                Wish::Send => {
                    self.sends.push(self.network.now_us);
                    let bytes = self.requester.scene.request.bytes().to_vec();
                    self.deliver(&Happening::Request(bytes));
                }
                Wish::Timer { at_us } => {
                    let delay = at_us.saturating_sub(self.network.now_us);
                    self.network.after(delay, Happening::Timer);
                }
                Wish::Examined(passed, rejected) => self
                    .network
                    .after(10_000, Happening::Examined(passed, rejected)),
                Wish::Store => {
                    self.requester.stores();
                    self.network.after(10_000, Happening::Stored);
                }
            }
        }
    }

    /// Puts a message on the network, which does with it what its script says.
    fn deliver(&mut self, message: &Happening) {
        let plain = Fate {
            copies: 1,
            delay_us: 20_000,
            forgery: None,
        };
        let fates = &self.script.fates;
        let fate = fates.get(self.messages).copied().unwrap_or(plain);
        self.messages += 1;
        for copy in 1..=u64::from(fate.copies) {
            self.network.after(fate.delay_us * copy, message.clone());
        }
        if fate.copies == 0 && self.script.tells {
            self.network.after(1_000_000, Happening::Failure);
        }
        if let Some(forgery) = fate.forgery {
            let bytes = forge(forgery, &self.requester.scene.request);
            self.network
                .after(fate.delay_us / 2, Happening::Answer(bytes));
        }
    }
}
