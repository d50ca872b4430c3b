//! `key compromise`: the recovery key says from which entry of the log on a key was in other hands.

use std::sync::Arc;

use counterfoil_capsule::keys::{KeyCompromise, KeyDocument, KeyError, KeyHistory, Since};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::CapsuleLog;
use serde::Serialize;

use crate::args::CompromiseArgs;
use crate::context::Context;
use crate::failure::{ErrorKind, Failure};
use crate::home::signer_of;
use crate::output::pairs;
use crate::rotation::{chain_of, draft, take_over};
use crate::when;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Marked {
    agent: String,
    /// The number of the key.
    number: u64,
    key: String,
    from: u64,
    from_time: String,
    index: u64,
    /// Whether it is the key that still signs.
    current: bool,
}

pub(super) async fn run(context: &Context, args: CompromiseArgs) -> Result<(), Failure> {
    let home = &context.home;
    home.must_exist()?;
    take_over(home)?;
    let store = home.writer()?;
    let agent = home.agent_public()?;
    let history = chain_of(&store, agent).await?.history;
    let (number, since) = meant(&store, &history, &args).await?;
    let signer = signer_of(&home.agent_key()?).ok_or(Failure::bug("no key of an agent"))?;
    let folder = home.recovery(args.recovery.recovery_dir);
    let recovery = folder.recovery(home.passphrase(), agent)?;
    let (from, from_time) = (since.entry, since.time.to_string());
    let mark = KeyCompromise::sign(
        &history,
        &recovery,
        number,
        since,
        &args.reason,
        when::stamp()?,
    );
    let document = KeyDocument::Compromise(mark.map_err(refused)?);
    let draft = draft(&document).following(history.chain(), history.head());
    let index = store.append_one(Arc::new(signer), draft).await?.index;
    let key = history.key_at(number).map(|key| key.to_string());
    let marked = Marked {
        agent: agent.to_string(),
        number,
        key: key.unwrap_or_default(),
        from,
        from_time,
        index,
        current: number == history.current_number(),
    };
    context.out.answer(&marked, |out| {
        pairs(
            out,
            &[
                ("key", format!("number {}, {}", marked.number, marked.key)),
                (
                    "contested",
                    format!("from entry {}, {}", marked.from, marked.from_time),
                ),
                ("index", marked.index.to_string()),
            ],
        )?;
        if marked.current {
            writeln!(out, "\nThis key still signs: run `counterfoil key rotate`.")?;
        }
        writeln!(
            out,
            "\nGive out new anchors: the key is not in them any more."
        )
    })
}

/// Which key is meant, and from when on.
async fn meant(
    store: &SqliteStore,
    history: &KeyHistory,
    args: &CompromiseArgs,
) -> Result<(u64, Since), Failure> {
    let size = store.size().await?;
    let beyond = || {
        Failure::input(
            format_args!("there is no entry {} in a log of {size}", args.from),
            "name an entry as `counterfoil show` prints it",
        )
    };
    let header = store.capsule(args.from).await?.ok_or_else(beyond)?.header;
    let ours = header.agent() == history.agent();
    let number = match args.key {
        Some(number) => number,
        None if ours => header.key_number(),
        None => {
            return Err(Failure::input(
                format_args!("entry {} is by another agent", args.from),
                "say which of your keys it is, with --key",
            ));
        }
    };
    let log = store.verifier_key().await?;
    let log = log.split('+').next().unwrap_or_default().to_owned();
    Ok((
        number,
        Since {
            log,
            entry: args.from,
            time: header.timestamp(),
        },
    ))
}

fn refused(error: KeyError) -> Failure {
    match error {
        KeyError::RecoveryKey { .. } => {
            Failure::place(error, "name its folder with --recovery-dir")
        }
        other => Failure::new(ErrorKind::Input, other.to_string()),
    }
}
