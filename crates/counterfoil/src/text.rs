//! Claims and beliefs in words. What they say is text of others: it is shown, and never acted on (M-1).

use counterfoil_claims::belief::{Belief, BeliefStatus, Currency, Marker, Outline, Support};
use counterfoil_claims::time::{Micros, ValidTime, Window};
use counterfoil_claims::{Act, ClaimRef, FactValue, Provenance, ProvenanceClass, Unit};
use counterfoil_types::calendar::Civil;
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_types::{DidKey, UnixMillis, terminal};

/// The most characters of a value in a line.
pub const VALUE: usize = 80;
/// The most characters of a subject or predicate in a line.
pub const NAME: usize = 60;
/// The most values in a line.
const LISTED: usize = 8;
/// Characters of a moment to the minute.
const MINUTE: usize = "2020-03-15 12:00".len();

/// A value on one line: a text as it is, unless it could be taken for other JSON.
pub fn value(value: &FactValue) -> String {
    limited(value, VALUE)
}

/// A value on one line of at most `limit` characters.
pub fn limited(value: &FactValue, limit: usize) -> String {
    let shown = match value.to_json() {
        // A text that parses as JSON is quoted to stay a text.
        Value::String(text)
            if !text.is_empty() && parse(text.trim().as_bytes(), Limits::CONTENT).is_err() =>
        {
            text.replace(['\n', '\t', '\r'], " ")
        }
        _ => value.canonical().to_owned(),
    };
    terminal::plain(&shown, limit)
}

/// A subject or predicate on a line.
pub fn name(text: impl core::fmt::Display) -> String {
    terminal::plain(&text.to_string(), NAME)
}

/// A name as it is typed after a command.
pub fn typed(text: impl core::fmt::Display) -> String {
    let text = text.to_string();
    let plain = |letter: char| letter.is_alphanumeric() || "_-./:".contains(letter);
    if !text.starts_with('-') && !text.is_empty() && text.chars().all(plain) {
        return terminal::plain(&text, NAME);
    }
    format!("'{}'", terminal::plain(&text, NAME).replace('\'', r"'\''"))
}

/// `2020-03-15`, or with its minute where it is no first moment of a day, in UTC. Boundaries end with the year 9999.
pub fn moment(at: Micros) -> String {
    let civil = Civil::of(at);
    match civil.year {
        1..=9999 if civil.of_day == 0 => to_length(civil, "2020-03-15".len()),
        1..=9999 => to_length(civil, MINUTE),
        _ => "the end of 9999".to_owned(),
    }
}

/// The moment of a recording.
pub fn recorded(micros: u64) -> String {
    to_minute_of(micros).unwrap_or_else(|| micros.to_string())
}

/// A time to the minute, if its year has four digits.
fn to_minute_of(micros: u64) -> Option<String> {
    let civil = Civil::of(Micros::try_from(micros).ok()?);
    (civil.year <= 9999).then(|| to_length(civil, MINUTE))
}

/// The first `length` characters of `2020-03-15 12:00:00`.
fn to_length(civil: Civil, length: usize) -> String {
    civil
        .to_string()
        .replace('T', " ")
        .chars()
        .take(length)
        .collect()
}

/// `2019-04-01 to 2022-03-01`: the end is the first moment after it.
pub fn window(window: Window) -> String {
    if window.is_empty() {
        return "never".to_owned();
    }
    match (window.start.map(moment), window.end.map(moment)) {
        (Some(start), Some(end)) => format!("{start} to {end}"),
        (Some(start), None) => format!("since {start}"),
        (None, Some(end)) => format!("until {end}"),
        (None, None) => "always".to_owned(),
    }
}

/// Period of validity given by the source.
pub fn valid(valid: &ValidTime) -> String {
    let mut told = Vec::new();
    told.extend(valid.from.map(|from| format!("from {from}")));
    told.extend(valid.until.map(|until| format!("until {until}")));
    if !valid.is_trusted() {
        told.push(format!(
            "(confidence {}: kept, not used)",
            valid.confidence.value()
        ));
    }
    told.join(" ")
}

/// Source of a claim.
pub fn provenance(provenance: Provenance) -> String {
    match provenance.class() {
        ProvenanceClass::UserAsserted => "the user".to_owned(),
        ProvenanceClass::FirstHand => "first hand".to_owned(),
        ProvenanceClass::ModelDerived => "a model".to_owned(),
        ProvenanceClass::RecallReEntry => "its own recall".to_owned(),
        ProvenanceClass::Peer {
            agent,
            level,
            inferred,
        } => {
            let model = if inferred { "a model of " } else { "" };
            format!("{model}agent {} (trust {level})", brief(&agent))
        }
        _ => provenance.class().name().to_owned(),
    }
}

