//! Path segments and query strings, decoded (RFC 3986): closed, each name once.

use std::collections::BTreeMap;

use crate::problem::Problem;

/// Members of a query string.
#[derive(Debug, Default)]
pub(crate) struct Query(BTreeMap<String, String>);

impl Query {
    /// Reads a query string with these names alone.
    ///
    /// # Errors
    /// Another name, a name twice, or text that is not UTF-8.
    pub(crate) fn parse(text: &str, names: &[&str]) -> Result<Self, Problem> {
        let mut members = BTreeMap::new();
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let decoded = decode(name).zip(decode(&value.replace('+', " ")));
            let Some((name, value)) = decoded else {
                return Err(Problem::input(
                    "the query is not percent-encoded UTF-8",
                    "encode it (RFC 3986)",
                ));
            };
            if !names.contains(&name.as_str()) {
                let shown: String = name.chars().take(32).collect();
                return Err(Problem::input(
                    format!("`{shown}` is no parameter of this path"),
                    "see GET /v1/openapi.json",
                ));
            }
            if members.insert(name, value).is_some() {
                return Err(Problem::input("a parameter is given twice", "give it once"));
            }
        }
        Ok(Self(members))
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The number of this name within `1..=most`, or else `default`.
    pub(crate) fn limit(&self, name: &str, default: usize, most: usize) -> Result<usize, Problem> {
        let Some(text) = self.text(name) else {
            return Ok(default);
        };
        let number = text
            .parse()
            .ok()
            .filter(|number| (1..=most).contains(number));
        number.ok_or_else(|| {
            Problem::input(
                format!("`{name}` is not a number from 1 to {most}"),
                "choose one within it",
            )
        })
    }
}

/// Decodes percent-encoded UTF-8; `None` for anything else.
pub(crate) fn decode(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                let (high, low) = (digit()?, digit()?);
                u8::try_from(high * 16 + low).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_closed_and_each_name_is_given_once() {
        let query = Query::parse("at=2020-01&limit=5", &["at", "limit"]).unwrap();
        assert_eq!(query.text("at"), Some("2020-01"));
        assert_eq!(query.limit("limit", 9, 10).unwrap(), 5);
        assert_eq!(query.limit("other", 9, 10).unwrap(), 9);
        assert!(query.limit("at", 9, 10).is_err() && query.limit("limit", 1, 4).is_err());
        for wrong in ["at=1&at=2", "of=1", "at=%", "at=%ff", "at=%4"] {
            assert!(Query::parse(wrong, &["at"]).is_err(), "{wrong}");
        }
        assert_eq!(decode("a%2Fb%C3%A9+c").as_deref(), Some("a/bé+c"));
    }
}
