//! `DIR/exchange.toml`: what the host decides about exchanges (docs/format/directory.md). A missing file stands for the
//! defaults; whatever is in it that has no meaning is an error which names it.

mod entry;

use counterfoil_exchange::answering::{PassOn, Share};
use counterfoil_exchange::checks::FreshnessLimits;
use counterfoil_exchange::documents::{Competence, Domain, Format, Text};
use counterfoil_exchange::trust::{Level, TrustSettings};
use counterfoil_http::server::PublicTiles;
use counterfoil_peer::answering::AnsweringSettings;
use counterfoil_types::{DidKey, Scope};
use entry::Entries;
use toml::{Table, Value};

use crate::error::Error;
use crate::home::Home;
use crate::settings_file::{self, Wrong};

/// The name of the file.
pub(crate) const FILE: &str = "exchange.toml";
/// The most rules, keys of a rule, labels, predicates and words.
const MOST: usize = 256;
/// The most days that a limit may have: a century.
const MAX_DAYS: i64 = 36_500;
/// The most requests a minute that a limit may let through.
const MAX_RATE: i64 = 1_000_000;

/// Settings of exchanges, from `exchange.toml`.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ExchangeSettings {
    /// Name of this agent; by default the log's name.
    pub(crate) name: Option<String>,
    /// Settings of answers to others.
    pub(crate) answering: AnsweringSettings,
    /// Parameters of the trust computation.
    pub(crate) trust: TrustSettings,
    /// Periods for which memories are current.
    pub(crate) freshness: FreshnessLimits,
    /// Words that name domains.
    pub(crate) vocabulary: Vec<(String, Domain)>,
    /// Fetches evidence without a request; off by default.
    pub(crate) fetch_evidence: bool,
    /// Tiles of the log that `serve` publishes; none by default.
    pub(crate) tiles: PublicTiles,
}

/// The settings of a store.
///
/// # Errors
/// The file cannot be read, or something in it has no meaning.
pub(crate) fn read(home: &Home) -> Result<ExchangeSettings, Error> {
    settings_file::read(&home.dir().join(FILE), parse)
}

pub(crate) fn parse(text: &str) -> Result<ExchangeSettings, Wrong> {
    let table = settings_file::table(text)?;
    let mut settings = ExchangeSettings::default();
    for (name, value) in &table {
        match (name.as_str(), value) {
            ("share", Value::Array(rules)) => settings.answering.shares = shares(rules)?,
            ("share", _) => {
                return Err(Wrong::new(
                    "`share` must be rules",
                    "begin each with [[share]]",
                ));
            }
            (name, Value::Table(table)) => part(&mut settings, name, table)?,
            (name, _) => return Err(unknown(name)),
        }
    }
    Ok(settings)
}

fn part(settings: &mut ExchangeSettings, name: &str, table: &Table) -> Result<(), Wrong> {
    let closed = |known: &[&str]| Entries::closed(name, table, known);
    match name {
        "agent" => {
            let entries = closed(&["name", "domains", "description"])?;
            settings.name = entries.text::<128>("name")?.map(|name| name.to_string());
            settings.answering.domains = entries.domains("domains")?;
            settings.answering.description = entries.text("description")?;
        }
        "share_claims" => {
            let entries = closed(&["predicates"])?;
            let text = |text: &str| Some(text.to_owned());
            let predicates = entries.each("predicates", MOST, (text, "a predicate"))?;
            settings.answering.shared_predicates = predicates;
        }
        "limits" => limits(&mut settings.answering, name, table)?,
        "trust" => settings.trust = trust(name, table)?,
        "freshness" => settings.freshness = freshness(name, table)?,
        "vocabulary" => settings.vocabulary = vocabulary(table)?,
        "log" => {
            let tiles = [
                ("off", PublicTiles::Off),
                ("hashes", PublicTiles::Hashes),
                ("all", PublicTiles::All),
            ];
            settings.tiles = closed(&["tiles"])?.word("tiles", &tiles, PublicTiles::Off)?;
        }
        "evidence" => settings.fetch_evidence = closed(&["fetch"])?.yes("fetch")?,
        _ => return Err(unknown(name)),
    }
    Ok(())
}

