//! Whom "he" and "she" mean, and what "it" does.

use counterfoil_dates::{Kind, Token};

use super::slots;
use super::verbs;
use super::vocabulary::{CLOSED, FILLERS, FINITE};

/// Most words before a pronoun that are looked through.
const MAX_WORDS: usize = 40;
/// Words after which somebody is named whom the next sentence is about.
const INTRODUCING: &[&str] = &["is", "are", "met", "meet", "called", "named", "by"];

/// Reads who is named last in the words before a pronoun, as a subject or after "is" or "met".
pub(super) fn named(tokens: &[Token<'_>], speaker: &str) -> Option<String> {
    let first = tokens.len().saturating_sub(MAX_WORDS);
    (first..tokens.len()).rev().find_map(|at| {
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let begins =
            before.is_none_or(|before| before.kind == Kind::Mark || before.is_any(FILLERS));
        let object = before.is_some_and(|before| before.is_any(INTRODUCING));
        let (named, used) = slots::one(tokens.get(at..)?)?;
        let next = tokens.get(at + used);
        let verb = next.is_none_or(|next| {
            next.kind == Kind::Mark
                || next.is_any(FINITE)
                || verbs::is_past(next)
                || next.lower.ends_with('s')
        });
        let plain = !named.starts_with("{me}") || named.len() > 4;
        let is_named = plain && named != "{they}" && (object || (begins && verb));
        is_named.then(|| named.replace("{me}", speaker))
    })
}

/// The thing that has a price, rent or fee in the words, and which: "the price of the oven", "the oven's bill".
pub(super) fn topic(tokens: &[Token<'_>]) -> Option<(String, &'static str)> {
    let last = tokens.len().saturating_sub(MAX_WORDS);
    (last..tokens.len()).rev().find_map(|at| {
        let of = slots::charge(tokens.get(at)?)?;
        let next = tokens.get(at + 1);
        if next.is_some_and(|next| next.is_any(&["of", "for"])) {
            return Some((slots::item(tokens.get(at + 2..)?)?.0, of));
        }
        let ends = |next: &Token<'_>| {
            next.kind == Kind::Mark || next.is_any(CLOSED) || verbs::is_past(next)
        };
        next.is_none_or(ends).then_some(())?;
        let words = tokens.get(..at)?.iter().rev();
        let count = words
            .take_while(|token| token.kind == Kind::Word && !token.is_any(CLOSED))
            .count();
        let (item, used) = slots::item(tokens.get(at - count..at)?)?;
        (used == count).then_some((item, of))
    })
}
