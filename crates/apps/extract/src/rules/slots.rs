//! What stands in the slots of a pattern.

use super::dates::{calendar, day_of_year};
use super::token::{Kind, Token};
use super::vocabulary::{
    COUNTED, INSTRUMENTS, JOBS, KIN, LANGUAGES, NAME_JOINTS, NO_FAVOURITE, NO_LIKING, NO_NAME,
    NO_PHRASE, NUMBERS, PETS, PHRASE_ENDS, SPORTS, STATUSES, UNSAID,
};

/// The most words of a name.
const NAME_WORDS: usize = 5;
/// The most words of a phrase.
const PHRASE_WORDS: usize = 5;
/// After a verb these lead to what it is about.
const PLACED: &[&str] = &["in", "on", "at", "with", "for", "into", "about", "by", "to"];
/// The most members of a list.
const MEMBERS: usize = 16;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// A place: a name with capital letters.
    Place,
    /// A person or an animal: up to three words with capital letters.
    Name,
    /// A second name.
    Other,
    /// A company or a school.
    Org,
    /// A trade.
    Job,
    /// A relation: `sister`.
    Kin,
    /// `sister's`.
    KinOf,
    /// An animal: `dog`.
    Pet,
    /// `dog's`.
    PetOf,
    /// Up to two words before an animal; may be empty, and is not kept.
    Quality,
    /// A number.
    Number,
    /// What is counted.
    Counted,
    /// Languages, as a list.
    Languages,
    /// Instruments, as a list.
    Instruments,
    /// Sports, as a list.
    Sports,
    /// Whether somebody is married.
    Status,
    /// What somebody likes: up to three words.
    Liked,
    /// A verb in `-ing`, and what it is done to.
    Doing,
    /// Of what something is a favourite, where the clause ends with it.
    KindOf,
    /// Up to three words.
    Thing,
    /// A quotation.
    Title,
    /// A date.
    Date,
    /// A day of any year.
    Day,
    /// What one is allergic to: one word.
    Allergen,
    /// Of what somebody has a favourite.
    Topic,
    /// Up to five words, or a quotation.
    Phrase,
}

/// What was read in a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Read {
    /// One text.
    Text(String),
    /// A number.
    Number(u32),
    /// Several texts.
    List(Vec<String>),
}

