//! M-11, CR-18, FP-12: a WorldId is taken apart.

use counterfoil_types::WorldId as Text;

fn take_apart(text: &Text) {
    let _part = text.parse::<u64>();
}

fn main() {
    let _reached = take_apart;
}
