//! Our own record format: one JSON object a line (RFC 8259 read strictly, as everything that is
//! hashed must be).
//!
//! `conversation`, `time` (RFC 3339) and `text` are needed; `session`, `id`, `speaker` and
//! `caption` are optional strings; other members are kept under `extra`. Empty lines are passed
//! over.

use std::io::BufRead;

use counterfoil_types::json::Map;
use counterfoil_types::{Scope, UnixMillis};

use super::elements::text;
use super::lines::{Lines, broken_off, object};
use super::session::Positions;
use super::{At, Refused, Sink, Turn};
use crate::error::Error;
use crate::when;

pub(crate) fn read(reader: impl BufRead, sink: &mut Sink<'_>) -> Result<(), Error> {
    let mut lines = Lines::new(reader);
    let mut positions = Positions::default();
    while let Some((number, line)) = lines.next_line().map_err(broken_off)? {
        let Some(members) = object(line) else {
            continue;
        };
        let item = members.and_then(|members| turn(number, members, &mut positions));
        let at = At::Line(number);
        sink(match item {
            Ok(turn) => Ok((at, turn)),
            Err(why) => {
                positions.skip();
                Err(Refused::new(at, why))
            }
        })?;
    }
    Ok(())
}

fn turn(number: u64, mut members: Map, positions: &mut Positions) -> Result<Turn, String> {
    let conversation = needed(&mut members, "conversation")?;
    let session = text(&mut members, "session")?;
    let time = needed(&mut members, "time")?;
    let turn = Turn {
        created_at: created_at(&time)?,
        text: needed(&mut members, "text")?,
        speaker: text(&mut members, "speaker")?,
        caption: text(&mut members, "caption")?,
        scope: Scope::new(),
        id: text(&mut members, "id")?.unwrap_or_else(|| format!("L{number}")),
        position: 0,
        conversation,
        session,
        time: Some(time),
        extra: members,
    };
    if let Some(flaw) = turn.flaw() {
        return Err(flaw);
    }
    let position = positions.take(&turn.conversation, turn.session.as_deref());
    Ok(Turn { position, ..turn })
}

fn created_at(time: &str) -> Result<UnixMillis, String> {
    when::instant(time)
        .and_then(|millis| UnixMillis::new(millis).ok())
        .ok_or_else(|| {
            format!("`time` {time:?} is no RFC 3339 time after 1970; write 2025-03-01T10:15:00Z")
        })
}

fn needed(members: &mut Map, name: &str) -> Result<String, String> {
    text(members, name)?.ok_or_else(|| format!("`{name}` is missing; add it as a string"))
}

#[cfg(test)]
mod tests {
    use counterfoil_types::json::Value;

    use super::*;
    use crate::import::Found;

    fn items(text: &[u8]) -> Vec<Found> {
        let mut items = Vec::new();
        read(text, &mut |item| {
            items.push(item);
            Ok(())
        })
        .unwrap();
        items
    }

    fn refusal(text: &[u8]) -> String {
        match items(text).pop() {
            Some(Err(refused)) => refused.to_string(),
            other => panic!("{other:?}"),
        }
    }

    const GOOD: &str = r#"{"conversation":"c","session":"s","id":"1","speaker":"Ada","time":"2025-03-01T10:15:00+01:00","text":"hi","caption":"a cat","mood":"fine"}"#;

    #[test]
    fn every_member_finds_its_place_and_unknown_ones_stay() {
        let items = items(GOOD.as_bytes());
        let [Ok((_, turn))] = &items[..] else {
            panic!("{items:?}")
        };
        assert_eq!(
            (turn.id.as_str(), turn.text.as_str(), turn.position),
            ("1", "hi", 0)
        );
        assert_eq!(turn.caption.as_deref(), Some("a cat"));
        assert_eq!(turn.created_at.value(), 1_740_820_500_000);
        assert_eq!(turn.extra.get("mood"), Some(&Value::from("fine")));
    }

    #[test]
    fn bad_lines_are_told_by_number_and_leave_a_gap() {
        let text = format!("{GOOD}\n\n{{\"a\":1,\"a\":2}}\n{GOOD}\n");
        let items = items(text.as_bytes());
        let [Ok((_, first)), Err(refused), Ok((at, last))] = &items[..] else {
            panic!("{items:?}")
        };
        assert_eq!(
            (first.position, &refused.at, last.position),
            (0, &At::Line(3), 2)
        );
        assert_eq!(*at, At::Line(4));
    }

    #[test]
    fn each_kind_of_bad_line_has_its_own_reason() {
        for (line, reason) in [
            (&b"{\"conversation\":\"c\""[..], "not JSON"),
            (b"hello", "not JSON"),
            (b"[1]", "not a JSON object"),
            (b"{\"x\":\"\xff\"}", "not UTF-8"),
            (b"{\"x\":\"\0\"}", "not JSON"),
            (b"{\"a\":1,\"a\":2}", "stands twice"),
            (b"{\"a\":9007199254740993}", "integer"),
            (
                br#"{"conversation":"c","time":"2025-03-01T10:15:00Z"}"#,
                "`text` is missing",
            ),
            (
                br#"{"conversation":"c","time":"noon","text":"t"}"#,
                "RFC 3339",
            ),
            (
                br#"{"conversation":7,"time":"2025-03-01T10:15:00Z","text":"t"}"#,
                "not a string",
            ),
            (
                br#"{"conversation":"c","time":"2025-03-01T10:15:00Z","text":"\u0000"}"#,
                "NUL",
            ),
        ] {
            let refused = refusal(line);
            assert!(refused.contains(reason), "{refused}");
        }
        let bomb = "[".repeat(100_000);
        assert!(refusal(bomb.as_bytes()).contains("nested"));
    }
}
