//! A plain transcript: `[2025-03-01 10:15] Name: text`, seconds optional, UTC; or any RFC 3339 time
//! in the brackets. A line without a stamp continues the turn before it.
//!
//! The conversation is named for the file, and a turn's id is the number of its line.

use std::io::BufRead;

use counterfoil_types::json::Map;
use counterfoil_types::{Scope, UnixMillis};

use super::lines::{Line, Lines, broken_off, too_long};
use super::session::Positions;
use super::{At, MAX_LINE_BYTES, Refused, Sink, Turn};
use crate::error::Error;
use crate::when;

pub(crate) fn read(reader: impl BufRead, name: &str, sink: &mut Sink<'_>) -> Result<(), Error> {
    let mut lines = Lines::new(reader);
    let mut transcript = Transcript {
        name,
        positions: Positions::default(),
        open: Open::Nothing,
    };
    while let Some((number, line)) = lines.next_line().map_err(broken_off)? {
        match line {
            Line::Whole(bytes) => transcript.line(number, &bytes, sink)?,
            Line::TooLong { bytes, head } => {
                transcript.unreadable(number, &head, &too_long(bytes), sink)?;
            }
        }
    }
    transcript.close(sink)
}

struct Transcript<'a> {
    name: &'a str,
    positions: Positions,
    open: Open,
}

/// Turn that a line without a timestamp continues.
enum Open {
    Nothing,
    /// A turn, and the number of its first line.
    Turn(u64, Box<Turn>),
    /// A turn that was refused, with all of its lines.
    Refused,
}

impl Transcript<'_> {
    fn line(&mut self, number: u64, bytes: &[u8], sink: &mut Sink<'_>) -> Result<(), Error> {
        let Ok(text) = std::str::from_utf8(bytes) else {
            let why = "not UTF-8; save the file as UTF-8";
            return self.unreadable(number, bytes, why, sink);
        };
        if let Some((time, rest)) = stamp(text) {
            self.close(sink)?;
            return match self.begin(number, time, rest) {
                Ok(turn) => {
                    self.open = Open::Turn(number, Box::new(turn));
                    Ok(())
                }
                Err(why) => {
                    self.open = Open::Refused;
                    self.refuse(number, &why, sink)
                }
            };
        }
        match &mut self.open {
            Open::Turn(_, turn) if turn.text.len() + text.len() < MAX_LINE_BYTES => {
                turn.text.push('\n');
                turn.text.push_str(text);
                Ok(())
            }
            Open::Turn(..) => {
                self.unreadable(number, bytes, "the turn is above 1 MiB; split it", sink)
            }
            Open::Refused => Ok(()),
            Open::Nothing if text.trim().is_empty() => Ok(()),
            Open::Nothing => self.refuse(
                number,
                "no stamp; begin with [2025-03-01 10:15] Name:",
                sink,
            ),
        }
    }

    /// Refuses a line and the turn that it is part of: a turn without one of its lines would be
    /// another turn, and stay beside the whole one when the line is mended.
    fn unreadable(
        &mut self,
        number: u64,
        line: &[u8],
        why: &str,
        sink: &mut Sink<'_>,
    ) -> Result<(), Error> {
        if stamp(&String::from_utf8_lossy(line)).is_some() {
            self.close(sink)?;
            self.open = Open::Refused;
        }
        let Open::Turn(first, _) = &self.open else {
            return self.refuse(number, why, sink);
        };
        let why = format!("{why} (all of the turn of line {first} is left out)");
        // Its position stays free for when it is whole.
        self.open = Open::Refused;
        sink(Err(Refused::new(At::Line(number), why)))
    }

    fn begin(&mut self, number: u64, time: &str, rest: &str) -> Result<Turn, String> {
        let created_at = created_at(time)?;
        let (speaker, text) = rest
            .split_once(": ")
            .or_else(|| rest.strip_suffix(':').map(|speaker| (speaker, "")))
            .ok_or("no name; write [2025-03-01 10:15] Name: text")?;
        Ok(Turn {
            conversation: self.name.to_owned(),
            session: None,
            id: number.to_string(),
            position: self.positions.take(self.name, None),
            speaker: Some(speaker.trim().to_owned()).filter(|name| !name.is_empty()),
            time: Some(time.to_owned()),
            created_at,
            text: text.to_owned(),
            caption: None,
            scope: Scope::new(),
            extra: Map::new(),
        })
    }

    fn close(&mut self, sink: &mut Sink<'_>) -> Result<(), Error> {
        let Open::Turn(number, mut turn) = std::mem::replace(&mut self.open, Open::Nothing) else {
            return Ok(());
        };
        turn.text.truncate(turn.text.trim_end().len());
        let at = At::Line(number);
        sink(match turn.flaw() {
            None => Ok((at, *turn)),
            Some(flaw) => Err(Refused::new(at, flaw)),
        })
    }

    fn refuse(&mut self, number: u64, why: &str, sink: &mut Sink<'_>) -> Result<(), Error> {
        self.positions.skip();
        sink(Err(Refused::new(At::Line(number), why)))
    }
}

