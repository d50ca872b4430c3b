//! `init`: makes the folders, the keys and the database, and never replaces anything.

use crate::args::InitArgs;
use crate::context::Context;
use crate::create::{Making, make};
use crate::failure::Failure;
use crate::keys::Guarded;
use crate::output::pairs;

pub(crate) async fn run(context: &Context, args: InitArgs) -> Result<(), Failure> {
    let guarded = match args.passphrase {
        true => Guarded::ByPassphrase,
        false => Guarded::No,
    };
    let making = Making {
        name: args.name,
        guarded,
        recovery_dir: args.recovery.recovery_dir,
    };
    let made = make(&context.home, making).await?;
    context.out.answer(&made, |out| {
        pairs(
            out,
            &[
                ("store", made.dir.clone()),
                ("log key", made.verifier_key.clone()),
                ("agent", made.agent.clone()),
            ],
        )?;
        writeln!(
            out,
            "\nKeep a copy of {}/keys apart from the database.\n\
             Move {} to another medium: with it a stolen key is replaced, and a thief who has both \
             can replace yours.",
            made.dir, made.recovery_dir
        )
    })
}
