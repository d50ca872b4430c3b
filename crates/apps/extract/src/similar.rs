//! A hint for names: the one that is in use and looks almost the same.

use counterfoil_claims::Identifier;
use counterfoil_claims::ports::Embedder;

use crate::ngrams::words;

/// From this cosine on two words are spellings of one.
const ALIKE: f32 = 0.8;

/// A name that is in use and looks almost like another.
#[derive(Debug, Clone, PartialEq)]
pub struct Similar {
    /// The name in use.
    pub name: Identifier,
    /// How alike they are: the least cosine of their words, at most 1.
    pub cosine: f32,
}

/// The most similar of the names in use, if `name` is not one of them and one is similar enough: the first of equals.
/// Names are compared word by word, so that `born_in` is not taken for `born_on`; those of unlike numbers of words as
/// one word. A hint and nothing more; whoever gives it changes no name.
#[must_use]
pub fn similar(
    embedder: &dyn Embedder,
    name: &Identifier,
    existing: &[Identifier],
) -> Option<Similar> {
    if existing.contains(name) {
        return None;
    }
    let mut best: Option<Similar> = None;
    for other in existing {
        let cosine = alike(embedder, name.as_str(), other.as_str());
        if cosine >= ALIKE && best.as_ref().is_none_or(|best| cosine > best.cosine) {
            best = Some(Similar {
                name: other.clone(),
                cosine,
            });
        }
    }
    best
}

fn alike(embedder: &dyn Embedder, one: &str, other: &str) -> f32 {
    let [one, other] = [one, other].map(|name| words(name).collect::<Vec<_>>());
    if one.len() != other.len() {
        return cosine(embedder, &one.concat(), &other.concat());
    }
    let pairs = one.iter().zip(&other);
    let cosines = pairs.map(|(one, other)| cosine(embedder, one, other));
    cosines.reduce(f32::min).unwrap_or(0.0)
}

fn cosine(embedder: &dyn Embedder, one: &str, other: &str) -> f32 {
    let (one, other) = (embedder.embed(one), embedder.embed(other));
    let product: f32 = one.iter().zip(&other).map(|(a, b)| a * b).sum();
    product.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NgramEmbedder;

    fn hint(name: &str, existing: &[&str]) -> Option<String> {
        let id = |name: &str| Identifier::new("predicate", name).unwrap();
        let existing: Vec<Identifier> = existing.iter().map(|name| id(name)).collect();
        similar(&NgramEmbedder, &id(name), &existing).map(|found| found.name.as_str().to_owned())
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
