//! LoCoMo documents (snap-research/LoCoMo): one conversation, or several in an array, each with
//! sessions of turns. Questions and summaries beside the conversation are not memories and are
//! passed over.
//!
//! A session has one time, such as `1:56 pm on 8 May, 2023`, read as UTC; the turn at position `n`
//! of it is created `n` seconds later, so that turns of one session keep their order in time.

use std::io::BufRead;

use counterfoil_types::json::{Map, Value};
use counterfoil_types::{Scope, UnixMillis};

use super::elements::{self, refused, text};
use super::{At, Sink, Turn};
use crate::error::Error;
use crate::when;

const ADVICE: &str = "give a LoCoMo document, or say what it is with --format";

pub(crate) fn read(reader: impl BufRead, name: &str, sink: &mut Sink<'_>) -> Result<(), Error> {
    elements::read(reader, |number, sample| {
        let sample = match sample {
            Ok(sample) => sample,
            Err(refused) => return sink(Err(refused)),
        };
        let (name, place) = match number {
            None => (name.to_owned(), None),
            Some(number) => (format!("{name}-{number}"), Some(number)),
        };
        match (into_conversation(sample, &name), place) {
            (Some(conversation), _) => conversation.read(sink),
            (None, Some(number)) => sink(refused(
                format!("element {number}"),
                "no `conversation` in it",
            )),
            (None, None) => Err(Error::input(
                "the file holds no LoCoMo conversation",
                ADVICE,
            )),
        }
    })
}

struct Conversation {
    name: String,
    members: Map,
}

/// A sample with its `conversation`, or a conversation by itself.
fn into_conversation(sample: Value, fallback: &str) -> Option<Conversation> {
    let Value::Object(mut sample) = sample else {
        return None;
    };
    let name = match sample.get("sample_id") {
        Some(Value::String(name)) if !name.is_empty() => name.clone(),
        _ => fallback.to_owned(),
    };
    let members = match sample.remove("conversation") {
        Some(Value::Object(members)) => members,
        Some(_) => return None,
        None => sample,
    };
    let conversation = Conversation { name, members };
    (!conversation.sessions().is_empty()).then_some(conversation)
}

impl Conversation {
    /// The sessions' names in the order of their numbers.
    fn sessions(&self) -> Vec<(u32, String)> {
        let mut sessions: Vec<_> = self
            .members
            .iter()
            .filter(|(_, value)| value.is_array())
            .filter_map(|(name, _)| {
                let number = name.strip_prefix("session_")?.parse().ok()?;
                Some((number, name.clone()))
            })
            .collect();
        sessions.sort_unstable();
        sessions
    }

    fn read(mut self, sink: &mut Sink<'_>) -> Result<(), Error> {
        for (_, session) in self.sessions() {
            let place = format!("{} {session}", self.name);
            let time = self
                .members
                .get(&format!("{session}_date_time"))
                .and_then(Value::as_str);
            let start = time.and_then(|time| {
                let at = when::utc_by_pattern("%I:%M %p on %d %B, %Y", time);
                Some((time.to_owned(), at.or_else(|| when::instant(time))?))
            });
            let Some(start) = start else {
                sink(refused(
                    place,
                    format_args!("`{session}_date_time` is no time such as 1:56 pm on 8 May, 2023"),
                ))?;
                continue;
            };
            let Some(Value::Array(turns)) = self.members.remove(&session) else {
                continue;
            };
            for (position, turn) in turns.into_iter().enumerate() {
                let at = format!("{place}, turn {position}");
                sink(match self.turn(&session, &start, position, turn) {
                    Ok(turn) => Ok((At::Place(at), turn)),
                    Err(why) => refused(at, why),
                })?;
            }
        }
        Ok(())
    }

