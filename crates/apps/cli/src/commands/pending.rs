//! `pending`: claims that wait for a verdict, and what contradicts them.

use std::io::{self, Write};
use std::sync::Arc;

use counterfoil_claims::belief::unit_to_json;
use counterfoil_claims::{OraclePresence, Unit};
use counterfoil_store::PendingClaim;
use counterfoil_types::json::Value;
use serde::Serialize;
use serde_json::json;

use crate::claims::desk::Desk;
use crate::claims::{dates, telling, value_of};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{table, write_table};

/// The most characters of a value in a row.
const CELL: usize = 40;

#[derive(Serialize)]
struct Waiting {
    pending: Vec<Value>,
}

pub(crate) async fn run(context: &Context) -> Result<(), Failure> {
    let desk = Desk::looking(&context.home)?;
    let settings = Arc::clone(&desk.settings);
    let waiting = desk.store.pending(desk.agent, settings).await?;
    let told = Waiting {
        pending: waiting.iter().map(document).collect(),
    };
    let oracle = desk.settings.oracle != OraclePresence::Absent;
    context
        .out
        .answer(&told, |out| human(out, &waiting, oracle))
}

fn document(pending: &PendingClaim) -> Value {
    json!({
        "handle": pending.claim.reference(),
        "claim": unit_to_json(&pending.claim),
        "rivals": pending.rivals.iter().map(unit_to_json).collect::<Vec<_>>(),
        "expiresAt": dates::rfc3339(pending.expires_us),
    })
}

fn human(out: &mut dyn Write, waiting: &[PendingClaim], oracle: bool) -> io::Result<()> {
    if waiting.is_empty() {
        writeln!(out, "Nothing waits for a verdict.")?;
        if !oracle {
            writeln!(
                out,
                "Claims wait where claims.toml says that there is an oracle; what is contested: \
                 counterfoil contested"
            )?;
        }
        return Ok(());
    }
    let mut table = table(&["handle", "about", "says", "against", "until"]);
    for pending in waiting {
        let line = pending.claim.line();
        let against: Vec<String> = pending.rivals.iter().map(said).collect();
        table.add_row([
            telling::name(pending.claim.reference()),
            format!(
                "{} {}",
                telling::name(&line.subject),
                telling::name(&line.predicate)
            ),
            said(&pending.claim),
            against.join(", "),
            telling::recorded(pending.expires_us),
        ]);
    }
    write_table(out, &table)?;
    writeln!(
        out,
        "\nGive a verdict: counterfoil adjudicate HANDLE affirm|deny|unknown --evidence WORLD_ID"
    )
}

fn said(unit: &Unit) -> String {
    value_of(unit).map_or_else(String::new, |value| telling::limited(value, CELL))
}
