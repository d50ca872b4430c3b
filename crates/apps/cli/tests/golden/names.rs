//! Placeholders for what differs from run to run.

use std::collections::BTreeMap;

/// Random values of a script, and the placeholder of each.
#[derive(Default)]
pub(crate) struct Names {
    pub(crate) root: String,
    by_value: BTreeMap<String, String>,
    counts: BTreeMap<&'static str, u32>,
    /// Whether only kinds are written: where random names are sorted.
    pub(crate) unnumbered: bool,
}

impl Names {
    /// No value yet; the folder of the script is a random one.
    pub(crate) fn new(root: String) -> Self {
        Self {
            root,
            ..Self::default()
        }
    }

    /// The text with a placeholder for all that is random.
    pub(crate) fn normalise(&mut self, text: &str) -> String {
        let text = without_paths(&drawn(&text.replace(&self.root, "[dir]")));
        let (mut done, mut rest) = (String::new(), text.as_str());
        while let Some(first) = rest.chars().next() {
            let member = done.trim_end();
            let is_segment = done
                .lines()
                .next_back()
                .is_some_and(|it| it.starts_with("segment-"));
            let is_size = ["size", "bytes", "payloadBytes", "walBytes", "us"];
            // Also in JSON within JSON.
            let is_size = is_size.iter().any(|name| {
                let ends = |mark: &str| member.ends_with(&format!("\"{name}{mark}\":"));
                ends("\\") || ends("")
            });
            let content = done.rsplit("content blake3:").next();
            let is_content = content.is_some_and(|it| it.len() < 12 && it.ends_with("] "));
            let digits = run(rest, |letter| letter.is_ascii_digit());
            let hex = run(rest, |letter| {
                letter.is_ascii_digit() || ('a'..='f').contains(&letter)
            });
            let is_id = ["mem_", "world-"].iter().any(|it| done.ends_with(it));
            let receipt = done
                .rsplit_once("rcpt_")
                .and_then(|it| it.1.strip_suffix('_'));
            let is_receipt = receipt.is_some_and(|it| it.bytes().all(|it| it.is_ascii_digit()));
            let found = if is_id && (7..=32).contains(&hex) {
                Some((hex, self.id(&rest[..hex])))
            } else if is_receipt && hex == 8 {
                Some((hex, "[hash8]".to_owned()))
            } else if (is_size || is_content) && digits > 0
                || digits == 4 && is_segment && rest[4..].starts_with(' ')
            {
                Some((digits, "[n]".to_owned()))
            } else if first.is_ascii_alphanumeric() || first == '/' || first == '+' {
                self.time(rest).or_else(|| self.random(rest))
            } else {
                None
            };
            let length = match found {
                Some((length, name)) => {
                    done += &name;
                    length
                }
                None => {
                    // An escape of JSON is no part of the word behind it.
                    let escaped = usize::from(rest.starts_with("\\n"));
                    let word = run(rest, |letter| letter.is_ascii_alphanumeric());
                    let length = if escaped == 1 {
                        2
                    } else {
                        word.max(first.len_utf8())
                    };
                    done += &rest[..length];
                    length
                }
            };
            rest = &rest[length..];
        }
        // The columns of a table are as wide as the fraction of a second that was printed.
        while done.contains(":00.0Z ") && done.contains("   ") {
            done = done.replace("   ", "  ");
        }
        done
    }

    /// An address on this machine; a time since 2026, in one of its forms; a duration.
    fn time(&mut self, text: &str) -> Option<(usize, String)> {
        let digits = run(text, |letter| letter.is_ascii_digit());
        let after = text[digits..].chars().next().unwrap_or(' ');
        let number: u64 = text[..digits].parse().ok()?;
        let now = |unit: u64| (1_767_225_600 * unit..4_102_444_800 * unit).contains(&number);
        let port = text
            .strip_prefix("127.0.0.1:")
            .map(|it| run(it, |letter| letter.is_ascii_digit()));
        if let Some(length @ 4..) = port {
            let length = "127.0.0.1:".len() + length;
            return Some((length, self.name("address", &text[..length])));
        }
        if !after.is_ascii_alphanumeric() && (now(1_000) || now(1)) {
            return Some((digits, if now(1) { "[s]" } else { "[ms]" }.to_owned()));
        }
        if after == '-' && (2026..2100).contains(&number) {
            let shape = "0000-00-00T00:00:00";
            let same = text
                .chars()
                .zip(shape.chars())
                .take_while(|(letter, shape)| match shape {
                    '0' => letter.is_ascii_digit(),
                    'T' => *letter == 'T' || *letter == ' ',
                    shape => letter == shape,
                });
            let length = [19, 16, 10]
                .into_iter()
                .find(|it| *it <= same.clone().count())?;
            let rest = &text[length..];
            let fraction = run(rest, |letter| letter == '.' || letter.is_ascii_digit());
            let zeros = text[..length]
                .chars()
                .map(|it| if it.is_ascii_digit() { '0' } else { it });
            let has_fraction = fraction > 1 && rest.starts_with('.');
            // A whole second is written without a fraction.
            let fraction_shape = if has_fraction || (length == 19 && rest.starts_with('Z')) {
                ".0"
            } else {
                ""
            };
            let taken = if has_fraction { fraction } else { 0 };
            // One that is cut at the end of a cell may be whole another time, as its fraction has fewer digits.
            let (cut, whole) = match rest[taken..].starts_with('…') && taken > 0 {
                true => ('…'.len_utf8(), "Z"),
                false => (0, ""),
            };
            let shown = zeros.collect::<String>() + fraction_shape + whole;
            return Some((length + taken + cut, shown));
        }
        let number = run(text, |letter| letter == '.' || letter.is_ascii_digit());
        let is_duration = [" ms", " s", " bytes"].into_iter().any(|unit| {
            text[number..]
                .strip_prefix(unit)
                .is_some_and(|it| !it.starts_with(char::is_alphanumeric))
        });
        is_duration.then(|| (number, "[n]".to_owned()))
    }

