//! Sending and listening: turns arrivals into events, answers or noise (R6, R21; cases 71-74).

use std::sync::Arc;

use counterfoil_exchange::checks::CheckResult;
use counterfoil_exchange::documents::Response;
use counterfoil_exchange::machine::{Event, ExchangeState};

use super::{Answer, Bound, Drive, Link};
use crate::PeerError;
use crate::asking::race::{First, at_once, race};
use crate::asking::recording;

/// Most waiting answers that are read before the first is verified.
const DRAINED: usize = 4;
/// Time for which late answers are read, in microseconds.
const LATE_US: u64 = 200_000;

/// End of a wait.
pub(super) enum Woken {
    Sent(Result<(), PeerError>),
    Came(Result<Vec<u8>, PeerError>),
    Time,
}

impl Drive<'_> {
    /// Handles an arrival that nothing waited for.
    pub(in crate::asking) async fn hear(
        &mut self,
        bytes: &[u8],
        bound: Bound,
    ) -> Result<(), PeerError> {
        let event = self.arrived(bytes, bound).await?;
        self.run(event).await
    }

    /// Handles late answers of an exchange that has ended.
    pub(in crate::asking) async fn listen_late(&mut self) -> Result<(), PeerError> {
        if !self.exchange.state().is_final() {
            return Ok(());
        }
        let timer = &self.host.timer;
        let until = timer.now().monotonic_us.saturating_add(LATE_US);
        for _ in 0..DRAINED {
            let Some(transport) = self.transport.as_deref_mut() else {
                return Ok(());
            };
            let came = match race(transport.receive(), timer.sleep_until(until)).await {
                First::One(Ok(bytes)) => bytes,
                First::One(Err(_)) | First::Other(()) => return Ok(()),
            };
            self.hear(&came, Bound::SameWay).await?;
        }
        Ok(())
    }

    /// Reads the waiting answers before the first is verified: a second one convicts its responder of equivocation.
    pub(super) async fn drain(&mut self) -> Result<(), PeerError> {
        for _ in 0..DRAINED {
            let Some(transport) = self
                .transport
                .as_deref_mut()
                .filter(|_| self.link == Link::Listening)
            else {
                return Ok(());
            };
            let Some(Ok(bytes)) = at_once(transport.receive()).await else {
                return Ok(());
            };
            let event = self.arrived(&bytes, Bound::SameWay).await?;
            self.take(event).await?;
        }
        Ok(())
    }

    /// Waits for the next arrival or time; `None` if there will be none.
    pub(super) async fn wait(&mut self) -> Option<Woken> {
        let timer = &self.host.timer;
        let wake_us = self.wake_us;
        let time = async {
            match wake_us {
                Some(at) => timer.sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        let transport = self.transport.as_deref_mut()?;
        let woken = match self.link {
            Link::Sending => {
                let request = self.begun.request.bytes();
                match race(transport.send(request), time).await {
                    First::One(sent) => Woken::Sent(sent),
                    First::Other(()) => Woken::Time,
                }
            }
            Link::Listening => match race(transport.receive(), time).await {
                First::One(came) => Woken::Came(came),
                First::Other(()) => Woken::Time,
            },
            Link::Idle | Link::Closed => {
                wake_us?;
                time.await;
                Woken::Time
            }
        };
        Some(woken)
    }

    /// Turns the end of a wait into an event.
    pub(super) async fn woken(&mut self, woken: Woken) -> Result<(), PeerError> {
        let event = match woken {
            Woken::Sent(Ok(())) => {
                self.link = Link::Listening;
                return Ok(());
            }
            Woken::Sent(Err(error)) | Woken::Came(Err(error)) => {
                self.link = Link::Idle;
                self.failure = Some(error.to_string());
                match error {
                    PeerError::Refused { .. } => Event::Refused,
                    PeerError::Failed { retry_after_us, .. } => {
                        let mut drawn = [0_u8; 4];
                        self.host.entropy.fill(&mut drawn)?;
                        Event::Failed {
                            retry_after_us,
                            jitter_ppm: u32::from_le_bytes(drawn) % 1_000_000,
                        }
                    }
                    own => return Err(own),
                }
            }
            Woken::Came(Ok(bytes)) => self.arrived(&bytes, Bound::SameWay).await?,
            Woken::Time => {
                self.wake_us = None;
                Event::Tick
            }
        };
        self.queue.push_back(event);
        Ok(())
    }

    /// Returns the event of an arrival: an answer if no attacker can have written it, noise otherwise (R6, R21).
    async fn arrived(&mut self, bytes: &[u8], bound: Bound) -> Result<Event, PeerError> {
        let response = match Response::parse(bytes) {
            Ok(response) => Arc::new(response),
            Err(error) => {
                self.failure = Some(format!("what came is no answer: {error}"));
                return Ok(Event::Noise);
            }
        };
        let received_us = self.host.timer.now().wall_us;
        let answer = Answer {
            response,
            received_us,
        };
        let found = self.examine_whole(&answer, bound);
        if !found.is_authentic {
            self.failure = Some(format!(
                "what came is not an answer of whom was asked: identity {}, signature {}",
                found.identity, found.signature
            ));
            return Ok(Event::Noise);
        }
        // One record an exchange: whoever else answers, or answers later, adds nothing to the log.
        let is_awaited = self.exchange.state() == ExchangeState::Sent;
        if let (Some(key), CheckResult::Pass, true) = (found.responder, found.signature, is_awaited)
        {
            let noted = recording::note_signing(self.host, &self.records, key).await?;
            if let Some(records) = noted {
                (self.records, self.verified) = (records, None);
            }
        }
        let event = Event::Answer {
            hash: answer.response.hash(),
            code: answer.response.parts().status.code,
        };
        self.answers.entry(answer.response.hash()).or_insert(answer);
        Ok(event)
    }
}
