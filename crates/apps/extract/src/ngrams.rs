//! Embedding without a model: counts of the short runs of characters in a text.

/// Length of the vectors.
const DIMENSIONS: usize = 256;
/// Most characters of a text that count.
const MAX_CHARS: usize = 4096;
/// Weight of a run at the beginning of a word, before its inflection.
const STEM: f32 = 2.0;

/// Counts the runs of two and three characters of each word and its first two to four letters, hashed to 256 places and
/// scaled to length 1. Letters count in lower case; other characters but digits are gaps. Texts without a common run have
/// the cosine 0, but for collisions.
pub(crate) fn embed(text: &str) -> Vec<f32> {
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

/// Returns the words of a name or text, split at any characters but letters and digits.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// Returns the place of a run, by FNV-1a over its characters.
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
            let vector = embed(text);
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
        assert_eq!(embed("Lives In"), embed("lives_in"));
        assert_eq!(embed("lives-in"), embed("lives_in"));
    }
}
