//! Garbage collection: what was never accepted and nothing needs is removed; each leaves its hash (C10, D51, D52).

use counterfoil_sqlite::CollectReport;
use serde_json::{Value, json};

use crate::error::Error;
use crate::memory::Memory;
use crate::report::Report;

impl Memory {
    /// Removes capsules that were never accepted and that nothing needs, received longer ago than `older_than_ms`; each
    /// leaves its hash. With `dry_run` the report says what would go.
    ///
    /// # Errors
    /// The store cannot be written.
    pub async fn collect(&self, older_than_ms: u64, dry_run: bool) -> Result<Report, Error> {
        let older_than_us = older_than_ms.saturating_mul(1000);
        let collected = match dry_run {
            true => self.reader()?.plan_collection(older_than_us).await?,
            false => self.writer()?.collect(older_than_us).await?,
        };
        Report::new(&json!({
            "dryRun": dry_run,
            "collected": items(&collected),
            "waiting": collected.waiting,
            "inGrace": collected.in_grace,
            "referenced": collected.referenced,
        }))
    }
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
