//! M-11, CR-18, FP-12: a WorldId is lent as text.

use counterfoil_types::WorldId as Text;

fn lend(text: &Text) -> &str {
    AsRef::<str>::as_ref(text)
}

fn main() {
    let _reached = lend;
}
