//! `key rotate`: the next key takes over, and the one after it is committed to.

use serde::Serialize;

use crate::args::RecoveryArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::pairs;
use crate::rotation::{Prepared, chain_of, take_over};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rotated {
    agent: String,
    number: u64,
    key: String,
    index: u64,
    recovery_dir: String,
}

pub(super) async fn run(context: &Context, args: RecoveryArgs) -> Result<(), Failure> {
    let home = &context.home;
    home.must_exist()?;
    take_over(home)?;
    let folder = home.recovery(args.recovery_dir);
    let store = home.writer()?;
    let agent = home.agent_public()?;
    let chain = chain_of(&store, agent).await?;
    let prepared = Prepared::new(home, &folder, &chain.history)?;
    let recorded = prepared.record(&store).await?;
    recorded.finish(home, &folder)?;
    let rotated = Rotated {
        agent: agent.to_string(),
        number: recorded.number,
        key: recorded.key.to_string(),
        index: recorded.index,
        recovery_dir: folder.path().display().to_string(),
    };
    context.out.answer(&rotated, |out| {
        pairs(
            out,
            &[
                ("agent", rotated.agent.clone()),
                ("key", format!("number {}, {}", rotated.number, rotated.key)),
                ("index", rotated.index.to_string()),
            ],
        )?;
        writeln!(
            out,
            "\nGive out new anchors, and keep a new copy of the keys and of {}.",
            rotated.recovery_dir
        )
    })
}
