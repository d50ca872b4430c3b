//! I5: what a backend appends as judged was judged.
use counterfoil_store::claims::JudgedDrafts;
use counterfoil_store::Draft;

fn judged(drafts: Vec<Draft>, others: JudgedDrafts) -> JudgedDrafts {
    JudgedDrafts { drafts, ..others }
}

fn main() {
    let _ = judged;
}
