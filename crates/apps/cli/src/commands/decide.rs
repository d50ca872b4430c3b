//! `decide`: what only an authority may decide, signed with its own key (MEM-MAINT-1, MEM-MAINT-9).

use counterfoil_capsule::AgentSigner;
use counterfoil_capsule::Timestamp;
use counterfoil_capsule::documents::ForgetDecision;
use counterfoil_types::WorldId;

use crate::args::DecideForgetArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::files::write_file;
use crate::keys::{self, Use};
use crate::output::json_text;
use crate::{versions, when};

/// Needs no store: the key is the authority's, and the memory somebody else's.
pub(crate) fn forget(context: &Context, args: &DecideForgetArgs) -> Result<(), Failure> {
    let world_id =
        WorldId::new(args.world_id.as_str()).map_err(|_| versions::unknown(&args.world_id))?;
    let key = keys::read(&args.key, context.home.passphrase())?;
    if matches!(key.purpose, Use::Log(_)) {
        return Err(Failure::input(
            format_args!("{} is the key of a log", args.key.display()),
            "give the key of an agent",
        ));
    }
    let at = when::now()?.value().saturating_mul(1000);
    let at = Timestamp::from_micros(at)
        .map_err(|error| Failure::place(error, "set the clock of this computer"))?;
    let signer = AgentSigner::new(key.secret);
    let decision = ForgetDecision::sign(world_id, args.actor, &args.reason, &signer, at)
        .map_err(|error| Failure::input(error, "give another --reason"))?;
    let text = json_text(decision.to_value())?;
    match &args.output {
        Some(path) => {
            write_file(path, &text)?;
            context.out.written(path)
        }
        None => context.out.text(&text),
    }
}
