//! Anchors for authorities, with the floor that later receipts continue from.

use crate::error::Error;
use crate::floor;
use crate::home::Home;
use crate::memory::Memory;
use counterfoil_life::Life as _;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::CapsuleLog;
use counterfoil_types::DidKey;
use counterfoil_verifier::Checkpoint;

/// Choice of the floor in anchors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FloorChoice {
    /// The one given out before, or else the log as it is now.
    #[default]
    Kept,
    /// The log as it is now.
    Renewed,
    /// None: a log that was cut back and grown again would not be noticed.
    None,
}

impl Memory {
    /// Returns the trust anchors an authority needs to check this memory's proofs, as JSON, and their floor: the size
    /// of the log that later receipts continue from.
    ///
    /// The floor that is given out first is kept for later calls.
    ///
    /// # Errors
    /// The store or its keys cannot be read.
    pub async fn anchors(&self, floor: FloorChoice) -> Result<(String, Option<u64>), Error> {
        let (home, store) = (self.home(), self.reader()?);
        home.must_be_of_this_log(&store).await?;
        let given = chosen(home, floor, &store).await?;
        let anchors = home.anchors(given.as_ref(), believed(home, &store).await?)?;
        let text = format!("{}\n", anchors.to_json().trim_end());
        Ok((text, given.map(|given| given.size())))
    }
}

/// The agent's keys that are not said to have been in other hands.
pub(crate) async fn believed(home: &Home, store: &SqliteStore) -> Result<Vec<DidKey>, Error> {
    let agent = home.agent_public()?;
    Ok(match store.key_history(agent).await? {
        Some(history) => history.uncompromised().collect(),
        None => vec![agent],
    })
}

/// The checkpoint to name as floor. The first one that is given out stays, so that every authority
/// holds the same and one receipt serves them all.
async fn chosen(
    home: &Home,
    args: FloorChoice,
    store: &SqliteStore,
) -> Result<Option<Checkpoint>, Error> {
    if args == FloorChoice::None {
        return Ok(None);
    }
    if args != FloorChoice::Renewed
        && let Some(given) = floor::given_out(home)?
    {
        return Ok(Some(given));
    }
    let Some(note) = store.checkpoint().await? else {
        return Ok(None);
    };
    let checkpoint = floor::checkpoint_in(&note)
        .ok_or_else(|| Error::place("the checkpoint is damaged", "run `counterfoil check`"))?;
    floor::give_out(home, &note)?;
    Ok(Some(checkpoint))
}
