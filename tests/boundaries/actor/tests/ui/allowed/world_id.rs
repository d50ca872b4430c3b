//! The same done to a text, which has a format.

use std::string::String as Text;

fn take_apart(text: &Text) -> &str {
    let _part = text.as_str();
    let _part = text.chars().count();
    let _part = text.is_empty();
    let _part = text.parse::<u64>();
    let _part = &text[..5];
    let _part = text.split(':').count();
    let _part = text.starts_with("world-");
    let _part = AsRef::<str>::as_ref(text);
    text
}

fn main() {
    let _reached = take_apart;
}
