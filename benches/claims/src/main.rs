//! `cargo xtask bench claims`: the rows of the design's cost table, ours and the peer's in turn, and the ratio.
//!
//! Every row is a process of its own, so that its processor time and its peak memory are its own. Arguments name the
//! rows to run; without any, all are.

mod fill;
mod ours;
mod raw;
mod table;

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.split_first() {
        Some((first, row)) if first == ours::ROW => ours::answer(row),
        _ => table::print(&words),
    }
}
