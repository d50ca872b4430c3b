//! The command that asks for what follows an answer in part (R22).

use counterfoil_exchange::documents::{Format, Request};
use counterfoil_exchange::trust::Records;
use counterfoil_peer::ExchangeReport;
use counterfoil_store::BegunExchange;
use counterfoil_verify::terminal;

/// A question or cursor is no longer, in bytes.
const MOST: usize = 8_192;

/// `counterfoil ask …` with the same question and the cursor of the answer; a cursor is good for nothing else.
pub(super) fn command(
    report: &ExchangeReport,
    begun: &BegunExchange,
    records: &Records,
) -> Option<String> {
    let cursor = report.response.as_ref()?.parts().meta.cursor.as_ref()?;
    let request = Request::parse(&begun.request).ok()?;
    let parts = request.parts();
    let (query, wished) = (&parts.query, &parts.preferences);
    let mut words = vec![
        "counterfoil ask".to_owned(),
        quoted(&target(begun, records))?,
        quoted(query.natural.as_str())?,
        format!("--cursor={}", quoted(cursor.as_str())?),
        format!("--max {}", wished.max_results),
    ];
    let domain = query.domain.as_ref();
    words.extend(domain.map(|domain| format!("--domain {domain}")));
    words.extend(match wished.format {
        Format::Attestation => None,
        Format::Raw => Some("--format raw".to_owned()),
        Format::Summary => Some("--format summary".to_owned()),
    });
    let filters = query.filters;
    let demands = [
        (filters.require_evidence, "--require-evidence"),
        (filters.require_vouches, "--require-vouches"),
    ];
    let demands = demands.into_iter().filter(|(is_set, _)| *is_set);
    words.extend(demands.map(|(_, word)| word.to_owned()));
    let least = filters.min_trust_level;
    words.extend(least.map(|level| format!("--min-level {level}")));
    Some(words.join(" "))
}

/// By name, where that leads to the same agent at the same place.
fn target(begun: &BegunExchange, records: &Records) -> String {
    let known = begun.peer.and_then(|peer| records.of_key(&peer));
    let name = known.and_then(|known| known.name);
    let leads_there = |name: &str| {
        records.named(name).is_some_and(|known| {
            let first = known.addresses.first();
            Some(known.key) == begun.peer && first.is_some_and(|at| at.as_str() == begun.address)
        })
    };
    name.filter(|name| leads_there(name.as_str()))
        .map_or_else(|| begun.address.clone(), |name| name.to_string())
}

/// A word as a shell takes it; `None` of what a terminal would not show as it is.
fn quoted(text: &str) -> Option<String> {
    if terminal::plain(text, MOST) != text {
        return None;
    }
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:".contains(letter);
    if text.chars().all(plain) {
        return Some(text.to_owned());
    }
    Some(format!("'{}'", text.replace('\'', r"'\''")))
}
