//! `log`: the log as others read it, in the formats of C2SP. What is printed was checked before.

use crate::args::{ConsistencyArgs, ExportArgs};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{items, members, pairs, text};

pub(crate) async fn checkpoint(context: &Context) -> Result<(), Failure> {
    let signed = context.memory.checkpoint().await?;
    context.out.report(&signed, |out| {
        write!(out, "{}", text(signed.value(), "note"))
    })
}

pub(crate) async fn consistency(context: &Context, args: ConsistencyArgs) -> Result<(), Failure> {
    let proof = context.memory.consistency(args.from, args.to).await?;
    context.out.report(&proof, |out| {
        let it = |name| text(proof.value(), name);
        pairs(
            out,
            &[
                (
                    "from",
                    format!("{}  {}", it("/from/size"), it("/from/root")),
                ),
                ("to", format!("{}  {}", it("/to/size"), it("/to/root"))),
            ],
        )?;
        items(proof.value(), "hashes")
            .iter()
            .try_for_each(|hash| writeln!(out, "hash  {}", text(hash, "")))
    })
}

pub(crate) async fn export(context: &Context, args: ExportArgs) -> Result<(), Failure> {
    let exported = context.memory.export_tiles(&args.dir).await?;
    context.out.report(&exported, |out| {
        let lines = [("written to", "folder"), ("entries", "treeSize")];
        members(out, exported.value(), &lines)
    })
}
