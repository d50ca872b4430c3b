//! JSON documents: one, or the elements of an array one at a time, so that an array has no limit but that of each element.

use std::io::BufRead;

use counterfoil_types::json::{Limits, Map, Value, parse};

use super::lines::broken_off;
use super::{At, Found, MAX_DOCUMENT_BYTES, Refused, Sink, Turn};
use crate::error::Error;

/// Limits of a document, and of each element of an array.
const LIMITS: Limits = Limits {
    bytes: MAX_DOCUMENT_BYTES,
    depth: 64,
    nodes: 4_000_000,
};

/// Reads each element of an array, or the one document, with its number from 0, or none for the one document; an element that is no strict JSON is refused.
///
/// # Errors
/// The file breaks off, or holds more than 64 MiB in one element; the error of `take`.
pub(super) fn read(
    reader: impl BufRead,
    mut take: impl FnMut(Option<usize>, Result<Value, Refused>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut elements = Elements::new(reader);
    let mut number = 0;
    while let Some(bytes) = elements.next_element()? {
        let element = match parse(&bytes, LIMITS) {
            Ok(value) => Ok(value),
            Err(error) if elements.is_array() => {
                Err(Refused::new(At::Place(format!("element {number}")), error))
            }
            Err(error) => return Err(Error::json("the file was not imported", &error)),
        };
        take(elements.is_array().then_some(number), element)?;
        number += 1;
    }
    Ok(())
}

/// Objects of a file that has them in an array, or in a list of one object.
pub(super) struct Records<'a> {
    /// Names of the list; the first that is there counts.
    pub(super) lists: &'a [&'a str],
    /// Origin of such a file, for people.
    pub(super) source: &'a str,
    /// Word for one object, for people.
    pub(super) word: &'a str,
}

impl Records<'_> {
    /// Makes a turn of each object, by its members that are not null and its number from 0.
    ///
    /// # Errors
    /// As [`read`]; an object that has none of the lists.
    pub(super) fn read(
        &self,
        reader: impl BufRead,
        turn: impl Fn(Map, u64) -> Result<Turn, String>,
        sink: &mut Sink<'_>,
    ) -> Result<(), Error> {
        let record = |number: usize, value: Value| {
            let position = u64::try_from(number).unwrap_or(u64::MAX);
            let turn = object(value).and_then(|members| turn(members, position));
            found(format!("{} {number}", self.word), turn)
        };
        read(reader, |number, value| match (number, value) {
            (Some(number), Ok(value)) => sink(record(number, value)),
            (None, Ok(Value::Object(mut members))) => {
                let list = self.lists.iter().find_map(|name| members.remove(*name));
                let Some(Value::Array(records)) = list else {
                    return Err(Error::input(
                        format_args!("the file holds no `{}`", self.lists.join("` or `")),
                        format_args!("give {}, or say what it is with --format", self.source),
                    ));
                };
                let mut records = records.into_iter().enumerate();
                records.try_for_each(|(number, value)| sink(record(number, value)))
            }
            (None, Ok(_)) => sink(refused(
                "the file".to_owned(),
                "neither an array nor an object",
            )),
            (_, Err(refused)) => sink(Err(refused)),
        })
    }
}

/// Members of an object that are not null.
pub(super) fn object(value: Value) -> Result<Map, String> {
    match value {
        Value::Object(mut members) => {
            members.retain(|_, value| !value.is_null());
            Ok(members)
        }
        _ => Err("not an object".to_owned()),
    }
}

/// The words of a content that is a text or has parts; the texts of the parts are joined, and the rest is put into `members`.
pub(super) fn words_of(content: Option<Value>, members: &mut Map) -> Result<String, String> {
    match content {
        Some(Value::String(words)) => Ok(words),
        Some(Value::Array(parts)) => {
            let (texts, others): (Vec<Value>, Vec<Value>) = parts
                .into_iter()
                .partition(|part| part.get("text").is_some_and(Value::is_string));
            if !others.is_empty() {
                members.insert("parts".into(), others.into());
            }
            let texts = texts.iter().filter_map(|part| part.get("text")?.as_str());
            Ok(texts.collect::<Vec<_>>().join("\n"))
        }
        None | Some(Value::Null) => Ok(String::new()),
        Some(_) => Err("`content` is neither a string nor an array of parts".to_owned()),
    }
}

/// Turn of a part of a document, or its refusal, by its place.
pub(super) fn found(place: String, turn: Result<Turn, String>) -> Found {
    match turn {
        Ok(turn) => Ok((At::Place(place), turn)),
        Err(why) => refused(place, why),
    }
}

/// Refusal of a part of a document, by its place.
pub(super) fn refused(place: String, why: impl core::fmt::Display) -> Found {
    Err(Refused::new(At::Place(place), why))
}

