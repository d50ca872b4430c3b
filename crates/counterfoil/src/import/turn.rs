//! One turn of a record, and the World that it becomes.

use counterfoil_capsule::World;
use counterfoil_types::json::{Map, Value, canonical};
use counterfoil_types::{Scope, UnixMillis, WorldId};
use serde_json::json;
use zeroize::Zeroizing;

use crate::import::ImportFormat;

/// Domain of the key under which an imported turn's id is made.
const ID_CONTEXT: &str = "counterfoil 2026-02-10 import-id";

/// A turn as its source tells it. Nothing of the source is left out: what has no place of its own
/// is in `extra`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Turn {
    pub(crate) conversation: String,
    pub(crate) session: Option<String>,
    pub(crate) id: String,
    pub(crate) position: u64,
    pub(crate) speaker: Option<String>,
    /// Time as the source writes it; `None` where the source has none.
    pub(crate) time: Option<String>,
    pub(crate) created_at: UnixMillis,
    pub(crate) text: String,
    pub(crate) caption: Option<String>,
    /// Scope that the source names.
    pub(crate) scope: Scope,
    pub(crate) extra: Map,
}

impl Turn {
    /// Reason to refuse the turn, if any: an empty text, or one that a terminal or a database
    /// would cut.
    pub(crate) fn flaw(&self) -> Option<String> {
        if self.text.trim().is_empty() && self.caption.is_none() {
            return Some("the text is empty".to_owned());
        }
        let named = [
            ("conversation", Some(&self.conversation)),
            ("session", self.session.as_ref()),
            ("id", Some(&self.id)),
            ("speaker", self.speaker.as_ref()),
            ("time", self.time.as_ref()),
            ("text", Some(&self.text)),
            ("caption", self.caption.as_ref()),
        ];
        let bad = |text: &String| text.contains('\0');
        named
            .iter()
            .find(|(_, text)| text.is_some_and(bad))
            .map(|(name, _)| format!("`{name}` contains the character NUL"))
    }

    /// The World of this turn. Its id follows from all of its content but the position, so that
    /// importing it again finds it there, also when a line before it was mended.
    ///
    /// # Errors
    /// A sentence when the content cannot be sealed, such as above 1 MiB.
    pub(crate) fn world(
        &self,
        (format, scope, channel): (ImportFormat, &Scope, Option<&str>),
        id_key: &[u8; 32],
    ) -> Result<World, String> {
        let scope = scope.merged(&self.scope);
        let scope = scope.map_err(|error| error.to_string())?;
        let mut data = self.data(format, &scope, channel);
        let written = canonical(&data).map_err(|error| error.to_string())?;
        let digest = blake3::keyed_hash(id_key, written.as_bytes()).to_hex();
        let world_id = WorldId::new(format!("world-{}", digest.get(..32).unwrap_or(&digest)))
            .map_err(|error| error.to_string())?;
        if let Some(Value::Object(source)) = data.get_mut("source") {
            source.insert("position".into(), self.position.into());
        }
        let world = counterfoil_capsule::remember(world_id, self.created_at, data);
        let sealable = world.and_then(|world| Ok(world.content().map(|_| world)?));
        sealable.map_err(|error| error.to_string())
    }

    /// Content of the memory, without its position in the source.
    fn data(&self, format: ImportFormat, scope: &Scope, channel: Option<&str>) -> Value {
        let mut source = json!({
            "format": format,
            "conversation": self.conversation,
            "session": self.session,
            "id": self.id,
        });
        drop_absent(&mut source);
        let mut data = json!({
            "kind": "turn",
            "text": self.text,
            "speaker": self.speaker,
            "caption": self.caption,
            "time": self.time,
            "source": source,
            "channel": channel,
            "scope": (!scope.is_empty()).then_some(scope),
            "extra": (!self.extra.is_empty()).then_some(&self.extra),
        });
        drop_absent(&mut data);
        data
    }
}

