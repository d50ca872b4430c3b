//! Noun phrases, and lists of them: `a clay bowl, two cups and the best of my plates`.

use counterfoil_dates::{Kind, MONTHS, NUMBERS, Token, WEEKDAYS};

use super::verbs::{is_irregular_past, is_past};
use super::vocabulary::{
    ACTIVITIES, CLOSED, DETERMINERS, FINITE, NO_ACT, NO_AIM, NO_DOING, NO_LIKING, TIME_UNITS, VAGUE,
};

/// Most words of a phrase.
const MOST_WORDS: usize = 6;
/// Words that lead from a verb to its object.
const PLACED: &[&str] = &["in", "on", "at", "with", "for", "about", "to"];
/// Most members of a list.
const MOST_MEMBERS: usize = 8;

/// Kind of the phrases of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// Any, with an article or without one.
    Nouns,
    /// Things that one can be fond of: nouns without an article that points at one of them, and verbs in `-ing`.
    Liked,
    /// The same after words that say so, as `fan of`: names too, and nouns with an article.
    Fancied,
    /// The same before the verb whose subject it is.
    Subject,
    /// Verbs in `-ing` with what follows.
    Doing,
    /// Verbs after `love to`.
    Acts,
    /// Verbs after `want to`.
    Aims,
}

