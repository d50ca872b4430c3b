//! `rollback`: a new version whose state is that of an earlier one, byte for byte.

use counterfoil_store::mutation::{self, NewVersion};
use counterfoil_types::WorldId;
use serde::Serialize;

use super::remember::{random_id, unacknowledged};
use super::update::{head_of, version};
use crate::args::RollbackArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::pairs;
use crate::versions;
use crate::when;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RolledBack {
    world_id: WorldId,
    chain: String,
    seq: u64,
    index: u64,
    tree_size: u64,
    restored: Restored,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Restored {
    world_id: WorldId,
    seq: u64,
    snapshot_hash: String,
}

pub(crate) async fn run(context: &Context, args: RollbackArgs) -> Result<(), Failure> {
    context.home.must_exist()?;
    let agent = context.home.agent()?;
    let store = context.home.writer()?;
    let named = versions::locate(&store, &args.world_id).await?;
    let head = head_of(&store, &named).await?;
    if args.to == head.seq {
        return Err(Failure::input(
            format_args!("version {} of that memory is the current one", args.to),
            "name an earlier one that `counterfoil history` lists",
        ));
    }
    let new = NewVersion {
        world_id: random_id()?,
        created_at: when::now()?,
    };
    let id = new.world_id.clone();
    let appended = mutation::roll_back(&store, agent, &named.chain, args.to, new).await;
    let appended = appended.map_err(|error| unacknowledged(&id, error))?;
    let target = version(&store, &named, args.to).await?;
    let capsule = version(&store, &named, head.seq + 1).await?;
    let missing = || Failure::bug("a version without content");
    let before = versions::content(&target)?.ok_or_else(missing)?;
    let after = versions::content(&capsule)?.ok_or_else(missing)?;
    if before.state() != after.state() {
        return Err(Failure::bug("a rollback to another state"));
    }
    let done = RolledBack {
        world_id: id,
        chain: appended.chain.to_string(),
        seq: head.seq + 1,
        index: appended.index,
        tree_size: appended.tree_size,
        restored: Restored {
            world_id: before.world_id().clone(),
            seq: args.to,
            snapshot_hash: before.snapshot_hash().to_owned(),
        },
    };
    context.out.answer(&done, |out| {
        pairs(
            out,
            &[
                ("world", done.world_id.to_string()),
                ("version", format!("{} of {}", done.seq, done.chain)),
                (
                    "state of",
                    format!("version {}, {}", done.restored.seq, done.restored.world_id),
                ),
                ("snapshot", done.restored.snapshot_hash.clone()),
                ("index", done.index.to_string()),
            ],
        )
    })
}