/// Takes a text out of an object; `None` if it is absent or null.
pub(super) fn text(members: &mut Map, name: &str) -> Result<Option<String>, String> {
    match members.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{name}` is not a string; put it in quotes")),
    }
}

/// Bytes of the elements of an array, found by its brackets, strings and commas alone.
struct Elements<R> {
    reader: R,
    form: Form,
}

/// Form of the document, as far as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Unread,
    Array { is_first: bool },
    One,
    Ended { is_array: bool },
}

/// Position of the scan in an element.
#[derive(Debug, Default)]
struct Scan {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
}

impl Scan {
    /// Takes one byte; returns true if it ends the element.
    fn ends(&mut self, byte: u8) -> bool {
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.in_string => self.is_escaped = true,
            b'"' => self.in_string = !self.in_string,
            _ if self.in_string => {}
            b'[' | b'{' => self.depth += 1,
            b',' | b']' if self.depth == 0 => return true,
            b']' | b'}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        false
    }
}

impl<R: BufRead> Elements<R> {
    const fn new(reader: R) -> Self {
        Self {
            reader,
            form: Form::Unread,
        }
    }

    fn is_array(&self) -> bool {
        let array = |form| matches!(form, Form::Array { .. } | Form::Ended { is_array: true });
        array(self.form)
    }

    /// The next element; `None` at the end.
    fn next_element(&mut self) -> Result<Option<Vec<u8>>, Error> {
        if self.form == Form::Unread {
            self.form = match self.first_byte()? {
                Some(b'[') => {
                    self.reader.consume(1);
                    Form::Array { is_first: true }
                }
                _ => Form::One,
            };
        }
        match self.form {
            Form::Array { is_first } => self.element(is_first),
            Form::One => {
                self.form = Form::Ended { is_array: false };
                self.rest().map(Some)
            }
            Form::Unread | Form::Ended { .. } => Ok(None),
        }
    }

    /// First byte that is no white space; it is not consumed.
    fn first_byte(&mut self) -> Result<Option<u8>, Error> {
        loop {
            let chunk = self.reader.fill_buf().map_err(broken_off)?;
            let spaces = chunk.iter().take_while(|byte| byte.is_ascii_whitespace());
            let spaces = spaces.count();
            let (is_end, first) = (chunk.is_empty(), chunk.get(spaces).copied());
            if is_end || first.is_some() {
                self.reader.consume(spaces);
                return Ok(first);
            }
            self.reader.consume(spaces);
        }
    }

    fn rest(&mut self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        loop {
            let chunk = self.reader.fill_buf().map_err(broken_off)?;
            if chunk.is_empty() {
                return Ok(bytes);
            }
            add(&mut bytes, chunk)?;
            let length = chunk.len();
            self.reader.consume(length);
        }
    }

    fn element(&mut self, is_first: bool) -> Result<Option<Vec<u8>>, Error> {
        let mut bytes = Vec::new();
        let mut scan = Scan::default();
        let last = loop {
            let chunk = self.reader.fill_buf().map_err(broken_off)?;
            if chunk.is_empty() {
                return Err(Error::input(
                    "the file ends in the middle of its array",
                    "what was imported stays; get the whole file and run the import again",
                ));
            }
            let end = chunk.iter().position(|byte| scan.ends(*byte));
            add(
                &mut bytes,
                chunk.get(..end.unwrap_or(chunk.len())).unwrap_or(chunk),
            )?;
            let last = end.and_then(|end| chunk.get(end)).copied();
            let used = end.map_or(chunk.len(), |end| end + 1);
            self.reader.consume(used);
            if let Some(last) = last {
                break last;
            }
        };
        let is_end = last == b']';
        self.form = match is_end {
            true => Form::Ended { is_array: true },
            false => Form::Array { is_first: false },
        };
        if is_end && self.first_byte()?.is_some() {
            return Err(Error::input(
                "something follows the array of the file",
                "give a file that is one JSON document",
            ));
        }
        let is_empty = bytes.trim_ascii().is_empty();
        Ok((!(is_end && is_first && is_empty)).then_some(bytes))
    }
}

/// Adds a part of an element, within its limit.
fn add(bytes: &mut Vec<u8>, part: &[u8]) -> Result<(), Error> {
    bytes.extend_from_slice(part);
    match bytes.len() > MAX_DOCUMENT_BYTES {
        true => Err(Error::input(
            "a document or an element of an array is above 64 MiB",
            "split it into one file per conversation",
        )),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;

    fn all(text: &str, capacity: usize) -> Result<Vec<Result<Value, String>>, Error> {
        let reader = BufReader::with_capacity(capacity, text.as_bytes());
        let mut found = Vec::new();
        read(reader, |_, element| {
            found.push(element.map_err(|refused| refused.to_string()));
            Ok(())
        })?;
        Ok(found)
    }

    proptest! {
        /// Reading by elements is reading the array: whatever their texts hold, and however it arrives.
        #[test]
        fn the_elements_are_those_of_the_array(
            texts in proptest::collection::vec("[\\[\\]{},:\"\\\\ a]{0,12}", 0..6), capacity in 1_usize..9,
        ) {
            let value: Vec<Value> = texts.iter().map(|text| serde_json::json!({ (text.clone()): [text, {"a": text}] })).collect();
            for written in [serde_json::to_string(&value).unwrap(), serde_json::to_string_pretty(&value).unwrap()] {
                let read: Vec<Value> = all(&written, capacity).unwrap().into_iter().map(Result::unwrap).collect();
                prop_assert_eq!(&read, &value);
            }
        }
    }

    #[test]
    fn an_element_that_is_no_json_is_refused_alone() {
        let [Ok(first), Err(refused), Ok(last)] =
            &all("[1, {\"a\":1,\"a\":2}, 3] ", 4).unwrap()[..]
        else {
            panic!("three elements")
        };
        assert_eq!((first, last), (&Value::from(1), &Value::from(3)));
        assert!(refused.starts_with("element 1: "), "{refused}");
        assert_eq!(all("[1,]", 8).unwrap().len(), 2);
    }

    #[test]
    fn a_file_that_breaks_off_or_goes_on_is_an_error() {
        for text in ["[1", "[", "[\"a]", "[1] 2", "{\"a\":", "", "[[1]"] {
            assert!(all(text, 8).is_err(), "{text}");
        }
        assert!(all("[]", 8).unwrap().is_empty() && all(" [ ] \n", 1).unwrap().is_empty());
    }
}