    /// A word that is random: hexadecimal, base58 or base64.
    fn random(&mut self, text: &str) -> Option<(usize, String)> {
        let is_hex = |letter: char| letter.is_ascii_digit() || ('a'..='f').contains(&letter);
        let dashed = run(text, |letter| is_hex(letter) || letter == '-');
        if dashed == 36 && text[..dashed].split('-').map(str::len).eq([8, 4, 4, 4, 12]) {
            return Some((dashed, self.name("uuid", &text[..dashed])));
        }
        // 16 bytes in base64.
        let padded = run(text, |letter| {
            letter.is_ascii_alphanumeric() || "+/=".contains(letter)
        });
        if padded == 24 && text[..padded].ends_with("==") {
            return Some((padded, self.name("salt", &text[..padded])));
        }
        let hex = run(text, is_hex);
        let word = run(text, |letter| letter.is_ascii_alphanumeric());
        if hex == word && hex >= 6 {
            let value = &text[..hex];
            let known = self
                .by_value
                .iter()
                .find(|(known, _)| hex < 16 && known.starts_with(value));
            if let Some((_, name)) = known {
                return Some((hex, format!("{}~{hex}]", name.trim_end_matches(']'))));
            }
            let kind = match hex {
                ..16 => return None,
                32 => "id",
                64 => "hash",
                _ => "hex",
            };
            return Some((hex, self.name(kind, value)));
        }
        // The two ends of a key.
        let end = text[word..]
            .strip_prefix('…')
            .map(|it| run(it, |letter| letter.is_ascii_alphanumeric()));
        let known = self
            .by_value
            .iter()
            .find(|(it, _)| word > 5 && it.starts_with(&text[..word]));
        if let (Some(end), Some((_, name))) = (end, known) {
            return Some((
                word + '…'.len_utf8() + end,
                format!("{}~]", name.trim_end_matches(']')),
            ));
        }
        let length = run(text, |letter| {
            letter.is_ascii_alphanumeric() || "+/=".contains(letter)
        });
        let value = &text[..length];
        let mixed = value.contains(|it: char| it.is_ascii_lowercase())
            && value.contains(|it: char| it.is_ascii_uppercase());
        let kind = if value.starts_with("z6Mk") {
            "key"
        } else {
            "text"
        };
        (length >= 40 && mixed).then(|| (length, self.name(kind, value)))
    }

    /// The digits of an id, whole or as far as no other id begins like it.
    fn id(&mut self, digits: &str) -> String {
        let known = self.by_value.keys();
        let mut same =
            known.filter(|known| digits.starts_with(*known) || known.starts_with(digits));
        let known = same.find(|known| known.len() >= 7).cloned();
        let name = match known {
            Some(known) => self.name("id", &known),
            None => self.name("id", digits),
        };
        match digits.len() {
            32 => name,
            _ => format!("{}~]", name.trim_end_matches(']')),
        }
    }

    fn name(&mut self, kind: &'static str, value: &str) -> String {
        if self.unnumbered {
            return format!("[{kind}]");
        }
        if let Some(name) = self.by_value.get(value) {
            return name.clone();
        }
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let name = format!("[{kind}{count}]");
        self.by_value.insert(value.to_owned(), name.clone());
        name
    }
}

/// The length of the longest beginning whose letters all pass.
fn run(text: &str, passes: impl Fn(char) -> bool) -> usize {
    text.find(|letter| !passes(letter)).unwrap_or(text.len())
}

/// A drawing without what depends on the day it is made: places along its axis of time, and the years.
fn drawn(text: &str) -> String {
    if !text.contains("<svg") {
        return text.to_owned();
    }
    let lines = text.split_inclusive('\n');
    let lines = lines.filter(|line| !line.contains("class=\"grid\""));
    lines.map(without_places).collect()
}

/// Lookups in the map of a log: how long a path is, and which leaf ends it, follows from random keys.
fn without_paths(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    let lines = lines.filter(|line| !line.trim_start().starts_with("\"other\": \""));
    let line = |line: &str| match line.split_once("\"siblings\": \"") {
        Some((before, after)) => {
            let (_, rest) = after.split_once('"').unwrap_or_default();
            format!("{before}\"siblings\": \"[path]\"{rest}")
        }
        None => line.to_owned(),
    };
    lines.map(line).collect()
}

fn without_places(line: &str) -> String {
    let mut parts = line.split('"');
    let mut done = parts.next().unwrap_or_default().to_owned();
    while let Some(value) = parts.next() {
        let is_place = [" x=", " x1=", " x2=", " points="]
            .iter()
            .any(|it| done.ends_with(it));
        done += &format!("\"{}", if is_place { "[x]" } else { value });
        done.extend(parts.next().map(|after| format!("\"{after}")));
    }
    done
}
