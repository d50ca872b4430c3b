//! `peer pin`: that a key signs all that it sends, and that another took its place.

use std::path::Path;

use counterfoil_exchange::trust::{KnownAgent, LocalRecord};
use serde::Serialize;

use super::{chain, name};
use crate::args::PeerPinArgs;
use crate::context::Context;
use crate::exchange::peers::{Desk, called};
use crate::failure::Failure;
use crate::output::pairs;

#[derive(Serialize)]
struct Pinned {
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    signs: bool,
    /// Keys whose place the last one took, newly shown.
    succeeded: Vec<String>,
}

pub(super) async fn run(context: &Context, args: PeerPinArgs) -> Result<(), Failure> {
    let mut desk = Desk::open(&context.home).await?;
    let mut known = desk.other(&args.agent)?;
    let mut succeeded = Vec::new();
    if let Some(path) = &args.succession {
        succeeded = succeed(&mut desk, &mut known, path).await?;
    }
    // A key chain alone says nothing of what is sent.
    if args.succession.is_none() || args.unsigned_ok {
        let signs = !args.unsigned_ok;
        desk.keep(LocalRecord::Pin {
            key: known.key,
            signs,
        })
        .await?;
    }
    let known = desk.records.of_key(&known.key).unwrap_or(known);
    let pinned = Pinned {
        key: known.key.to_string(),
        name: name(&known),
        signs: known.signs,
        succeeded,
    };
    context.out.answer(&pinned, |out| {
        let signs = if pinned.signs {
            "all that it sends"
        } else {
            "what it likes"
        };
        let mut lines = vec![
            ("agent", called(&desk.records, &known.key)),
            ("key", pinned.key.clone()),
            ("signs", signs.to_owned()),
        ];
        lines.extend(
            pinned
                .succeeded
                .iter()
                .map(|key| ("took the place of", key.clone())),
        );
        pairs(out, &lines)
    })
}

/// Records each step of the key chain from the known key on; `known` becomes the agent with its last key.
async fn succeed(
    desk: &mut Desk,
    known: &mut KnownAgent,
    path: &Path,
) -> Result<Vec<String>, Failure> {
    let keys = chain::read(path)?;
    let Some(at) = keys.iter().position(|key| *key == known.key) else {
        return Err(Failure::input(
            format_args!("the key chain does not hold the key {}", known.key),
            "ask this agent for its own",
        ));
    };
    let steps = keys.windows(2).skip(at).filter_map(|pair| match pair {
        [from, to] => Some((*from, *to)),
        _ => None,
    });
    let steps: Vec<_> = steps.collect();
    let mut succeeded = Vec::new();
    for (from, to) in steps {
        desk.must_be_another(&to)?;
        desk.keep(LocalRecord::Succession { from, to }).await?;
        succeeded.push(from.to_string());
        known.key = to;
    }
    if succeeded.is_empty() {
        return Err(Failure::input(
            "the key chain ends with the key that is known",
            "nothing has to be done",
        ));
    }
    Ok(succeeded)
}
