//! `conversations.json` of a ChatGPT export: an array of conversations, each a tree of messages.
//!
//! Each message with a text becomes a turn, also of branches that were left behind by an edit: those have `"branch": "left"` in
//! `extra`. Parts that are no text, such as references to pictures, are kept there too. The files themselves are not.

use std::collections::HashSet;
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
        match conversation.map(Conversation::of) {
            Ok(Some(conversation)) => conversation.read(&place, sink),
            Ok(None) => sink(refused(place, "no `mapping` of messages in it")),
            Err(refused) => sink(Err(refused)),
        }
    })
}

struct Conversation {
    id: String,
    title: Option<String>,
    created: Option<UnixMillis>,
    messages: Map,
    /// Ids of the messages that lead to the last one shown.
    current: HashSet<String>,
}

impl Conversation {
    fn of(value: Value) -> Option<Self> {
        let Value::Object(mut members) = value else {
            return None;
        };
        let Some(Value::Object(messages)) = members.remove("mapping") else {
            return None;
        };
        let string = |name: &str| members.get(name).and_then(Value::as_str).map(str::to_owned);
        let id = string("conversation_id").or_else(|| string("id"));
        let title = string("title");
        let current = path_to(string("current_node"), &messages);
        Some(Self {
            id: id.or_else(|| title.clone())?,
            title,
            created: seconds(members.get("create_time")),
            messages,
            current,
        })
    }

