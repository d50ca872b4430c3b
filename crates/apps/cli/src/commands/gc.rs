//! `gc`: what was never accepted and nothing needs is removed; each leaves its hash (C10, D51, D52).

use std::io::{self, Write};

use counterfoil_sqlite::CollectReport;
use serde_json::{Value, json};

use crate::args::GcArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{count, pairs};

pub(crate) async fn run(context: &Context, args: GcArgs) -> Result<(), Failure> {
    let older_than_us = args.older_than.unwrap_or(0).saturating_mul(1000);
    let collected = if args.dry_run {
        let store = context.home.reader()?;
        store.plan_collection(older_than_us).await?
    } else {
        context.home.writer()?.collect(older_than_us).await?
    };
    let document = json!({
        "dryRun": args.dry_run,
        "collected": items(&collected),
        "waiting": collected.waiting,
        "inGrace": collected.in_grace,
        "referenced": collected.referenced,
    });
    context
        .out
        .answer(&document, |out| human(out, &collected, args.dry_run))
}

fn items(collected: &CollectReport) -> Vec<Value> {
    let items = collected.collected.iter().map(|item| item.held());
    items
        .map(|held| {
            json!({
                "hash": format!("blake3:{}", hex::encode(held.hash)),
                "class": held.class.name(),
                "code": held.code,
                "source": held.source,
                "bytes": held.bytes,
            })
        })
        .collect()
}

fn human(out: &mut dyn Write, collected: &CollectReport, dry_run: bool) -> io::Result<()> {
    let number = u64::try_from(collected.collected.len()).unwrap_or(u64::MAX);
    let bytes: u64 = collected.collected.iter().map(|it| it.held().bytes).sum();
    let verb = if dry_run { "would go" } else { "collected" };
    pairs(
        out,
        &[
            (
                verb,
                format!(
                    "{}, {}",
                    count(number, "capsule", "capsules"),
                    count(bytes, "byte", "bytes")
                ),
            ),
            ("wait", count(collected.waiting, "capsule", "capsules")),
            ("in grace", count(collected.in_grace, "capsule", "capsules")),
            ("needed", count(collected.referenced, "capsule", "capsules")),
        ],
    )
}
