//! What writers do until they are killed, and what they were told.

use serde_json::Value;

/// One call of the program.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    Remember {
        text: String,
    },
    /// The next version of a World.
    Update {
        world_id: String,
        text: String,
    },
}

/// What was acknowledged: the World, and for a first version its place in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Acknowledged {
    pub(crate) world_id: String,
    pub(crate) index: Option<u64>,
    pub(crate) text: String,
}

impl Act {
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Remember { text } | Self::Update { text, .. } => text,
        }
    }

    pub(crate) fn arguments(&self) -> Vec<String> {
        match self {
            Self::Remember { text } => vec!["remember".to_owned(), text.clone()],
            Self::Update { world_id, text } => {
                let set = format!("/text=\"{text}\"");
                ["update", world_id, "--set", &set]
                    .map(str::to_owned)
                    .into()
            }
        }
    }

    /// Whether the program may refuse it: of two that change the same World at once, one is told
    /// that the head has moved.
    pub(crate) const fn may_lose(&self) -> bool {
        matches!(self, Self::Update { .. })
    }

    /// What was acknowledged, if an answer was printed whole.
    pub(crate) fn acknowledged(&self, printed: &str) -> Option<Acknowledged> {
        let answer: Value = serde_json::from_str(printed).ok()?;
        Some(Acknowledged {
            world_id: answer.get("id")?.as_str()?.to_owned(),
            index: answer.get("index").and_then(Value::as_u64),
            text: self.text().to_owned(),
        })
    }
}