    /// Hands on the messages, each after the one that it answers; the tree is taken apart on the way, so that a circle ends.
    fn read(mut self, place: &str, sink: &mut Sink<'_>) -> Result<(), Error> {
        let parent = |node: &Value| {
            node.get("parent")
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        let roots = self.messages.iter().filter(|(_, node)| {
            parent(node).is_none_or(|parent| !self.messages.contains_key(&parent))
        });
        let mut open: Vec<String> = roots.map(|(id, _)| id.clone()).collect();
        open.reverse();
        let mut position = 0;
        loop {
            let Some(id) = open.pop().or_else(|| self.messages.keys().next().cloned()) else {
                return Ok(());
            };
            let Some(Value::Object(mut node)) = self.messages.remove(&id) else {
                continue;
            };
            if let Some(Value::Array(children)) = node.remove("children") {
                let children = children.into_iter().rev();
                open.extend(children.filter_map(|child| child.as_str().map(str::to_owned)));
            }
            let Some(Value::Object(message)) = node.remove("message") else {
                continue;
            };
            let at = format!("{place}, message {id}");
            match self.turn(id, message, position) {
                Ok(Some(turn)) => {
                    position += 1;
                    sink(Ok((At::Place(at), turn)))?;
                }
                Ok(None) => {}
                Err(why) => sink(refused(at, why))?,
            }
        }
    }

    /// The turn of a message; `None` for one without words, as those that begin a tree.
    fn turn(&self, id: String, mut message: Map, position: u64) -> Result<Option<Turn>, String> {
        let Some(content) = message.remove("content") else {
            return Ok(None);
        };
        let (words, others) = words_of(&content);
        if words.trim().is_empty() {
            return Ok(None);
        }
        let created_at = seconds(message.get("create_time")).or(self.created);
        let created_at = created_at.ok_or("it has no `create_time`, nor has the conversation")?;
        let mut extra = Map::new();
        if let Some(title) = &self.title {
            extra.insert("title".into(), title.clone().into());
        }
        if !self.current.contains(&id) {
            extra.insert("branch".into(), "left".into());
        }
        if !others.is_empty() {
            extra.insert("parts".into(), others.into());
        }
        let speaker = match message.remove("author") {
            Some(Value::Object(mut author)) => {
                let name = text(&mut author, "name")?;
                name.or(text(&mut author, "role")?)
            }
            _ => None,
        };
        let turn = Turn {
            conversation: self.id.clone(),
            session: None,
            id,
            position,
            speaker,
            time: Some(when::rfc3339(created_at.value().saturating_mul(1000))),
            created_at,
            text: words,
            caption: None,
            scope: Scope::new(),
            extra,
        };
        turn.flaw().map_or(Ok(Some(turn)), Err)
    }
}

/// Ids from a message to the first one.
fn path_to(last: Option<String>, messages: &Map) -> HashSet<String> {
    let mut path = HashSet::new();
    let mut next = last;
    while let Some(id) = next {
        let node = messages.get(&id);
        let parent = node.and_then(|node| node.get("parent")?.as_str());
        next = parent.map(str::to_owned);
        if !path.insert(id) {
            break;
        }
    }
    path
}

/// Texts of a message's content, and its parts that are none.
fn words_of(content: &Value) -> (String, Vec<Value>) {
    let member = |value: &Value, name: &str| value.get(name)?.as_str().map(str::to_owned);
    let Some(parts) = content.get("parts").and_then(Value::as_array) else {
        return (member(content, "text").unwrap_or_default(), Vec::new());
    };
    let (mut words, mut others) = (Vec::new(), Vec::new());
    for part in parts {
        match part
            .as_str()
            .map(str::to_owned)
            .or_else(|| member(part, "text"))
        {
            Some(text) => words.push(text),
            None => others.push(part.clone()),
        }
    }
    (words.join("\n"), others)
}

/// A time in seconds since 1970, with a fraction.
fn seconds(value: Option<&Value>) -> Option<UnixMillis> {
    let duration = jiff::SignedDuration::try_from_secs_f64(value?.as_f64()?).ok()?;
    UnixMillis::new(u64::try_from(duration.as_millis()).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::tests::turns_of;

    /// An edited question has two branches, and the message before both is a picture with a caption.
    const EXPORT: &str = r#"[{"title":"Bread","create_time":1740824100.5,"conversation_id":"c-1","current_node":"d","mapping":{
        "root":{"id":"root","message":null,"parent":null,"children":["a"]},
        "a":{"message":{"author":{"role":"user"},"create_time":1740824101.25,"content":{"content_type":"multimodal_text",
             "parts":["Which flour?",{"content_type":"image_asset_pointer","asset_pointer":"file://1"}]}},"parent":"root","children":["b","c"]},
        "b":{"message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["Rye or wheat?"]}},"parent":"a","children":[]},
        "c":{"message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["Rye, or spelt?"]}},"parent":"a","children":["d"]},
        "d":{"message":{"author":{"role":"tool","name":"python"},"content":{"content_type":"execution_output","text":"spelt"}},"parent":"c","children":["e"]},
        "e":{"message":{"author":{"role":"system"},"content":{"content_type":"text","parts":[""]}},"parent":"d","children":["a"]}}},
        {"title":"no messages"}]"#;

    #[test]
    fn messages_of_all_branches_are_turns_in_their_order() {
        let (turns, refused) = turns_of(|sink| read(EXPORT.as_bytes(), "file", sink));
        let texts: Vec<_> = turns
            .iter()
            .map(|turn| (turn.id.as_str(), turn.text.as_str()))
            .collect();
        assert_eq!(
            texts,
            [
                ("a", "Which flour?"),
                ("b", "Rye or wheat?"),
                ("c", "Rye, or spelt?"),
                ("d", "spelt")
            ]
        );
        assert_eq!(
            refused,
            ["file, conversation 1: no `mapping` of messages in it"]
        );
        let [a, b, c, d] = &turns[..] else { panic!() };
        assert_eq!(
            (a.created_at.value(), a.time.as_deref()),
            (1_740_824_101_250, Some("2025-03-01T10:15:01.25Z"))
        );
        assert_eq!(a.extra["parts"][0]["asset_pointer"], "file://1");
        assert_eq!(
            (b.created_at.value(), &b.extra["branch"]),
            (1_740_824_100_500, &Value::from("left"))
        );
        assert_eq!(
            (c.extra.get("branch"), c.extra["title"].as_str()),
            (None, Some("Bread"))
        );
        assert_eq!((d.speaker.as_deref(), d.position), (Some("python"), 3));
    }

    /// A circle has no beginning, and ends all the same.
    #[test]
    fn a_circle_of_messages_ends() {
        let circle = r#"{"id":"c","create_time":1,"mapping":{
            "a":{"message":{"content":{"parts":["x"]}},"parent":"b","children":["b"]},
            "b":{"message":{"content":{"parts":["y"]}},"parent":"a","children":["a"]}},"current_node":"a"}"#;
        let (turns, _) = turns_of(|sink| read(circle.as_bytes(), "file", sink));
        assert_eq!(turns.len(), 2);
    }
}
