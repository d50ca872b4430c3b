//! Words that say nothing of the subject of a question.

/// Words that are no keywords.
const STOP_WORDS: &str = "a about after all also am an and any anything are as at be because been before but by can could \
    did do does each else ever for from had has have he her here him his how i if in into is it its just know like may me \
    might more most much my no not now of off on one only or other our out over please recall remember same say shall she \
    should so some something such tell than that the their them then there these they this those to too under up us very \
    was we well were what what's when where where's which while who who's whom why will with would you your";

/// Returns true for a word in lower case that is no keyword.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.split_ascii_whitespace().any(|stop| stop == word)
}