/// Takes the members out that have no value.
fn drop_absent(object: &mut Value) {
    if let Value::Object(members) = object {
        members.retain(|_, value| !value.is_null());
    }
}

/// Key of the ids of imported turns in the log of this secret seed: an id is a keyed hash of the content, so that one
/// content has one id in one store, and a guess of the content cannot be tested against the id.
pub(crate) fn id_key(log_seed: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    Zeroizing::new(blake3::derive_key(ID_CONTEXT, log_seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn() -> Turn {
        Turn {
            conversation: "c".into(),
            session: Some("s".into()),
            id: "1".into(),
            position: 3,
            speaker: Some("Ada".into()),
            time: Some("2025-03-01T10:15:00Z".into()),
            created_at: UnixMillis::new(1_740_824_100_000).unwrap(),
            text: "hello".into(),
            caption: None,
            scope: Scope::new(),
            extra: Map::new(),
        }
    }

    #[test]
    fn the_same_turn_has_the_same_id_and_another_store_another() {
        let ids = id_key(&[1; 32]);
        let first = turn()
            .world((ImportFormat::Jsonl, &Scope::new(), None), &ids)
            .unwrap();
        let again = turn()
            .world((ImportFormat::Jsonl, &Scope::new(), None), &ids)
            .unwrap();
        assert_eq!(first.world_id(), again.world_id());
        let other = turn()
            .world(
                (ImportFormat::Jsonl, &Scope::new(), None),
                &id_key(&[2; 32]),
            )
            .unwrap();
        assert_ne!(first.world_id(), other.world_id());
    }

    /// The id hung on the position, so that a turn was remembered twice when a line before it had
    /// been mended between two imports.
    #[test]
    fn a_turn_that_moved_keeps_its_id() {
        let ids = id_key(&[1; 32]);
        let moved = Turn {
            position: 4,
            ..turn()
        };
        let (first, moved) = (
            turn()
                .world((ImportFormat::Jsonl, &Scope::new(), None), &ids)
                .unwrap(),
            moved
                .world((ImportFormat::Jsonl, &Scope::new(), None), &ids)
                .unwrap(),
        );
        assert_eq!(first.world_id(), moved.world_id());
        let place = |world: &World| world.data().unwrap()["source"]["position"].clone();
        assert_eq!((place(&first), place(&moved)), (3.into(), 4.into()));
    }

    #[test]
    fn the_source_stays_in_the_content() {
        let world = turn().world(
            (ImportFormat::Jsonl, &Scope::new(), None),
            &id_key(&[1; 32]),
        );
        assert_eq!(
            world.unwrap().data().unwrap(),
            &serde_json::json!({
                "kind": "turn", "text": "hello", "speaker": "Ada",
                "time": "2025-03-01T10:15:00Z",
                "source": {"format": "jsonl", "conversation": "c", "session": "s", "id": "1", "position": 3}
            })
        );
    }

    #[test]
    fn empty_and_nul_texts_are_flaws() {
        assert_eq!(turn().flaw(), None);
        assert!(
            Turn {
                text: "  ".into(),
                ..turn()
            }
            .flaw()
            .is_some()
        );
        let picture = Turn {
            text: String::new(),
            caption: Some("a cat".into()),
            ..turn()
        };
        assert_eq!(picture.flaw(), None);
        let nul = Turn {
            speaker: Some("A\0".into()),
            ..turn()
        };
        assert_eq!(nul.flaw().unwrap(), "`speaker` contains the character NUL");
    }

    #[test]
    fn a_memory_above_the_limit_is_refused() {
        let large = Turn {
            text: "x".repeat(1 << 20),
            ..turn()
        };
        let refused = large
            .world(
                (ImportFormat::Jsonl, &Scope::new(), None),
                &id_key(&[1; 32]),
            )
            .unwrap_err();
        assert!(refused.contains("1048576"), "{refused}");
    }
}
