//! Tense of a statement, and the window that its date gives it.

use counterfoil_claims::time::{Boundary, ValidTime};
use counterfoil_dates::{Kind, PartialDate, Token, When};
use counterfoil_types::Confidence;

use super::matching::{ASPECT, Slots};
use super::patterns::Tense;
use super::slots::Read;
use super::verbs::Aspect;

/// Number of the words "anymore" or "any more", which end a denied part.
pub(super) fn over(tokens: &[Token<'_>]) -> usize {
    match tokens {
        [first, ..] if first.is("anymore") => 1,
        [first, second, rest @ ..] if first.is("any") && second.is("more") => {
            2 * usize::from(rest.first().is_none_or(|next| next.kind == Kind::Mark))
        }
        _ => 0,
    }
}

/// Tense of a line; that of its verb group, where the line leaves it to that. `None`: the group states nothing.
pub(super) fn tense_of(tense: Tense, slots: &Slots, over: bool) -> Option<Tense> {
    let aspect = slots.iter().find_map(|(name, read)| match read {
        Read::Aspect(aspect) if *name == ASPECT => Some(*aspect),
        _ => None,
    });
    let Some(aspect) = aspect else {
        return Some(tense);
    };
    match (tense, aspect) {
        (_, Aspect::Negated) if over => Some(Tense::Ended),
        (Tense::Habit, Aspect::Progressive | Aspect::PerfectProgressive | Aspect::Present) => {
            Some(Tense::Holds)
        }
        (Tense::Outing, Aspect::Past | Aspect::Perfect) => Some(Tense::HappenedOn),
        (Tense::Outing, aspect) => {
            tense_of(Tense::Event, slots, over).filter(|_| aspect != Aspect::Present)
        }
        (Tense::Habit, Aspect::Began) => Some(Tense::Began),
        (Tense::Habit, _) => tense_of(Tense::Work, slots, over),
        (Tense::Event | Tense::Work, Aspect::UsedTo | Aspect::Ended) => None,
        (Tense::Work, Aspect::Progressive | Aspect::PerfectProgressive) => Some(Tense::Holds),
        (Tense::Turn | Tense::Leave, aspect) => match (aspect, tense) {
            (Aspect::Past | Aspect::Perfect, Tense::Turn) => Some(Tense::Began),
            (Aspect::Past | Aspect::Perfect, _) => Some(Tense::Ended),
            (Aspect::Present | Aspect::Progressive, Tense::Turn) => Some(Tense::Begins),
            (Aspect::Present | Aspect::Progressive, _) => Some(Tense::Ends),
            _ => None,
        },
        (Tense::Stay, Aspect::Perfect | Aspect::PerfectProgressive) => Some(Tense::HoldsSince),
        (Tense::Stay, _) => tense_of(Tense::State, slots, over),
        (_, Aspect::UsedTo) => Some(Tense::UsedTo),
        (_, Aspect::Ended) => Some(Tense::Ended),
        (_, Aspect::Negated) => None,
        (Tense::State | Tense::Doing, Aspect::Began) => Some(Tense::Began),
        (Tense::State | Tense::Doing, Aspect::Past) => Some(Tense::Held),
        (Tense::State | Tense::Doing, Aspect::Future) => None,
        (Tense::Event | Tense::Work, Aspect::Past | Aspect::Perfect) => Some(Tense::Happened),
        (Tense::Event | Tense::Work, Aspect::Progressive | Aspect::Future) => Some(Tense::Plans),
        (Tense::Event | Tense::Work, _) => None,
        (Tense::State, _) => Some(Tense::Holds),
        (Tense::Doing, Aspect::Perfect) => Some(Tense::Happened),
        (Tense::Doing, _) => Some(Tense::Holds),
        (tense, _) => Some(tense),
    }
}

/// Returns the valid time of a clause; the outer `None` if its tense and date allow no proposal.
pub(super) fn window(tense: Tense, when: Option<When>) -> Option<Option<ValidTime>> {
    let (from, until) = match (tense, when) {
        (Tense::Always, _) => (None, None),
        (
            Tense::Holds | Tense::HoldsSince | Tense::Spell | Tense::Began,
            Some(When::Since(from)),
        ) => (Some(from), None),
        (Tense::Holds | Tense::Held | Tense::Spell, Some(When::Until(until))) => {
            (None, Some(until))
        }
        (
            Tense::Holds | Tense::Held | Tense::Spell | Tense::Began,
            Some(When::Between(from, until)),
        ) => (Some(from), Some(until)),
        (
            Tense::Happened | Tense::HappenedOn | Tense::Planned | Tense::Plans,
            Some(When::At(at)),
        ) => (Some(at), Some(at)),
        (Tense::Happened | Tense::Planned, None) => (None, None),
        (Tense::Holds | Tense::HoldsSince, Some(When::For))
        | (Tense::Holds | Tense::Began | Tense::Changes, None) => (None, None),
        (Tense::Began | Tense::Begins | Tense::Changes, Some(When::At(from))) => (Some(from), None),
        (Tense::Ended, Some(When::At(until) | When::Since(until)))
        | (Tense::Ends, Some(When::At(until)))
        | (Tense::UsedTo, Some(When::Until(until))) => (None, Some(until)),
        (Tense::UsedTo, Some(When::Between(from, until))) => (Some(from), Some(until)),
        (Tense::Ended | Tense::UsedTo, None) | (Tense::UsedTo, Some(When::For)) => (None, None),
        _ => return None,
    };
    let confidence = [from, until]
        .into_iter()
        .flatten()
        .map(|dated| dated.confidence)
        .reduce(f64::min);
    let confidence = confidence.and_then(|value| Confidence::new(value).ok());
    Some(confidence.map(|confidence| ValidTime {
        from: from.and_then(|dated| boundary(dated.first)),
        until: until.and_then(|dated| boundary(dated.last)),
        confidence,
    }))
}

fn boundary(date: PartialDate) -> Option<Boundary> {
    Boundary::parse(&date.to_string()).ok()
}
