//! The twin of `refused/i_5_nobody_else_makes_what_was_judged.rs`.
use counterfoil_store::append::{Appender, Ledger, Rim};
use counterfoil_store::claims::{Base, Judged};
use counterfoil_store::{Appended, StoreError};

fn append(
    appender: &mut Appender,
    ledger: &mut dyn Ledger,
    rim: Rim<'_>,
    base: Base,
    judged: &Judged,
) -> Result<Vec<Appended>, StoreError> {
    appender.append_judged(ledger, rim, base, judged)
}

fn main() {
    let _ = append;
}
