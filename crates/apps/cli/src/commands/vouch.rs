//! `vouch`: signed statements of agents about each other's competence.

use std::path::Path;

use counterfoil::{VouchOptions, text};

use super::peer::until;
use crate::args::{VouchCommand, VouchListArgs, named};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{self, items, pairs, table, write_table};
use counterfoil::write_file;

pub(crate) async fn run(context: &Context, command: VouchCommand) -> Result<(), Failure> {
    match command {
        VouchCommand::Issue(args) => {
            let options = VouchOptions {
                domain: args.domain,
                level: named(args.level)?,
                confidence: named(args.confidence)?,
                statement: args.statement,
                reason: args.reason,
                until: args.until.as_deref().map(until).transpose()?,
            };
            let vouch = context.memory.issue_vouch(&args.agent, options).await?;
            hand_out(context, &vouch, args.output.as_deref())
        }
        VouchCommand::Import(args) => {
            let import = context.memory.import_vouches(&args.file, args.from_voucher);
            let import = import.await?;
            context.out.report(&import, |out| {
                let of = |name: &str| output::text(import.value(), name);
                let mut lines = vec![
                    ("read", of("read")),
                    ("vouches", of("vouches")),
                    ("taken back", of("revocations")),
                    ("already there", of("alreadyThere")),
                    ("refused", of("refusedCount")),
                ];
                let asked = import.detail("asked").as_str();
                lines.extend(asked.map(|asked| ("asked", asked.to_owned())));
                pairs(out, &lines)
            })
        }
        VouchCommand::Revoke(args) => {
            let revocation = context.memory.revoke_vouch(&args.id, args.reason).await?;
            hand_out(context, &revocation, args.output.as_deref())
        }
        VouchCommand::List(args) => list(context, args).await,
    }
}

async fn list(context: &Context, args: VouchListArgs) -> Result<(), Failure> {
    let vouches = context.memory.vouches(args.of.as_deref(), args.by).await?;
    context.out.report(&vouches, |out| {
        let vouches = items(vouches.value(), "vouches");
        if vouches.is_empty() {
            return writeln!(
                out,
                "No vouch is known here; `counterfoil vouch import FILE` takes some in."
            );
        }
        let mut rows = table(&["voucher", "for", "domain", "level", "confidence", "", "id"]);
        for vouch in vouches {
            let revoked = vouch.get("revokedAt").map_or("", |_| "taken back");
            rows.add_row([
                output::text(vouch, "/voucher/called"),
                output::text(vouch, "/subject/called"),
                text::name(output::text(vouch, "domain")),
                output::text(vouch, "level"),
                output::text(vouch, "confidence"),
                revoked.to_owned(),
                output::text(vouch, "id"),
            ]);
        }
        write_table(out, &rows)
    })
}

/// Writes a signed document on one line, in any output format: the signature covers exactly its bytes.
fn hand_out(context: &Context, document: &str, output: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = output else {
        return context.out.text(document);
    };
    write_file(path, document)?;
    context.out.written(path)
}
