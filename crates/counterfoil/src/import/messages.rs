//! Messages as the OpenAI API takes them, in lines: `{"role":"user","content":"…"}`, or `{"messages":[…]}` for a conversation.
//!
//! They have no time of their own: the turns are dated by the file. Content of several parts keeps what is no text in `extra`.

use std::io::BufRead;

use counterfoil_types::json::{Map, Value};

use super::elements::{text, words_of};
use super::lines::{Lines, broken_off, object};
use super::{At, Dated, Refused, Sink, Turn};
use crate::error::Error;

pub(super) fn read(
    reader: impl BufRead,
    file: &Dated<'_>,
    sink: &mut Sink<'_>,
) -> Result<(), Error> {
    let mut lines = Lines::new(reader);
    let mut position = 0;
    while let Some((number, line)) = lines.next_line().map_err(broken_off)? {
        let Some(read) = object(line) else {
            continue;
        };
        let mut take = |found: Result<Option<Turn>, String>| match found {
            Ok(Some(turn)) => sink(Ok((At::Line(number), turn))),
            Ok(None) => Ok(()),
            Err(why) => sink(Err(Refused::new(At::Line(number), why))),
        };
        let mut message = match read {
            Ok(message) => message,
            Err(why) => {
                take(Err(why))?;
                continue;
            }
        };
        let Some(messages) = message.remove("messages") else {
            take(turn(file, None, (number, position), message))?;
            position += 1;
            continue;
        };
        let Value::Array(messages) = messages else {
            take(Err("`messages` is no array".to_owned()))?;
            continue;
        };
        let session = format!("L{number}");
        for (place, message) in (0_u64..).zip(messages) {
            take(match message {
                Value::Object(message) => turn(file, Some(&session), (place, place), message),
                _ => Err(format!("message {place} is not an object")),
            })?;
        }
    }
    Ok(())
}

/// The turn of a message; `None` for one without words, as calls of tools are.
fn turn(
    file: &Dated<'_>,
    session: Option<&str>,
    (number, position): (u64, u64),
    mut message: Map,
) -> Result<Option<Turn>, String> {
    let role = text(&mut message, "role")?.ok_or("`role` is missing; add it as a string")?;
    let content = message.remove("content");
    let words = words_of(content, &mut message)?;
    if words.trim().is_empty() {
        return Ok(None);
    }
    let id = text(&mut message, "id")?.unwrap_or_else(|| format!("L{number}"));
    let turn = Turn {
        conversation: file.name.to_owned(),
        session: session.map(str::to_owned),
        id,
        position,
        speaker: text(&mut message, "name")?.or(Some(role)),
        text: words,
        extra: message,
        ..file.undated_turn()
    };
    turn.flaw().map_or(Ok(Some(turn)), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::tests::{dated, turns_of};

    #[test]
    fn lines_of_messages_and_of_conversations_are_read() {
        let file = "{\"role\":\"user\",\"content\":\"Rye?\",\"name\":\"Kit\"}\n\n\
            {\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"t\"}]}\n\
            {\"messages\":[{\"role\":\"system\",\"content\":\"Be kind.\"},{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Spelt?\"},{\"type\":\"image_url\",\"image_url\":{}}]}]}\n\
            {\"messages\":7}\n[]\n{\"content\":\"whose?\"}\n";
        let (turns, refused) = turns_of(|sink| read(file.as_bytes(), &dated(), sink));
        let found: Vec<_> = turns
            .iter()
            .map(|turn| (turn.speaker.as_deref(), turn.text.as_str(), turn.position))
            .collect();
        assert_eq!(
            found,
            [
                (Some("Kit"), "Rye?", 0),
                (Some("system"), "Be kind.", 0),
                (Some("user"), "Spelt?", 1)
            ]
        );
        assert_eq!(turns[1].session.as_deref(), Some("L4"));
        assert_eq!(turns[2].extra["parts"][0]["type"], "image_url");
        assert_eq!(turns[0].created_at, dated().written);
        assert_eq!(refused.len(), 3, "{refused:?}");
    }
}
