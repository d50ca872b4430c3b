//! `decide`: what only an authority may decide, signed with its own key (MEM-MAINT-1, MEM-MAINT-9).

use crate::args::DecideForgetArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::files::write_file;
use crate::output::json_text;

/// Needs no store: the key is the authority's, and the memory somebody else's.
pub(crate) fn forget(context: &Context, args: &DecideForgetArgs) -> Result<(), Failure> {
    let (id, key) = (&args.world_id, &args.key);
    let memory = &context.memory;
    let decision = memory.sign_forget_decision(id, args.actor, &args.reason, key)?;
    let text = json_text(&decision)?;
    match &args.output {
        Some(path) => {
            write_file(path, &text)?;
            context.out.written(path)
        }
        None => context.out.text(&text),
    }
}
