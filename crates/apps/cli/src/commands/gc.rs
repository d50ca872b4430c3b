//! `gc`: what was never accepted and nothing needs is removed; each leaves its hash (C10, D51, D52).

use crate::args::GcArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{count, items, number, pairs};

pub(crate) async fn run(context: &Context, args: GcArgs) -> Result<(), Failure> {
    let older_than_ms = args.older_than.unwrap_or(0);
    let collected = context.memory.collect(older_than_ms, args.dry_run).await?;
    context.out.report(&collected, |out| {
        let value = collected.value();
        let gone = items(value, "collected");
        let capsules = |number| count(number, "capsule", "capsules");
        let total = capsules(u64::try_from(gone.len()).unwrap_or(u64::MAX));
        let bytes = gone.iter().map(|it| number(it, "bytes")).sum();
        let verb = if args.dry_run {
            "would go"
        } else {
            "collected"
        };
        pairs(
            out,
            &[
                (verb, format!("{total}, {}", count(bytes, "byte", "bytes"))),
                ("wait", capsules(number(value, "waiting"))),
                ("in grace", capsules(number(value, "inGrace"))),
                ("needed", capsules(number(value, "referenced"))),
            ],
        )
    })
}