/// Both ends of a key; the middle is left out.
pub fn brief(agent: &DidKey) -> String {
    let did = agent.to_string();
    let key = did.strip_prefix("did:key:").unwrap_or(&did);
    let (head, tail) = (key.get(..9), key.get(key.len().saturating_sub(4)..));
    format!("{}…{}", head.unwrap_or(key), tail.unwrap_or_default())
}

/// Certainty of a belief.
pub const fn status(status: BeliefStatus) -> &'static str {
    match status {
        BeliefStatus::Resolved => "resolved",
        BeliefStatus::TimingUncertain => "timing uncertain",
        BeliefStatus::Contested => "CONTESTED",
        BeliefStatus::Ended => "ended",
        _ => "no belief",
    }
}

/// Consequence of the status for a reader who relies on the belief.
pub fn meaning(belief: &Belief) -> &'static str {
    match belief.status {
        BeliefStatus::Resolved if belief.support == Some(Support::Inferred) => {
            "only a model says so; nobody from outside has"
        }
        BeliefStatus::Resolved => "nothing contradicts it",
        BeliefStatus::TimingUncertain if belief.certain_of_time => {
            "stated without a date: since when it holds is not known"
        }
        BeliefStatus::TimingUncertain => "no date says for sure that it holds at just that time",
        BeliefStatus::Contested if belief.support == Some(Support::Inferred) => {
            "models contradict each other, and nobody from outside has said"
        }
        BeliefStatus::Contested => "sources contradict each other: none of them is settled",
        BeliefStatus::Ended => "something held before, and nothing does at that time",
        _ => "nothing is known of that time",
    }
}

/// Age of the last confirmation of a value.
pub const fn currency(currency: Currency) -> &'static str {
    match currency {
        Currency::Fresh => "fresh",
        Currency::AgingUnconfirmed => "aging",
        Currency::Decayed => "decayed",
    }
}

/// Caveat shown beside the status.
pub const fn marker(marker: Marker) -> &'static str {
    match marker {
        Marker::AgingUnconfirmed => "not confirmed for a while",
        Marker::AgedSetMember => "a member was not confirmed for a while",
        Marker::PendingReview => {
            "what it was derived from is contradicted or no longer stands: look at it again"
        }
        Marker::ModelDissent => "a model says otherwise",
        Marker::PeerSourced => "only other agents say so",
        Marker::Untrusted => "an agent that is not trusted enough says otherwise",
    }
}

/// Believed values, on one line.
pub fn believed(belief: &Belief) -> String {
    let values = belief.sides.iter().map(|side| &side.value);
    listed(belief.status, values, belief.side_count)
}

/// The same of a belief in short.
pub fn outline(outline: &Outline) -> String {
    listed(outline.status, outline.values.iter(), outline.value_count)
}

fn listed<'v>(
    status: BeliefStatus,
    values: impl Iterator<Item = &'v FactValue>,
    count: usize,
) -> String {
    let mut told: Vec<String> = values.take(LISTED).map(value).collect();
    if count > told.len() {
        told.push(format!("{} more", count - told.len()));
    }
    match status {
        BeliefStatus::Contested => told.join(" or "),
        _ if told.is_empty() => "-".to_owned(),
        _ => told.join(", "),
    }
}

/// Describes the act of a unit on one line.
pub fn act(unit: &Unit) -> String {
    act_on(unit, |reference| name(reference))
}

/// Describes the act of a unit on one line; `named` names the claims in it.
pub fn act_on(unit: &Unit, named: impl Fn(&ClaimRef) -> String) -> String {
    match unit.act() {
        Act::Claim(body) => value(&body.value),
        Act::Bound { target, at } => format!("ends {} at {at}", named(target)),
        Act::Reopen { target, .. } => format!("opens {} again", named(target)),
        Act::Supersede { target, by } => {
            format!("puts {} in the place of {}", named(by), named(target))
        }
        Act::Affirm { target, .. } => format!("affirms {}", named(target)),
        Act::Deny { target } => format!("denies {}", named(target)),
        Act::Undecided { target } => format!("leaves {} undecided", named(target)),
        Act::Release { target } => format!("releases {}", named(target)),
        Act::Confirm { target } => format!("confirms {} again", named(target)),
        Act::Retract { target, reason, .. } => match reason {
            Some(reason) => format!("takes {} back: {reason}", named(target)),
            None => format!("takes {} back", named(target)),
        },
        Act::Corroborate { target, .. } => format!("confirms {}", named(target)),
        _ => unit.act().kind().name().to_owned(),
    }
}