/// Splits a line into the bracketed timestamp at its start, if it begins like a date, and the rest.
pub(crate) fn stamp(line: &str) -> Option<(&str, &str)> {
    let (time, rest) = line.strip_prefix('[')?.split_once(']')?;
    let like_a_date = time.len() >= 10
        && time.bytes().take(4).all(|byte| byte.is_ascii_digit())
        && time.as_bytes().get(4) == Some(&b'-');
    like_a_date.then_some((time, rest.trim_start()))
}

fn created_at(time: &str) -> Result<UnixMillis, String> {
    let patterns = [
        "%Y-%m-%d %H:%M",
        "%Y-%m-%d %H:%M:%S",
        "%Y-%m-%dT%H:%M",
        "%Y-%m-%dT%H:%M:%S",
    ];
    patterns
        .iter()
        .find_map(|pattern| when::utc_by_pattern(pattern, time))
        .or_else(|| when::instant(time))
        .and_then(|millis| UnixMillis::new(millis).ok())
        .ok_or_else(|| format!("[{time}] is no time after 1970; write [2025-03-01 10:15]"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Found;

    fn items(text: &str) -> Vec<Found> {
        let mut items = Vec::new();
        read(text.as_bytes(), "notes", &mut |item| {
            items.push(item);
            Ok(())
        })
        .unwrap();
        items
    }

    #[test]
    fn turns_and_their_continuations_are_read() {
        let items = items(
            "\n[2025-03-01 10:15] Ada: one\n  more: of it\n\n[2025-03-01T11:00:00+01:00] Bob: two\n",
        );
        let [Ok((_, ada)), Ok((_, bob))] = &items[..] else {
            panic!("{items:?}")
        };
        assert_eq!(ada.text, "one\n  more: of it");
        assert_eq!((ada.id.as_str(), ada.position), ("2", 0));
        assert_eq!(ada.created_at.value(), 1_740_824_100_000);
        assert_eq!((bob.speaker.as_deref(), bob.position), (Some("Bob"), 1));
        assert_eq!(bob.created_at.value(), 1_740_823_200_000);
    }

    #[test]
    fn lines_that_are_no_turn_are_refused_by_number() {
        let items = items("hello\n[2025-13-01 10:15] Ada: x\n[2025-03-01 10:15] nobody\n");
        let lines: Vec<_> = items
            .iter()
            .map(|item| &item.as_ref().unwrap_err().at)
            .collect();
        assert_eq!(lines, [&At::Line(1), &At::Line(2), &At::Line(3)]);
    }

    /// A turn with an unreadable line was kept without it, and stayed beside the whole turn after
    /// the line was mended.
    #[test]
    fn a_turn_with_an_unreadable_line_is_left_out_as_a_whole() {
        let mut items = Vec::new();
        let text =
            b"[2025-03-01 10:15] Ada: one\nmo\xffre\nand more\n[2025-03-01 10:16] Bob: two\n";
        read(&text[..], "notes", &mut |item| {
            items.push(item);
            Ok(())
        })
        .unwrap();
        let [Err(refused), Ok((_, bob))] = &items[..] else {
            panic!("{items:?}")
        };
        assert_eq!((&refused.at, bob.position), (&At::Line(2), 1));
        assert!(refused.why.contains("line 1"), "{refused}");
    }
}
