//! Notes in Markdown, as Obsidian and basic-memory keep them: front matter, text, links to other notes.
//!
//! Each file becomes one memory. Of the front matter `title`, `tags`, `permalink` and the time are read; all of it stays in `extra` as it
//! is written, and so do the names that the text links to.

use std::collections::BTreeSet;
use std::io::{BufRead, Read};

use counterfoil_types::UnixMillis;
use counterfoil_types::json::{Map, Value};

use super::elements::refused;
use super::lines::broken_off;
use super::{At, Dated, MAX_LINE_BYTES, Sink, Turn};
use crate::error::Error;
use crate::folder::FoundFile;
use crate::when;

/// Most bytes of front matter that are read.
const MAX_FRONT_MATTER: usize = 64 << 10;
/// Most tags and most links of a note that are kept apart from its text.
const MAX_NAMES: usize = 256;
/// Line before and after the front matter.
const FENCE: &str = "---";
/// Members of the front matter that name the time of the note, the first first.
const TIMES: [&str; 4] = ["created", "created_at", "date", "modified"];

/// Reads one note, which is named for its file.
pub(super) fn read(
    reader: impl BufRead,
    file: &Dated<'_>,
    sink: &mut Sink<'_>,
) -> Result<(), Error> {
    let mut bytes = Vec::new();
    let most = u64::try_from(MAX_LINE_BYTES).unwrap_or(u64::MAX);
    let mut reader = reader.take(most + 1);
    reader.read_to_end(&mut bytes).map_err(broken_off)?;
    let at = file.name.to_owned();
    if bytes.len() > MAX_LINE_BYTES {
        return sink(refused(at, "the note is above 1 MiB; split it"));
    }
    let Ok(text) = String::from_utf8(bytes) else {
        return sink(refused(at, "not UTF-8; save the file as UTF-8"));
    };
    take((file.name, &text), file.undated_turn(), sink)
}

/// Reads the notes of a folder, which are named for their paths.
pub(super) fn read_all(
    notes: &[FoundFile],
    folder: &Dated<'_>,
    sink: &mut Sink<'_>,
) -> Result<(), Error> {
    for (position, note) in notes.iter().enumerate() {
        let written = note.content.modified.unwrap_or(folder.written);
        let file = Dated {
            name: folder.name,
            written,
        };
        let turn = Turn {
            conversation: folder.name.to_owned(),
            position: u64::try_from(position).unwrap_or(u64::MAX),
            ..file.undated_turn()
        };
        take((&note.path, &note.content.text), turn, sink)?;
    }
    Ok(())
}

/// Tests whether a file of a folder is a note, by its name.
pub(super) fn is_note(path: &str) -> bool {
    let ending = path
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| ["md", "markdown"].contains(&ending.as_str()))
}

fn take((path, text): (&str, &str), undated: Turn, sink: &mut Sink<'_>) -> Result<(), Error> {
    let (front, body) = split(text);
    let members = members(front);
    let one = |name: &str| {
        let found = members.iter().find(|(known, _)| *known == name);
        found.and_then(|(_, values)| values.first().cloned())
    };
    let time = TIMES.iter().find_map(|name| {
        let said = one(name)?;
        Some((time_of(&said)?, said))
    });
    let stem = path.rsplit('/').next().unwrap_or(path);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    let mut extra = Map::new();
    let title = one("title").unwrap_or_else(|| stem.to_owned());
    extra.insert("title".into(), title.into());
    let tags = members.iter().filter(|(name, _)| *name == "tags");
    let tags = tags.flat_map(|(_, values)| values.clone()).take(MAX_NAMES);
    for (name, names) in [("tags", tags.collect()), ("links", links(body))] {
        if !names.is_empty() {
            let names = names.into_iter().map(Value::from);
            extra.insert(name.into(), names.collect());
        }
    }
    if !front.is_empty() {
        extra.insert("frontMatter".into(), front.into());
    }
    let turn = Turn {
        conversation: match undated.conversation.as_str() {
            "" => stem.to_owned(),
            folder => folder.to_owned(),
        },
        id: one("permalink").unwrap_or_else(|| path.to_owned()),
        text: body.trim().to_owned(),
        extra,
        ..undated
    };
    let turn = match time {
        Some((created_at, time)) => Turn {
            created_at,
            time: Some(time),
            ..turn
        },
        None => turn,
    };
    let at = path.to_owned();
    match turn.flaw() {
        None => sink(Ok((At::Place(at), turn))),
        Some(flaw) => sink(refused(at, flaw)),
    }
}

/// Front matter of a note, and its text.
fn split(text: &str) -> (&str, &str) {
    let Some(rest) = text.strip_prefix(FENCE) else {
        return ("", text);
    };
    let Some(rest) = rest
        .strip_prefix("\r\n")
        .or_else(|| rest.strip_prefix('\n'))
    else {
        return ("", text);
    };
    let mut length = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == FENCE {
            let front = rest.get(..length).unwrap_or_default();
            let body = rest.get(length + line.len()..).unwrap_or_default();
            return (front, body);
        }
        length += line.len();
        if length > MAX_FRONT_MATTER {
            break;
        }
    }
    ("", text)
}

/// Members of front matter with their values: scalars, and lists of them on one line or on lines of their own. Nested values are left
/// to the text of the front matter.
fn members(front: &str) -> Vec<(&str, Vec<String>)> {
    let mut members: Vec<(&str, Vec<String>)> = Vec::new();
    for line in front.lines() {
        let listed = line.trim_start().strip_prefix("- ");
        if let (Some(value), Some((_, values))) = (listed, members.last_mut()) {
            if values.len() < MAX_NAMES {
                values.push(scalar(value));
            }
        } else if !line.starts_with([' ', '\t', '#', '-'])
            && let Some((name, value)) = line.split_once(':')
        {
            let value = value.trim();
            let list = value.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
            let values = match list {
                Some(list) => list.split(',').map(scalar).take(MAX_NAMES).collect(),
                None if value.is_empty() => Vec::new(),
                None => vec![scalar(value)],
            };
            let values: Vec<String> = values;
            let values = values.into_iter().filter(|value| !value.is_empty());
            members.push((name.trim(), values.collect()));
        }
    }
    members
}