/// Returns the value of a claim; `None` for a unit that is no claim.
pub(crate) const fn value_of(unit: &Unit) -> Option<&FactValue> {
    match unit.act() {
        Act::Claim(body) => Some(&body.value),
        _ => None,
    }
}

/// The value of a claim on one line of at most `limit` characters; empty for a unit that is no claim.
pub fn claimed(unit: &Unit, limit: usize) -> String {
    value_of(unit).map_or_else(String::new, |value| limited(value, limit))
}

/// A time to the minute, in UTC: `2025-03-01 10:15`.
pub fn to_minute(at: UnixMillis) -> String {
    let micros = at.value().checked_mul(1000);
    micros
        .and_then(to_minute_of)
        .unwrap_or_else(|| at.value().to_string())
}

/// Returns true for a JSON value with the character NUL in a string or name. The parser bounds the depth, so this may
/// recurse.
pub fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(holds_nul),
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| name.contains('\0') || holds_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const DAY_US: i64 = 86_400_000_000;

    fn fact(json: &Value) -> FactValue {
        FactValue::new(json).unwrap()
    }

    /// The last day of 9999 was shown as microseconds, or as the end of the year.
    #[test]
    fn every_day_until_the_end_of_9999_is_shown() {
        const END: u64 = 253_402_300_800_000_000;
        let day = Micros::try_from(END).unwrap() - DAY_US;
        assert_eq!(moment(day), "9999-12-31");
        assert_eq!(moment(day + 60_000_000), "9999-12-31 00:01");
        assert_eq!(moment(day + DAY_US), "the end of 9999");
        assert_eq!(moment(-1), "1969-12-31 23:59");
        assert_eq!(recorded(END - 1), "9999-12-31 23:59");
        assert_eq!(recorded(END), END.to_string());
        let last = UnixMillis::new(END / 1000 - 1).unwrap();
        assert_eq!(to_minute(last), "9999-12-31 23:59");
        assert_eq!(
            crate::when::instant("9999-12-31T23:59:59.999Z"),
            Some(last.value())
        );
    }

    #[test]
    fn a_text_is_told_from_the_number_that_it_looks_like() {
        assert_eq!(value(&fact(&json!("Porto"))), "Porto");
        assert_eq!(value(&fact(&json!(5))), "5");
        assert_eq!(value(&fact(&json!("5"))), "\"5\"");
        assert_eq!(value(&fact(&json!(" true"))), "\" true\"");
        assert_eq!(value(&fact(&json!(""))), "\"\"");
        assert_eq!(
            value(&fact(&json!({"b": 1, "a": [null]}))),
            r#"{"a":[null],"b":1}"#
        );
    }

    #[test]
    fn what_others_wrote_steers_no_terminal() {
        for text in ["\u{1b}[2J", "\u{202e}x", "a\nb"] {
            let shown = value(&fact(&json!(text)));
            assert!(
                !shown.contains(char::is_control) && !shown.contains('\u{202e}'),
                "{shown:?}"
            );
            assert!(!name(text).contains(char::is_control));
        }
    }

    #[test]
    fn a_name_is_typed_as_a_shell_takes_it() {
        assert_eq!(typed("Mira"), "Mira");
        assert_eq!(typed("lives in"), "'lives in'");
        assert_eq!(typed("it's"), r"'it'\''s'");
        assert_eq!(typed("-x"), "'-x'");
        assert_eq!(typed("$(x)"), "'$(x)'");
    }

    #[test]
    fn moments_and_windows_are_told_in_utc() {
        assert_eq!(moment(0), "1970-01-01");
        assert_eq!(moment(-DAY_US), "1969-12-31");
        assert_eq!(moment(61_000_000), "1970-01-01 00:01");
        let told = |start, end| window(Window { start, end });
        assert_eq!(told(Some(0), Some(DAY_US)), "1970-01-01 to 1970-01-02");
        assert_eq!(told(Some(0), None), "since 1970-01-01");
        assert_eq!(told(None, Some(0)), "until 1970-01-01");
        assert_eq!(told(None, None), "always");
        assert_eq!(told(Some(0), Some(0)), "never");
    }

    #[test]
    fn a_time_is_shown_to_the_minute() {
        assert_eq!(
            to_minute(UnixMillis::new(1_740_824_100_000).unwrap()),
            "2025-03-01 10:15"
        );
    }
}
