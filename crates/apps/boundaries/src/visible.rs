//! Text for a terminal: the words of a manifest may not steer it, nor reverse the reading order. Not shared with
//! `counterfoil_types::terminal`: the checker of the graph is no part of the graph.

/// `text` with control and direction characters written as `\uXXXX`, which JSON reads back; lines stay lines.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        let hidden = character.is_control() && character != '\n'
            || matches!(
                character,
                '\u{AD}'
                    | '\u{61C}'
                    | '\u{180E}'
                    | '\u{200B}'..='\u{200F}'
                    | '\u{2028}'..='\u{202E}'
                    | '\u{2060}'..='\u{206F}'
                    | '\u{FEFF}'
                    | '\u{E0000}'..='\u{E007F}'
            );
        if hidden {
            for unit in character.encode_utf16(&mut [0; 2]) {
                shown.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            shown.push(character);
        }
    }
    shown
}

/// One line: a line break would let a name look like a verdict.
pub(crate) fn one_line(text: &str) -> String {
    visible(&text.replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_written_out() {
        assert_eq!(visible("\u{1b}[31mx\u{202e}é\n"), "\\u001b[31mx\\u202eé\n");
        assert_eq!(visible("\u{E0001}"), "\\udb40\\udc01");
        assert_eq!(one_line("x\nhost ok"), "x\\nhost ok");
    }
}