fn unknown(name: &str) -> Wrong {
    let known = "there are [agent], [[share]], [share_claims], [limits], [trust], [freshness], [vocabulary], [evidence] and [log]";
    Wrong::unknown(name, known)
}

fn shares(rules: &[Value]) -> Result<Vec<Share>, Wrong> {
    if rules.len() > MOST {
        return Err(Wrong::new(
            format_args!("more than {MOST} rules"),
            "put some together",
        ));
    }
    let table = |rule: &Value| match rule {
        Value::Table(table) => share(table),
        _ => Err(Wrong::new(
            "`share` must be rules",
            "begin each with [[share]]",
        )),
    };
    rules.iter().map(table).collect()
}

/// A rule. Who it is for and what it lets out has to be said: nothing is shared by leaving out a line.
fn share(table: &Table) -> Result<Share, Wrong> {
    let known = [
        "to",
        "level",
        "domains",
        "labels",
        "predicates",
        "scope",
        "format",
        "max",
        "per_minute",
        "pass_on",
        "continues",
        "refer",
    ];
    let rule = Entries::closed("share", table, &known)?;
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let labels: Vec<String> = rule.each("labels", MOST, (text, "a text"))?;
    if labels.is_empty() {
        let cure = "write labels = [\"LABEL\"], as given to `remember --share`; for claims alone one that no memory has";
        return Err(Wrong::new(
            "`share.labels` is missing or names no label",
            cure,
        ));
    }
    let formats = [
        ("attestation", Format::Attestation),
        ("raw", Format::Raw),
        ("summary", Format::Summary),
    ];
    let level: u8 = rule.number("level", 0..=3, 1)?;
    Ok(Share {
        to: addressees(&rule)?,
        level: Level::of_number(level).unwrap_or(Level::Direct),
        domains: rule.domains("domains")?,
        labels,
        predicates: rule.each("predicates", MOST, (text, "a predicate"))?,
        scope: scope(&rule)?,
        format: rule.word("format", &formats, Format::Attestation)?,
        max: rule.number("max", 1..=100, 5)?,
        per_minute: rule.number("per_minute", 1..=MAX_RATE, 60)?,
        pass_on: PassOn::of(rule.yes("pass_on")?),
        continues: rule.yes("continues")?,
        refer: rule.yes("refer")?,
    })
}

/// Pairs as `--scope` has them, or no scope.
fn scope(rule: &Entries<'_>) -> Result<Scope, Wrong> {
    let pairs = |text: &str| text.parse().ok().filter(|scope: &Scope| !scope.is_empty());
    match rule.value("scope") {
        None => Ok(Scope::new()),
        Some(value) => {
            let scope = value.as_str().and_then(pairs);
            scope.ok_or_else(|| rule.refused("scope", "pairs, as in \"user=kit,session=42\""))
        }
    }
}

/// `"*"`, or keys.
fn addressees(rule: &Entries<'_>) -> Result<Option<Vec<DidKey>>, Wrong> {
    match rule.value("to") {
        None => {
            let cure = "write to = \"*\" or to = [\"did:key:…\"]";
            Err(Wrong::new("`share.to` is missing", cure))
        }
        Some(Value::String(text)) if text == "*" => Ok(None),
        Some(Value::Array(_)) => {
            let key = |text: &str| text.parse::<DidKey>().ok();
            rule.each("to", MOST, (key, "a did:key")).map(Some)
        }
        Some(_) => Err(rule.refused("to", "\"*\" or an array of keys")),
    }
}

