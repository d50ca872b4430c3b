//! A decision comes out of a review and from nowhere else (style rule 5).

use counterfoil_authority::{ReviewDecision, Verdict};

fn main() {
    let _ = ReviewDecision { verdict: Verdict::Approved, reasons: Vec::new() };
}
