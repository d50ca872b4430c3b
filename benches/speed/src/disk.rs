//! What a remembered sentence costs on disk, part by part.

use std::sync::Arc;

use anyhow::Result;
use counterfoil_capsule::Signer;
use counterfoil_store::{CapsuleLog, Draft};

use crate::log::{agent, new_store, world};
use crate::measure::{aimed, heading, line};

const SENTENCES: u64 = 20_000;

pub(crate) fn report() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let store = new_store(folder.path())?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let stats = runtime.block_on(async {
        let signer: Arc<dyn Signer> = Arc::new(agent());
        for batch in 0..SENTENCES / 500 {
            let drafts = (batch * 500..(batch + 1) * 500)
                .map(|number| world(number).map(Draft::new))
                .collect::<Result<Vec<_>>>()?;
            store.append(Arc::clone(&signer), drafts).await?;
        }
        anyhow::Ok(store.stats().await?)
    })?;

    heading("disk: a remembered sentence of 66 characters, bytes an entry by table");
    for (name, bytes) in &stats.tables {
        let each = bytes / SENTENCES;
        if each > 0 {
            let aim = if name == "log" {
                "log overhead at most 230 B"
            } else {
                ""
            };
            aimed(name, format!("{each} B"), aim);
        }
    }
    line(
        "the whole file",
        format!("{} B", stats.file_bytes / SENTENCES),
    );
    Ok(())
}
