//! `fork prove` and `fork check`: a proof that needs neither store nor log (capsules 4.5, C40, C62).

use std::fs;
use std::io::Read;
use std::path::Path;

use counterfoil_capsule::{Equivocation, EquivocationError};
use serde::Serialize;

use crate::args::ForkProveArgs;
use crate::commands::export::chain_named;
use crate::context::Context;
use crate::failure::Failure;
use crate::files::write_file;
use crate::output::pairs;

/// The most bytes of a proof.
const MAX_BYTES: u64 = 16 << 20;

pub(super) async fn prove(context: &Context, args: &ForkProveArgs) -> Result<(), Failure> {
    let store = context.home.reader()?;
    let chain = chain_named(&store, &args.fork.chain).await?;
    let proof = store.fork_proof(chain).await?.ok_or_else(|| {
        Failure::input(
            format_args!("chain {chain} has not forked, as far as this store has seen"),
            "see `counterfoil fork list`",
        )
    })?;
    let text = counterfoil_types::json::canonical(&proof.to_value())
        .map_err(|_| Failure::bug("a proof that is no JSON"))?;
    match &args.output {
        Some(path) => {
            write_file(path, &format!("{text}\n"))?;
            context.out.written(path)
        }
        None => context.out.text(&format!("{text}\n")),
    }
}

#[derive(Debug, Serialize)]
struct Checked {
    proven: bool,
    agent: String,
    chain: String,
    seq: u64,
    capsules: [String; 2],
}

pub(super) fn check(context: &Context, path: &Path) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    fs::File::open(path)
        .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| {
            Failure::input(
                format_args!("{} cannot be read ({error})", path.display()),
                "check the path and your rights",
            )
        })?;
    let fork = Equivocation::parse(bytes.trim_ascii_end()).map_err(|error| refused(&error))?;
    fork.check_alone().map_err(|error| refused(&error))?;
    let checked = Checked {
        proven: true,
        agent: fork.agent().to_string(),
        chain: fork.chain().to_string(),
        seq: fork.seq(),
        capsules: fork
            .capsules()
            .each_ref()
            .map(|capsule| capsule.header().hash().to_string()),
    };
    context.out.answer(&checked, |out| {
        writeln!(
            out,
            "Proven: one agent signed two capsules for one place.\n"
        )?;
        let [one, other] = &checked.capsules;
        pairs(
            out,
            &[
                ("agent", checked.agent.clone()),
                ("chain", checked.chain.clone()),
                ("seq", checked.seq.to_string()),
                ("one", one.clone()),
                ("other", other.clone()),
            ],
        )
    })
}

fn refused(error: &EquivocationError) -> Failure {
    Failure::refused(
        format_args!("no proof of a fork: {error}"),
        "do not pass it on",
    )
}
