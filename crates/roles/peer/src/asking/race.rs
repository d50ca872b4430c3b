//! Races of two futures, without a runtime.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

/// Output of the future that was ready first.
#[derive(Debug)]
pub(super) enum First<A, B> {
    One(A),
    Other(B),
}

/// Waits for the first of two futures, preferring `one`, and drops the other.
pub(super) async fn race<A, B>(
    one: impl Future<Output = A>,
    other: impl Future<Output = B>,
) -> First<A, B> {
    let (mut one, mut other) = (pin!(one), pin!(other));
    poll_fn(|context| {
        if let Poll::Ready(done) = one.as_mut().poll(context) {
            return Poll::Ready(First::One(done));
        }
        other.as_mut().poll(context).map(First::Other)
    })
    .await
}

/// Returns the output of a future that is ready, and `None` otherwise.
pub(super) async fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}
