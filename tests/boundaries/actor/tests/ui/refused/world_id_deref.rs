//! M-11, CR-18, FP-12: a WorldId passes for text where text is wanted.

use counterfoil_types::WorldId as Text;

fn lend(text: &Text) -> &str {
    text
}

fn main() {
    let _reached = lend;
}
