//! How often the evidence of a question is found: ours beside plain BM25.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use counterfoil_capsule::World;
use counterfoil_selector::MemorySelector;
use counterfoil_types::{Query, SelectionConstraints, SelectionRequest, WorldId};
use serde_json::{Map, Value, json};

use crate::locomo::{Conversation, Question, Turn};
use crate::metrics::{DEPTHS, Score, Scored};
use crate::plain::Plain;
use crate::rig::{Rig, actor};

/// The scores of every question, in the order of the data.
#[derive(Default)]
pub struct Quality {
    /// Plain BM25.
    pub plain: Vec<Scored>,
    /// The selector over the store, every memory proven.
    pub ours: Vec<Scored>,
}

/// Asks every question of every conversation, each conversation in a store of its own.
///
/// # Errors
/// When a store fails, or a memory that was selected did not verify.
pub fn measure(conversations: &[Conversation]) -> Result<Quality> {
    let mut quality = Quality::default();
    for conversation in conversations {
        let plain = Plain::of(conversation)?;
        let stored = Stored::of(conversation)?;
        for question in &conversation.questions {
            let deepest = DEPTHS.into_iter().max().unwrap_or_default();
            let scored = |ranking: &[usize]| Scored {
                conversation: conversation.name.clone(),
                category: question.category,
                score: Score::of(ranking, &question.evidence),
            };
            quality
                .plain
                .push(scored(&plain.search(&question.text, deepest)?));
            quality
                .ours
                .push(scored(&stored.recall(question, deepest)?));
        }
    }
    Ok(quality)
}

/// One conversation in a store.
struct Stored {
    rig: Rig,
    places: BTreeMap<WorldId, usize>,
    latest: WorldId,
}

impl Stored {
    fn of(conversation: &Conversation) -> Result<Self> {
        let rig = Rig::new()?;
        let worlds = (0..)
            .zip(&conversation.turns)
            .map(|(place, turn)| world(&conversation.name, place, turn))
            .collect::<Result<Vec<World>>>()?;
        let places = worlds
            .iter()
            .enumerate()
            .map(|(place, world)| (world.world_id().clone(), place));
        let places = places.collect();
        rig.fill(worlds)?;
        let latest = rig.latest()?;
        Ok(Self {
            rig,
            places,
            latest,
        })
    }

    fn recall(&self, question: &Question, depth: usize) -> Result<Vec<usize>> {
        let query = Query::new(question.text.as_str())?;
        let constraints = SelectionConstraints::default()
            .with_max_results(depth)?
            .with_required_verification()
            .with_required_evidence();
        let request = SelectionRequest::new(query, self.latest.clone(), actor()?)
            .with_constraints(constraints);
        let result = self
            .rig
            .wait(self.rig.selector.select(&request))
            .map_err(anyhow::Error::from_boxed)?;
        let ids = result
            .selected()
            .iter()
            .map(|memory| memory.memory_ref().world_id());
        ids.map(|id| {
            self.places
                .get(id)
                .copied()
                .context("an unknown World was selected")
        })
        .collect()
    }
}

/// A turn as an import makes it.
fn world(conversation: &str, place: usize, turn: &Turn) -> Result<World> {
    let mut data = Map::new();
    data.insert("kind".into(), "turn".into());
    data.insert("text".into(), turn.text.as_str().into());
    data.insert("speaker".into(), turn.speaker.as_str().into());
    if let Some(caption) = &turn.caption {
        data.insert("caption".into(), caption.as_str().into());
    }
    data.insert("time".into(), turn.time.as_str().into());
    data.insert(
        "source".into(),
        json!({
            "format": "locomo",
            "conversation": conversation,
            "session": turn.session.to_string(),
            "id": turn.id,
            "position": turn.position,
        }),
    );
    let id = WorldId::new(format!("world-{place}"))?;
    Ok(counterfoil_capsule::remember(
        id,
        turn.created_at,
        Value::Object(data),
    )?)
}
