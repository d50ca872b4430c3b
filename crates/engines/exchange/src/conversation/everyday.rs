//! Everyday questions without `about`: `where did we put …?`, `do you know when …`, `remind me what …`. A question to the reader
//! as a person (`how are you?`, `do you want …?`) asks for no memory.

use super::words::{Word, keyword_count, prefix_length};

/// Beginnings before a question inside of the sentence, which begins with one of [`ASKING`].
const EMBEDDING: [&str; 28] = [
    "do you know",
    "do u know",
    "do you happen to know",
    "do you have any idea",
    "would you know",
    "would you happen to know",
    "can you please tell me",
    "can you tell me",
    "could you please tell me",
    "could you tell me",
    "can you remind me",
    "could you remind me",
    "please tell me",
    "please remind me",
    "tell me",
    "remind me",
    "any idea",
    "i was wondering if you know",
    "i was wondering",
    "i wonder if you know",
    "i wonder",
    "i need to know",
    "i want to know",
    "i'd like to know",
    "i would like to know",
    "i'm trying to find out",
    "i am trying to find out",
    "we need to know",
];
/// Beginnings before a topic.
const LOOKING_UP: [&str; 14] = [
    "please look up",
    "can you look up",
    "could you look up",
    "can you check your notes for",
    "can you check your notes on",
    "can you check your notes about",
    "could you check your notes for",
    "could you check your notes on",
    "could you check your notes about",
    "please check your notes for",
    "please check your notes on",
    "check your notes for",
    "search your memory for",
    "search your notes for",
];
/// Beginnings before a topic, where a question mark ends the sentence.
const TOPICS: [&str; 14] = [
    "anything on",
    "anything about",
    "any news on",
    "any news about",
    "any info on",
    "any info about",
    "any information on",
    "any information about",
    "any notes on",
    "any notes about",
    "do we have * about",
    "do we have * on",
    "do we know * about",
    "has anyone told you about",
];
/// Words that begin a question, or one inside of a sentence.
const ASKING: &str =
    "what where when who whom whose which why how if whether what's where's when's who's";
const AUXILIARIES: &str =
    "is are was were do does did has have had will isn't aren't wasn't doesn't didn't hasn't";
/// Words after `how` in questions of a number.
const MEASURES: &str = "many much long often far old big tall late";
/// Subjects of questions to a person, or about the moment.
const PERSONAL: &str =
    "you u your yours you're it it's this that these those everything everyone everybody up new";
/// Subjects of questions to a person, too, where yes or no is the answer.
const OURS: &str = "i we me my anyone anybody someone somebody all any";
/// Words of which `my` and the like are about a person's moment.
const MOMENT: &str = "going doing wrong matter cares wants coming";

fn is_in(list: &str, word: Option<&Word>) -> bool {
    let mut list = list.split_ascii_whitespace();
    word.is_some_and(|word| list.any(|it| it == word.text))
}

/// Returns the number of words of the beginning of such a question, before its subject. `is_asked`: the sentence ends with a
/// question mark.
pub(super) fn opening(words: &[Word], is_asked: bool) -> Option<usize> {
    let of = |templates: &[&str]| {
        let mut templates = templates.iter();
        templates.find_map(|template| prefix_length(words, template))
    };
    let asks_inside = |length: &usize| {
        let to_person = is_in(PERSONAL, words.get(length.saturating_add(1)));
        is_in(ASKING, words.get(*length)) && !to_person
    };
    if let Some(length) = of(&EMBEDDING).filter(asks_inside) {
        return Some(length.saturating_add(1));
    }
    if let Some(length) = of(&LOOKING_UP) {
        return Some(length);
    }
    if !is_asked {
        return None;
    }
    let remembered = prefix_length(words, "remember").filter(asks_inside);
    of(&TOPICS)
        .or(remembered)
        .or_else(|| direct(words))
        .or_else(|| yes_or_no(words))
}

/// `Where did we put the key`, `who owns it`, `how many people are coming`.
fn direct(words: &[Word]) -> Option<usize> {
    let (first, rest) = words.split_first()?;
    if !is_in(ASKING, Some(first)) || is_in("if whether", Some(first)) {
        return None;
    }
    if first.text.ends_with("'s") {
        return (!is_in(PERSONAL, rest.first()) && keyword_count(rest) > 0).then_some(1);
    }
    if first.text == "how" && is_in(MEASURES, rest.first()) {
        let is_personal = rest.iter().take(4).any(|word| is_in(PERSONAL, Some(word)));
        return (!is_personal && keyword_count(rest) > 1).then_some(2);
    }
    let auxiliary = rest
        .iter()
        .take(3)
        .position(|word| is_in(AUXILIARIES, Some(word)));
    let fits = match auxiliary {
        Some(0) | None if first.text == "how" && auxiliary.is_none() => false,
        Some(at) if first.text == "how" && at > 0 => false,
        Some(at) => {
            let subject = rest.get(at.saturating_add(1));
            !is_in(PERSONAL, subject) && keyword_count(rest) > 0
        }
        // `Who owns the key`: without an auxiliary the asked one is the subject.
        None => {
            let is_personal = rest.iter().take(3).any(|word| is_in(PERSONAL, Some(word)));
            let is_subject = is_in("who what which whose", Some(first));
            is_subject && !is_personal && !is_in(MOMENT, rest.first()) && keyword_count(rest) > 1
        }
    };
    fits.then_some(1)
}

/// `Is the bakery open on Sundays`.
fn yes_or_no(words: &[Word]) -> Option<usize> {
    let (first, rest) = words.split_first()?;
    let subject = rest.first();
    let is_ours = is_in(OURS, subject) && !(first.text == "did" && is_in("we i", subject));
    let fits = is_in(AUXILIARIES, Some(first))
        && !is_in(PERSONAL, subject)
        && !is_ours
        && keyword_count(rest) > 1;
    fits.then_some(1)
}
