//! Untrusted text on a terminal: a proposal's words must not move the cursor or change sides (M-1).

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// `text` with everything that a terminal would act on, or that would hide from the reader, written
/// as an escape (`\u{202e}`), at most `limit` characters of it.
///
/// Escaped are control characters, bidirectional controls, invisible characters, line separators
/// and the backslash itself, and each space after another one: a long run would reach over the end
/// of a line and pass what follows for a line or a column of ours. A text that was cut ends with `…`.
pub fn plain(text: &str, limit: usize) -> String {
    let mut shown = String::new();
    let mut before = None;
    for letter in text.chars().take(limit) {
        match letter {
            ' ' if before == Some(' ') => shown.extend(letter.escape_unicode()),
            _ => shown.extend(visible(letter)),
        }
        before = Some(letter);
    }
    if text.chars().nth(limit).is_some() {
        shown.push('…');
    }
    shown
}

/// `text` without control characters and quotation marks.
pub fn quotable(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control() && *c != '"')
        .collect()
}

/// `text` in at most `bytes` bytes; a shortened one ends with an ellipsis, of which nothing is left out.
pub fn cut(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(bytes.saturating_sub('…'.len_utf8()));
    format!("{}…", text.get(..end).unwrap_or_default())
}

/// JSON text with the same characters escaped as JSON does it; the document stays the same.
pub fn plain_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for letter in json.chars() {
        if letter != '\n' && is_hidden(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                shown.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            shown.push(letter);
        }
    }
    shown
}

fn visible(letter: char) -> Vec<char> {
    match letter {
        '\n' => vec!['\\', 'n'],
        '\\' => vec!['\\', '\\'],
        _ if is_hidden(letter) => letter.escape_unicode().collect(),
        _ => vec![letter],
    }
}

/// Characters that steer a terminal or the reading order, or that can't be seen.
fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// M-1: an escape sequence in a reason is shown, not obeyed.
    /// A WorldId of two hundred bytes wrapped into a line of its own that said APPROVED.
    #[test]
    fn a_run_of_spaces_can_not_lay_out_a_line() {
        assert_eq!(plain("a b", 80), "a b");
        assert_eq!(plain("w   decision", 80), "w \\u{20}\\u{20}decision");
    }

    #[test]
    fn what_a_terminal_would_act_on_is_escaped() {
        for (text, shown) in [
            ("\u{1b}[2J", "\\u{1b}[2J"),
            ("a\nb\rc\0", "a\\nb\\u{d}c\\u{0}"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("\u{202e}drow", "\\u{202e}drow"),
            ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
            ("a\u{200b}b\u{feff}", "a\\u{200b}b\\u{feff}"),
            ("\u{2028}", "\\u{2028}"),
            ("\\u{202e}", "\\\\u{202e}"),
            ("Grüße, 世界 🌍", "Grüße, 世界 🌍"),
        ] {
            assert_eq!(plain(text, 80), shown);
        }
    }

    #[test]
    fn a_long_text_is_cut_with_a_mark() {
        assert_eq!(plain("abcdef", 6), "abcdef");
        assert_eq!(plain("abcdefg", 6), "abcdef…");
        assert_eq!(plain("🌍🌍🌍", 2), "🌍🌍…");
    }

    #[test]
    fn escaped_json_is_the_same_document() {
        let json = "{\n  \"a\": \"\u{202e}x\u{7f}\u{e0041}é\"\n}";
        let shown = plain_json(json);
        assert_eq!(shown, "{\n  \"a\": \"\\u202ex\\u007f\\udb40\\udc41é\"\n}");
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&shown), read(json));
    }
}
