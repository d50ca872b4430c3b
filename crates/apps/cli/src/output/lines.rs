//! JSON for people and pipes: each member of the document on a line, each item of its lists too, and all else compact.

use std::io::{self, Write};

use counterfoil_verify::terminal;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

/// Depth of the document's members, and of the items of its lists.
const MEMBERS: usize = 1;
const ITEMS: usize = 2;

/// The document in lines: what would steer a terminal is escaped in it.
pub(super) fn lines_text(document: &impl Serialize) -> io::Result<String> {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, LineFormatter::default());
    document
        .serialize(&mut serializer)
        .map_err(io::Error::other)?;
    let text = String::from_utf8(bytes).map_err(io::Error::other)?;
    Ok(terminal::plain_json(&text) + "\n")
}

#[derive(Default)]
struct LineFormatter {
    depth: usize,
    has_items: bool,
}

impl Formatter for LineFormatter {
    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        out.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth -= 1;
        match self.depth {
            0 => out.write_all(b"\n}"),
            _ => out.write_all(b"}"),
        }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        let (comma, line) = (if first { "" } else { "," }, self.depth == MEMBERS);
        write!(out, "{comma}{}", if line { "\n  " } else { "" })
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(if self.depth == MEMBERS { b": " } else { b":" })
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        if self.depth == ITEMS {
            self.has_items = false;
        }
        out.write_all(b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let closes_items = self.depth == ITEMS && self.has_items;
        self.depth -= 1;
        out.write_all(if closes_items { b"\n  ]" } else { b"]" })
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        let is_item = self.depth == ITEMS;
        self.has_items |= is_item;
        let comma = if first { "" } else { "," };
        write!(out, "{comma}{}", if is_item { "\n    " } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_item_has_a_line() {
        let document = json!({ "items": [{ "id": "a", "n": [1, 2] }, { "id": "b" }], "none": [] });
        let text = lines_text(&document).unwrap();
        let expected = "{\n  \"items\": [\n    {\"id\":\"a\",\"n\":[1,2]},\n    {\"id\":\"b\"}\n  ],\n  \"none\": []\n}\n";
        assert_eq!(text, expected);
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            document
        );
    }
}
