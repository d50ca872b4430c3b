//! Agent files of Letta (`.af`): memory blocks and messages of each agent, of the present form and of the one before it.
//!
//! A block is a memory under its label, and a message of a person or the agent a turn with its time. What Letta wraps into JSON (`user_message`,
//! calls of `send_message`) is unwrapped. Tools, files, groups and model settings are left out, and so are system messages and other calls.

use std::io::BufRead;

use counterfoil_types::json::{Limits, Map, Value, parse};

use super::elements::{self, found, object, refused, text, words_of};
use super::{At, Dated, Sink, Turn};
use crate::error::Error;

/// Roles of messages that are no turns.
const SILENT: [&str; 4] = ["system", "tool", "function", "approval"];

pub(super) fn read(
    reader: impl BufRead,
    file: &Dated<'_>,
    sink: &mut Sink<'_>,
) -> Result<(), Error> {
    elements::read(reader, |_, value| match value {
        Ok(Value::Object(members)) => agent_file(file, members, sink),
        Ok(_) => sink(refused("the file".to_owned(), "not an object")),
        Err(refused) => sink(Err(refused)),
    })
}

fn agent_file(file: &Dated<'_>, mut members: Map, sink: &mut Sink<'_>) -> Result<(), Error> {
    let list = |members: &mut Map, name: &str| match members.remove(name) {
        Some(Value::Array(list)) => Some(list),
        _ => None,
    };
    let blocks = list(&mut members, "blocks").or_else(|| list(&mut members, "core_memory"));
    let agents = match list(&mut members, "agents") {
        Some(agents) => agents,
        // The form before has one agent, whose members are those of the file.
        None if blocks.is_some() => vec![Value::Object(members)],
        None => {
            return Err(Error::input(
                "the file holds neither `agents` nor `core_memory`",
                "give an agent file as Letta exports it, or say what it is with --format",
            ));
        }
    };
    for (number, block) in (0..).zip(blocks.unwrap_or_default()) {
        let at = format!("block {number}");
        sink(found(
            at,
            object(block).and_then(|it| block_turn(file, it, number)),
        ))?;
    }
    for (number, agent) in agents.into_iter().enumerate() {
        let Value::Object(mut agent) = agent else {
            sink(refused(format!("agent {number}"), "not an object"))?;
            continue;
        };
        let name = text(&mut agent, "name").ok().flatten();
        let name = name.unwrap_or_else(|| format!("agent {number}"));
        let messages = list(&mut agent, "messages").unwrap_or_default();
        for (place, message) in (0..).zip(messages) {
            let at = format!("{name}, message {place}");
            match object(message).and_then(|it| message_turn(file, &name, it, place)) {
                Ok(Some(turn)) => sink(Ok((At::Place(at), turn)))?,
                Ok(None) => {}
                Err(why) => sink(refused(at, why))?,
            }
        }
    }
    Ok(())
}

fn block_turn(file: &Dated<'_>, mut block: Map, position: u64) -> Result<Turn, String> {
    let value = text(&mut block, "value")?.ok_or("`value` is missing; add it as a string")?;
    let label = text(&mut block, "label")?.ok_or("`label` is missing; add it as a string")?;
    let id = text(&mut block, "id")?.unwrap_or_else(|| label.clone());
    let turn = Turn {
        conversation: file.name.to_owned(),
        session: Some("blocks".to_owned()),
        id,
        position,
        speaker: Some(label),
        text: value,
        extra: block,
        ..file.undated_turn()
    };
    turn.flaw().map_or(Ok(turn), Err)
}

/// The turn of a message; `None` for one without words of a person or the agent.
fn message_turn(
    file: &Dated<'_>,
    agent: &str,
    mut message: Map,
    position: u64,
) -> Result<Option<Turn>, String> {
    let role = text(&mut message, "role")?.ok_or("`role` is missing; add it as a string")?;
    if SILENT.contains(&role.as_str()) {
        return Ok(None);
    }
    let content = message.remove("content");
    let words = words_of(content, &mut message)?;
    let words = match role.as_str() {
        "user" => unwrapped(words),
        _ => sent(&message).or(Some(words)),
    };
    let Some(words) = words.filter(|words| !words.trim().is_empty()) else {
        return Ok(None);
    };
    let dated = file.turn_at(text(&mut message, "created_at")?)?;
    let id = text(&mut message, "id")?.unwrap_or_else(|| position.to_string());
    let turn = Turn {
        conversation: agent.to_owned(),
        id,
        position,
        speaker: text(&mut message, "name")?.or(Some(role)),
        text: words,
        extra: message,
        ..dated
    };
    turn.flaw().map_or(Ok(Some(turn)), Err)
}

