//! Language of doc comments: the word that they open with, and words that make a reader guess.

use super::source::Source;
use super::{Finding, percent};

const OPENINGS: [&str; 11] = [
    "What", "Whether", "How", "Who", "Whose", "Why", "Where", "Which", "When", "Whoever",
    "Whatever",
];
const WORDS: [&str; 4] = ["told", "nobody", "whoever", "stands"];
const PHRASES: [&str; 2] = ["what is", "what was"];

pub(super) fn check(sources: &[Source], openings_percent: f64, words_per_100: f64) -> Vec<Finding> {
    let (mut blocks, mut lines) = (0, 0);
    let (mut openings, mut words) = (Vec::new(), Vec::new());
    for source in sources {
        let mut inside = false;
        for (at, line) in source.comments.lines().enumerate() {
            let line = line.trim();
            let doc = line
                .strip_prefix("///")
                .filter(|rest| !rest.starts_with('/'));
            if let Some(text) = doc {
                lines += 1;
                let place = || Finding::at(&source.path, at, format!("reword `{}`", text.trim()));
                if !inside {
                    blocks += 1;
                    if opens_with_question(text) {
                        openings.push(place());
                    }
                }
                words.extend((0..riddles(text)).map(|_| place()));
            }
            inside = doc.is_some();
        }
    }
    let mut found = Vec::new();
    if percent(openings.len(), blocks) >= openings_percent {
        found.append(&mut openings);
    }
    if percent(words.len(), lines) >= words_per_100 {
        found.append(&mut words);
    }
    found
}

fn opens_with_question(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    OPENINGS.contains(&first.trim_end_matches(','))
}

fn riddles(text: &str) -> usize {
    let text = text.to_lowercase();
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect();
    let single = words.iter().filter(|word| WORDS.contains(word)).count();
    let pairs = words
        .windows(2)
        .filter(|pair| PHRASES.contains(&pair.join(" ").as_str()));
    single + pairs.count()
}
