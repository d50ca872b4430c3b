//! The twin of `refused/i_5_nobody_else_makes_what_was_judged.rs`.
use counterfoil_store::append::{AppendTxn, AppendContext};
use counterfoil_store::claims::JudgedDrafts;
use counterfoil_store::log::Frontier;
use counterfoil_store::{AppendReport, StoreError};

fn append(
    frontier: &mut Frontier,
    ledger: &mut dyn AppendTxn,
    context: AppendContext<'_>,
    judged: &JudgedDrafts,
) -> Result<Vec<AppendReport>, StoreError> {
    frontier.append_judged(ledger, context, judged)
}

fn main() {
    let _ = append;
}
