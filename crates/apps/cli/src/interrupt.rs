//! Ctrl-C ends a long task between two steps, so that it can say what is kept and leave nothing behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;

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
