//! Trace of which a request is a part (W3C Trace Context, level 1, 3.2): it is passed on to the log.

use hyper::HeaderMap;

/// Header that names the trace.
const HEADER: &str = "traceparent";

/// Trace and the part of it that sent the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trace {
    trace_id: String,
    parent_id: String,
}

impl Trace {
    /// The trace that the one header names. What does not fit is as if it were not there.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let mut given = headers.get_all(HEADER).iter();
        let (Some(value), None) = (given.next(), given.next()) else {
            return None;
        };
        let mut parts = value.to_str().ok()?.split('-');
        let version = hex(parts.next()?, 2)?;
        let trace_id = hex(parts.next()?, 32)?;
        let parent_id = hex(parts.next()?, 16)?;
        hex(parts.next()?, 2)?;
        let is_zero = |id: &str| id.bytes().all(|digit| digit == b'0');
        // A later version may add parts.
        let fits = version != "ff" && (version != "00" || parts.next().is_none());
        (fits && !is_zero(trace_id) && !is_zero(parent_id)).then(|| Self {
            trace_id: trace_id.to_owned(),
            parent_id: parent_id.to_owned(),
        })
    }

    /// Fields of a line of the log: ids of the trace and of its part.
    pub(crate) fn fields(trace: Option<&Self>) -> (Option<&str>, Option<&str>) {
        let ids = trace.map(|trace| (trace.trace_id.as_str(), trace.parent_id.as_str()));
        ids.unzip()
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
            let name: hyper::header::HeaderName = HEADER.parse().unwrap();
            Trace::of(&pairs.map(|value| (name.clone(), value)).collect())
        };
        let trace = of(&[GIVEN]);
        assert_eq!(
            Trace::fields(trace.as_ref()),
            (
                Some("4bf92f3577b34da6a3ce929d0e0e4736"),
                Some("00f067aa0ba902b7")
            )
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
