//! Binding of a claim to its question and to its own words (docs/format/exchange.md §8.5).

use alloc::string::String;
use alloc::vec::Vec;

use crate::documents::{Claim, Domain, MemoryQuery, StructuredClaim};
use crate::stop_words::is_stop_word;

/// Shortest term that another one may continue: "live", "lives".
const SHORTEST_STEM: usize = 4;
/// Most letters by which it may be longer.
const LONGEST_ENDING: usize = 3;
/// Words that the words of a claim may have beside its subject, predicate and value.
const FILLERS: [&str; 8] = ["a", "an", "are", "is", "of", "the", "was", "were"];

/// Returns true if a question asks for a claim: a term of its words or keywords occurs in the subject or the predicate.
///
/// A term is a word that is no stop word. Terms are equal without regard to case and to an ending of at most 3 letters behind at
/// least 4. A term in a script without spaces is looked for anywhere in the question. A question without terms asks for no claim.
pub fn is_asked_for(query: &MemoryQuery, claim: &StructuredClaim) -> bool {
    let keywords = query.keywords.iter().map(|keyword| keyword.as_str());
    let asked: Vec<&str> = core::iter::once(query.natural.as_str())
        .chain(keywords)
        .collect();
    let terms: Vec<String> = asked.iter().flat_map(|text| terms(text)).collect();
    let named = [claim.subject.as_str(), claim.predicate.as_str()];
    let mut named = named.into_iter().flat_map(self::terms);
    named.any(|name| {
        let is_run = !name.is_ascii() && name.chars().nth(1).is_some();
        terms
            .iter()
            .any(|term| is_same(term, &name) || is_run && term.contains(&name))
    })
}

/// Returns true if the words of a claim state its subject, predicate and value: they end with the value; before it are the words of subject and
/// predicate in any order, and at most articles, forms of "to be" and "of" beside them. Text without a structured claim agrees.
pub fn words_agree(claim: &Claim) -> bool {
    let Some(fact) = &claim.structured else {
        return true;
    };
    let value = fact.value.to_json();
    let is_text = value.is_string();
    let value = value
        .as_str()
        .map_or_else(|| fact.value.canonical().into(), String::from);
    let content = claim.content.as_str().trim_end_matches(ends_sentence);
    let (words, value_words) = (tokens(content), tokens(&value));
    // Signs and points are no words.
    let last = content.split_whitespace().next_back();
    let is_whole = match is_text && !value_words.is_empty() {
        true => true,
        false => last == Some(value.as_str()) || content.ends_with(&[" ", &value].concat()),
    };
    if !is_whole {
        return false;
    }
    let Some(before) = words.strip_suffix(value_words.as_slice()) else {
        return false;
    };
    let named = [fact.subject.as_str(), fact.predicate.as_str()];
    sorted(before.to_vec()) == sorted(named.into_iter().flat_map(tokens).collect())
}

/// Returns true if an agent that names these domains may know of a topic: one of them covers `domain` or lies in it, or `words` have
/// each term of one segment of a domain. It is a hint of whom to ask, and no trust.
pub fn knows_of(domains: &[Domain], domain: Option<&Domain>, words: &str) -> bool {
    let words: Vec<String> = terms(words).collect();
    let is_named = |segment: &str| {
        let mut named = terms(segment).peekable();
        named.peek().is_some() && named.all(|name| words.iter().any(|word| is_same(word, &name)))
    };
    domains.iter().any(|known| {
        domain.is_some_and(|asked| known.covers(asked) || asked.covers(known))
            || known.as_str().split('/').any(is_named)
    })
}

fn ends_sentence(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '.' | '!' | '?')
}

fn is_same(one: &str, other: &str) -> bool {
    let (short, long) = match one.len() <= other.len() {
        true => (one, other),
        false => (other, one),
    };
    let ending = long
        .strip_prefix(short)
        .map(|ending| ending.chars().count());
    match ending {
        Some(0) => true,
        Some(length) => length <= LONGEST_ENDING && short.chars().nth(SHORTEST_STEM - 1).is_some(),
        None => false,
    }
}