/// Reads the words of a noun phrase before one of the heads: `science fiction` in `science fiction fan`.
pub(super) fn before_head(tokens: &[Token<'_>], heads: &[&str]) -> Option<(String, usize)> {
    let used = words(tokens);
    let (head, read) = tokens.get(..used)?.split_last()?;
    (head.is_any(heads) && !read.is_empty()).then(|| (joined(read), used))
}

/// Reads a list, `A, B and C`, of which all members are of the kind.
pub(super) fn list(tokens: &[Token<'_>], of: Of) -> Option<(Vec<String>, usize)> {
    let (first, mut used) = member(tokens, of)?;
    if is_cut(tokens, used) {
        return None;
    }
    let mut members = vec![first];
    while members.len() < MOST_MEMBERS {
        let rest = tokens.get(used..).unwrap_or_default();
        let joints = rest.iter().take(2);
        let joint = |token: &&Token<'_>| token.text == "," || token.is_any(&["and", "or", "plus"]);
        let skipped = joints.take_while(joint).count();
        let mut next = rest.get(skipped..).unwrap_or_default();
        let mut more = skipped;
        if matches!(of, Of::Acts | Of::Aims) && next.first().is_some_and(|token| token.is("to")) {
            next = next.get(1..).unwrap_or_default();
            more += 1;
        }
        // "Coffee, which I drink": only what is read as a member goes on, and no verb of the next clause.
        let is_verb = next.first().is_some_and(is_past);
        let Some((read, taken)) = member(next, of).filter(|_| skipped > 0 && !is_verb) else {
            break;
        };
        used += more + taken;
        members.push(read);
    }
    Some((members, used))
}

/// Returns true for "a safe, quiet place": the last of the words is no noun.
fn is_cut(tokens: &[Token<'_>], used: usize) -> bool {
    let article = used.checked_sub(2).and_then(|at| tokens.get(at));
    let plain = |token: &Token<'_>| token.kind == Kind::Word && !token.is_any(CLOSED);
    article.is_some_and(|first| first.is_any(&["a", "an"]))
        && tokens.get(used).is_some_and(|next| next.text == ",")
        && tokens
            .get(used + 1..used + 3)
            .is_some_and(|more| more.iter().all(plain))
}

/// Reads a member of a list.
fn member(tokens: &[Token<'_>], of: Of) -> Option<(String, usize)> {
    let (text, used) = match of {
        Of::Nouns => noun_phrase(tokens),
        Of::Fancied => doing(tokens).or_else(|| {
            let pointed = tokens.first()?.is_any(&["this", "these", "my", "our"]);
            noun_phrase(tokens).filter(|_| !pointed)
        }),
        Of::Doing => doing(tokens),
        Of::Acts => act(tokens, NO_ACT),
        Of::Aims => act(tokens, NO_AIM),
        Of::Liked | Of::Subject => doing(tokens).or_else(|| liked(tokens)),
    }?;
    // "Coffee is" begins another clause.
    let rest = tokens.get(used..).unwrap_or_default();
    let unit = rest
        .get(1)
        .filter(|next| next.is_any(TIME_UNITS) || next.is_any(&["few", "couple"]));
    let dated = unit.is_some();
    let goes_on = rest
        .first()
        .is_some_and(|next| next.is_any(FINITE) || (next.is_any(DETERMINERS) && !dated));
    (!goes_on || of == Of::Subject).then_some((text, used))
}

/// Reads nouns with their adjectives, after an article or without one. Its head is not vague.
pub(super) fn noun_phrase(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let skipped = tokens.iter().take(2);
    let skipped = skipped
        .take_while(|token| token.is_any(DETERMINERS))
        .count();
    let rest = tokens.get(skipped..)?;
    let mut used = words(rest);
    let head = rest.get(used.checked_sub(1)?)?;
    let of = rest.get(used).filter(|next| next.is("of"));
    if of.is_some() {
        // "A collection of stamps": the head may be vague, what it is of may not.
        let after = rest.get(used + 1..)?;
        let article = usize::from(after.first()?.is_any(DETERMINERS));
        let more = words(after.get(article..)?);
        let inner = after.get(..article + more)?;
        let last = inner
            .last()
            .filter(|last| more > 0 && !last.is_any(VAGUE))?;
        (last.owner().is_none()).then_some(())?;
        used += 1 + article + more;
    } else if head.is_any(VAGUE) {
        return None;
    }
    let read = rest.get(..used)?;
    // "Love watching them": a verb without its object.
    let next = rest.get(used).filter(|next| next.kind == Kind::Word);
    let open = next.is_some_and(|next| !next.is_any(&["and", "or", "too", "as", "because"]));
    let verb = used == 1 && skipped == 0 && is_doing(head) && !head.is_any(ACTIVITIES);
    if verb && open {
        return None;
    }
    let light = used == 1 && read.first()?.is_any(NO_LIKING);
    (!light && used <= MOST_WORDS && read.last()?.owner().is_none())
        .then(|| (joined(read), skipped + used))
}

/// Reads nouns that one is fond of; a name alone is a person.
fn liked(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let first = tokens.first()?;
    let all = first.is("all") && !tokens.get(1)?.is_any(DETERMINERS);
    let (text, used) = if first.is("a") || all || !first.is_any(DETERMINERS) {
        noun_phrase(tokens)?
    } else {
        return None;
    };
    let read = tokens.get(..used)?;
    let somebody = used == 1 && first.is_capitalised();
    let plain = !read
        .iter()
        .any(|token| token.is_any(NO_LIKING) && !token.is("a"));
    (plain && !somebody && read.iter().all(|token| token.owner().is_none())).then_some((text, used))
}

/// Reads a verb in `-ing` with its object, or with where it is done.
pub(super) fn doing(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let first = tokens
        .first()
        .filter(|first| is_doing(first) && !first.is_any(NO_LIKING))?;
    let rest = tokens.get(1..)?;
    let finite = rest.first().is_some_and(|next| next.is_any(FINITE));
    // "Meeting new people": beside a verb a noun may be vague, but not alone.
    let vague = |tokens: &[Token<'_>]| {
        let used = words(tokens);
        (used > 1).then_some((String::new(), used))
    };
    if let Some((_, used)) = noun_phrase(rest)
        .or_else(|| vague(rest))
        .filter(|_| !finite)
    {
        return Some((joined(tokens.get(..=used)?), used + 1));
    }
    let plain = first.lower.clone();
    let placed =
        rest.first().is_some_and(|next| next.is_any(PLACED)) && !rest.get(1).is_some_and(is_time);
    if first.is_any(ACTIVITIES) {
        let place = rest.get(1..).filter(|_| placed).and_then(noun_phrase);
        return Some((plain, 1 + place.map_or(0, |(_, used)| used + 1)));
    }
    // "Experimenting in the kitchen" is more than experimenting.
    match rest.first() {
        Some(_) if placed => {
            let (_, used) = noun_phrase(rest.get(1..)?)?;
            Some((joined(tokens.get(..used + 2)?), used + 2))
        }
        Some(next)
            if next.kind == Kind::Word
                && !finite
                && !next.is_any(&["and", "or", "too", "because"])
                && !rest.get(1).is_some_and(is_time)
                && !next.is_any(&["last", "yesterday", "today", "lately", "recently"]) =>
        {
            None
        }
        _ => Some((plain, 1)),
    }
}

/// Reads a verb with its object: `bake bread`, `swim in the sea`, `dance`.
fn act(tokens: &[Token<'_>], light: &[&str]) -> Option<(String, usize)> {
    let first = tokens.first()?;
    let verb = first.kind == Kind::Word && !first.is_any(CLOSED) && !first.is_any(light);
    verb.then_some(())?;
    let joint = tokens
        .get(1)
        .is_some_and(|next| next.is_any(&["in", "on", "at", "with", "to"]));
    let placed = usize::from(joint);
    if let Some((_, used)) = noun_phrase(tokens.get(1 + placed..)?) {
        let used = used + 1 + placed;
        return Some((joined(tokens.get(..used)?), used));
    }
    let ends = tokens
        .get(1)
        .is_none_or(|next| next.kind == Kind::Mark || next.is_any(&["and", "or", "too"]));
    ends.then(|| (first.lower.clone(), 1))
}

/// Number of words that may stand in a noun phrase.
fn words(tokens: &[Token<'_>]) -> usize {
    let counts = |at: usize| match tokens.get(at..) {
        Some([number, unit, ..]) => {
            (number.is_any(NUMBERS) || number.is("a")) && unit.is_any(TIME_UNITS)
        }
        _ => false,
    };
    let inside = |(at, token): &(usize, &Token<'_>)| {
        // "A great time talking".
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let talking = is_doing(token) && before.is_some_and(|before| before.is_any(VAGUE));
        let verb = *at > 0 && (is_irregular_past(token) || talking);
        token.kind == Kind::Word && !token.is_any(CLOSED) && !counts(*at) && !verb
    };
    tokens
        .iter()
        .enumerate()
        .take(MOST_WORDS + 1)
        .take_while(inside)
        .count()
}

/// Returns true for a word that begins a date: `in March`, `on Monday`, `in 2020`.
fn is_time(token: &Token<'_>) -> bool {
    let named = token.is_capitalised() && (token.is_any(&MONTHS) || token.is_any(&WEEKDAYS));
    named || token.text.starts_with(|first: char| first.is_ascii_digit())
}

/// Returns true for a verb in `-ing`.
pub(super) fn is_doing(token: &Token<'_>) -> bool {
    token.kind == Kind::Word
        && token.lower.len() > 4
        && token.lower.ends_with("ing")
        && !token.is_any(NO_DOING)
}

pub(super) fn joined(tokens: &[Token<'_>]) -> String {
    let words: Vec<&str> = tokens.iter().map(|token| token.text).collect();
    words.join(" ")
}
