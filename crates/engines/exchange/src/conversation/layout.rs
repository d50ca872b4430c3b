//! The lines of a message: what stands in fences, in quotes, and what is said.

use alloc::vec::Vec;

/// A message, taken apart.
pub(super) struct Layout<'a> {
    /// What stands in the fenced blocks called `json` at the top level. A block that is not closed is none.
    pub(super) json: Vec<&'a str>,
    /// What is said: each run of lines without a fence, a quote or an empty line between them.
    pub(super) paragraphs: Vec<&'a str>,
}

/// A fence that is open (CommonMark 4.5).
struct Fence {
    mark: u8,
    length: usize,
    is_json: bool,
    /// Where its content begins.
    from: usize,
}

/// Where a paragraph begins and ends.
struct Span {
    from: usize,
    until: usize,
}

impl<'a> Layout<'a> {
    pub(super) fn of(message: &'a str) -> Self {
        let mut found = Self {
            json: Vec::new(),
            paragraphs: Vec::new(),
        };
        let (mut fence, mut paragraph): (Option<Fence>, Option<Span>) = (None, None);
        let mut at = 0_usize;
        for line in message.split_inclusive('\n') {
            let (from, until) = (at, at.saturating_add(line.len()));
            at = until;
            if let Some(open) = &fence {
                if open.closes(line) {
                    let content = message.get(open.from..from).filter(|_| open.is_json);
                    found.json.extend(content);
                    fence = None;
                }
                continue;
            }
            fence = Fence::opened(line, until);
            if fence.is_none() && is_said(line) {
                paragraph.get_or_insert(Span { from, until }).until = until;
                continue;
            }
            found.end(message, paragraph.take());
        }
        found.end(message, paragraph);
        found
    }

    fn end(&mut self, message: &'a str, paragraph: Option<Span>) {
        let text = paragraph.and_then(|span| message.get(span.from..span.until));
        self.paragraphs.extend(text);
    }
}

/// Neither empty nor a quote.
fn is_said(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with('>')
}

/// The line without its indentation of at most three spaces; `None`: it has more.
fn outdented(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(' ');
    (line.len() - text.len() <= 3).then_some(text)
}

impl Fence {
    fn opened(line: &str, from: usize) -> Option<Self> {
        let text = outdented(line)?;
        let mark = *text
            .as_bytes()
            .first()
            .filter(|mark| matches!(mark, b'`' | b'~'))?;
        let info = text.trim_start_matches(char::from(mark));
        let length = text.len() - info.len();
        // Backticks in what follows make it a line with code in it.
        let fits = length >= 3 && !(mark == b'`' && info.contains('`'));
        fits.then(|| Self {
            mark,
            length,
            is_json: info.trim() == "json",
            from,
        })
    }

    fn closes(&self, line: &str) -> bool {
        let Some(text) = outdented(line) else {
            return false;
        };
        let rest = text.trim_start_matches(char::from(self.mark));
        text.len() - rest.len() >= self.length && rest.trim().is_empty()
    }
}
