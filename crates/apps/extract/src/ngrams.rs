//! An embedder without a model: how often each short run of characters occurs.

use counterfoil_claims::ports::Embedder;

/// How long the vectors are.
const DIMENSIONS: usize = 256;
/// How much of a text counts, in characters.
const MAX_CHARS: usize = 4096;
/// What a run at the beginning of a word counts more: what follows it is inflection.
const STEM: f32 = 2.0;

/// Counts the runs of two and three characters of each word and its first two to four letters, hashed to 256 places
/// and scaled to length 1. Letters count in lower case, and what is no letter or digit is a gap. Texts that share no
/// run have the cosine 0, but for chance.
#[derive(Debug, Clone, Copy, Default)]
pub struct NgramEmbedder;

impl Embedder for NgramEmbedder {
    fn embed(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0_f32; DIMENSIONS];
        let mut add = |mark: char, run: &[char], count: f32| {
            if let Some(place) = vector.get_mut(place(mark, run)) {
                *place += count;
            }
        };
        let lower: String = text
            .chars()
            .take(MAX_CHARS)
            .flat_map(char::to_lowercase)
            .collect();
        for word in words(&lower) {
            let letters: Vec<char> = [" ", word, " "].concat().chars().collect();
            for length in [2, 3] {
                letters.windows(length).for_each(|run| add(' ', run, 1.0));
            }
            for length in [3, 4, 5] {
                let stem = letters.get(..length).filter(|_| letters.len() > length);
                stem.into_iter().for_each(|stem| add('^', stem, STEM));
            }
        }
        let norm = vector.iter().map(|count| count * count).sum::<f32>().sqrt();
        if norm > 0.0 {
            vector.iter_mut().for_each(|count| *count /= norm);
        }
        vector
    }
}

/// The words of a name or text, however they are set apart.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// FNV-1a over the characters: the same on every machine.
fn place(mark: char, run: &[char]) -> usize {
    let hash = [mark]
        .iter()
        .chain(run)
        .fold(0x811c_9dc5_u32, |hash, letter| {
            (hash ^ u32::from(*letter)).wrapping_mul(0x0100_0193)
        });
    // The low bits of a product are its weakest.
    usize::try_from(hash >> 24).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_have_one_length_and_norm() {
        for text in ["lives_in", "", "x", "ÄÖÜ über", "a b  c"] {
            let vector = NgramEmbedder.embed(text);
            assert_eq!(vector.len(), DIMENSIONS);
            let norm: f32 = vector.iter().map(|count| count * count).sum();
            assert!(
                (norm - 1.0).abs() < 1e-5 || text.is_empty(),
                "{text}: {norm}"
            );
        }
    }

    #[test]
    fn spelling_of_the_gaps_and_case_do_not_count() {
        assert_eq!(
            NgramEmbedder.embed("Lives In"),
            NgramEmbedder.embed("lives_in")
        );
        assert_eq!(
            NgramEmbedder.embed("lives-in"),
            NgramEmbedder.embed("lives_in")
        );
    }
}
