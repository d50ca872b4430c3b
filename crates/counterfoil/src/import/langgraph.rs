//! Items of a LangGraph store, which LangMem writes too: an array of what `Item.dict()` gives, or an object with `items`; rows of its tables have
//! `prefix` in place of `namespace`.
//!
//! The text is that of the value's `content`, `text`, `memory` or `data`, or in LangMem's form that of the `content` within; a value without one is kept as
//! JSON. The namespace stays beside it, as no rule says what its parts mean.

use std::io::BufRead;

use counterfoil_types::json::{Map, Value, canonical};

use super::elements::{Records, text};
use super::{Dated, Sink, Turn};
use crate::error::Error;

/// Members of a value that hold its text.
const TEXTS: [&str; 4] = ["content", "text", "memory", "data"];

pub(super) fn read(
    reader: impl BufRead,
    file: &Dated<'_>,
    sink: &mut Sink<'_>,
) -> Result<(), Error> {
    let records = Records {
        lists: &["items"],
        source: "an array of the store's items",
        word: "item",
    };
    records.read(
        reader,
        |members, position| turn(file, members, position),
        sink,
    )
}

fn turn(file: &Dated<'_>, mut item: Map, position: u64) -> Result<Turn, String> {
    let namespace = namespace_of(&mut item)?;
    let key = text(&mut item, "key")?.ok_or("`key` is missing; add it as a string")?;
    let value = item.remove("value").ok_or("`value` is missing")?;
    // It is the distance to a question.
    item.remove("score");
    let dated = file.turn_at(text(&mut item, "created_at")?)?;
    let words = match text_of(&value) {
        Some(words) => {
            item.insert("value".to_owned(), value);
            words
        }
        None => canonical(&value).map_err(|error| error.to_string())?,
    };
    let turn = Turn {
        conversation: match namespace.is_empty() {
            true => file.name.to_owned(),
            false => namespace,
        },
        id: key,
        position,
        text: words,
        extra: item,
        ..dated
    };
    turn.flaw().map_or(Ok(turn), Err)
}

/// Parts of the namespace with a slash between them; a table has dots.
fn namespace_of(item: &mut Map) -> Result<String, String> {
    if let Some(prefix) = text(item, "prefix")? {
        return Ok(prefix.replace('.', "/"));
    }
    let parts = match item.remove("namespace") {
        Some(Value::Array(parts)) => parts,
        Some(Value::String(one)) => return Ok(one),
        _ => return Err("`namespace` is missing; add it as an array of strings".to_owned()),
    };
    let parts: Option<Vec<&str>> = parts.iter().map(Value::as_str).collect();
    let parts = parts.ok_or("`namespace` is no array of strings")?;
    Ok(parts.join("/"))
}

/// Text of a value; `None` where it has none.
fn text_of(value: &Value) -> Option<String> {
    if let Some(text) = value.as_str() {
        return Some(text.to_owned());
    }
    let direct = TEXTS.iter().find_map(|name| value.get(*name)?.as_str());
    // LangMem: {"kind": …, "content": {"content": …}}
    let within = || {
        let inner = value
            .get("content")
            .filter(|_| value.get("kind").is_some())?;
        TEXTS.iter().find_map(|name| inner.get(*name)?.as_str())
    };
    direct.or_else(within).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::tests::{dated as dated_file, turns_of};

    /// An item of LangMem, one of a program of its own, a row of a table, and some that cannot be read.
    const ITEMS: &str = r#"[
        {"namespace":["memories","kit"],"key":"1","value":{"kind":"Memory","content":{"content":"Kit avoids sesame"}},
         "created_at":"2025-03-01T10:15:00+00:00","updated_at":"2025-03-02T10:15:00+00:00","score":0.5},
        {"namespace":["profile"],"key":"kit","value":{"kind":"Profile","content":{"name":"Kit","age":7}},"created_at":"2025-03-01T10:15:00+00:00","updated_at":"x"},
        {"prefix":"notes.kit","key":"3","value":{"text":"rye"},"created_at":"2025-03-01 10:15:00"},
        {"key":"4","value":{}}, {"namespace":[1],"key":"5","value":{}}, {"namespace":[],"value":{}}]"#;

    #[test]
    fn items_are_read_by_their_texts() {
        for file in [ITEMS.to_owned(), format!("{{\"items\":{ITEMS}}}")] {
            let (turns, refused) = turns_of(|sink| read(file.as_bytes(), &dated_file(), sink));
            let read: Vec<_> = turns
                .iter()
                .map(|it| (it.conversation.as_str(), it.id.as_str(), it.text.as_str()))
                .collect();
            assert_eq!(
                read,
                [
                    ("memories/kit", "1", "Kit avoids sesame"),
                    (
                        "profile",
                        "kit",
                        r#"{"content":{"age":7,"name":"Kit"},"kind":"Profile"}"#
                    ),
                    ("notes/kit", "3", "rye"),
                ]
            );
            assert!(
                turns
                    .iter()
                    .all(|turn| turn.created_at.value() == 1_740_824_100_000)
            );
            assert!(turns[0].extra.get("score").is_none() && turns[0].extra.get("value").is_some());
            assert_eq!(refused.len(), 3, "{refused:?}");
        }
    }
}