impl Slot {
    /// The slot of that name in a pattern.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "place" => Self::Place,
            "name" => Self::Name,
            "other" => Self::Other,
            "org" => Self::Org,
            "job" => Self::Job,
            "kin" => Self::Kin,
            "kin_s" => Self::KinOf,
            "pet" => Self::Pet,
            "pet_s" => Self::PetOf,
            "quality" => Self::Quality,
            "number" => Self::Number,
            "counted" => Self::Counted,
            "languages" => Self::Languages,
            "instruments" => Self::Instruments,
            "sports" => Self::Sports,
            "status" => Self::Status,
            "liked" => Self::Liked,
            "doing" => Self::Doing,
            "kind" => Self::KindOf,
            "thing" => Self::Thing,
            "title" => Self::Title,
            "date" => Self::Date,
            "day" => Self::Day,
            "allergen" => Self::Allergen,
            "topic" => Self::Topic,
            "phrase" => Self::Phrase,
            _ => return None,
        })
    }

    /// What the tokens begin with, and how many of them say it.
    pub(super) fn read(self, tokens: &[Token<'_>]) -> Option<(Read, usize)> {
        match self {
            Self::Place => text(name(tokens, NAME_WORDS, true)?),
            Self::Name | Self::Other => text(name(tokens, 3, false)?),
            Self::Org => text(name(tokens, NAME_WORDS, true)?),
            Self::Job => text(job(tokens)?),
            Self::Kin => one_of(tokens, KIN),
            Self::Pet => one_of(tokens, PETS),
            Self::KinOf => owner(tokens, KIN),
            Self::PetOf => owner(tokens, PETS),
            Self::Quality => Some((Read::Text(String::new()), quality(tokens))),
            Self::Number => number(tokens),
            Self::Counted => one_of(tokens, COUNTED),
            Self::Languages => list(tokens, LANGUAGES, true),
            Self::Instruments => list(tokens, INSTRUMENTS, false),
            Self::Sports => list(tokens, SPORTS, false),
            Self::Status => one_of(tokens, STATUSES),
            Self::Liked => text(liked(tokens)?),
            Self::Doing => text(doing(tokens)?),
            Self::KindOf => text(kind(tokens)?),
            Self::Thing => text(few(tokens, 3)?),
            Self::Title => text(title(tokens)?),
            Self::Date => text(calendar(tokens)?),
            Self::Day => text(day_of_year(tokens)?),
            Self::Allergen => text(allergen(tokens)?),
            Self::Topic => text(topic(tokens)?),
            Self::Phrase => text(phrase(tokens)?),
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "what the arms of `read` return")]
fn text((text, used): (String, usize)) -> Option<(Read, usize)> {
    Some((Read::Text(text), used))
}

fn joined(tokens: &[Token<'_>]) -> String {
    let words: Vec<&str> = tokens.iter().map(|token| token.text).collect();
    words.join(" ")
}

/// Words with capital letters; of several words some in the middle may be small.
fn name(tokens: &[Token<'_>], most: usize, article: bool) -> Option<(String, usize)> {
    let skipped = usize::from(article && tokens.first()?.is("the"));
    let tokens = tokens.get(skipped..)?;
    let mut used = 0;
    for (at, token) in tokens.iter().enumerate().take(most) {
        if named(token) && (at > 0 || token.owner().is_none()) {
            used = at + 1;
        } else if !(at > 0 && token.is_any(NAME_JOINTS)) {
            break;
        }
    }
    let words = tokens.get(..used)?;
    let last = words.last()?;
    // "Anna's" is the owner of what follows, and not somebody.
    (last.owner().is_none()).then(|| (joined(words), used + skipped))
}

/// Shouted words are names up to six bytes: `NASA`.
fn named(token: &Token<'_>) -> bool {
    let short = (2..=6).contains(&token.text.len());
    let shouted = !token.text.chars().any(char::is_lowercase);
    token.is_capitalised() && !token.is_any(NO_NAME) && (short || !shouted)
}

/// A trade, with what stands before it: `elementary school teacher`.
fn job(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let words = tokens
        .iter()
        .take(4)
        .take_while(|token| token.kind == Kind::Word);
    let at = words
        .enumerate()
        .take_while(|(_, token)| !token.is_any(PHRASE_ENDS) && token.owner().is_none())
        .filter(|(_, token)| token.is_any(JOBS))
        .map(|(at, _)| at)
        .last()?;
    Some((joined(tokens.get(..=at)?).to_lowercase(), at + 1))
}

fn one_of(tokens: &[Token<'_>], words: &[&str]) -> Option<(Read, usize)> {
    let first = tokens.first().filter(|token| token.is_any(words))?;
    Some((Read::Text(first.lower.clone()), 1))
}

fn owner(tokens: &[Token<'_>], words: &[&str]) -> Option<(Read, usize)> {
    let owner = tokens.first()?.owner()?;
    words
        .contains(&owner)
        .then(|| (Read::Text(owner.to_owned()), 1))
}

/// How many words stand before an animal, at most two.
fn quality(tokens: &[Token<'_>]) -> usize {
    let pet = tokens.iter().take(3).position(|token| token.is_any(PETS));
    pet.unwrap_or(0)
}

fn number(tokens: &[Token<'_>]) -> Option<(Read, usize)> {
    let first = tokens.first().filter(|token| token.kind == Kind::Word)?;
    let number = match NUMBERS.iter().position(|word| *word == first.lower) {
        Some(number) => u32::try_from(number).ok()?,
        None => first.text.parse().ok().filter(|number| *number < 100)?,
    };
    // "one" is as often a pronoun.
    (number != 1).then_some((Read::Number(number), 1))
}

/// `A`, `A and B`, `A, B and C`; all of them must be of `words`.
fn list(tokens: &[Token<'_>], words: &[&str], capital: bool) -> Option<(Read, usize)> {
    let mut members: Vec<String> = Vec::new();
    let mut used = 0;
    let mut rest = tokens;
    while let Some(token) = rest.first().filter(|token| token.is_any(words)) {
        let member = if capital {
            capitalised(&token.lower)
        } else {
            token.lower.clone()
        };
        if !members.contains(&member) {
            members.push(member);
        }
        used = tokens.len() - rest.len() + 1;
        let joints = rest.iter().skip(1).take(3);
        let joint = |token: &&Token<'_>| {
            token.text == "," || token.is_any(&["and", "the", "some", "a", "little"])
        };
        let skipped = joints.take_while(joint).count();
        rest = rest.get(1 + skipped..).unwrap_or_default();
        if skipped == 0 || members.len() == MEMBERS {
            break;
        }
    }
    (!members.is_empty()).then_some((Read::List(members), used))
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// One word, and `most` or a plural is none.
fn allergen(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let first = tokens.first().filter(|token| token.kind == Kind::Word)?;
    let vague = [
        "most", "many", "some", "certain", "all", "any", "a", "the", "those", "this", "that", "it",
        "them",
    ];
    (!first.is_any(&vague) && first.owner().is_none()).then(|| (first.lower.clone(), 1))
}

/// One to three words.
fn topic(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let verb = |token: &Token<'_>| token.is_any(&["is", "are"]);
    let at = tokens.iter().take(4).position(verb).filter(|at| *at > 0)?;
    let words = tokens.get(..at)?;
    let plain = words.iter().all(|token| {
        token.kind == Kind::Word && !token.is_any(NO_FAVOURITE) && !token.is_any(&["of", "to"])
    });
    plain.then(|| (joined(words).to_lowercase(), at))
}

/// A quotation; of a pronoun it is emphasis.
fn title(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let first = tokens.first().filter(|first| first.kind == Kind::Quoted)?;
    let title = (2..=100).contains(&first.text.len()) && !NO_PHRASE.contains(&first.lower.as_str());
    title.then(|| (first.text.to_owned(), 1))
}

/// A quotation, or a few words.
fn phrase(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    if let Some(title) = title(tokens) {
        return Some(title);
    }
    let skipped = usize::from(tokens.first()?.is_any(&["the", "a", "an"]));
    let (words, used) = few(tokens.get(skipped..)?, PHRASE_WORDS)?;
    Some((words, used + skipped))
}

/// At most so many words up to where the clause ends; not the first of a list, which would be cut in two: "pizza and
/// pasta", "a safe, quiet place".
fn few(tokens: &[Token<'_>], most: usize) -> Option<(String, usize)> {
    let words = tokens.iter().take(most + 1).take_while(|token| {
        token.kind == Kind::Word && !token.is_any(PHRASE_ENDS) && !token.is_any(&["and", "or"])
    });
    let used = words.count();
    let words = tokens.get(..used)?;
    let plain = words
        .iter()
        .all(|token| !token.is_any(NO_PHRASE) && !token.is_any(UNSAID));
    let goes_on = !tokens.get(used + 1).is_some_and(clause);
    let cut = match tokens.get(used) {
        Some(next) if next.is("or") => true,
        Some(next) => goes_on && (next.is("and") || next.text == ","),
        None => false,
    };
    (used > 0 && used <= most && plain && !cut).then(|| (joined(words), used))
}

/// Nouns, or a verb in `-ing` with its object. A name alone is somebody, and whom one likes is another thing.
fn liked(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let (words, used) = few(tokens, 3)?;
    let read = tokens.get(..used)?;
    let first = read.first()?;
    let somebody = first.is_capitalised() && used == 1;
    let plain = !first.is_any(NO_LIKING) && read.iter().all(|token| token.owner().is_none());
    // "Experimenting in the kitchen" is more than experimenting.
    let cut = used == 1 && is_doing(first) && tokens.get(1).is_some_and(|next| next.is_any(PLACED));
    (plain && !somebody && !cut).then_some((words, used))
}

/// A verb in `-ing` with up to two words.
fn doing(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    tokens.first().filter(|first| is_doing(first))?;
    liked(tokens)
}

fn is_doing(token: &Token<'_>) -> bool {
    token.kind == Kind::Word && token.lower.len() > 4 && token.lower.ends_with("ing")
}

/// One or two words at the end of a clause.
fn kind(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let (words, used) = few(tokens, 2)?;
    let plain = tokens
        .iter()
        .take(used)
        .all(|token| !token.is_any(NO_FAVOURITE));
    let ends = tokens.get(used).is_none_or(|next| next.kind != Kind::Word);
    (plain && ends).then(|| (words.to_lowercase(), used))
}

/// Whether a clause begins here.
fn clause(token: &Token<'_>) -> bool {
    token.is_any(&[
        "and", "but", "so", "because", "it", "it's", "i", "which", "what", "they", "that", "you",
        "how",
    ])
}
