//! Trace of which a request is a part (W3C Trace Context, level 1, 3.2): it is passed on to the log.

use hyper::HeaderMap;

/// Header that names the trace.
const TRACEPARENT: &str = "traceparent";

/// Trace, the part of it that sent the request, and its flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    trace_id: String,
    parent_id: String,
    flags: String,
}

impl Trace {
    /// Returns the trace that the one header names. What does not fit is as if it were not there.
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let mut given = headers.get_all(TRACEPARENT).iter();
        let (Some(value), None) = (given.next(), given.next()) else {
            return None;
        };
        Self::parse(value.to_str().ok()?)
    }

    /// Reads the value of a `traceparent`; `None` if it is not one.
    pub fn parse(value: &str) -> Option<Self> {
        let mut parts = value.split('-');
        let version = hex(parts.next()?, 2)?;
        let trace_id = hex(parts.next()?, 32)?;
        let parent_id = hex(parts.next()?, 16)?;
        let flags = hex(parts.next()?, 2)?;
        let is_zero = |id: &str| id.bytes().all(|digit| digit == b'0');
        // A later version may add parts.
        let fits = version != "ff" && (version != "00" || parts.next().is_none());
        (fits && !is_zero(trace_id) && !is_zero(parent_id)).then(|| Self {
            trace_id: trace_id.to_owned(),
            parent_id: parent_id.to_owned(),
            flags: flags.to_owned(),
        })
    }

    /// Returns the fields of a line of the log: ids of the trace and of its part, and the flags, in hexadecimal digits.
    pub fn fields(trace: Option<&Self>) -> [Option<&str>; 3] {
        let of = |field: fn(&Self) -> &String| trace.map(|trace| field(trace).as_str());
        [
            of(|it| &it.trace_id),
            of(|it| &it.parent_id),
            of(|it| &it.flags),
        ]
    }
}

/// Lowercase hexadecimal digits of this number.
fn hex(text: &str, digits: usize) -> Option<&str> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    (text.len() == digits && text.bytes().all(is_digit)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIVEN: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_trace_is_read_and_what_is_none_is_left_out() {
        let of = |values: &[&str]| {
            let pairs = values.iter().map(|value| value.parse().unwrap());
            let name: hyper::header::HeaderName = TRACEPARENT.parse().unwrap();
            Trace::of(&pairs.map(|value| (name.clone(), value)).collect())
        };
        let trace = of(&[GIVEN]);
        assert_eq!(
            Trace::fields(trace.as_ref()),
            [
                Some("4bf92f3577b34da6a3ce929d0e0e4736"),
                Some("00f067aa0ba902b7"),
                Some("01")
            ]
        );
        assert_eq!(of(&[&GIVEN.replacen("00", "cc", 1),]), trace);
        assert_eq!(
            of(&[&format!("{}-more", GIVEN.replacen("00", "cc", 1))]),
            trace
        );
        for wrong in [
            "",
            "00",
            &GIVEN.to_uppercase(),
            &GIVEN.replacen("00", "ff", 1),
            &format!("{GIVEN}-more"),
            &GIVEN[1..],
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        ] {
            assert_eq!(of(&[wrong]), None, "{wrong}");
        }
        assert_eq!(of(&[GIVEN, GIVEN]), None);
    }
}
