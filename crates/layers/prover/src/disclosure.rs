//! Fields that a proof discloses: those that were asked for, as far as they fit (proof.md §4).

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_types::json::{Value, canonical};
use counterfoil_verifier::limits::{MAX_NOTE_BYTES, MAX_PROOF_BYTES, MAX_WHOLE_CONTENT};
use counterfoil_verifier::payload::DisclosurePayload;

use crate::examine::Examined;

/// Room for disclosed fields in a proof, beside its entry, its log proof and its consistency proof.
const ROOM: usize = MAX_PROOF_BYTES - MAX_NOTE_BYTES;
/// Index, salt and names of a field, and what a proof counts for its values.
const FIELD: usize = 128;
/// One hash beside the fields.
const HASH: usize = 52;
/// Hashes that one field among 10,000 takes at most.
const PATH: usize = 14 * HASH;
/// Letters at the end of a word that its other forms may not share.
const ENDING: usize = 3;

/// Choice of fields.
#[derive(Debug)]
pub(crate) struct Disclosure {
    pub(crate) asked: Vec<String>,
    pub(crate) withheld: Vec<String>,
    pub(crate) words: Vec<String>,
}

impl Disclosure {
    pub(crate) const NONE: Self = Self {
        asked: Vec::new(),
        withheld: Vec::new(),
        words: Vec::new(),
    };

    /// The chosen fields of a World; `None` if there are none.
    pub(crate) fn of(&self, examined: &Examined<'_>) -> Option<DisclosurePayload> {
        if self.asked.is_empty() {
            return None;
        }
        let is_small = examined.receipt.entry().content_size <= MAX_WHOLE_CONTENT;
        let whole = is_small.then(|| self.whole(examined)).flatten();
        let chosen = whole.unwrap_or_else(|| self.part(examined));
        examined.fields.disclose(|path| chosen.contains(path))
    }

    /// All that is asked for; `None` if it does not fit into a proof.
    fn whole<'e>(&self, examined: &'e Examined<'_>) -> Option<BTreeSet<&'e str>> {
        let mut room = Room(ROOM);
        let mut chosen = BTreeSet::new();
        for (path, value) in examined.fields.fields() {
            if self.may_show(path) && covered(&self.asked, path) {
                room.take(path, value, 0).then(|| chosen.insert(path))?;
            } else {
                room.0 = room.0.checked_sub(HASH)?;
            }
        }
        Some(chosen)
    }

    /// The fields that are asked for by name, then those with a word, as far as they fit.
    fn part<'e>(&self, examined: &'e Examined<'_>) -> BTreeSet<&'e str> {
        let mut room = Room(ROOM);
        let named = self.asked.iter().filter(|pointer| !pointer.is_empty());
        let named: Vec<&String> = named.collect();
        let open = || {
            let fields = examined.fields.fields();
            fields.filter(|(path, _)| self.may_show(path))
        };
        let asked = open().filter(|(path, _)| covered(&named, path));
        let asked = asked.filter(|(path, value)| room.take(path, value, PATH));
        let mut chosen: BTreeSet<&str> = asked.map(|(path, _)| path).collect();
        if named.len() == self.asked.len() {
            return chosen;
        }
        for ending in [0, ENDING] {
            let words: Vec<&str> = self.words.iter().map(|word| stem(word, ending)).collect();
            let matched: Vec<_> = open()
                .filter(|(_, value)| {
                    let text = value.as_str().map(str::to_lowercase);
                    text.is_some_and(|text| words.iter().any(|word| text.contains(word)))
                })
                .collect();
            if !matched.is_empty() {
                let fits = |(path, value): &(&str, &Value)| {
                    !chosen.contains(path) && room.take(path, value, PATH)
                };
                let fitting: Vec<_> = matched.into_iter().filter(fits).collect();
                chosen.extend(fitting.into_iter().map(|(path, _)| path));
                break;
            }
        }
        chosen
    }

    fn may_show(&self, path: &str) -> bool {
        !covered(&self.withheld, path)
    }
}

/// Bytes that are left in a proof.
struct Room(usize);

impl Room {
    /// Takes the room of a field, if there is as much.
    fn take(&mut self, path: &str, value: &Value, hashes: usize) -> bool {
        let Ok(value) = canonical(value) else {
            return false;
        };
        let left = self
            .0
            .checked_sub(path.len() + value.len() + FIELD + hashes);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

/// Returns true if `path` is one of the pointers, or below one.
fn covered(pointers: &[impl AsRef<str>], path: &str) -> bool {
    pointers.iter().any(|pointer| {
        let below = path.strip_prefix(pointer.as_ref());
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// A word without its ending, at least four letters of it.
fn stem(word: &str, ending: usize) -> &str {
    let letters = word.chars().count();
    let kept = letters.saturating_sub(ending).max(letters.min(4));
    let end = word
        .char_indices()
        .nth(kept)
        .map_or(word.len(), |(at, _)| at);
    word.get(..end).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_room_is_that_of_a_proof_without_its_note_and_a_path_that_of_10_000_fields() {
        assert_eq!(ROOM + MAX_NOTE_BYTES, MAX_PROOF_BYTES);
        let levels = PATH / HASH;
        assert!((1 << levels) >= 10_000 && (1 << (levels - 1)) < 10_000);
    }

    #[test]
    fn a_field_takes_path_value_members_and_hashes_or_nothing() {
        let mut room = Room(200);
        assert!(!room.take("/a", &json!("x".repeat(62)), 7));
        assert_eq!(room.0, 200);
        assert!(room.take("/a", &json!("x".repeat(61)), 7));
        assert_eq!(room.0, 0);
    }

    #[test]
    fn a_stem_keeps_four_letters() {
        for (word, ending, kept) in [
            ("walking", 0, "walking"),
            ("walking", ENDING, "walk"),
            ("tours", ENDING, "tour"),
            ("go", ENDING, "go"),
            ("äöüäöüß", ENDING, "äöüä"),
        ] {
            assert_eq!(stem(word, ending), kept);
        }
    }
}
