//! What of a claim unit is searched: its subject, the words of its predicate, its value, and when it holds.

use counterfoil_claims::UNIT_FORMAT;
use counterfoil_types::json::{Map, Value, canonical};

use super::source::{Body, strings, text_of};

/// Tests whether the data of a World is a claim unit.
pub(super) fn is_claim(members: &Map) -> bool {
    text_of(members, "kind") == "claim" && text_of(members, "format") == UNIT_FORMAT
}

/// Returns the searched text of a claim unit. Names of members, references and decisions are left out.
pub(super) fn words(members: &Map, body: &mut Body) {
    body.add(text_of(members, "subject"));
    body.add(&apart(text_of(members, "predicate")));
    match members.get("value") {
        Some(value @ (Value::Number(_) | Value::Bool(_))) => {
            body.add(&canonical(value).unwrap_or_default());
        }
        Some(value) => strings(value, &mut |text| body.add(text)),
        None => {}
    }
}

/// Adds the boundaries as they were given: their years, months and days are words.
pub(super) fn add_window(members: &Map, dated: &mut String) {
    let Some(valid) = members.get("valid").and_then(Value::as_object) else {
        return;
    };
    for name in ["from", "until"] {
        let boundary = text_of(valid, name);
        if !boundary.is_empty() {
            dated.push('\n');
            dated.push_str(boundary);
        }
    }
}

/// `livesIn` as `lives In`. Where a name has other marks between its words, the tokenizer sees them.
fn apart(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    let mut before = ' ';
    for letter in name.chars() {
        if before.is_lowercase() && letter.is_uppercase() {
            words.push(' ');
        }
        words.push(letter);
        before = letter;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_name_are_set_apart() {
        for (name, words) in [
            ("livesIn", "lives In"),
            ("lives_in", "lives_in"),
            ("URL", "URL"),
            ("größeInCm", "größe In Cm"),
            ("", ""),
        ] {
            assert_eq!(apart(name), words);
        }
    }
}
