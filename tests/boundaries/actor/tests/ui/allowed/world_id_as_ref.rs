//! The same done to a text, which has a format.

use std::string::String as Text;

fn lend(text: &Text) -> &str {
    AsRef::<str>::as_ref(text)
}

fn main() {
    let _reached = lend;
}
