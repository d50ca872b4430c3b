//! Ids of memories in what people read: found in any text, and written short.

use std::collections::{BTreeMap, BTreeSet};

use counterfoil::WorldId;
use serde_json::Value;

/// Beginnings of ids.
const PREFIXES: [&str; 2] = ["mem_", "world-"];
/// Digits of an id.
const DIGITS: usize = 32;

/// Adds the ids in all texts of a document.
pub(super) fn collect(document: &Value, ids: &mut BTreeSet<WorldId>) {
    match document {
        Value::String(text) => ids.extend(pieces(text).filter_map(|(_, id)| id)),
        Value::Array(items) => items.iter().for_each(|item| collect(item, ids)),
        Value::Object(members) => members.values().for_each(|member| collect(member, ids)),
        _ => {}
    }
}

/// The document with another text for each of the ids.
pub(super) fn replaced(document: &Value, short: &BTreeMap<WorldId, String>) -> Value {
    match document {
        Value::String(text) => replaced_in(text, short).into(),
        Value::Array(items) => items.iter().map(|item| replaced(item, short)).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (name.clone(), replaced(member, short)))
            .collect(),
        other => other.clone(),
    }
}

/// The text with another one for each of the ids in it.
fn replaced_in(text: &str, short: &BTreeMap<WorldId, String>) -> String {
    let shown =
        |(piece, id): (&str, Option<WorldId>)| match id.and_then(|id| short.get(&id).cloned()) {
            Some(short) => short,
            None => piece.to_owned(),
        };
    pieces(text).map(shown).collect()
}

/// The same for a text in columns: where a column follows, blanks keep it in its place.
pub(super) fn replaced_in_columns(text: &str, short: &BTreeMap<WorldId, String>) -> String {
    let mut done = String::new();
    let mut rest = text;
    for (piece, id) in pieces(text) {
        rest = rest.get(piece.len()..).unwrap_or_default();
        match id.and_then(|id| short.get(&id).cloned()) {
            Some(short) if rest.starts_with("  ") => done += &format!("{short:<0$}", piece.len()),
            Some(short) => done += &short,
            None => done += piece,
        }
    }
    done
}

/// The ids in a text.
pub(super) fn in_text(text: &str) -> impl Iterator<Item = WorldId> + '_ {
    pieces(text).filter_map(|(_, id)| id)
}

/// Pieces of a text in their order: ids, and what is between them.
fn pieces(text: &str) -> impl Iterator<Item = (&str, Option<WorldId>)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let starts = PREFIXES
            .iter()
            .flat_map(|prefix| rest.match_indices(prefix));
        let found = starts
            .filter_map(|(at, prefix)| Some((at, id_length(rest.get(at..)?, prefix)?)))
            .min();
        let (piece, id) = match found {
            Some((0, length)) => {
                let piece = rest.get(..length).unwrap_or(rest);
                (piece, WorldId::new(piece).ok())
            }
            Some((at, _)) => (rest.get(..at).unwrap_or(rest), None),
            None => (rest, None),
        };
        rest = rest.get(piece.len()..).unwrap_or_default();
        Some((piece, id))
    })
}

/// Length of the id at the beginning of a text; `None` if more digits or letters follow.
fn id_length(text: &str, prefix: &str) -> Option<usize> {
    let digits = text.strip_prefix(prefix)?;
    let length = digits
        .find(|letter: char| !letter.is_ascii_alphanumeric())
        .unwrap_or(digits.len());
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let is_id = length == DIGITS && digits.bytes().take(length).all(is_hex);
    is_id.then_some(prefix.len() + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_in_texts_and_written_short() {
        let [one, two] = [
            "mem_00112233445566778899aabbccddeeff",
            "world-ffeeddccbbaa99887766554433221100",
        ];
        let text = format!("replaced by {one}; see \"{two}\" and {one}0, mem_12");
        let short = [(one, "mem_0011223"), (two, "world-ffeeddc")];
        let short = short.map(|(id, short)| (WorldId::new(id).unwrap(), short.to_owned()));
        let expected = format!("replaced by mem_0011223; see \"world-ffeeddc\" and {one}0, mem_12");
        assert_eq!(in_text(&text).count(), 2);
        assert_eq!(replaced_in(&text, &short.clone().into()), expected);
        let columns = replaced_in_columns(&format!("{one}  a\n{two}\n"), &short.into());
        assert_eq!(
            columns,
            format!("{:<36}  a\nworld-ffeeddc\n", "mem_0011223")
        );
    }
}
