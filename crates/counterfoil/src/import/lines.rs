//! Lines of a stream, none of them held when it is too long: a 1 GB line costs no memory.

use std::io::{self, BufRead, ErrorKind};

use counterfoil_types::json::{Limits, Map, Value, parse};

use super::MAX_LINE_BYTES;
use crate::error::Error;

/// Length of the part kept of an overlong line, in bytes.
const HEAD_BYTES: usize = 64;

/// One line, without its line feed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line within the limit.
    Whole(Vec<u8>),
    /// A longer one.
    TooLong {
        /// Length of the whole line.
        bytes: u64,
        /// First bytes of the line.
        head: Vec<u8>,
    },
}

/// Reads lines and counts them.
pub(crate) struct Lines<R> {
    reader: R,
    number: u64,
    limit: usize,
}

impl<R: BufRead> Lines<R> {
    /// Lines of `reader`.
    pub(crate) const fn new(reader: R) -> Self {
        Self::limited(reader, MAX_LINE_BYTES)
    }

    /// With another limit of a line's length, in bytes.
    pub(crate) const fn limited(reader: R, limit: usize) -> Self {
        Self {
            reader,
            number: 0,
            limit,
        }
    }

    /// The next line with its number, from 1; `None` at the end.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<(u64, Line)>> {
        let mut kept = Vec::new();
        let mut bytes = 0_u64;
        loop {
            let chunk = match self.reader.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                chunk => chunk?,
            };
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or(chunk);
            let at_end = chunk.is_empty();
            bytes = bytes.saturating_add(u64::try_from(part.len()).unwrap_or(u64::MAX));
            if kept.len() <= self.limit {
                kept.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if at_end && bytes == 0 {
                return Ok(None);
            }
            if at_end || end.is_some() {
                break;
            }
        }
        self.number = self.number.saturating_add(1);
        if kept.len() > self.limit {
            kept.truncate(HEAD_BYTES);
            return Ok(Some((self.number, Line::TooLong { bytes, head: kept })));
        }
        if kept.last() == Some(&b'\r') {
            kept.pop();
        }
        Ok(Some((self.number, Line::Whole(kept))))
    }
}

/// The stream itself failed.
pub(crate) fn broken_off(error: io::Error) -> Error {
    Error::input(
        format_args!("the file cannot be read to its end ({error})"),
        "what was imported stays; run the import again to add the rest",
    )
}

/// Reason to refuse a line of so many bytes.
pub(crate) fn too_long(bytes: u64) -> String {
    format!("{bytes} bytes long, above the limit of {MAX_LINE_BYTES}; split it into several turns")
}

/// The object that a line of JSON is, or the reason to refuse it; `None` for an empty line.
pub(crate) fn object(line: Line) -> Option<Result<Map, String>> {
    Some(match line {
        Line::Whole(bytes) if bytes.trim_ascii().is_empty() => return None,
        Line::Whole(bytes) => match parse(&bytes, Limits::CONTENT) {
            Ok(Value::Object(members)) => Ok(members),
            Ok(_) => Err("not a JSON object; write one object a line".to_owned()),
            Err(error) => Err(error.to_string().replace("at line 1, column", "at column")),
        },
        Line::TooLong { bytes, .. } => Err(too_long(bytes)),
    })
}

/// The lines of an export of capsules, each with its number and its bytes, or how many there are when they are too many
/// for a capsule; empty ones are left out.
pub(crate) fn capsule_lines(
    reader: impl BufRead,
) -> impl Iterator<Item = io::Result<(u64, Result<Vec<u8>, u64>)>> {
    let mut lines = Lines::limited(reader, Limits::EXPORTED.bytes);
    std::iter::from_fn(move || lines.next_line().transpose()).filter_map(|line| match line {
        Ok((_, Line::Whole(bytes))) if bytes.is_empty() => None,
        Ok((number, Line::Whole(bytes))) => Some(Ok((number, Ok(bytes)))),
        Ok((number, Line::TooLong { bytes, .. })) => Some(Ok((number, Err(bytes)))),
        Err(error) => Some(Err(error)),
    })
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use super::*;

    fn all(reader: impl Read) -> Vec<(u64, Line)> {
        let mut lines = Lines::new(BufReader::with_capacity(7, reader));
        std::iter::from_fn(|| lines.next_line().unwrap()).collect()
    }

    #[test]
    fn lines_are_numbered_and_the_last_needs_no_line_feed() {
        let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
        assert_eq!(
            all(&b"one\r\n\nthree is longer than the buffer"[..]),
            [
                (1, whole("one")),
                (2, whole("")),
                (3, whole("three is longer than the buffer"))
            ]
        );
        assert_eq!(all(&b""[..]), []);
        assert_eq!(all(&b"a\n"[..]), [(1, whole("a"))]);
    }

    #[test]
    fn a_long_line_is_skipped_and_the_next_one_is_read() {
        let long = io::repeat(b'x').take(5 << 20);
        let read = all(long.chain(&b"\nnext"[..]));
        assert_eq!(
            read,
            [
                (
                    1,
                    Line::TooLong {
                        bytes: 5 << 20,
                        head: vec![b'x'; HEAD_BYTES]
                    }
                ),
                (2, Line::Whole(b"next".to_vec()))
            ]
        );
    }

    #[test]
    fn a_line_of_exactly_the_limit_is_whole() {
        let at_limit = vec![b'x'; MAX_LINE_BYTES];
        assert_eq!(all(&at_limit[..]), [(1, Line::Whole(at_limit.clone()))]);
    }
}
