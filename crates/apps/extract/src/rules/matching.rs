//! Matching of patterns against the words of a clause.

use counterfoil_dates::{Sentence, Token};

use super::patterns::Pattern;
use super::slots::{Read, Slot, slot};
use super::verbs::{adverbs, group};
use super::vocabulary::UNCERTAIN;

/// Values of the slots, by their names.
pub(super) type Slots = Vec<(&'static str, Read)>;

/// Parsed pattern.
pub(super) struct Compiled {
    pub(super) pattern: Pattern,
    elements: Vec<Element>,
}

/// Element of a pattern.
enum Element {
    Words {
        words: Vec<&'static str>,
        optional: bool,
    },
    /// A verb group of one of the verbs.
    Verb(Vec<&'static str>),
    Slot(&'static str, Slot),
}

/// Name of the slot that holds the aspect of the verb group.
pub(super) const ASPECT: &str = "";

/// Returns true for a sentence with a doubt in it; "guess what" is none.
pub(super) fn is_uncertain(sentence: &Sentence<'_>) -> bool {
    let tokens = &sentence.tokens;
    let calls = |at: usize| tokens.get(at + 1).is_some_and(|next| next.is("what"));
    let mut each = tokens.iter().enumerate();
    each.any(|(at, token)| token.is_any(UNCERTAIN) && !(token.is("guess") && calls(at)))
}

/// Parses the table. An invalid line is left out, which a test finds.
pub(super) fn compiled(table: &[Pattern]) -> Vec<Compiled> {
    let element = |part: &'static str| {
        if let Some(name) = part.strip_prefix('{') {
            let name = name.strip_suffix('}')?;
            return Some(Element::Slot(name, slot(name)?));
        }
        if let Some(verbs) = part.strip_prefix('<') {
            let verbs = verbs.strip_suffix('>')?;
            return Some(Element::Verb(verbs.split('|').collect()));
        }
        Some(Element::Words {
            words: part.strip_prefix('?').unwrap_or(part).split('|').collect(),
            optional: part.starts_with('?'),
        })
    };
    let compiled = |pattern: &Pattern| {
        let (reads, ..) = *pattern;
        let elements = reads.split(' ').filter(|part| !part.is_empty());
        Some(Compiled {
            pattern: *pattern,
            elements: elements.map(element).collect::<Option<_>>()?,
        })
    };
    table.iter().filter_map(compiled).collect()
}

impl Compiled {
    /// Matches the beginning of the tokens, and returns the slots with the number of matched tokens. There is no
    /// backtracking: an optional word that is present is taken.
    pub(super) fn read(&self, tokens: &[Token<'_>]) -> Option<(Slots, usize)> {
        let mut slots = Slots::new();
        let mut used = 0;
        for element in &self.elements {
            let rest = tokens.get(used..)?;
            match element {
                Element::Slot(name, slot) => {
                    let (read, taken) = slot(rest)?;
                    slots.push((name, read));
                    used += taken;
                }
                Element::Verb(verbs) => {
                    let (aspect, taken) = group(rest, verbs)?;
                    slots.push((ASPECT, Read::Aspect(aspect)));
                    used += taken;
                }
                Element::Words { words, optional } => {
                    let is_word = |at: &usize| rest.get(*at).is_some_and(|word| word.is_any(words));
                    let after = if used > 0 { adverbs(rest, 0) } else { 0 };
                    match [0, after].into_iter().find(is_word) {
                        Some(at) => used += at + 1,
                        None if *optional => {}
                        None => return None,
                    }
                }
            }
        }
        Some((slots, used))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::patterns::{MENTIONS, PATTERNS};

    #[test]
    fn each_line_of_the_table_can_be_taken_apart_and_names_slots_that_it_has() {
        assert_eq!(compiled(PATTERNS).len(), PATTERNS.len());
        assert_eq!(compiled(MENTIONS).len(), MENTIONS.len());
        for (reads, subject, predicate, value, ..) in PATTERNS.iter().chain(MENTIONS) {
            for template in [subject, predicate, value] {
                for part in template.split('{').skip(1) {
                    let slot = format!("{{{}}}", part.split('}').next().unwrap());
                    let of_text = ["{me}", "{it}", "{of_it}"].contains(&slot.as_str());
                    assert!(of_text || reads.contains(&slot), "{reads}");
                }
            }
        }
    }
}
