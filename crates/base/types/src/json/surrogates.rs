//! Half surrogate pairs: legal in a JavaScript string, no character anywhere else.
//!
//! A peer's free text (`reason`, `query`, `summary`, `reasoning`) may hold one, as when a string
//! was cut in the middle of an emoji; there it becomes U+FFFD, which is what
//! `String.prototype.toWellFormed` does. Anywhere else (identifiers, proofs, members' names) two
//! different texts would become one, so the document is refused. See
//! `docs/decisions/0003-lone-surrogates.md`.

use alloc::string::String;
use alloc::vec::Vec;

use super::{JsonError, Limits, Value, parse};

/// Members whose text is shown to people and never compared. Where a document is signed, the repaired text is.
const FREE_TEXT: [&str; 4] = ["reason", "query", "summary", "reasoning"];

/// As [`parse`], and half surrogate pairs in free text (`reason`, `query`, `summary`,
/// `reasoning`, outside `proof`) become U+FFFD.
///
/// # Errors
/// As [`parse`].
pub fn parse_message(bytes: &[u8], limits: Limits) -> Result<Value, JsonError> {
    match parse(bytes, limits) {
        Err(JsonError::LoneSurrogate) => repair(bytes, limits),
        result => result,
    }
}

/// Reads the document twice with two stand-ins: where the readings differ, a half pair stood.
fn repair(bytes: &[u8], limits: Limits) -> Result<Value, JsonError> {
    let text = core::str::from_utf8(bytes).map_err(|error| JsonError::NotUtf8 {
        at: error.valid_up_to(),
    })?;
    let replaced = parse(replace_lone(text, "\\ufffd").as_bytes(), limits)?;
    let marked = parse(replace_lone(text, "\\ufffc").as_bytes(), limits)?;
    if differ_in_free_text_alone(&replaced, &marked) {
        Ok(replaced)
    } else {
        Err(JsonError::LoneSurrogate)
    }
}

fn differ_in_free_text_alone(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len()
                && a.iter()
                    .zip(b)
                    .all(|(a, b)| differ_in_free_text_alone(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(name, a)| match b.get(name) {
                    None => false,
                    Some(b) if name == "proof" => a == b,
                    Some(b) if a.is_string() && FREE_TEXT.contains(&name.as_str()) => b.is_string(),
                    Some(b) => differ_in_free_text_alone(a, b),
                })
        }
        _ => a == b,
    }
}

/// Returns whether an escape in the document is half of a surrogate pair.
pub(super) fn has_lone(text: &str) -> bool {
    !lone_escapes(text).is_empty()
}

/// `\uXXXX` is six bytes long, and so is its replacement.
fn replace_lone(text: &str, stand_in: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for at in lone_escapes(text) {
        out.push_str(text.get(from..at).unwrap_or(""));
        out.push_str(stand_in);
        from = at.saturating_add(6);
    }
    out.push_str(text.get(from..).unwrap_or(""));
    out
}

/// Positions of the escapes of half pairs. A backslash occurs only in a string.
fn lone_escapes(text: &str) -> Vec<usize> {
    let mut lone = Vec::new();
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        at = at.saturating_add(found);
        let step = match (unit(text, at), unit(text, at.saturating_add(6))) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                lone.push(at);
                6
            }
            (Some(_), _) => 6,
            (None, _) => 2,
        };
        at = at.saturating_add(step);
        while at < text.len() && !text.is_char_boundary(at) {
            at = at.saturating_add(1);
        }
    }
    lone
}

/// The UTF-16 code unit that the escape at `at` names.
fn unit(text: &str, at: usize) -> Option<u16> {
    let hex = text.get(at..at.checked_add(6)?)?.strip_prefix("\\u")?;
    let digits = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    u16::from_str_radix(hex, 16).ok().filter(|_| digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(wire: &str) -> Result<Value, JsonError> {
        parse_message(wire.as_bytes(), Limits::PROOF)
    }

    #[test]
    fn a_half_pair_in_free_text_becomes_the_replacement_character() {
        let value =
            read(r#"{"reason":"cut \ud83d","n":[{"query":"\udc00\ud83d\ude00"}]}"#).unwrap();
        assert_eq!(value["reason"], "cut \u{fffd}");
        assert_eq!(value["n"][0]["query"], "\u{fffd}\u{1f600}");
    }

    #[test]
    fn a_half_pair_elsewhere_refuses_the_document() {
        for wire in [
            r#"{"worldId":"\ud800"}"#,
            r#"{"reason\ud800":"x"}"#,
            r#"{"proof":{"reason":"\ud800"}}"#,
            r#"{"reason":{"deep":"\ud800"}}"#,
            r#"["\udfff"]"#,
        ] {
            assert_eq!(read(wire), Err(JsonError::LoneSurrogate), "{wire}");
        }
    }

    #[test]
    fn an_escaped_backslash_is_not_an_escape() {
        assert_eq!(read(r#"{"id":"\\ud800"}"#).unwrap()["id"], "\\ud800");
    }

    #[test]
    fn a_broken_escape_is_a_syntax_error() {
        for wire in [
            r#"{"reason":"\ud8"}"#,
            r#"{"reason":"\u+d80"}"#,
            "{\"reason\":\"\\\u{e9}\"}",
        ] {
            assert!(
                matches!(read(wire), Err(JsonError::Syntax { .. })),
                "{wire}"
            );
        }
    }
}
