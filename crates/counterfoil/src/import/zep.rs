//! Episodes of Zep and Graphiti: an array, or an object with `episodes`.
//!
//! Each becomes a memory of its reference time, in the scope of its user, thread and group. Entities and edges, which Zep derives from the episodes, are not
//! read: `extract` makes facts of the texts.

use std::io::BufRead;

use counterfoil_types::Scope;
use counterfoil_types::json::Map;

use super::elements::{Records, text};
use super::{Dated, Sink, Turn};
use crate::error::Error;

/// Most characters of the speaker before a colon.
const MAX_SPEAKER: usize = 60;
/// Members that hold the time of an episode, the best one first.
const TIMES: [&str; 3] = ["valid_at", "reference_time", "created_at"];
/// Members that name a scope, and its key; of two with one key the first counts.
const SCOPES: [(&str, &str); 5] = [
    ("user_id", "user"),
    ("user_uuid", "user"),
    ("session_id", "session"),
    ("thread_uuid", "session"),
    ("group_id", "group"),
];

pub(super) fn read(
    reader: impl BufRead,
    file: &Dated<'_>,
    sink: &mut Sink<'_>,
) -> Result<(), Error> {
    let records = Records {
        lists: &["episodes"],
        source: "episodes as Zep or Graphiti gives them",
        word: "episode",
    };
    records.read(
        reader,
        |members, position| turn(file, members, position),
        sink,
    )
}

fn turn(file: &Dated<'_>, mut episode: Map, position: u64) -> Result<Turn, String> {
    let content = text(&mut episode, "content")?;
    let content = content.ok_or("`content` is missing; add it as a string")?;
    let named = TIMES.iter().find(|name| episode.contains_key(**name));
    let time = named.map(|name| text(&mut episode, name)).transpose()?;
    let dated = file.turn_at(time.flatten())?;
    let mut speaker = None;
    for name in ["role_name", "role", "role_type"] {
        speaker = speaker.or(text(&mut episode, name)?);
    }
    let is_message = episode.get("source").is_some_and(|it| it == "message");
    let (speaker, words) = match (speaker, is_message) {
        (None, true) => said_by(content),
        (speaker, _) => (speaker, content),
    };
    // They are derived, and name what is not read.
    for name in ["entity_edges", "processed", "score", "relevance", "labels"] {
        episode.remove(name);
    }
    let scope = scope_of(&mut episode)?;
    let turn = Turn {
        conversation: file.name.to_owned(),
        id: text(&mut episode, "uuid")?.ok_or("`uuid` is missing")?,
        position,
        speaker,
        text: words,
        scope,
        extra: episode,
        ..dated
    };
    turn.flaw().map_or(Ok(turn), Err)
}

/// Speaker and words of `actor: words` on one line, as Graphiti writes messages.
fn said_by(content: String) -> (Option<String>, String) {
    let said = content.split_once(": ").filter(|(actor, words)| {
        let is_name = !actor.is_empty() && actor.chars().count() <= MAX_SPEAKER;
        is_name && !actor.contains(['\n', ':']) && !words.contains('\n')
    });
    match said {
        Some((actor, words)) => (Some(actor.to_owned()), words.to_owned()),
        None => (None, content),
    }
}

fn scope_of(episode: &mut Map) -> Result<Scope, String> {
    let mut pairs: Vec<(&str, String)> = Vec::new();
    for (name, key) in SCOPES {
        let value = text(episode, name)?.filter(|value| !value.is_empty());
        if pairs.iter().all(|(taken, _)| *taken != key) {
            pairs.extend(value.map(|value| (key, value)));
        }
    }
    Scope::from_pairs(pairs).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::tests::{dated as dated_file, turns_of};

    /// One as Graphiti's `EpisodicNode` serialises, one as Zep's API gives it, and two that cannot be read.
    const EPISODES: &str = r#"[
        {"uuid":"1","name":"turn 1","group_id":"kit","labels":[],"created_at":"2025-03-02T00:00:00Z","source":"message",
         "source_description":"chat","content":"Kit: I avoid sesame","valid_at":"2025-03-01T10:15:00Z","entity_edges":["e"],"episode_metadata":null},
        {"uuid":"2","content":"Noted: no sesame","created_at":"2025-03-01T10:16:00Z","role":"assistant","role_name":"Quill","source":"message",
         "source_description":"","thread_uuid":"t","user_uuid":"u","processed":true,"metadata":{"a":1}},
        {"uuid":"3","name":"x"}, {"content":"no id","created_at":"2025-03-01 10:15:00"}, 5]"#;

    #[test]
    fn episodes_of_both_are_read() {
        for file in [EPISODES.to_owned(), format!("{{\"episodes\":{EPISODES}}}")] {
            let (turns, refused) = turns_of(|sink| read(file.as_bytes(), &dated_file(), sink));
            let [first, second] = &turns[..] else {
                panic!("{turns:?}")
            };
            assert_eq!(
                (
                    first.speaker.as_deref(),
                    first.text.as_str(),
                    first.created_at.value()
                ),
                (Some("Kit"), "I avoid sesame", 1_740_824_100_000)
            );
            assert_eq!(first.scope.to_string(), "group=kit");
            assert!(first.extra.get("entity_edges").is_none());
            assert_eq!(
                (second.speaker.as_deref(), second.text.as_str()),
                (Some("Quill"), "Noted: no sesame")
            );
            assert_eq!(second.scope.to_string(), "session=t,user=u");
            assert_eq!(
                refused,
                [
                    "episode 2: `content` is missing; add it as a string",
                    "episode 3: `uuid` is missing",
                    "episode 4: not an object",
                ]
            );
        }
    }

    #[test]
    fn only_a_name_before_the_colon_is_a_speaker() {
        for whole in ["no colon", ": x", "a: b\nc: d", "12:30: lunch"] {
            assert_eq!(said_by(whole.to_owned()), (None, whole.to_owned()));
        }
    }
}
