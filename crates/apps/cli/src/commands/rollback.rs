//! `rollback`: a new version whose state is that of an earlier one, byte for byte.

use crate::args::RollbackArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{pairs, text};

pub(crate) async fn run(context: &Context, args: RollbackArgs) -> Result<(), Failure> {
    let done = context.memory.rollback(&args.world_id, args.to).await?;
    context.out.report(&done, |out| {
        let it = |name| text(done.value(), name);
        let restored = format!(
            "version {}, {}",
            it("/restored/seq"),
            it("/restored/worldId")
        );
        pairs(
            out,
            &[
                ("world", it("worldId")),
                ("version", format!("{} of {}", it("seq"), it("chain"))),
                ("state of", restored),
                ("snapshot", it("/restored/snapshotHash")),
                ("index", it("index")),
            ],
        )
    })
}