/// Words of a person, out of the JSON that Letta wraps them into; `None` for events such as heartbeats.
fn unwrapped(words: String) -> Option<String> {
    let limits = Limits {
        bytes: words.len(),
        ..Limits::CONTENT
    };
    let Ok(Value::Object(mut event)) = parse(words.as_bytes(), limits) else {
        return Some(words);
    };
    match event.get("type").and_then(Value::as_str) {
        Some("user_message") => text(&mut event, "message").ok().flatten(),
        Some("heartbeat" | "login" | "system_alert") => None,
        _ => Some(words),
    }
}

/// Texts that the agent sent with the tool `send_message`; `None` without any.
fn sent(message: &Map) -> Option<String> {
    let calls = message.get("tool_calls")?.as_array()?;
    let texts = calls.iter().filter_map(|call| {
        let function = call.get("function")?;
        if function.get("name")?.as_str()? != "send_message" {
            return None;
        }
        let arguments = function.get("arguments")?.as_str()?;
        let limits = Limits {
            bytes: arguments.len(),
            ..Limits::CONTENT
        };
        let arguments = parse(arguments.as_bytes(), limits).ok()?;
        arguments.get("message")?.as_str().map(str::to_owned)
    });
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::tests::{dated as dated_file, turns_of};

    /// As Letta 0.11 writes it.
    const FILE: &str = r#"{"agents":[{"id":"agent-0","name":"Quill","block_ids":["block-0"],"in_context_message_ids":["message-1"],"messages":[
        {"id":"message-0","role":"system","content":[{"type":"text","text":"You are Quill."}],"created_at":"2025-03-01T10:15:00Z"},
        {"id":"message-1","role":"user","content":[{"type":"text","text":"{\"type\": \"user_message\", \"message\": \"Kit avoids sesame\", \"time\": \"x\"}"}],"name":null,"created_at":"2025-03-01T10:16:00+00:00"},
        {"id":"message-2","role":"user","content":"{\"type\": \"heartbeat\", \"reason\": \"x\"}","created_at":"2025-03-01T10:16:01Z"},
        {"id":"message-3","role":"assistant","content":[{"type":"text","text":"inner thoughts"}],"tool_calls":[{"id":"c","type":"function","function":{"name":"send_message","arguments":"{\"message\": \"Noted.\"}"}}],"created_at":"2025-03-01T10:17:00Z"},
        {"id":"message-4","role":"tool","content":"OK","tool_call_id":"c","created_at":"2025-03-01T10:17:01Z"},
        {"id":"message-5","role":"user","content":"plainly","created_at":"noon"}]}],
        "groups":[],"blocks":[{"id":"block-0","label":"human","value":"Name: Kit","limit":5000},{"id":"block-1","label":"persona"}],"files":[],"sources":[],"tools":[],"mcp_servers":[],"metadata":{}}"#;

    #[test]
    fn blocks_and_words_are_read_and_calls_are_not() {
        let (turns, refused) = turns_of(|sink| read(FILE.as_bytes(), &dated_file(), sink));
        let said: Vec<_> = turns
            .iter()
            .map(|turn| {
                (
                    turn.conversation.as_str(),
                    turn.speaker.as_deref().unwrap(),
                    turn.text.as_str(),
                )
            })
            .collect();
        assert_eq!(
            said,
            [
                ("file", "human", "Name: Kit"),
                ("Quill", "user", "Kit avoids sesame"),
                ("Quill", "assistant", "Noted."),
            ]
        );
        assert_eq!(turns[1].created_at.value(), 1_740_824_160_000);
        assert_eq!(
            refused,
            [
                "block 1: `value` is missing; add it as a string",
                "Quill, message 5: \"noon\" is no RFC 3339 time after 1970",
            ]
        );
    }

    #[test]
    fn the_form_of_before_is_read() {
        let file = r#"{"agent_type":"memgpt_agent","core_memory":[{"label":"human","value":"Name: Kit","created_at":"x"}],"name":"Quill",
            "messages":[{"role":"user","content":[{"type":"text","text":"hi"}],"created_at":"2025-03-01T10:15:00.5+00:00"}],"version":"0.6.47"}"#;
        let (turns, refused) = turns_of(|sink| read(file.as_bytes(), &dated_file(), sink));
        assert!(refused.is_empty(), "{refused:?}");
        let texts: Vec<&str> = turns.iter().map(|turn| turn.text.as_str()).collect();
        assert_eq!(texts, ["Name: Kit", "hi"]);
        assert!(read(&b"{}"[..], &dated_file(), &mut |_| panic!()).is_err());
    }
}
