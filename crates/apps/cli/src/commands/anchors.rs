//! `anchors`: what an authority must trust, with the floor that later receipts continue from.

use counterfoil_sqlite::SqliteStore;
use counterfoil_store::CapsuleLog;
use counterfoil_types::DidKey;
use counterfoil_verifier::{Checkpoint, Floor};
use serde::Serialize;

use crate::args::AnchorsArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::floor;
use crate::home::Home;
use crate::output::{pairs, write_file};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    output: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    floor: Option<u64>,
}

pub(crate) async fn run(context: &Context, args: AnchorsArgs) -> Result<(), Failure> {
    let (text, floor) = given_out(&context.home, &args).await?;
    let Some(path) = &args.output else {
        return context.out.text(&text);
    };
    write_file(path, &text)?;
    let written = Written {
        output: path.display().to_string(),
        floor: floor.map(|given| given.size()),
    };
    context.out.answer(&written, |out| {
        let floor = written
            .floor
            .map_or_else(|| "none".to_owned(), |size| size.to_string());
        pairs(
            out,
            &[("written to", written.output.clone()), ("floor", floor)],
        )
    })
}

/// The anchors as they are given out, and the checkpoint that is their floor.
pub(crate) async fn given_out(
    home: &Home,
    args: &AnchorsArgs,
) -> Result<(String, Option<Checkpoint>), Failure> {
    let store = home.reader()?;
    home.must_be_of_this_log(&store).await?;
    let given = chosen(home, args, &store).await?;
    let floor = given.as_ref().map(as_floor).transpose()?;
    let keys = believed(home, &store).await?;
    let text = format!("{}\n", home.anchors(floor, keys)?.to_json().trim_end());
    Ok((text, given))
}

/// The agent's keys that are not said to have been in other hands.
pub(crate) async fn believed(home: &Home, store: &SqliteStore) -> Result<Vec<DidKey>, Failure> {
    let agent = home.agent_public()?;
    Ok(match store.key_chain(agent).await? {
        Some(chain) => chain.history.uncompromised().collect(),
        None => vec![agent],
    })
}

/// The checkpoint to name as floor. The first one that is given out stays, so that every authority
/// holds the same and one receipt serves them all.
async fn chosen(
    home: &Home,
    args: &AnchorsArgs,
    store: &SqliteStore,
) -> Result<Option<Checkpoint>, Failure> {
    if args.no_floor {
        return Ok(None);
    }
    if !args.renew_floor
        && let Some(given) = floor::given_out(home)?
    {
        return Ok(Some(given));
    }
    let Some(note) = store.checkpoint().await? else {
        return Ok(None);
    };
    let checkpoint = floor::checkpoint_in(&note)
        .ok_or_else(|| Failure::place("the checkpoint is damaged", "run `counterfoil audit`"))?;
    floor::give_out(home, &note)?;
    Ok(Some(checkpoint))
}

fn as_floor(checkpoint: &Checkpoint) -> Result<Floor, Failure> {
    Floor::new(checkpoint.size(), checkpoint.root())
        .map_err(|error| Failure::place(error, "run `counterfoil audit`"))
}
