//! `conversations.json` of a Claude export: an array of conversations, each a list of messages.
//!
//! Each message with a text becomes a turn; its attachments and files stay in `extra` as the export names them.

use std::io::BufRead;

use counterfoil_types::json::{Map, Value};
use counterfoil_types::{Scope, UnixMillis};

use super::elements::{self, refused, text};
use super::{At, Sink, Turn};
use crate::error::Error;
use crate::when;

pub(super) fn read(reader: impl BufRead, name: &str, sink: &mut Sink<'_>) -> Result<(), Error> {
    elements::read(reader, |number, conversation| {
        let place = format!("{name}, conversation {}", number.unwrap_or_default());
        let mut members = match conversation {
            Ok(Value::Object(members)) => members,
            Ok(_) => return sink(refused(place, "not an object")),
            Err(refused) => return sink(Err(refused)),
        };
        let Some(Value::Array(messages)) = members.remove("chat_messages") else {
            return sink(refused(place, "no `chat_messages` in it"));
        };
        let mut position = 0;
        for (number, message) in messages.into_iter().enumerate() {
            let at = format!("{place}, message {number}");
            match turn(&members, message, position) {
                Ok(Some(turn)) => {
                    position += 1;
                    sink(Ok((At::Place(at), turn)))?;
                }
                Ok(None) => {}
                Err(why) => sink(refused(at, why))?,
            }
        }
        Ok(())
    })
}

/// The turn of a message; `None` for one that holds nothing but files.
fn turn(conversation: &Map, message: Value, position: u64) -> Result<Option<Turn>, String> {
    let Value::Object(mut members) = message else {
        return Err("not an object".to_owned());
    };
    let named = |name: &str| conversation.get(name).and_then(Value::as_str);
    let words = text(&mut members, "text")?.filter(|words| !words.trim().is_empty());
    let parts = members.get("content").and_then(Value::as_array);
    let parts = parts.into_iter().flatten();
    let said = parts.filter_map(|part| part.get("text")?.as_str());
    let Some(words) = words.or_else(|| Some(said.collect::<Vec<_>>().join("\n"))) else {
        return Ok(None);
    };
    if words.trim().is_empty() {
        return Ok(None);
    }
    // The words once more, part by part.
    members.remove("content");
    let time = text(&mut members, "created_at")?;
    let time = time.or_else(|| named("created_at").map(str::to_owned));
    let time = time.ok_or("`created_at` is missing")?;
    let created_at = when::instant(&time).and_then(|millis| UnixMillis::new(millis).ok());
    if let Some(title) = named("name").filter(|title| !title.is_empty()) {
        members.insert("title".into(), title.into());
    }
    members.retain(|_, value| !value.is_null() && value.as_array().is_none_or(|it| !it.is_empty()));
    let turn = Turn {
        conversation: named("uuid")
            .ok_or("the conversation has no `uuid`")?
            .to_owned(),
        session: None,
        id: text(&mut members, "uuid")?.ok_or("`uuid` is missing")?,
        position,
        speaker: text(&mut members, "sender")?,
        created_at: created_at
            .ok_or_else(|| format!("`created_at` {time:?} is no time after 1970"))?,
        time: Some(time),
        text: words,
        caption: None,
        scope: Scope::new(),
        extra: members,
    };
    turn.flaw().map_or(Ok(Some(turn)), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::tests::turns_of;

    const EXPORT: &str = r#"[{"uuid":"c-1","name":"Bread","created_at":"2025-03-01T10:15:00.000000Z","chat_messages":[
        {"uuid":"m-1","text":"Which flour?","content":[{"type":"text","text":"Which flour?"}],"sender":"human",
         "created_at":"2025-03-01T10:15:01.250000Z","attachments":[],"files":[{"file_name":"mill.png"}]},
        {"uuid":"m-2","text":"","content":[{"type":"text","text":"Spelt."},{"type":"text","text":"Or rye."}],"sender":"assistant"},
        {"uuid":"m-3","text":"","content":[],"sender":"human"},
        {"text":"no id","sender":"human"}]}, 7]"#;

    #[test]
    fn messages_are_turns_and_files_stay_named() {
        let (turns, refused) = turns_of(|sink| read(EXPORT.as_bytes(), "file", sink));
        let [first, second] = &turns[..] else {
            panic!("{turns:?}")
        };
        assert_eq!(
            (first.speaker.as_deref(), first.created_at.value()),
            (Some("human"), 1_740_824_101_250)
        );
        assert_eq!(first.extra["files"][0]["file_name"], "mill.png");
        assert_eq!(
            (
                first.extra.get("attachments"),
                first.extra["title"].as_str()
            ),
            (None, Some("Bread"))
        );
        assert_eq!(
            (second.text.as_str(), second.position),
            ("Spelt.\nOr rye.", 1)
        );
        assert_eq!(second.time.as_deref(), Some("2025-03-01T10:15:00.000000Z"));
        assert_eq!(
            refused,
            [
                "file, conversation 0, message 3: `uuid` is missing",
                "file, conversation 1: not an object"
            ]
        );
    }
}
