//! The twin of `refused/i_5_nobody_else_makes_what_was_judged.rs`.
use counterfoil_store::append::{Appender, AppendTxn, AppendContext};
use counterfoil_store::claims::{JudgeBase, JudgedDrafts};
use counterfoil_store::{AppendReport, StoreError};

fn append(
    appender: &mut Appender,
    ledger: &mut dyn AppendTxn,
    context: AppendContext<'_>,
    base: JudgeBase,
    judged: &JudgedDrafts,
) -> Result<Vec<AppendReport>, StoreError> {
    appender.append_judged(ledger, context, base, judged)
}

fn main() {
    let _ = append;
}
