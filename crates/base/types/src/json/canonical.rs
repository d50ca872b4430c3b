//! RFC 8785 (JCS): the one spelling of a value that is hashed and signed.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt::Write;
use core::ops::Range;

use serde_json::Number;

use super::number::{self, push_ecmascript};
use super::{JsonError, Map, Value};

/// Deeper values than [`parse`](super::parse) reads can be built by a program; they are refused.
const MAX_DEPTH: usize = 64;

/// Writes a value in its RFC 8785 form.
///
/// `Ok` guarantees that [`parse`](super::parse) reads the text back as an equal value, given
/// limits that are large enough.
///
/// # Errors
/// [`JsonError::UnsafeInteger`] for an integer beyond 2^53 - 1, which RFC 8785 would write like
/// its neighbour; [`JsonError::TooDeep`] beyond a nesting of 64.
pub fn canonical(value: &Value) -> Result<String, JsonError> {
    let mut out = String::with_capacity(1024);
    write_value(&mut out, value, MAX_DEPTH)?;
    Ok(out)
}

/// Writes an object in its RFC 8785 form, as [`canonical`] does, and returns the range of the member `name` in it: its bytes
/// with one comma, where there is one. The text without them is the form of the object without that member.
///
/// # Errors
/// As [`canonical`].
pub fn canonical_around(
    members: &Map,
    name: &str,
) -> Result<(String, Option<Range<usize>>), JsonError> {
    let mut out = String::with_capacity(1024);
    let place = write_object(&mut out, members, MAX_DEPTH - 1, Some(name))?;
    Ok((out, place))
}

fn write_value(out: &mut String, value: &Value, depth: usize) -> Result<(), JsonError> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(out, number)?,
        Value::String(text) => write_string(out, text),
        Value::Array(elements) => {
            let depth = descend(depth)?;
            out.push('[');
            for (position, element) in elements.iter().enumerate() {
                if position > 0 {
                    out.push(',');
                }
                write_value(out, element, depth)?;
            }
            out.push(']');
        }
        Value::Object(members) => {
            write_object(out, members, descend(depth)?, None)?;
        }
    }
    Ok(())
}

fn descend(depth: usize) -> Result<usize, JsonError> {
    depth
        .checked_sub(1)
        .ok_or(JsonError::TooDeep { limit: MAX_DEPTH })
}

/// Writes an object and returns the place of the member `name`. The order of members is ours to make: whether the map keeps
/// one depends on a feature of serde_json that any crate of a build may switch on.
fn write_object(
    out: &mut String,
    members: &Map,
    depth: usize,
    name: Option<&str>,
) -> Result<Option<Range<usize>>, JsonError> {
    let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
    sorted.sort_unstable_by(|a, b| utf16_order(a.0, b.0));
    let (mut place, last) = (None, sorted.len().saturating_sub(1));
    out.push('{');
    for (position, (member, value)) in sorted.into_iter().enumerate() {
        let begin = out.len();
        if position > 0 {
            out.push(',');
        }
        write_string(out, member);
        out.push(':');
        write_value(out, value, depth)?;
        if Some(member.as_str()) == name {
            // The first of several takes the comma behind it, any other the one before it.
            let first_of_several = position == 0 && last > 0;
            place = Some(begin..out.len() + usize::from(first_of_several));
        }
    }
    out.push('}');
    Ok(place)
}

/// RFC 8785 §3.2.3: by UTF-16 code units, which is not the order of code points.
fn utf16_order(a: &str, b: &str) -> Ordering {
    if a.is_ascii() && b.is_ascii() {
        a.cmp(b)
    } else {
        a.encode_utf16().cmp(b.encode_utf16())
    }
}

fn write_number(out: &mut String, number: &Number) -> Result<(), JsonError> {
    let safe = match (number.as_u64(), number.as_i64(), number.as_f64()) {
        (Some(integer), _, _) => number::from_u64(integer),
        (_, Some(integer), _) => number::from_i64(integer),
        (_, _, Some(double)) => number::from_f64(double),
        _ => None,
    };
    match safe {
        Some(Value::Number(number)) if number.is_f64() => {
            push_ecmascript(out, number.as_f64().unwrap_or(0.0));
        }
        Some(integer) => out.push_str(&alloc::format!("{integer}")),
        None => return Err(JsonError::UnsafeInteger),
    }
    Ok(())
}

