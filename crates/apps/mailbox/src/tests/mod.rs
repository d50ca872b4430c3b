//! Tests on a real file system, with the files that hostile processes put into the folders.
#![cfg(unix)]

mod asking;
mod failing;
mod hostile;
mod racing;
mod rig;
