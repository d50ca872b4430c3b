//! The same done to a text, which has a format.

use std::string::String as Text;

fn take_apart(text: &Text) {
    let _part = text.starts_with("world-");
}

fn main() {
    let _reached = take_apart;
}
