//! The same done to a text, which has a format.

use std::string::String as Text;

fn take_apart(text: &Text) {
    let _part = text.chars().count();
}

fn main() {
    let _reached = take_apart;
}