    fn turn(
        &self,
        session: &str,
        (time, start): &(String, u64),
        position: usize,
        turn: Value,
    ) -> Result<Turn, String> {
        let Value::Object(mut members) = turn else {
            return Err("not an object".to_owned());
        };
        let position = u64::try_from(position).map_err(|_| "too many turns".to_owned())?;
        let millis = start.saturating_add(position.saturating_mul(1000));
        let turn = Turn {
            conversation: self.name.clone(),
            session: Some(session.to_owned()),
            id: text(&mut members, "dia_id")?.ok_or("`dia_id` is missing")?,
            position,
            speaker: text(&mut members, "speaker")?,
            time: Some(time.clone()),
            created_at: UnixMillis::new(millis).map_err(|error| error.to_string())?,
            text: text(&mut members, "text")?.ok_or("`text` is missing")?,
            caption: text(&mut members, "blip_caption")?,
            scope: Scope::new(),
            extra: members,
        };
        turn.flaw().map_or(Ok(turn), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Found;

    const SAMPLE: &str = r#"{"sample_id":"conv-1","qa":[{"question":"q"}],"conversation":{
        "speaker_a":"Ada","speaker_b":"Bob",
        "session_10_date_time":"12:09 am on 13 September, 2023",
        "session_10":[{"speaker":"Bob","dia_id":"D10:1","text":"late"}],
        "session_2_date_time":"1:56 pm on 8 May, 2023",
        "session_2":[{"speaker":"Ada","dia_id":"D2:1","text":"hi"},
                     {"speaker":"Bob","dia_id":"D2:2","text":"look","blip_caption":"a cat","query":"cat"},
                     {"speaker":"Bob","text":"no id"}],
        "session_3_date_time":"some day","session_3":[{"speaker":"Ada","dia_id":"D3:1","text":"x"}]}}"#;

    fn items(text: &str) -> Vec<Found> {
        let mut items = Vec::new();
        read(text.as_bytes(), "file", &mut |item| {
            items.push(item);
            Ok(())
        })
        .unwrap();
        items
    }

    #[test]
    fn sessions_come_in_their_order_with_ids_times_and_captions() {
        let items = items(SAMPLE);
        let [
            Ok((_, first)),
            Ok((_, second)),
            Err(no_id),
            Err(no_time),
            Ok((_, late)),
        ] = &items[..]
        else {
            panic!("{items:?}")
        };
        assert_eq!(
            (first.id.as_str(), first.created_at.value()),
            ("D2:1", 1_683_554_160_000)
        );
        assert_eq!(second.created_at.value(), 1_683_554_161_000);
        assert_eq!(second.caption.as_deref(), Some("a cat"));
        assert_eq!(second.extra.get("query"), Some(&Value::from("cat")));
        assert_eq!(
            no_id.to_string(),
            "conv-1 session_2, turn 2: `dia_id` is missing"
        );
        assert!(
            no_time.to_string().starts_with("conv-1 session_3: "),
            "{no_time}"
        );
        assert_eq!(
            (late.id.as_str(), late.created_at.value()),
            ("D10:1", 1_694_563_740_000)
        );
        assert_eq!(
            (late.conversation.as_str(), late.session.as_deref()),
            ("conv-1", Some("session_10"))
        );
    }

    #[test]
    fn an_array_and_a_bare_conversation_are_read_too() {
        assert_eq!(items(&format!("[{SAMPLE},{SAMPLE},7]")).len(), 11);
        let bare = r#"{"session_1_date_time":"2023-05-08T13:56:00Z","session_1":[{"dia_id":"D1:1","text":"hi"}]}"#;
        let items = items(bare);
        let [Ok((_, turn))] = &items[..] else {
            panic!("{items:?}")
        };
        assert_eq!(
            (turn.conversation.as_str(), turn.speaker.as_deref()),
            ("file", None)
        );
    }

    #[test]
    fn a_document_that_is_cut_off_or_something_else_is_refused_whole() {
        for text in [
            &SAMPLE[..SAMPLE.len() - 3],
            "{}",
            "7",
            "",
            r#"{"conversation":[]}"#,
        ] {
            let ended = read(text.as_bytes(), "file", &mut |_| {
                panic!("nothing is handed on")
            });
            assert!(ended.is_err(), "{text:?}");
        }
    }
}
