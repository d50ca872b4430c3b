//! A decision comes out of a review and from nowhere else (style rule 5).

use counterfoil_authority::{Decision, Verdict};

fn main() {
    let _ = Decision { verdict: Verdict::Approved, grounds: Vec::new() };
}
