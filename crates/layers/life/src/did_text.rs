//! The text of a did:key: to make it takes longer than to look up a row by it.

use std::cell::RefCell;
use std::sync::Arc;

use counterfoil_types::DidKey;

/// Number of texts that a thread keeps: a batch has few agents.
const KEPT: usize = 16;

thread_local! {
    /// Those that were made last, the last one first.
    static LAST: RefCell<Vec<(DidKey, Arc<str>)>> = const { RefCell::new(Vec::new()) };
}

/// Returns the text of a did:key in a table.
#[must_use]
pub fn did_text(did: &DidKey) -> Arc<str> {
    LAST.with_borrow_mut(|last| match last.iter().find(|(known, _)| known == did) {
        Some((_, text)) => Arc::clone(text),
        None => {
            let text: Arc<str> = did.to_string().into();
            last.truncate(KEPT - 1);
            last.insert(0, (*did, Arc::clone(&text)));
            text
        }
    })
}

/// Returns the did:key of a text in a table; `None` where it is none.
pub(crate) fn did_of(text: &str) -> Option<DidKey> {
    let last = LAST.with_borrow(|last| {
        let known = last.iter().find(|(_, of)| **of == *text);
        known.map(|(known, _)| *known)
    });
    // Rows are mostly read by the key that they hold.
    last.or_else(|| text.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text that is not the last one is read by itself, and what is none is refused.
    #[test]
    fn a_text_is_the_one_of_its_key_alone() {
        let [one, other] = [1, 2].map(|byte| DidKey::from_public_key([byte; 32]));
        let text = did_text(&one);
        assert_eq!(did_of(&text), Some(one));
        assert_eq!(did_of(&other.to_string()), Some(other));
        assert_eq!(did_of(&text[..text.len() - 1]), None);
        assert_eq!(&*did_text(&other), other.to_string());
    }
}