fn limits(answering: &mut AnsweringSettings, name: &str, table: &Table) -> Result<(), Wrong> {
    let known = [
        "per_minute",
        "anonymous_per_minute",
        "anonymous_in_all",
        "seen_per_key",
        "seen_per_address",
        "seen_in_all",
        "held_mib",
        "no_match_step_ms",
    ];
    let limits = Entries::closed(name, table, &known)?;
    let rate = |name: &str, default: u32| limits.number(name, 0..=MAX_RATE, default);
    answering.per_minute = rate("per_minute", answering.per_minute)?;
    answering.anonymous_per_minute = rate("anonymous_per_minute", answering.anonymous_per_minute)?;
    answering.anonymous_in_all = rate("anonymous_in_all", answering.anonymous_in_all)?;
    let quotas = &mut answering.quotas;
    quotas.per_key = limits.number("seen_per_key", 1..=1_000_000, quotas.per_key)?;
    answering.seen_per_address = limits.number(
        "seen_per_address",
        1..=1_000_000,
        answering.seen_per_address,
    )?;
    quotas.in_all = limits.number("seen_in_all", 1..=10_000_000, quotas.in_all)?;
    let held: usize = limits.number("held_mib", 0..=4096, answering.held_bytes >> 20)?;
    answering.held_bytes = held << 20;
    let step: u64 = limits.number(
        "no_match_step_ms",
        0..=1000,
        answering.no_match_step_us / 1000,
    )?;
    answering.no_match_step_us = step * 1000;
    Ok(())
}

fn trust(name: &str, table: &Table) -> Result<TrustSettings, Wrong> {
    let known = ["max_hops", "required", "threshold_ppm", "decay_ppm"];
    let entries = Entries::closed(name, table, &known)?;
    let default = TrustSettings::default();
    let levels = [
        ("learning", Competence::Learning),
        ("competent", Competence::Competent),
        ("expert", Competence::Expert),
        ("authority", Competence::Authority),
    ];
    Ok(TrustSettings {
        max_hops: entries.number("max_hops", 1..=3, default.max_hops)?,
        required: entries.word("required", &levels, default.required)?,
        threshold_ppm: entries.number("threshold_ppm", 1..=100_000_000, default.threshold_ppm)?,
        decay_ppm: entries.number("decay_ppm", 0..=1_000_000, default.decay_ppm)?,
    })
}

fn freshness(name: &str, table: &Table) -> Result<FreshnessLimits, Wrong> {
    let known = [
        "fact_days",
        "observation_days",
        "insight_days",
        "relationship_days",
    ];
    let entries = Entries::closed(name, table, &known)?;
    let default = FreshnessLimits::default();
    let days = |name: &str, default: u32| entries.number(name, 1..=MAX_DAYS, default);
    Ok(FreshnessLimits {
        fact_days: days("fact_days", default.fact_days)?,
        observation_days: days("observation_days", default.observation_days)?,
        insight_days: days("insight_days", default.insight_days)?,
        relationship_days: days("relationship_days", default.relationship_days)?,
    })
}

/// Each word with the domain that it names.
fn vocabulary(table: &Table) -> Result<Vec<(String, Domain)>, Wrong> {
    if table.len() > MOST {
        return Err(Wrong::new(
            format_args!("more than {MOST} words"),
            "remove some",
        ));
    }
    let word = |(word, domain): (&String, &Value)| {
        let named = Text::<64>::new(word.clone()).is_ok() && *word == word.to_lowercase();
        let domain = domain.as_str().and_then(|domain| domain.parse().ok());
        domain
            .filter(|_| named)
            .map(|domain| (word.clone(), domain))
            .ok_or_else(|| {
                let cure =
                    "write a word in lower case and a domain, such as pruning = \"memory-systems\"";
                Wrong::new(format_args!("`vocabulary.{word}` has no meaning"), cure)
            })
    };
    table.iter().map(word).collect()
}

#[cfg(test)]
mod tests;
