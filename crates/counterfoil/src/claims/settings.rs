//! `DIR/claims.toml`: what the host decides about claims (docs/format/directory.md). A missing file stands for the
//! defaults; whatever is in it that has no meaning is an error which names it.

use counterfoil_claims::{CurrencyLimits, Identifier, Settings};
use toml::{Table, Value};

use crate::error::Error;
use crate::home::Home;
use crate::settings_file::{self, Wrong};

/// The name of the file.
pub(crate) const FILE: &str = "claims.toml";
/// The most days that a limit may have: a century.
const MAX_DAYS: u32 = 36_500;
/// Default time a claim waits for a verdict, in days.
const EXPIRES_DAYS: u32 = 30;

/// The settings of a store.
///
/// # Errors
/// The file cannot be read, or something in it has no meaning.
pub(crate) fn read(home: &Home) -> Result<Settings, Error> {
    settings_file::read(&home.dir().join(FILE), parse)
}

fn parse(text: &str) -> Result<Settings, Wrong> {
    let table = settings_file::table(text)?;
    let mut settings = Settings::default();
    for (name, value) in &table {
        match (name.as_str(), value) {
            ("cardinality", _) => {
                return Err(Wrong::new(
                    "`cardinality` is no setting any more: what a predicate holds is a record of the log, from which beliefs follow",
                    "remove the table, and run `counterfoil claim predicate NAME --many` or `--one` for each",
                ));
            }
            ("currency", Value::Table(table)) => currency(&mut settings, table)?,
            ("oracle", Value::Table(table)) => settings.oracle_days = oracle(table)?,
            ("currency" | "oracle", _) => {
                let cure = format!("begin a line with [{name}]");
                return Err(Wrong::new(format_args!("`{name}` must be a table"), cure));
            }
            _ => {
                let known = "there are [currency] and [oracle]";
                return Err(Wrong::unknown(name, known));
            }
        }
    }
    Ok(settings)
}

/// Numbers are limits for all predicates; a table holds those of one.
fn currency(settings: &mut Settings, table: &Table) -> Result<(), Wrong> {
    settings.currency = limits("currency", table, CurrencyLimits::default())?;
    for (name, value) in table {
        let key = format!("currency.{name}");
        match value {
            Value::Table(of_one) => {
                let known = |name: &str| matches!(name, "fresh-days" | "aging-days");
                if let Some(name) = of_one.keys().find(|name| !known(name)) {
                    return Err(unknown_limit(&format!("{key}.{name}")));
                }
                let limits = limits(&key, of_one, settings.currency)?;
                let predicate = predicate(&key, name)?;
                let earlier = settings.currency_of.insert(predicate, limits);
                refuse_twice(&key, earlier.is_some())?;
            }
            _ if name == "fresh-days" || name == "aging-days" => {}
            _ => return Err(unknown_limit(&key)),
        }
    }
    Ok(())
}

fn unknown_limit(key: &str) -> Wrong {
    let known = "write fresh-days or aging-days, or a table [currency.PREDICATE] that has them";
    Wrong::unknown(key, known)
}

fn limits(key: &str, table: &Table, others: CurrencyLimits) -> Result<CurrencyLimits, Wrong> {
    let of = |name: &str, other: u32| match table.get(name) {
        // A predicate of that name has a table of its own.
        None | Some(Value::Table(_)) => Ok(other),
        Some(value) => days(&format!("{key}.{name}"), value),
    };
    let limits = CurrencyLimits {
        fresh_days: of("fresh-days", others.fresh_days)?,
        aging_days: of("aging-days", others.aging_days)?,
    };
    if limits.fresh_days > limits.aging_days {
        let what = format!(
            "`{key}`: fresh-days ({}) is above aging-days ({})",
            limits.fresh_days, limits.aging_days
        );
        return Err(Wrong::new(what, "choose fresh-days below aging-days"));
    }
    Ok(limits)
}

