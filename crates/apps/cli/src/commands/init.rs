//! `init`: makes the folders, the keys and the database, and never replaces anything.

use crate::args::InitArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{members, text};

pub(crate) async fn run(context: &Context, args: InitArgs) -> Result<(), Failure> {
    let mut builder = context.builder.clone();
    if let Some(name) = args.name {
        builder = builder.log_name(name);
    }
    if args.passphrase {
        builder = builder.sealed();
    }
    if let Some(dir) = args.recovery.recovery_dir {
        builder = builder.recovery_dir(dir);
    }
    let (_, made) = builder.create().await?;
    context.out.report(&made, |out| {
        let made = made.value();
        let keys = [
            ("store", "dir"),
            ("log key", "verifierKey"),
            ("agent", "agent"),
        ];
        members(out, made, &keys)?;
        writeln!(
            out,
            "\nKeep a copy of {}/keys apart from the database.\n\
             Move {} to another medium: with it a stolen key is replaced, and a thief who has both \
             can replace yours.",
            text(made, "dir"),
            text(made, "recoveryDir")
        )
    })
}
