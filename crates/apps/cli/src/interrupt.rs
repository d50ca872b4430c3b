//! Ctrl-C ends a long task between two steps, so that it can say what is kept and leave nothing behind.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use crate::failure::Failure;

/// Set by the first Ctrl-C; the second ends the program at once.
pub(crate) fn interruption() -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::new(AtomicBool::new(false));
    set_on_interruption(Arc::clone(&flag))?;
    Ok(flag)
}

/// Sets a flag at the first Ctrl-C; the second ends the program at once.
pub(crate) fn set_on_interruption(set: Arc<AtomicBool>) -> Result<(), Failure> {
    ctrlc::set_handler(move || {
        if set.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .map_err(|error| {
        Failure::place(
            format_args!("Ctrl-C cannot be watched for ({error})"),
            "try again",
        )
    })
}

/// Time between two checks for Ctrl-C during a wait.
const LOOK: Duration = Duration::from_millis(100);

/// Result of `task`; `None` after Ctrl-C, when it is dropped.
pub(crate) async fn unless_interrupted<T>(
    task: impl Future<Output = T>,
) -> Result<Option<T>, Failure> {
    let flag = interruption()?;
    let watch = async {
        while !flag.load(Ordering::Relaxed) {
            tokio::time::sleep(LOOK).await;
        }
    };
    let (mut task, mut watch) = (pin!(task), pin!(watch));
    Ok(poll_fn(|context| match task.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending => watch.as_mut().poll(context).map(|()| None),
    })
    .await)
}
