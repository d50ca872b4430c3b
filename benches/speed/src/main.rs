//! `cargo xtask bench`: what it costs to append, to verify and to keep, beside the bare cost of
//! the library underneath, in the same run. Every line is a figure or a ratio; none is an
//! assertion.

mod append;
mod cold;
mod disk;
mod hostile;
mod log;
mod measure;
mod verify;

use std::path::PathBuf;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [word, folder] = arguments.as_slice()
        && word == cold::FIXTURE
    {
        return cold::write_fixture(&PathBuf::from(folder));
    }
    // First, while this process is small: a child's peak memory begins with its parent's.
    cold::report()?;
    verify::report()?;
    hostile::report()?;
    append::report()?;
    disk::report()
}
