//! Searched text of a World: its words, its date, and its place in a conversation; of a later version its
//! changes.

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_capsule::World;
use counterfoil_capsule::delta::{Delta, Effect, tokens};
use counterfoil_claims::UNIT_FORMAT;
use counterfoil_dates::in_words;
use counterfoil_types::Scope;
use counterfoil_types::json::{self, Map, Value};
use counterfoil_words::index_terms;

use super::scopes;

/// The first bytes of a World's text that are searched.
const MAX_BODY_BYTES: usize = 32 * 1024;
/// The first bytes of the source's own words for its time that are searched.
const MAX_TIME_BYTES: usize = 256;
/// The longest name of a conversation and its session, in bytes.
const MAX_DIALOGUE_BYTES: usize = 1024;

/// Marks that end a question.
const QUESTION_MARKS: [char; 3] = ['?', '？', '؟'];

/// One row of `text_turns`, without its index: terms of text, date and speaker.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) body: String,
    pub(super) dated: String,
    pub(super) speaker: String,
    /// 2 if the text ends with a question mark, 1 if it has one before, else 0.
    pub(super) asks: u8,
    pub(super) created_at: i64,
    pub(super) place: Option<Place>,
}

/// Place of a turn in its conversation.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Conversation, session and the scope that is not empty as one JSON array: what is said in one scope is beside nothing of
    /// another.
    pub(super) dialogue: String,
    pub(super) position: i64,
}

/// Tests whether the World is a claim unit: nothing rewrites its postings, so what they are made from is not kept.
pub(super) fn is_claim(world: &World) -> bool {
    world.data().and_then(Value::as_object).is_some_and(is_unit)
}

/// The members of a turn or note that are searched.
const SPOKEN: [&str; 3] = ["speaker", "text", "caption"];

impl Turn {
    /// All that a World says.
    pub(super) fn of(world: &World) -> Self {
        Self {
            place: world.data().and_then(Value::as_object).and_then(place),
            ..Self::saying(world, &body(world, MAX_BODY_BYTES))
        }
    }

    /// Text that a version adds to the one before it: the strings that `delta` brings. The
    /// place in the conversation stays with the first version.
    pub(super) fn changed(world: &World, delta: &Delta) -> Self {
        let mut body = Body::up_to(MAX_BODY_BYTES);
        match world.data().and_then(Value::as_object) {
            Some(members) if is_speech(members) => add_spoken(&mut body, members, delta),
            _ => add_brought(&mut body, world, delta),
        }
        Self::saying(world, &body.text)
    }

    fn saying(world: &World, body: &str) -> Self {
        let members = world.data().and_then(Value::as_object);
        let speaker = members.filter(|it| is_speech(it));
        Self {
            body: index_terms(body),
            dated: index_terms(&dated(world, members)),
            speaker: index_terms(speaker.map_or("", |it| text_of(it, "speaker"))),
            asks: match body.contains(QUESTION_MARKS) {
                true => 1 + u8::from(body.trim_end().ends_with(QUESTION_MARKS)),
                false => 0,
            },
            created_at: i64::try_from(world.created_at().value()).unwrap_or(i64::MAX),
            place: None,
        }
    }
}

/// Terms of all that a World says, however long, and of its date.
pub(super) fn whole(world: &World) -> (String, String) {
    let members = world.data().and_then(Value::as_object);
    let body = body(world, usize::MAX);
    (index_terms(&body), index_terms(&dated(world, members)))
}

/// The text of a World as a search by words has it: all of it, in each version.
pub(crate) fn searched(world: &World) -> String {
    body(world, MAX_BODY_BYTES)
}

/// The members of a turn that the delta touches; all of them if it was none before.
fn add_spoken(body: &mut Body, members: &Map, delta: &Delta) {
    let touched = |name: &str| {
        let mut paths = delta.operations().map(|(path, _)| within_data(path));
        paths.any(|path| path.is_some_and(|path| path.is_none_or(|member| member == name)))
    };
    let all = touched("kind");
    for name in SPOKEN.into_iter().filter(|name| all || touched(name)) {
        body.add(text_of(members, name));
    }
}

/// The strings that the delta brings and that the World holds in the end; all of them if it was a
/// turn before.
fn add_brought(body: &mut Body, world: &World, delta: &Delta) {
    let Some(data) = world.data() else {
        return;
    };
    let mut held = BTreeSet::new();
    strings(data, &mut |text| {
        held.insert(text);
    });
    for (path, effect) in delta.operations() {
        let (Effect::Add(value) | Effect::Replace { value, .. }) = effect else {
            continue;
        };
        let value = match within_data(path) {
            Some(Some(member)) if member == "kind" => Some(data),
            Some(_) if path.is_empty() => value.get("data"),
            Some(_) => Some(value),
            None => None,
        };
        let Some(value) = value else { continue };
        strings(value, &mut |text| {
            if held.contains(text) {
                body.add(text);
            }
        });
    }
}

/// The member of `data` that a path leads into; `Some(None)` for all of it, `None` for parts that are not
/// of `data`.
fn within_data(path: &str) -> Option<Option<String>> {
    let mut tokens = tokens(path);
    match tokens.next() {
        None => Some(None),
        Some(name) if name == "data" => Some(tokens.next().map(Into::into)),
        Some(_) => None,
    }
}

