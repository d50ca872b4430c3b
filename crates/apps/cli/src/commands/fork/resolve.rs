//! `fork resolve`: the owner or the operator decides which branch goes on (capsules 4.5).

use std::path::Path;
use std::sync::Arc;

use counterfoil_sqlite::{Decision, SqliteStore};
use counterfoil_types::DidKey;
use serde::Serialize;

use crate::args::ForkResolveArgs;
use crate::commands::export::chain_named;
use crate::context::Context;
use crate::failure::Failure;
use crate::home::Home;
use crate::output::pairs;

#[derive(Debug, Serialize)]
struct Shown {
    chain: String,
    seq: u64,
    kept: String,
    abandoned: Vec<String>,
    by: &'static str,
    record: u64,
    /// How many capsules of the kept branch came into the log.
    continued: u64,
    /// How many capsules in the log are in abandoned branches.
    abandoned_capsules: u64,
}

pub(super) async fn run(context: &Context, args: ForkResolveArgs) -> Result<(), Failure> {
    let home = &context.home;
    home.must_exist()?;
    let signer = home.agent()?;
    let store = home.writer()?;
    let chain = chain_named(&store, &args.fork.chain).await?;
    let (decision, by) = match &args.recovery_key {
        Some(path) => {
            let owner = owner(&store, chain).await?;
            (recovery(home, path, owner)?, "recovery key")
        }
        None => (Decision::Operator, "operator"),
    };
    let resolved = store
        .resolve_fork(signer, (chain, args.keep), decision, &args.reason)
        .await?;
    let branches = &resolved.branches;
    let shown = Shown {
        chain: branches.chain.to_string(),
        seq: branches.seq,
        kept: branches.keep.to_string(),
        abandoned: branches.abandon.iter().map(ToString::to_string).collect(),
        by,
        record: resolved.record,
        continued: resolved.continued,
        abandoned_capsules: resolved.abandoned,
    };
    context.out.answer(&shown, |out| {
        pairs(
            out,
            &[
                ("chain", shown.chain.clone()),
                ("forked at", shown.seq.to_string()),
                ("goes on with", shown.kept.clone()),
                ("abandoned", shown.abandoned.join(" ")),
                ("decided by", shown.by.to_owned()),
                ("record", shown.record.to_string()),
                ("capsules added", shown.continued.to_string()),
            ],
        )
    })
}

async fn owner(
    store: &SqliteStore,
    chain: counterfoil_capsule::ChainId,
) -> Result<DidKey, Failure> {
    let forks = store.forks_of(chain).await?;
    forks.first().map(|fork| fork.agent).ok_or_else(|| {
        Failure::input(
            format_args!("chain {chain} has not forked"),
            "see `counterfoil fork list`",
        )
    })
}

/// The recovery key in that file, if it is of the chain's owner.
fn recovery(home: &Home, path: &Path, owner: DidKey) -> Result<Decision, Failure> {
    if std::fs::symlink_metadata(path).is_err() {
        return Err(Failure::input(
            format_args!("there is no recovery key at {}", path.display()),
            "name its file with --recovery-key, or decide as the operator without it",
        ));
    }
    let folder = path.parent().map(Path::to_owned);
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    let folder = home.recovery(Some(folder.unwrap_or_else(|| Path::new(".").to_owned())));
    let key = folder.read(home.passphrase(), path)?;
    if key.purpose != (crate::keys::Use::Recovery { agent: owner }) {
        return Err(crate::recovery::of_another(path, owner).into());
    }
    let signer = counterfoil_capsule::AgentSigner::new(key.secret);
    Ok(Decision::Recovery(Arc::new(signer)))
}
