//! I5: what a backend appends as judged was judged.
use counterfoil_store::claims::Judged;
use counterfoil_store::Draft;

fn judged(drafts: Vec<Draft>) -> Judged {
    Judged {
        drafts,
        units: Vec::new(),
        answers: Vec::new(),
    }
}

fn main() {
    let _ = judged;
}