/// Words in lower case, in their order.
fn tokens(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn terms(text: &str) -> impl Iterator<Item = String> {
    let words = tokens(text).into_iter();
    words.filter(|word| !is_stop_word(word))
}

/// The words without fillers, in alphabetical order.
fn sorted(mut words: Vec<String>) -> Vec<String> {
    words.retain(|word| !FILLERS.contains(&word.as_str()));
    words.sort_unstable();
    words
}

#[cfg(test)]
mod tests {
    use alloc::{format, vec};

    use counterfoil_claims::{FactValue, Identifier};
    use serde_json::{Value, json};

    use super::*;
    use crate::documents::{ClaimKind, Text};

    fn claim(content: &str, [subject, predicate]: [&str; 2], value: &Value) -> Claim {
        Claim {
            kind: ClaimKind::Fact,
            structured: Some(StructuredClaim {
                subject: Identifier::new("subject", subject).unwrap(),
                predicate: Identifier::new("predicate", predicate).unwrap(),
                value: FactValue::new(value).unwrap(),
                valid_from: None,
                valid_until: None,
            }),
            ..Claim::of_text(Text::new(content).unwrap())
        }
    }

    #[test]
    fn a_question_asks_for_what_shares_a_term_with_it() {
        for (question, names, asked) in [
            ("What is the weather in Porto?", ["ann", "lives in"], false),
            (
                "What is the weather in Porto?",
                ["porto", "temperature"],
                true,
            ),
            ("Who is the owner of staging?", ["staging", "owner"], true),
            (
                "On which day do you deliver?",
                ["Bryn Mill", "delivery_day"],
                true,
            ),
            ("Where does she live?", ["ann", "lives in"], true),
            ("How old are the servers?", ["Server 3", "age"], true),
            ("What is in it?", ["it", "is in"], false),
            (
                "What do you know about Ann?",
                ["annabel", "lives in"],
                false,
            ),
            ("安娜住在哪里", ["安娜", "lives in"], true),
            ("", ["ann", "lives in"], false),
        ] {
            let claim = claim("x", names, &json!("y")).structured.unwrap();
            let query = MemoryQuery::new(Text::new(format!("{question} ")).unwrap());
            assert_eq!(is_asked_for(&query, &claim), asked, "{question} {names:?}");
            let mut query = MemoryQuery::new(Text::new("and?").unwrap());
            assert!(!is_asked_for(&query, &claim));
            query.keywords = vec![Text::new(names[0]).unwrap()];
            let has_term = terms(names[0]).next().is_some();
            assert_eq!(is_asked_for(&query, &claim), has_term);
        }
    }

    #[test]
    fn an_agent_may_know_of_what_its_domains_name() {
        let domain = |text: &str| text.parse::<Domain>().unwrap();
        for (known, asked, words, knows) in [
            ("ops", Some("ops/deploys"), "", true),
            ("ops/deploys", Some("ops"), "", true),
            ("ops", Some("ops-2"), "", false),
            (
                "memory-systems/pruning",
                None,
                "How are branches pruned?",
                false,
            ),
            ("memory-systems/pruning", None, "What of pruning?", true),
            ("memory-systems", None, "which memory system is best?", true),
            ("memory-leaks", None, "which memory system is best?", false),
            ("the", None, "the", false),
            ("ops", None, "cooking", false),
        ] {
            let asked = asked.map(domain);
            let found = knows_of(&[domain("x"), domain(known)], asked.as_ref(), words);
            assert_eq!(found, knows, "{known} {asked:?} {words}");
        }
    }

    #[test]
    fn words_state_the_claim_or_they_do_not() {
        let ann = ["ann", "lives in"];
        for (content, names, value, agree) in [
            ("ann lives in Porto", ann, json!("Porto"), true),
            ("Ann lives in Porto.", ann, json!("porto"), true),
            (
                "The owner of staging is Priya",
                ["staging", "owner"],
                json!("Priya"),
                true,
            ),
            (
                "Bryn Mill delivery day Thursday",
                ["Bryn Mill", "delivery_day"],
                json!("Thursday"),
                true,
            ),
            ("till price 3.5", ["till", "price"], json!(3.5), true),
            ("till balance 5", ["till", "balance"], json!(-5), false),
            ("till balance -5", ["till", "balance"], json!(5), false),
            ("till balance -5.", ["till", "balance"], json!(-5), true),
            ("ann never lives in Porto", ann, json!("Porto"), false),
            ("ann lives in Lisbon", ann, json!("Porto"), false),
            ("Porto", ann, json!("Porto"), false),
            ("Bob manages Ann", ["Ann", "manages"], json!("Bob"), false),
            ("the sky is blue", ann, json!("Porto"), false),
            ("ann lives in !", ann, json!("✓"), false),
            ("ann lives in ✓", ann, json!("✓"), true),
        ] {
            assert_eq!(
                words_agree(&claim(content, names, &value)),
                agree,
                "{content}"
            );
        }
        assert!(words_agree(&Claim::of_text(Text::new("anything").unwrap())));
    }
}
