//! Asking several agents at once: each exchange waits by itself, and what they bring is stored one after the other.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use counterfoil_exchange::documents::RequestId;
use counterfoil_exchange::machine::Event;

use super::drive::Drive;
use super::{ExchangeQuestion, ExchangeReport};
use crate::{Host, PeerError, Transport};

/// Question to one of several agents, under an id of [`Host::draw`].
pub type Asked<'t> = (RequestId, ExchangeQuestion, &'t mut dyn Transport);

impl Host {
    /// Asks several agents at once, and returns the reports in the order of the questions. No exchange waits for another: a slow
    /// agent delays none but its own, and the failure of one is the result of that one alone.
    ///
    /// Answers are verified as they come. They are stored one at a time, so that a memory that several agents have is stored once,
    /// as if they had been asked one after the other.
    pub async fn ask_each(
        &self,
        questions: Vec<Asked<'_>>,
    ) -> Vec<Result<ExchangeReport, PeerError>> {
        let asking = questions
            .into_iter()
            .map(|(id, question, transport)| async move {
                let timeout_us = question.timeout_us;
                let mut drive = self.drive(id, question).await?.by(transport);
                drive.run_to_storage(Event::Ask { timeout_us }).await?;
                Ok(drive)
            });
        let finish = async |drive: Result<Drive<'_>, PeerError>| {
            let mut drive = drive?;
            drive.store_and_run_on().await?;
            drive.take_retractions().await?;
            drive.report().await
        };
        at_once_and_in_turn(asking, finish).await
    }
}

/// Runs `first` at once, and `then` on their outputs one at a time, in the order in which they come. Returns the results in the
/// order of `first`.
async fn at_once_and_in_turn<A, B>(
    first: impl Iterator<Item: Future<Output = A>>,
    then: impl AsyncFn(A) -> B,
) -> Vec<B> {
    let mut running: Vec<_> = first.map(|future| Some(Box::pin(future))).collect();
    let mut results: Vec<Option<B>> = running.iter().map(|_| None).collect();
    let mut waiting = VecDeque::new();
    let (mut turn, mut left) = (None, running.len());
    poll_fn(|context| {
        for (at, slot) in running.iter_mut().enumerate() {
            if let Some(Poll::Ready(output)) =
                slot.as_mut().map(|future| future.as_mut().poll(context))
            {
                *slot = None;
                waiting.push_back((at, output));
            }
        }
        loop {
            let (at, mut future) = match turn.take() {
                Some(under_way) => under_way,
                None => match waiting.pop_front() {
                    Some((at, output)) => (at, Box::pin(then(output))),
                    None => break,
                },
            };
            match Pin::new(&mut future).poll(context) {
                Poll::Ready(result) => {
                    if let Some(slot) = results.get_mut(at) {
                        *slot = Some(result);
                    }
                    left -= 1;
                }
                Poll::Pending => {
                    turn = Some((at, future));
                    break;
                }
            }
        }
        match left {
            0 => Poll::Ready(()),
            _ => Poll::Pending,
        }
    })
    .await;
    results.into_iter().flatten().collect()
}
