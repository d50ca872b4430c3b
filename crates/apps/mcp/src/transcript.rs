//! Transcripts of coding agents: the turns that a person or a model wrote, without what this memory injected.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde_json::Value;

/// Marks around what a hook injects.
pub(crate) const BEGIN: &str = "<counterfoil-memory>";
pub(crate) const END: &str = "</counterfoil-memory>";

/// Longest line of a transcript, in bytes; a longer one is passed over.
const MAX_LINE: u64 = 4 << 20;
/// Most turns that one import takes, the last of the session.
const MAX_TURNS: usize = 10_000;
/// Longest text of a turn, in bytes; a longer one is no turn to remember.
pub(crate) const MAX_TEXT: usize = 256 << 10;
/// Marks around what a host adds to a turn by itself.
const OF_HOST: [(&str, &str); 2] = [(BEGIN, END), ("<system-reminder>", "</system-reminder>")];

/// Writer of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    User,
    Model,
}

impl Speaker {
    /// Channel of what it says.
    pub(crate) const fn channel(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Model => "model",
        }
    }

    /// Name in a memory.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Model => "assistant",
        }
    }
}

/// One turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) speaker: Speaker,
    pub(crate) text: String,
}

/// The turns of a transcript in JSON Lines, in their order. What is no turn is passed over: tool calls and their results, turns
/// of other agents, remarks of the host, and lines that cannot be read.
pub(crate) fn turns(path: &Path) -> std::io::Result<Vec<Turn>> {
    let mut reader = BufReader::new(File::open(path)?);
    let (mut turns, mut line) = (Vec::new(), Vec::new());
    loop {
        line.clear();
        let read = reader
            .by_ref()
            .take(MAX_LINE)
            .read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        if line.last() != Some(&b'\n') && u64::try_from(read).is_ok_and(|it| it == MAX_LINE) {
            pass_over(&mut reader)?;
            continue;
        }
        turns.extend(serde_json::from_slice(&line).ok().as_ref().and_then(turn));
    }
    let skipped = turns.len().saturating_sub(MAX_TURNS);
    Ok(turns.split_off(skipped))
}

/// Reads to the end of the line.
fn pass_over(reader: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(buffer.len(), |end| end + 1);
        reader.consume(used);
        if end.is_some() {
            return Ok(());
        }
    }
}

fn turn(line: &Value) -> Option<Turn> {
    let is_set = |name: &str| line.get(name).and_then(Value::as_bool) == Some(true);
    if is_set("isMeta") || is_set("isSidechain") || is_set("isCompactSummary") {
        return None;
    }
    let speaker = match line.get("type")?.as_str()? {
        "user" => Speaker::User,
        "assistant" => Speaker::Model,
        _ => return None,
    };
    let text = said(line.pointer("/message/content")?)?;
    Some(Turn {
        speaker,
        text: own_words(&text)?,
    })
}

/// The text of a message: a string, or its parts of type `text`.
fn said(content: &Value) -> Option<String> {
    if let Some(text) = content.as_str() {
        return Some(text.to_owned());
    }
    let parts = content.as_array()?.iter();
    let texts = parts.filter(|part| part.get("type").and_then(Value::as_str) == Some("text"));
    let texts: Vec<&str> = texts
        .filter_map(|part| part.get("text")?.as_str())
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// A text without what the host or this memory put into it; `None` where nothing is left, or too much.
pub(crate) fn own_words(text: &str) -> Option<String> {
    let mut own = text.to_owned();
    for (begin, end) in OF_HOST {
        while let Some(from) = own.find(begin) {
            let rest = own.get(from..).unwrap_or_default();
            // A block without an end reaches to the end of the text.
            let until = rest.find(end).map_or(own.len(), |at| from + at + end.len());
            own.replace_range(from..until, "");
        }
    }
    let own = own.trim();
    let is_turn = !own.is_empty() && own.len() <= MAX_TEXT && !own.contains('\0');
    is_turn.then(|| own.to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(lines: &[&str]) -> Vec<(Speaker, String)> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(lines.join("\n").as_bytes()).unwrap();
        let turns = turns(file.path()).unwrap();
        turns.into_iter().map(|it| (it.speaker, it.text)).collect()
    }

    #[test]
    fn turns_are_what_a_person_or_a_model_wrote() {
        let turns = read(&[
            r#"{"type":"user","message":{"content":"I am allergic to sesame"}}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Noted."},{"type":"tool_use","id":"1","name":"recall","input":{}}]}}"#,
            r#"{"type":"user","message":{"content":[{"type":"tool_result","content":"a recalled memory"}]}}"#,
            r#"{"type":"user","isMeta":true,"message":{"content":"a caveat of the host"}}"#,
            r#"{"type":"user","isSidechain":true,"message":{"content":"for another agent"}}"#,
            r#"{"type":"summary","summary":"s"}"#,
            "no JSON",
            r#"{"type":"user","message":{"content":7}}"#,
        ]);
        assert_eq!(
            turns,
            [
                (Speaker::User, "I am allergic to sesame".to_owned()),
                (Speaker::Model, "Noted.".to_owned()),
            ]
        );
    }

    /// AGT-5; mutant `hook-feedback`: memories that a hook had injected were remembered again with each session.
    #[test]
    fn injected_memories_are_no_words_of_a_turn() {
        let injected = format!("{BEGIN}\n- \"Kit likes tea\"\n{END}");
        assert_eq!(own_words(&injected), None);
        assert_eq!(
            own_words(&format!("{injected}\nAnd coffee?")),
            Some("And coffee?".to_owned())
        );
        assert_eq!(
            own_words(&format!("Hm. {BEGIN} cut off")),
            Some("Hm.".to_owned())
        );
        let nested = format!("{BEGIN}{BEGIN}a{END}b{END}c");
        assert!(!own_words(&nested).unwrap_or_default().contains(BEGIN));
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let long = format!(
            r#"{{"type":"user","message":{{"content":"{}"}}}}"#,
            "a".repeat(5 << 20)
        );
        let turns = read(&[&long, r#"{"type":"user","message":{"content":"short"}}"#]);
        assert_eq!(turns, [(Speaker::User, "short".to_owned())]);
    }
}