/// A scalar without its quotation marks.
fn scalar(value: &str) -> String {
    let value = value.trim();
    let quoted = |mark: char| value.strip_prefix(mark)?.strip_suffix(mark);
    quoted('"')
        .or_else(|| quoted('\''))
        .unwrap_or(value)
        .to_owned()
}

/// A time with its offset, or a date or local time as UTC.
fn time_of(said: &str) -> Option<UnixMillis> {
    let patterns = [
        "%Y-%m-%dT%H:%M:%S",
        "%Y-%m-%d %H:%M:%S",
        "%Y-%m-%dT%H:%M",
        "%Y-%m-%d %H:%M",
    ];
    let local = patterns
        .iter()
        .find_map(|pattern| when::utc_by_pattern(pattern, said));
    let day = || when::instant(&format!("{said}T00:00:00Z"));
    let millis = when::instant(said).or(local).or_else(day)?;
    UnixMillis::new(millis).ok()
}

/// Names of the notes that a text links to: `[[name]]`, `[[name|as shown]]`, `[[name#part]]`.
fn links(text: &str) -> Vec<String> {
    let (mut rest, mut seen, mut links) = (text, BTreeSet::new(), Vec::new());
    while let Some((_, after)) = rest.split_once("[[") {
        let Some((inside, behind)) = after.split_once("]]") else {
            break;
        };
        // Of `[[a [[b]]` the inner one is the link.
        let inside = inside.rsplit("[[").next().unwrap_or(inside);
        let name = inside
            .split(['|', '#', '^'])
            .next()
            .unwrap_or_default()
            .trim();
        let is_name = !name.is_empty() && !name.contains('\n') && name.len() <= 256;
        if is_name && links.len() < MAX_NAMES && seen.insert(name) {
            links.push(name.to_owned());
        }
        rest = behind;
    }
    links
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::import::tests::{dated, turns_of};

    const NOTE: &str = "---\ntitle: \"Rye bread\"\npermalink: recipes/rye\ntags:\n- bread\n  - 'slow'\ntype: note\ncreated: 2025-03-01T10:15:00Z\n---\n\n\
        # Rye bread\n\n- [method] Knead it twice #dough\n- needs [[Rye flour|flour]], [[Oven#heat]] and [[Rye flour]]\n";

    #[test]
    fn a_note_is_a_memory_with_its_front_matter_and_links() {
        let (turns, refused) = turns_of(|sink| read(NOTE.as_bytes(), &dated(), sink));
        let [note] = &turns[..] else {
            panic!("{refused:?}")
        };
        assert!(note.text.starts_with("# Rye bread") && note.text.ends_with("[[Rye flour]]"));
        assert_eq!(
            (note.conversation.as_str(), note.id.as_str()),
            ("file", "recipes/rye")
        );
        assert_eq!(note.created_at.value(), 1_740_824_100_000);
        assert_eq!(note.extra["title"], "Rye bread");
        assert_eq!(note.extra["tags"], serde_json::json!(["bread", "slow"]));
        assert_eq!(
            note.extra["links"],
            serde_json::json!(["Rye flour", "Oven"])
        );
        assert!(
            note.extra["frontMatter"]
                .as_str()
                .unwrap()
                .contains("type: note\n")
        );
    }

    #[test]
    fn a_note_needs_no_front_matter() {
        for (text, body) in [
            ("# Bread\nRye.", "# Bread\nRye."),
            ("---\nno end", "---\nno end"),
            ("--- a rule\n", "--- a rule"),
            ("---\r\ntags: [a, b]\r\n---\r\nRye.", "Rye."),
        ] {
            let (turns, _) = turns_of(|sink| read(text.as_bytes(), &dated(), sink));
            assert_eq!(turns[0].text, body, "{text}");
            assert_eq!(turns[0].created_at, dated().written);
            assert_eq!(turns[0].extra["title"], "file");
        }
        for bad in [
            &b"---\na: b\n---\n"[..],
            b"\xff",
            &vec![b'x'; MAX_LINE_BYTES + 1],
        ] {
            let (turns, refused) = turns_of(|sink| read(bad, &dated(), sink));
            assert_eq!((turns.len(), refused.len()), (0, 1));
        }
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        for (said, millis) in [
            ("2025-03-01T11:15:00+01:00", Some(1_740_824_100_000)),
            ("2025-03-01 10:15", Some(1_740_824_100_000)),
            ("2025-03-01", Some(1_740_787_200_000)),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(time_of(said).map(|time| time.value()), millis, "{said}");
        }
    }

    proptest! {
        /// Law: whatever a file holds, each note is read or refused, and no text is invented.
        #[test]
        fn any_text_is_read_or_refused(text in "(---\n)?[-a:\\[\\]|# \n]{0,40}(---\n)?[a\\[\\]|#\n]{0,20}") {
            let (turns, refused) = turns_of(|sink| read(text.as_bytes(), &dated(), sink));
            prop_assert_eq!(turns.len() + refused.len(), 1);
            for turn in turns {
                prop_assert!(text.contains(&turn.text));
                let links = turn.extra.get("links").and_then(Value::as_array);
                for link in links.into_iter().flatten() {
                    prop_assert!(turn.text.contains(link.as_str().unwrap()), "{}", link);
                }
            }
        }
    }
}
