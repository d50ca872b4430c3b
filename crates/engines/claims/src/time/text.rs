//! Boundaries as text: what of ISO 8601 and RFC 3339 is read, and how an instant is written.

use core::fmt;

use super::calendar::{self, DAY_US};
use super::{Boundary, Granularity, Micros};

const SECOND_US: i64 = 1_000_000;
const MINUTE_US: i64 = 60 * SECOND_US;
const HOUR_US: i64 = 60 * MINUTE_US;

/// Reads a boundary. `None` for everything that is none.
pub(super) fn parse(text: &str) -> Option<Boundary> {
    let mut rest = text.as_bytes();
    let year = number(&mut rest, 4).filter(|year| *year >= 1)?;
    if rest.is_empty() {
        let (begin, end) = (
            calendar::day_number(year, 1, 1),
            calendar::day_number(year + 1, 1, 1),
        );
        return Some(Boundary::of_days(begin, end, Granularity::Year));
    }
    literal(&mut rest, b"-")?;
    let month = number(&mut rest, 2).filter(|month| (1..=12).contains(month))?;
    let days = calendar::days_of(year, month);
    let first = calendar::day_number(year, month, 1);
    if rest.is_empty() {
        return Some(Boundary::of_days(first, first + days, Granularity::Month));
    }
    literal(&mut rest, b"-")?;
    let day = number(&mut rest, 2).filter(|day| (1..=days).contains(day))?;
    let begin = first + day - 1;
    if rest.is_empty() {
        return Some(Boundary::of_days(begin, begin + 1, Granularity::Day));
    }
    literal(&mut rest, b"Tt")?;
    let time = time_of_day(&mut rest)?;
    let offset = offset(&mut rest)?;
    let at = begin * DAY_US + time - offset;
    let in_range =
        calendar::day_number(1, 1, 1) * DAY_US..calendar::day_number(10_000, 1, 1) * DAY_US;
    (rest.is_empty() && in_range.contains(&at)).then(|| Boundary::instant(at))
}

/// Writes the time of a day with as many digits of a second as it needs.
pub(super) fn write_time(f: &mut fmt::Formatter<'_>, of_day: Micros) -> fmt::Result {
    let (hour, minute) = (of_day / HOUR_US, of_day / MINUTE_US % 60);
    let (second, fraction) = (of_day / SECOND_US % 60, of_day % SECOND_US);
    write!(f, "{hour:02}:{minute:02}:{second:02}")?;
    if fraction != 0 {
        let (mut digits, mut width) = (fraction, 6);
        while digits % 10 == 0 {
            digits /= 10;
            width -= 1;
        }
        write!(f, ".{digits:0width$}")?;
    }
    f.write_str("Z")
}

fn time_of_day(rest: &mut &[u8]) -> Option<Micros> {
    let hour = number(rest, 2).filter(|hour| *hour < 24)?;
    literal(rest, b":")?;
    let minute = number(rest, 2).filter(|minute| *minute < 60)?;
    literal(rest, b":")?;
    let second = number(rest, 2).filter(|second| *second < 60)?;
    let fraction = match rest.first() {
        Some(b'.') => {
            literal(rest, b".")?;
            fraction(rest)?
        }
        _ => 0,
    };
    Some(hour * HOUR_US + minute * MINUTE_US + second * SECOND_US + fraction)
}

/// One to nine digits of a second, in whole microseconds.
fn fraction(rest: &mut &[u8]) -> Option<Micros> {
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=9).contains(&digits) {
        return None;
    }
    let mut micros = 0;
    for place in 0..digits.max(6) {
        let digit = if place < digits { number(rest, 1)? } else { 0 };
        if place < 6 {
            micros = micros * 10 + digit;
        }
    }
    Some(micros)
}

fn offset(rest: &mut &[u8]) -> Option<Micros> {
    let sign = match literal(rest, b"Zz+-")? {
        b'+' => 1,
        b'-' => -1,
        _ => return Some(0),
    };
    let hours = number(rest, 2).filter(|hours| *hours < 24)?;
    literal(rest, b":")?;
    let minutes = number(rest, 2).filter(|minutes| *minutes < 60)?;
    Some(sign * (hours * HOUR_US + minutes * MINUTE_US))
}

/// Takes exactly so many digits.
fn number(rest: &mut &[u8], digits: usize) -> Option<i64> {
    let (taken, left) = rest.split_at_checked(digits)?;
    *rest = left;
    taken.iter().try_fold(0, |number, byte| {
        byte.is_ascii_digit()
            .then(|| number * 10 + i64::from(byte - b'0'))
    })
}

/// Takes one byte, which must be among those.
fn literal(rest: &mut &[u8], among: &[u8]) -> Option<u8> {
    let (first, left) = rest.split_first()?;
    *rest = left;
    among.contains(first).then_some(*first)
}
