//! Hint for names: the name in use that looks almost the same.

use counterfoil_claims::Identifier;

use crate::ngrams::{embed, words};

/// Least cosine of two spellings of one word.
const ALIKE: f32 = 0.8;

/// Returns the most similar name in use, the first of equals; `None` if `name` is in use itself, or none is similar enough.
///
/// Names are compared word by word, so that `born_in` is not similar to `born_on`; those of unlike numbers of words as one
/// word. This is a hint for people and changes no name.
pub fn similar<'n>(name: &Identifier, existing: &'n [Identifier]) -> Option<&'n Identifier> {
    if existing.contains(name) {
        return None;
    }
    let words_of =
        |name: &'_ Identifier| words(name.as_str()).map(str::to_owned).collect::<Vec<_>>();
    let own = words_of(name);
    let mut best = None;
    for other in existing {
        let its = words_of(other);
        // The least cosine of two words.
        let likeness = match its.len() == own.len() {
            true => {
                let pairs = own.iter().zip(&its);
                let cosines = pairs.map(|(one, other)| cosine(one, other));
                cosines.reduce(f32::min).unwrap_or(0.0)
            }
            false => cosine(&own.concat(), &its.concat()),
        };
        if likeness >= ALIKE && best.is_none_or(|(_, highest)| likeness > highest) {
            best = Some((other, likeness));
        }
    }
    best.map(|(name, _)| name)
}

fn cosine(one: &str, other: &str) -> f32 {
    let (one, other) = (embed(one), embed(other));
    let product: f32 = one.iter().zip(&other).map(|(a, b)| a * b).sum();
    product.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(name: &str, existing: &[&str]) -> Option<String> {
        let id = |name: &str| Identifier::new("predicate", name).unwrap();
        let existing: Vec<Identifier> = existing.iter().map(|name| id(name)).collect();
        similar(&id(name), &existing).map(Identifier::to_string)
    }

    #[test]
    fn another_spelling_is_hinted_at() {
        for name in [
            "lives in", "live_in", "Lives_In", "lives-in", "livesin", "lived_in", "LIVES IN",
        ] {
            assert_eq!(
                hint(name, &["works_at", "lives_in", "speaks"]).as_deref(),
                Some("lives_in"),
                "{name}"
            );
        }
        assert_eq!(
            hint("favorite_colour", &["favourite_colour"]).as_deref(),
            Some("favourite_colour")
        );
    }

    #[test]
    fn another_name_or_the_same_is_not() {
        assert_eq!(hint("lives_in", &["lives_in", "live_in"]), None);
        for (name, other) in [
            ("born_in", "born_on"),
            ("lives_in", "born_in"),
            ("works_at", "works_as"),
            ("speaks", "works_at"),
            ("son", "sister"),
            ("favourite_book", "favourite_food"),
            ("number_of_dogs", "number_of_cats"),
            ("mother", "brother"),
            ("husband", "has_dog"),
        ] {
            assert_eq!(hint(name, &[other]), None, "{name} {other}");
        }
    }
}