/// The first `bytes` of `text`, or a little less so as not to split a character.
pub(super) fn prefix(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

/// Speaker, text and caption of a turn or note; of anything else every string in it.
fn body(world: &World, limit: usize) -> String {
    let mut body = Body::up_to(limit);
    let data = world.data().unwrap_or(&Value::Null);
    match data.as_object() {
        Some(members) if is_speech(members) => {
            for name in SPOKEN {
                body.add(text_of(members, name));
            }
        }
        // Names of members, references and decisions are left out.
        Some(members) if is_unit(members) => {
            body.add(text_of(members, "subject"));
            body.add(&apart(text_of(members, "predicate")));
            match members.get("value") {
                Some(value @ (Value::Number(_) | Value::Bool(_))) => {
                    body.add(&json::canonical(value).unwrap_or_default());
                }
                Some(value) => strings(value, &mut |text| body.add(text)),
                None => {}
            }
        }
        _ => strings(data, &mut |text| body.add(text)),
    }
    body.text
}

/// Every string of a value. Members go in the order of their names, however the object was built.
/// The depth of a World's data is bounded by its canonical form, so this may recurse.
fn strings<'v>(value: &'v Value, each: &mut dyn FnMut(&'v str)) {
    match value {
        Value::String(text) => each(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, each)),
        Value::Object(members) => {
            let sorted: BTreeMap<&String, &Value> = members.iter().collect();
            sorted.into_values().for_each(|item| strings(item, each));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
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
    let mut words = in_words(world.created_at());
    if let Some(members) = members.filter(|members| is_unit(members)) {
        // The boundaries as they were given: their years, months and days are words.
        if let Some(valid) = members.get("valid").and_then(Value::as_object) {
            for boundary in ["from", "until"].map(|name| text_of(valid, name)) {
                if !boundary.is_empty() {
                    words.push('\n');
                    words.push_str(boundary);
                }
            }
        }
        return words;
    }
    match members.map_or("", |members| text_of(members, "time")) {
        "" => words,
        time => format!("{words}\n{}", prefix(time, MAX_TIME_BYTES)),
    }
}

/// Tests whether the data of a World is a claim unit.
fn is_unit(members: &Map) -> bool {
    text_of(members, "kind") == "claim" && text_of(members, "format") == UNIT_FORMAT
}

/// `livesIn` as `lives In`. Where a name has other marks between its words, the tokenizer sees them.
fn apart(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    let mut before = ' ';
    for letter in name.chars() {
        if before.is_lowercase() && letter.is_uppercase() {
            words.push(' ');
        }
        words.push(letter);
        before = letter;
    }
    words
}

/// Numbers go through their canonical form: a draft that says `1.0` is sealed as `1`, and a
/// rebuild reads the sealed bytes.
fn place(members: &Map) -> Option<Place> {
    let source = members.get("source")?.as_object()?;
    let conversation = source.get("conversation").filter(|name| name.is_string())?;
    let session = source.get("session").unwrap_or(&Value::Null);
    let canonical = |value| json::canonical(value).ok();
    let (conversation, session) = (canonical(conversation)?, canonical(session)?);
    let scope = Scope::in_members(members);
    let dialogue = match scope.is_empty() {
        true => format!("[{conversation},{session}]"),
        false => format!("[{conversation},{session},{}]", scopes::name(&scope)),
    };
    let position = canonical(source.get("position")?)?.parse().ok()?;
    (dialogue.len() <= MAX_DIALOGUE_BYTES).then_some(Place { dialogue, position })
}

/// Text that stops growing at its limit. Strings are set apart by a line feed.
struct Body {
    text: String,
    limit: usize,
}

impl Body {
    const fn up_to(limit: usize) -> Self {
        Self {
            text: String::new(),
            limit,
        }
    }

    fn add(&mut self, part: &str) {
        if part.is_empty() || self.text.len() >= self.limit {
            return;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let room = self.limit.saturating_sub(self.text.len());
        self.text.push_str(prefix(part, room));
    }
}

#[cfg(test)]
mod tests {
    use counterfoil_types::{UnixMillis, WorldId};
    use serde_json::json;

    use super::*;

    fn of(data: Value) -> World {
        let at = UnixMillis::new(1_683_504_000_000).unwrap();
        counterfoil_capsule::remember(WorldId::new("w").unwrap(), at, data).unwrap()
    }

    fn body_of(data: Value) -> String {
        body(&of(data), MAX_BODY_BYTES)
    }

    fn place_of(source: Value) -> Option<(String, i64)> {
        Turn::of(&of(json!({ "source": source })))
            .place
            .map(|place| (place.dialogue, place.position))
    }

    #[test]
    fn a_place_is_a_conversation_a_session_and_a_position() {
        for (source, dialogue) in [
            (
                json!({"conversation": "c", "session": "1", "position": 7}),
                r#"["c","1"]"#,
            ),
            (json!({"conversation": "c", "position": 7}), r#"["c",null]"#),
            (
                json!({"conversation": "c", "session": 1.0, "position": 7.0}),
                r#"["c",1]"#,
            ),
        ] {
            assert_eq!(place_of(source), Some((dialogue.to_owned(), 7)));
        }
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
            body_of(json!({"kind": "turn", "speaker": "Ada", "text": "Hi"})),
            "Ada\nHi"
        );
    }

    #[test]
    fn a_cut_never_splits_a_character() {
        assert_eq!(prefix("aä", 2), "a");
        assert_eq!(
            body_of(json!("ä".repeat(MAX_BODY_BYTES))).len(),
            MAX_BODY_BYTES
        );
        assert!(body_of(json!(["x", "€".repeat(MAX_BODY_BYTES)])).len() <= MAX_BODY_BYTES);
    }

    #[test]
    fn words_of_a_name_are_set_apart() {
        for (name, words) in [
            ("livesIn", "lives In"),
            ("lives_in", "lives_in"),
            ("URL", "URL"),
            ("größeInCm", "größe In Cm"),
            ("", ""),
        ] {
            assert_eq!(apart(name), words);
        }
    }
}
