//! `claim show`: one unit, its act, and the reason why the gate admitted it.

use crate::args::ClaimShowArgs;
use crate::claims::answer::because;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{pairs, text};

pub(super) async fn run(context: &Context, args: ClaimShowArgs) -> Result<(), Failure> {
    let unit = context.memory.claim_unit(&args.reference).await?;
    context.out.report(&unit, |out| {
        let listed = unit.detail("lines").as_array();
        let listed: Vec<_> = listed
            .into_iter()
            .flatten()
            .map(|line| (text(line, "/0"), text(line, "/1")))
            .collect();
        let mut lines: Vec<(&str, String)> = listed
            .iter()
            .map(|(name, value)| (name.as_str(), value.clone()))
            .collect();
        let became = unit.detail("became").as_str().unwrap_or_default();
        lines.push(("became", became.replace('_', " ")));
        lines.push(("why", text(unit.value(), "why")));
        lines.extend(because(unit.detail("because"), ""));
        lines.push(("log index", text(unit.value(), "index")));
        pairs(out, &lines)
    })
}
