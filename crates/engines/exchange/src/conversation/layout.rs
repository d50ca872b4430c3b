//! The lines of a message: fenced blocks, quotes and paragraphs.

use alloc::vec::Vec;

/// A message, taken apart.
pub(super) struct Layout<'a> {
    /// Contents of the closed fenced blocks called `json` at the top level.
    pub(super) json: Vec<&'a str>,
    /// Each run of lines without a fence, a quote or an empty line between them.
    pub(super) paragraphs: Vec<&'a str>,
}

/// A fence that is open (CommonMark 4.5).
struct Fence {
    mark: u8,
    length: usize,
    is_json: bool,
    /// Begin of its content.
    from: usize,
}

impl<'a> Layout<'a> {
    pub(super) fn of(message: &'a str) -> Self {
        let mut found = Self {
            json: Vec::new(),
            paragraphs: Vec::new(),
        };
        let mut fence: Option<Fence> = None;
        // Begin and end of the paragraph that is open.
        let mut paragraph: Option<(usize, usize)> = None;
        let mut at = 0_usize;
        for line in message.split_inclusive('\n') {
            let (from, until) = (at, at.saturating_add(line.len()));
            at = until;
            if let Some(open) = &fence {
                if open.is_closed_by(line) {
                    let content = message.get(open.from..from).filter(|_| open.is_json);
                    found.json.extend(content);
                    fence = None;
                }
                continue;
            }
            fence = Fence::open(line, until);
            let text = line.trim();
            if fence.is_none() && !text.is_empty() && !text.starts_with('>') {
                paragraph.get_or_insert((from, until)).1 = until;
                continue;
            }
            found.end(message, paragraph.take());
        }
        found.end(message, paragraph);
        found
    }

    fn end(&mut self, message: &'a str, paragraph: Option<(usize, usize)>) {
        let text = paragraph.and_then(|(from, until)| message.get(from..until));
        self.paragraphs.extend(text);
    }
}

/// The line without its indentation of at most three spaces; `None` if it has more.
fn outdented(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(' ');
    (line.len() - text.len() <= 3).then_some(text)
}

impl Fence {
    /// The fence that this line opens, with its content from `from` on.
    fn open(line: &str, from: usize) -> Option<Self> {
        let text = outdented(line)?;
        let marks = |mark: &&u8| matches!(mark, b'`' | b'~');
        let mark = *text.as_bytes().first().filter(marks)?;
        let info = text.trim_start_matches(char::from(mark));
        let length = text.len() - info.len();
        // With backticks behind the fence, the line is a paragraph with inline code.
        let fits = length >= 3 && !(mark == b'`' && info.contains('`'));
        fits.then(|| Self {
            mark,
            length,
            is_json: info.trim() == "json",
            from,
        })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        outdented(line).is_some_and(|text| {
            let rest = text.trim_start_matches(char::from(self.mark));
            text.len() - rest.len() >= self.length && rest.trim().is_empty()
        })
    }
}
