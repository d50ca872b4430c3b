//! Labels of turns: what a person read in them, without their words (benches/extract/README.md).

use anyhow::{Context, Result, bail};
use counterfoil_claims::ports::{Change, ClaimProposal};
use counterfoil_claims::time::Boundary;
use sha2::{Digest, Sha256};

/// A fact that a turn states.
pub(crate) struct Label {
    /// Id of the turn.
    pub(crate) turn: String,
    class: String,
    /// Hashes of words, of which the value has one.
    words: Vec<String>,
    date: Date,
    /// True for what may be proposed and need not be: vague, repeated, or an act without consequence.
    pub(crate) is_optional: bool,
}

/// Date that the turn gives.
enum Date {
    None,
    /// Happened in the range.
    At(Boundary, Boundary),
    Since(Boundary),
    Until(Boundary),
}

/// Reads the labels of a conversation.
pub(crate) fn read(text: &str) -> Result<Vec<Label>> {
    text.lines().map(label).collect()
}

fn label(line: &str) -> Result<Label> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [turn, class, words, date, kind] = columns.as_slice() else {
        bail!("{line:?} has not five columns");
    };
    Ok(Label {
        turn: (*turn).to_owned(),
        class: (*class).to_owned(),
        words: words.split(',').map(str::to_owned).collect(),
        date: self::date(date).with_context(|| format!("the date of {line:?}"))?,
        is_optional: match *kind {
            "optional" => true,
            "fact" => false,
            other => bail!("{other:?} is neither fact nor optional"),
        },
    })
}

fn date(text: &str) -> Result<Date> {
    let boundary = |text: &str| Ok::<_, anyhow::Error>(Boundary::parse(text)?);
    Ok(match text.split_at_checked(1) {
        Some(("-", "")) => Date::None,
        Some((">", since)) => Date::Since(boundary(since)?),
        Some(("<", until)) => Date::Until(boundary(until)?),
        Some(("@", range)) => {
            let (first, last) = range.split_once("..").unwrap_or((range, range));
            Date::At(boundary(first)?, boundary(last)?)
        }
        _ => bail!("{text:?} is no date"),
    })
}

impl Label {
    /// Returns true for a proposal of this fact: of its class, with one of its words.
    pub(crate) fn is_met(&self, conversation: &str, proposal: &ClaimProposal) -> bool {
        let value = proposal.value.to_json();
        if proposal.change == Change::Ends && value.is_null() {
            // The end of whatever job it was.
            return self.class == "lost";
        }
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let line = format!("{} {} {value}", proposal.subject, proposal.predicate);
        let mut words = line
            .split(|letter: char| !(letter.is_alphanumeric() || letter == '-'))
            .map(|word| hash(conversation, &self.turn, word));
        classes(proposal.predicate.as_str()).contains(&self.class.as_str())
            && words.any(|word| self.words.contains(&word))
    }

    /// Returns true if the proposal's time is that of the fact, and true if the turn gives one.
    pub(crate) fn is_dated_right(&self, proposal: &ClaimProposal) -> (bool, bool) {
        let within = |found: Boundary, first: &Boundary, last: &Boundary| {
            first.begin() <= found.begin() && found.end() <= last.end()
        };
        let valid = proposal.valid;
        let (from, until) = valid.map_or((None, None), |valid| (valid.from, valid.until));
        let is_end = proposal.change == Change::Ends;
        match &self.date {
            Date::None => (from.is_none() && until.is_none(), false),
            // What happened has both ends in the range; what began then has none.
            Date::At(first, last) => {
                let begins = is_end || from.is_some_and(|from| within(from, first, last));
                let ends = until.is_none_or(|until| within(until, first, last));
                (begins && ends, true)
            }
            Date::Since(since) => {
                let begins = from.is_some_and(|from| within(from, since, since));
                (begins && until.is_none(), true)
            }
            Date::Until(at) => {
                let ends = until.is_some_and(|until| within(until, at, at));
                (from.is_none() && ends, true)
            }
        }
    }

    /// Class of the fact.
    pub(crate) fn class(&self) -> &str {
        &self.class
    }
}

fn hash(conversation: &str, turn: &str, word: &str) -> String {
    let text = format!("{conversation} {turn} {}", word.to_lowercase());
    let mut digest = hex::encode(Sha256::digest(text.as_bytes()));
    digest.truncate(16);
    digest
}

/// Classes of a predicate: more than one where a text seldom says which is meant, as of what somebody does, a hobby or an
/// undertaking.
pub(crate) fn classes(predicate: &str) -> &[&str] {
    let stem = match predicate.split_once('_') {
        Some(("favourite", _)) => "likes",
        Some(("number", _)) => "kids",
        _ => predicate,
    };
    match stem {
        "lives_in" => &["res"],
        "comes_from" | "born_in" | "grew_up_in" => &["origin"],
        "born_on" | "birthday" => &["born"],
        "occupation" => &["job"],
        "works_at" | "accepted_for" => &["emp"],
        "graduated_from" | "studies_at" | "studies" | "education" | "took_exam" => &["edu"],
        "married_to" | "engaged_to" | "relationship_status" => &["rel"],
        "has_pet" | "pet" | "dog" | "cat" | "puppy" | "kitten" => &["pet"],
        "allergic_to" | "avoids" | "injured" | "diet" | "has_condition" => &["health"],
        "does" => &["likes", "start"],
        "likes" | "plays" | "plays_instrument" | "collects" => &["likes"],
        "bought" | "owns" | "has" => &["owns"],
        "visited" => &["visit", "event"],
        "attended" => &["event", "join"],
        "attends" => &["event", "join", "edu"],
        "went" => &["event"],
        "read" => &["media"],
        "watched" => &["media", "event"],
        "met" => &["event"],
        "joined" | "signed_up_for" | "volunteers_at" => &["join"],
        "learns" => &["start", "edu"],
        "works_on" | "writes" | "mentors" | "applied_to" | "started" | "launched" | "opened"
        | "tried" | "offers" | "works_with" => &["start"],
        "made" => &["start", "owns"],
        "won" => &["win"],
        "named" | "promoted" => &["win", "job"],
        "scored" => &["win", "event"],
        "closed" | "lost" => &["lost"],
        "plans" => &["plan"],
        "has_child" | "has_children" => &["kids"],
        "daughter" | "son" => &["kin"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_label_that_is_kept_can_be_read() {
        for (name, text) in crate::CONVERSATIONS {
            let read = read(text).unwrap();
            assert!(read.len() > 50, "{name}");
        }
    }

    #[test]
    fn a_line_that_is_no_label_is_refused() {
        for line in [
            "",
            "1:1\ta\tb\t-",
            "1:1\ta\tb\tx\tfact",
            "1:1\ta\tb\t-\tmaybe",
        ] {
            assert!(read(&format!("{line}\n")).is_err(), "{line:?}");
        }
    }
}
