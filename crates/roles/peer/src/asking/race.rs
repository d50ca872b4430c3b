//! Two futures, whichever is done first: no runtime is asked for.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

/// Which of two was done first.
#[derive(Debug)]
pub(super) enum First<A, B> {
    One(A),
    Other(B),
}

/// Waits for whichever is done first; of two that are, for `one`. The other is dropped.
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

/// What a future has at once; `None` when it would have to wait.
pub(super) async fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}