fn oracle(table: &Table) -> Result<Option<u32>, Wrong> {
    let mut present = None;
    let mut expires_days = EXPIRES_DAYS;
    for (name, value) in table {
        let key = format!("oracle.{name}");
        match name.as_str() {
            "present" => {
                let given = value.as_bool();
                present = Some(given.ok_or_else(|| Wrong::must_be(&key, "true or false"))?);
            }
            "expires-days" => expires_days = days(&key, value)?,
            _ => return Err(Wrong::unknown(&key, "there are present and expires-days")),
        }
    }
    match present {
        Some(true) => Ok(Some(expires_days)),
        Some(false) => Ok(None),
        None => Err(Wrong::new(
            "`oracle.present` is missing",
            "write present = true or present = false under [oracle]",
        )),
    }
}

fn days(key: &str, value: &Value) -> Result<u32, Wrong> {
    let number = value.as_integer().and_then(|days| u32::try_from(days).ok());
    number
        .filter(|days| (1..=MAX_DAYS).contains(days))
        .ok_or_else(|| Wrong::must_be(key, "a whole number of days, 1 to 36500"))
}

fn predicate(key: &str, name: &str) -> Result<Identifier, Wrong> {
    Identifier::new("predicate", name)
        .map_err(|refusal| Wrong::new(format_args!("`{key}`: {refusal}"), "name a predicate"))
}

fn refuse_twice(key: &str, twice: bool) -> Result<(), Wrong> {
    if twice {
        let what = format!("`{key}` stands there twice, in two spellings of the same text");
        return Err(Wrong::new(what, "remove one"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Identifier {
        Identifier::new("predicate", name).unwrap()
    }

    #[test]
    fn every_setting_is_read() {
        let settings = parse(
            "[currency]\nfresh-days = 10\naging-days = 20\n\
             [currency.lives_in]\nfresh-days = 5\n\
             [oracle]\npresent = true\nexpires-days = 7\n",
        )
        .unwrap();
        let limits = |fresh_days, aging_days| CurrencyLimits {
            fresh_days,
            aging_days,
        };
        assert_eq!(settings.currency, limits(10, 20));
        assert_eq!(settings.limits_of(&named("lives_in")), limits(5, 20));
        assert_eq!(settings.oracle_days, Some(7));
        assert!(parse("").is_ok_and(|settings| settings.oracle_days.is_none()));
        let absent = parse("[oracle]\npresent = false").unwrap();
        assert_eq!(absent.oracle_days, None);
    }

    #[test]
    fn what_has_no_meaning_is_named() {
        for (text, named) in [
            ("colour = 1", "`colour`"),
            ("oracle = true", "`oracle` must be a table"),
            ("[oracle]\npresence = true", "`oracle.presence`"),
            ("[oracle]\nexpires-days = 3", "`oracle.present` is missing"),
            ("[oracle]\npresent = 1", "`oracle.present`"),
            (
                "[oracle]\npresent = true\nexpires-days = 0",
                "`oracle.expires-days`",
            ),
            (
                "[cardinality]\nspeaks = \"many\"",
                "`cardinality` is no setting any more",
            ),
            ("[currency.\"\"]\nfresh-days = 1", "`currency.`"),
            (
                "[currency.\"\\u00e9\"]\nfresh-days = 1\n[currency.\"e\\u0301\"]\nfresh-days = 1",
                "twice",
            ),
            ("[currency]\nstale-days = 3", "`currency.stale-days`"),
            ("[currency]\nfresh-days = -3", "`currency.fresh-days`"),
            ("[currency]\nfresh-days = 100", "above aging-days (90)"),
            ("[currency.x]\ndays = 1", "`currency.x.days`"),
            ("[currency.x]\naging-days = 1", "`currency.x`"),
            ("[oracle\n", "line 1"),
            ("\n\n[oracle]\n[oracle]", "line 4"),
        ] {
            let wrong = parse(text).unwrap_err();
            assert!(wrong.what.contains(named), "{text:?}: {wrong:?}");
            assert!(!wrong.cure.is_empty());
        }
    }

    /// A predicate may be called as a setting is.
    #[test]
    fn a_predicate_may_be_called_fresh_days() {
        let settings = parse("[currency.fresh-days]\nfresh-days = 1").unwrap();
        assert_eq!(settings.limits_of(&named("fresh-days")).fresh_days, 1);
        assert_eq!(settings.currency, CurrencyLimits::default());
    }
}
