//! Text of a memory as a reader gets it, and the tokens that it takes by estimate (docs/recall.md).

use counterfoil_types::World;
use counterfoil_types::json::Value;

/// Tokens for the date and the marks of a memory beside its text and its speaker.
const TOKENS_BESIDE: usize = 8;

/// The text of a memory with its caption; of a claim, subject, predicate and value; of other content, its JSON.
pub fn text_of(world: &World) -> String {
    let text = member(world, "text").map(str::to_owned);
    let caption = member(world, "caption").map(|caption| format!(" [{caption}]"));
    // `ann lives in: Lisbon`, of a claim.
    let claimed = || {
        let (subject, predicate) = (member(world, "subject")?, member(world, "predicate")?);
        let value = world
            .data()?
            .get("value")
            .filter(|_| member(world, "kind") == Some("claim"))?;
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        Some(format!("{subject} {predicate}: {value}"))
    };
    match (text.or_else(claimed), caption) {
        (Some(text), caption) => text + caption.as_deref().unwrap_or_default(),
        (None, Some(caption)) => caption,
        (None, None) => world.data().map(Value::to_string).unwrap_or_default(),
    }
}

/// A text among the members of the content; `None` if it is absent or empty.
pub fn member<'a>(world: &'a World, name: &str) -> Option<&'a str> {
    world
        .data()?
        .get(name)?
        .as_str()
        .filter(|text| !text.is_empty())
}

/// Estimated tokens of a memory: those of its text and its speaker, and 8 for its date and marks.
pub fn tokens_of(world: &World) -> usize {
    let speaker = member(world, "speaker").map(tokens).unwrap_or_default();
    let text = tokens(&text_of(world));
    text.saturating_add(speaker).saturating_add(TOKENS_BESIDE)
}

/// Estimated tokens of a text: one for each four letters of a run of ASCII letters and each two digits of a run of
/// digits, rounded up; one for any other character that is no white space, and two from U+2E80 on (Chinese, Japanese,
/// Korean, pictographs).
fn tokens(text: &str) -> usize {
    let (mut tokens, mut letters, mut digits) = (0_usize, 0_usize, 0_usize);
    for character in text.chars().chain([' ']) {
        let is_letter = character.is_ascii_alphabetic();
        let is_digit = character.is_ascii_digit();
        if !is_letter {
            tokens = tokens.saturating_add(letters.div_ceil(4));
            letters = 0;
        }
        if !is_digit {
            tokens = tokens.saturating_add(digits.div_ceil(2));
            digits = 0;
        }
        match character {
            _ if is_letter => letters += 1,
            _ if is_digit => digits += 1,
            _ if character.is_whitespace() => {}
            '\u{2e80}'.. => tokens = tokens.saturating_add(2),
            _ => tokens = tokens.saturating_add(1),
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_counted_by_kinds_of_characters() {
        for (text, count) in [
            ("", 0),
            ("   \n", 0),
            ("cake", 1),
            ("cakes", 2),
            ("I ate 2 cakes.", 1 + 1 + 1 + 2 + 1),
            ("2026-11-27", 2 + 1 + 1 + 1 + 1),
            ("größe", 1 + 1 + 1 + 1),
            ("我不吃香菜", 10),
            ("a1b", 3),
        ] {
            assert_eq!(tokens(text), count, "{text:?}");
        }
    }
}
