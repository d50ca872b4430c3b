//! `key begin`: commits an agent to its next key and its recovery key; `init` does it for a new store.

use serde::Serialize;

use crate::args::RecoveryArgs;
use crate::begin::commit;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::pairs;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Begun {
    agent: String,
    index: u64,
    recovery_dir: String,
}

pub(super) async fn run(context: &Context, args: RecoveryArgs) -> Result<(), Failure> {
    let home = &context.home;
    home.must_exist()?;
    let folder = home.recovery(args.recovery_dir);
    let store = home.writer()?;
    let agent = home.agent_public()?;
    if store.key_chain(agent).await?.is_some() {
        return Err(Failure::input(
            "this agent has committed to its keys already",
            "look with `counterfoil key show`",
        ));
    }
    let begun = Begun {
        agent: agent.to_string(),
        index: commit(home, &store, &folder).await?,
        recovery_dir: folder.path().display().to_string(),
    };
    context.out.answer(&begun, |out| {
        pairs(
            out,
            &[
                ("agent", begun.agent.clone()),
                ("index", begun.index.to_string()),
            ],
        )?;
        writeln!(out, "\nMove {} to another medium.", begun.recovery_dir)
    })
}
