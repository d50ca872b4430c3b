//! `claim ledger`: what was decided and what was handed out.

use std::io::{self, Write};

use counterfoil_claims::Unit;
use counterfoil_claims::belief::unit_to_json;
use counterfoil_store::{LedgerEntry, LedgerPage};
use counterfoil_types::WorldId;
use counterfoil_types::json::Value;
use serde::Serialize;

use super::show::act;
use crate::args::ClaimLedgerArgs;
use crate::claims::desk::Desk;
use crate::claims::refusals::reference;
use crate::claims::{dates, telling};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{count, table, write_table};

/// The most characters of what a unit says.
const SAYS: usize = 72;
/// The most characters of a value that was handed out.
const VALUE: usize = 48;

#[derive(Serialize)]
struct Ledger {
    entries: Vec<Entry>,
    /// What to give as `--before` for the page before this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase", tag = "entry")]
enum Entry {
    Unit {
        #[serde(flatten)]
        unit: Value,
        #[serde(skip)]
        told: [String; 6],
    },
    #[serde(rename_all = "camelCase")]
    Served {
        claim: WorldId,
        first_at: String,
        times: u64,
        #[serde(skip)]
        told: [String; 6],
    },
}

pub(super) async fn run(context: &Context, args: ClaimLedgerArgs) -> Result<(), Failure> {
    if !(1..=1000).contains(&args.max) {
        return Err(Failure::input(
            format_args!("--max {} is no number of entries", args.max),
            "choose --max from 1 to 1000",
        ));
    }
    let desk = Desk::looking(&context.home)?;
    let claim = args.claim.as_deref().map(reference).transpose()?;
    let page = LedgerPage {
        claim,
        before: args.before,
        limit: args.max,
    };
    let entries = desk.store.ledger(desk.agent, page).await?;
    let units = entries.iter().filter_map(|entry| match entry {
        LedgerEntry::Unit(unit) => Some(unit.index()),
        _ => None,
    });
    // Entries stand in the order of their times, pages in that of the log.
    let oldest = units.clone().min();
    let full = units.count() >= args.max;
    let mut told = Vec::with_capacity(entries.len());
    for entry in &entries {
        match entry {
            LedgerEntry::Unit(unit) => told.push(of_unit(unit)),
            LedgerEntry::Served {
                claim,
                first_us,
                times,
            } => {
                let unit = desk.store.unit_of(claim).await?;
                told.push(of_served(claim, unit.as_ref(), *first_us, *times));
            }
            _ => {}
        }
    }
    let ledger = Ledger {
        entries: told,
        before: oldest.filter(|_| full),
    };
    context.out.answer(&ledger, |out| human(out, &ledger))
}

/// With what was handed out, unless its content was erased.
fn of_served(claim: &WorldId, unit: Option<&Unit>, first_us: u64, times: u64) -> Entry {
    let handed = format!("handed out {}", count(times, "time", "times"));
    Entry::Served {
        claim: claim.clone(),
        first_at: dates::rfc3339(first_us),
        times,
        told: [
            telling::recorded(first_us),
            unit.map(about).unwrap_or_default(),
            match unit.and_then(crate::claims::value_of) {
                Some(value) => format!("{handed}: {}", telling::limited(value, VALUE)),
                None => handed,
            },
            String::new(),
            "served".to_owned(),
            telling::name(claim),
        ],
    }
}

/// The line of a unit.
fn about(unit: &Unit) -> String {
    let line = unit.line();
    let (subject, predicate) = (telling::name(&line.subject), telling::name(&line.predicate));
    format!("{subject} {predicate}")
}

fn of_unit(unit: &Unit) -> Entry {
    let mut says = act(unit);
    if says.chars().count() > SAYS {
        says = says.chars().take(SAYS).chain(['…']).collect();
    }
    Entry::Unit {
        unit: unit_to_json(unit),
        told: [
            telling::recorded(unit.stamp().micros()),
            about(unit),
            says,
            telling::provenance(unit.provenance()),
            unit.disposition().name().replace('_', " "),
            telling::name(unit.reference()),
        ],
    }
}

fn human(out: &mut dyn Write, ledger: &Ledger) -> io::Result<()> {
    if ledger.entries.is_empty() {
        return writeln!(out, "No claims.");
    }
    let mut table = table(&["recorded", "about", "says", "said by", "became", "ref"]);
    for entry in &ledger.entries {
        let (Entry::Unit { told, .. } | Entry::Served { told, .. }) = entry;
        table.add_row(told);
    }
    write_table(out, &table)?;
    match ledger.before {
        Some(before) => writeln!(out, "\nEarlier ones: --before {before}"),
        None => Ok(()),
    }
}
