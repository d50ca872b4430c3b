//! What of a World is searched: its words, its date, and its place in a conversation.

use std::collections::BTreeMap;

use counterfoil_capsule::World;
use counterfoil_types::json::{self, Map, Value};

use super::date;

/// The first bytes of a World's text that are searched.
const MAX_BODY_BYTES: usize = 32 * 1024;
/// The first bytes of the source's own words for its time that are searched.
const MAX_TIME_BYTES: usize = 256;
/// The longest name of a conversation and its session, in bytes.
const MAX_DIALOGUE_BYTES: usize = 1024;

/// One row of `text_turns`, without its index.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) body: String,
    pub(super) dated: String,
    pub(super) created_at: i64,
    pub(super) place: Option<Place>,
}

/// Where a turn stands in its conversation.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Conversation and session as one JSON array.
    pub(super) dialogue: String,
    pub(super) position: i64,
}

impl Turn {
    pub(super) fn of(world: &World) -> Self {
        let data = world.data();
        let members = data.and_then(Value::as_object);
        Self {
            body: data.map(body).unwrap_or_default(),
            dated: dated(world, members),
            created_at: i64::try_from(world.created_at().value()).unwrap_or(i64::MAX),
            place: members.and_then(place),
        }
    }
}

/// The first `bytes` of `text`, or a little less so as not to split a character.
pub(super) fn prefix(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

/// Speaker, text and caption of a turn or note; of anything else every string in it.
fn body(data: &Value) -> String {
    let mut body = Body::default();
    match data.as_object() {
        Some(members) if is_speech(members) => {
            for name in ["speaker", "text", "caption"] {
                body.add(text_of(members, name));
            }
        }
        _ => body.add_all(data),
    }
    body.text
}

fn is_speech(members: &Map) -> bool {
    matches!(text_of(members, "kind"), "turn" | "note")
}

fn text_of<'a>(members: &'a Map, name: &str) -> &'a str {
    members
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn dated(world: &World, members: Option<&Map>) -> String {
    let words = date::in_words(world.created_at());
    match members.map_or("", |members| text_of(members, "time")) {
        "" => words,
        time => format!("{words}\n{}", prefix(time, MAX_TIME_BYTES)),
    }
}

/// Numbers go through their canonical form: a draft that says `1.0` is sealed as `1`, and a
/// rebuild reads what was sealed.
fn place(members: &Map) -> Option<Place> {
    let source = members.get("source")?.as_object()?;
    let conversation = source.get("conversation").filter(|name| name.is_string())?;
    let session = source.get("session").unwrap_or(&Value::Null);
    let canonical = |value| json::canonical(value).ok();
    let dialogue = format!("[{},{}]", canonical(conversation)?, canonical(session)?);
    let position = canonical(source.get("position")?)?.parse().ok()?;
    (dialogue.len() <= MAX_DIALOGUE_BYTES).then_some(Place { dialogue, position })
}

/// Text that stops growing at its limit. Strings are set apart by a line feed.
#[derive(Default)]
struct Body {
    text: String,
}

impl Body {
    fn add(&mut self, part: &str) {
        if part.is_empty() || self.is_full() {
            return;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text
            .push_str(prefix(part, MAX_BODY_BYTES.saturating_sub(self.text.len())));
    }

    /// Members go in the order of their names, however the object was built. The depth of a
    /// World's data is bounded by its canonical form, so this may recurse.
    fn add_all(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.add(text),
            Value::Array(items) => items.iter().for_each(|item| self.add_all(item)),
            Value::Object(members) => {
                let sorted: BTreeMap<&String, &Value> = members.iter().collect();
                sorted.into_values().for_each(|item| self.add_all(item));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn is_full(&self) -> bool {
        self.text.len() >= MAX_BODY_BYTES
    }
}

#[cfg(test)]
mod tests {
    use counterfoil_types::{UnixMillis, WorldId};
    use serde_json::json;

    use super::*;

    fn turn(data: Value) -> Turn {
        let at = UnixMillis::new(1_683_504_000_000).unwrap();
        Turn::of(&World::remember(WorldId::new("w").unwrap(), at, data).unwrap())
    }

    fn place_of(source: Value) -> Option<(String, i64)> {
        turn(json!({ "source": source }))
            .place
            .map(|place| (place.dialogue, place.position))
    }

    #[test]
    fn a_place_is_a_conversation_a_session_and_a_position() {
        let place = |dialogue: &str, position| Some((dialogue.to_owned(), position));
        assert_eq!(
            place_of(json!({"conversation": "c", "session": "1", "position": 7})),
            place(r#"["c","1"]"#, 7)
        );
        assert_eq!(
            place_of(json!({"conversation": "c", "position": 7})),
            place(r#"["c",null]"#, 7)
        );
        assert_eq!(
            place_of(json!({"conversation": "c", "session": 1.0, "position": 7.0})),
            place(r#"["c",1]"#, 7)
        );
    }

    #[test]
    fn half_a_place_is_none() {
        for source in [
            json!({"session": "1", "position": 7}),
            json!({"conversation": "c"}),
            json!({"conversation": 3, "position": 7}),
            json!({"conversation": "c", "position": "7"}),
            json!({"conversation": "c", "position": 0.5}),
            json!({"conversation": "c".repeat(2_000), "position": 7}),
            json!("c"),
        ] {
            assert_eq!(place_of(source.clone()), None, "{source}");
        }
    }

    #[test]
    fn a_speaker_and_a_text_do_not_run_into_each_other() {
        assert_eq!(
            turn(json!({"kind": "turn", "speaker": "Ada", "text": "Hi"})).body,
            "Ada\nHi"
        );
    }

    #[test]
    fn a_cut_never_splits_a_character() {
        assert_eq!(prefix("aä", 2), "a");
        assert_eq!(
            turn(json!("ä".repeat(MAX_BODY_BYTES))).body.len(),
            MAX_BODY_BYTES
        );
        assert!(turn(json!(["x", "€".repeat(MAX_BODY_BYTES)])).body.len() <= MAX_BODY_BYTES);
    }
}
