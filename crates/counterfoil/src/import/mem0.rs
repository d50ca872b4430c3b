//! Memories of mem0, as its `get_all` and its export give them: an array, or an object with `results` or `memories`.
//!
//! Each becomes a memory with its own time, in the scope of its user, agent and run; metadata and categories stay in `extra`. Earlier versions are in mem0's history
//! database alone, and are not read.

use std::io::BufRead;

use counterfoil_types::Scope;
use counterfoil_types::json::Map;

use super::elements::{Records, text};
use super::{Dated, Sink, Turn};
use crate::error::Error;

pub(super) fn read(
    reader: impl BufRead,
    file: &Dated<'_>,
    sink: &mut Sink<'_>,
) -> Result<(), Error> {
    let records = Records {
        lists: &["results", "memories"],
        source: "what mem0's get_all returned",
        word: "memory",
    };
    records.read(
        reader,
        |members, position| turn(file, members, position),
        sink,
    )
}

fn turn(file: &Dated<'_>, mut members: Map, position: u64) -> Result<Turn, String> {
    let words = text(&mut members, "memory")?.ok_or("`memory` is missing; add it as a string")?;
    let dated = file.turn_at(text(&mut members, "created_at")?)?;
    // It follows from the text.
    members.remove("hash");
    let scope = scope_of(&mut members)?;
    let turn = Turn {
        conversation: file.name.to_owned(),
        id: text(&mut members, "id")?.ok_or("`id` is missing")?,
        position,
        text: words,
        scope,
        extra: members,
        ..dated
    };
    turn.flaw().map_or(Ok(turn), Err)
}

/// Scope of the user, agent and run that a memory names.
fn scope_of(members: &mut Map) -> Result<Scope, String> {
    let keys = [
        ("user_id", "user"),
        ("agent_id", "agent"),
        ("run_id", "session"),
    ];
    let mut pairs = Vec::new();
    for (name, key) in keys {
        pairs.extend(text(members, name)?.map(|value| (key, value)));
    }
    Scope::from_pairs(pairs).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::tests::{dated, turns_of};

    #[test]
    fn an_array_and_an_answer_of_get_all_are_read() {
        let array = r#"[{"id":"1","memory":"Likes rye","user_id":"kit","hash":"x","created_at":"2025-03-01T02:15:00-08:00","updated_at":null,"metadata":{"a":1}},
            {"id":"2","memory":"Bakes"}, {"id":"3"}, {"id":"4","memory":"x","created_at":"noon"}]"#;
        for file in [
            array.to_owned(),
            format!("{{\"results\":{array}}}"),
            format!("{{\"memories\":{array}}}"),
        ] {
            let (turns, refused) = turns_of(|sink| read(file.as_bytes(), &dated(), sink));
            let [first, second] = &turns[..] else {
                panic!("{turns:?}")
            };
            assert_eq!(
                (first.text.as_str(), first.created_at.value()),
                ("Likes rye", 1_740_824_100_000)
            );
            assert_eq!(
                (first.scope.to_string().as_str(), first.extra.get("hash")),
                ("user=kit", None)
            );
            assert_eq!((second.created_at, second.position), (dated().written, 1));
            assert_eq!(refused.len(), 2, "{refused:?}");
        }
        assert!(read(&b"{}"[..], &dated(), &mut |_| panic!()).is_err());
    }
}