/// RFC 8785 §3.2.2.2: the short escapes, `\u00xx` for other controls, all else as it is.
fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut plain_from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            0x08 => "\\b",
            b'\t' => "\\t",
            b'\n' => "\\n",
            0x0c => "\\f",
            b'\r' => "\\r",
            0x00..=0x1f => "",
            _ => continue,
        };
        out.push_str(text.get(plain_from..at).unwrap_or(""));
        plain_from = at.saturating_add(1);
        if escape.is_empty() {
            // Writing to a String can't fail.
            let _ = write!(out, "\\u{byte:04x}");
        } else {
            out.push_str(escape);
        }
    }
    out.push_str(text.get(plain_from..).unwrap_or(""));
    out.push('"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::{Limits, parse};
    use super::*;

    /// Adversarial case A6: UTF-16 order puts an emoji (surrogates, d83d) before U+FB33.
    #[test]
    fn members_are_sorted_by_utf16_code_units() {
        let value = json!({"\u{fb33}": 1, "\u{1f600}": 2, "\u{20ac}": 3, "1": 4, "\r": 5});
        assert_eq!(
            canonical(&value).unwrap(),
            "{\"\\r\":5,\"1\":4,\"\u{20ac}\":3,\"\u{1f600}\":2,\"\u{fb33}\":1}"
        );
    }

    #[test]
    fn the_place_of_a_member_is_where_it_can_be_cut_out() {
        let whole = json!({"a": 1, "b": {"b": 2}, "c": "b"});
        for name in ["a", "b", "c", "d"] {
            let mut members = whole.as_object().unwrap().clone();
            let (text, place) = canonical_around(&members, name).unwrap();
            assert_eq!(text, canonical(&whole).unwrap());
            assert_eq!(place.is_some(), members.remove(name).is_some());
            let mut rest = text;
            rest.replace_range(place.unwrap_or(0..0), "");
            assert_eq!(rest, canonical(&Value::Object(members)).unwrap(), "{name}");
        }
        let alone = json!({"proof": 1});
        let (_, place) = canonical_around(alone.as_object().unwrap(), "proof").unwrap();
        assert_eq!(place, Some(1..10));
    }

    #[test]
    fn integers_with_one_spelling_for_two_values_are_refused() {
        for value in [
            json!(9_007_199_254_740_993_u64),
            json!(u64::MAX),
            json!(i64::MIN),
            json!(1e16),
        ] {
            assert_eq!(canonical(&value), Err(JsonError::UnsafeInteger), "{value}");
        }
    }

    #[test]
    fn bottomless_values_are_refused() {
        let mut value = Value::Null;
        for _ in 0..65 {
            value = Value::Array(alloc::vec![value]);
        }
        assert_eq!(canonical(&value), Err(JsonError::TooDeep { limit: 64 }));
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            (-9_007_199_254_740_991_i64..=9_007_199_254_740_991).prop_map(|n| json!(n)),
            any::<f64>()
                .prop_filter("finite and safe", |n| number::from_f64(*n).is_some())
                .prop_map(|n| json!(n)),
            any::<String>().prop_map(Value::String),
        ];
        leaf.prop_recursive(4, 48, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// The oracle is an independent implementation of RFC 8785.
        #[test]
        fn agrees_with_an_independent_writer(value in any_value()) {
            let ours = canonical(&value).unwrap();
            prop_assert_eq!(&ours, &serde_json_canonicalizer::to_string(&value).unwrap());
        }

        #[test]
        fn reading_back_and_writing_again_changes_nothing(value in any_value()) {
            let once = canonical(&value).unwrap();
            let again = canonical(&parse(once.as_bytes(), Limits::DOCUMENT).unwrap()).unwrap();
            prop_assert_eq!(once, again);
        }
    }
}
