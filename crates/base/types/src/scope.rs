//! Scope of a memory: whose it is, or of what, as pairs of key and value that are part of its content.

use alloc::collections::BTreeMap;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::{Serialize, Serializer};

use crate::json::{Map, Value};

/// Pairs of key and value, such as `user=kit,session=42`, in the order of their keys (docs/guide/scopes.md).
///
/// `user`, `agent`, `session` and `project` are the keys that everyone knows; others are free. A memory is in a scope if its
/// own scope [contains](Self::contains) that, so each memory is in the empty scope. Equal scopes have one text and one
/// JSON form.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope {
    pairs: BTreeMap<String, String>,
}

/// Reason why pairs are no scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScopeError {
    /// Part of a text without `=`, or an empty text.
    #[error("a scope is written as key=value,key=value; write it as in user=kit,session=42")]
    Form,
    /// Key that is none.
    #[error(
        "{key:?} is no key of a scope; write a lower-case letter and at most 31 more of a-z 0-9 _ . -"
    )]
    Key {
        /// Beginning of the key, at most 64 characters.
        key: String,
    },
    /// Value that is empty, too long, or has control characters.
    #[error(
        "the value of {key} in the scope is no text of 1 to {max} bytes without control characters; choose another",
        max = Scope::MAX_VALUE_BYTES
    )]
    Value {
        /// Key of the value.
        key: String,
    },
    /// Key that is named twice in one scope, or has two values in two that are joined.
    #[error("the scope names {key} twice; leave one of them out")]
    Twice {
        /// The key.
        key: String,
    },
    /// Two scopes that are joined give a key different values.
    #[error("the scope has {key}={bound}, not {key}={other}; leave {key} out")]
    Conflict {
        /// The key.
        key: String,
        /// Value in the first scope.
        bound: String,
        /// Value in the second scope.
        other: String,
    },
    /// More pairs than a scope may have.
    #[error("a scope has at most {max} pairs; leave some out", max = Scope::MAX_PAIRS)]
    TooMany,
}

impl Scope {
    /// Most pairs of a scope.
    pub const MAX_PAIRS: usize = 16;
    /// Longest key, in bytes.
    pub const MAX_KEY_BYTES: usize = 32;
    /// Longest value, in bytes of UTF-8.
    pub const MAX_VALUE_BYTES: usize = 256;

    /// The empty scope.
    pub const fn new() -> Self {
        Self {
            pairs: BTreeMap::new(),
        }
    }

    /// Takes pairs in any order.
    ///
    /// # Errors
    /// A key or value that is none, a key twice, or more than [`MAX_PAIRS`](Self::MAX_PAIRS).
    pub fn from_pairs<K: Into<String>, V: Into<String>>(
        pairs: impl IntoIterator<Item = (K, V)>,
    ) -> Result<Self, ScopeError> {
        let mut scope = Self::default();
        for (key, value) in pairs {
            scope.add(key.into(), value.into())?;
        }
        Ok(scope)
    }

    /// Reads the scope of a memory from the member `scope` of its data.
    ///
    /// Data without that member, or where it is no scope, has the empty one: it is in no other scope.
    pub fn of(data: Option<&Value>) -> Self {
        let members = data.and_then(Value::as_object);
        members.map_or_else(Self::default, Self::in_members)
    }

    /// The same from the members of the data.
    pub fn in_members(members: &Map) -> Self {
        let scope = members.get("scope").map(Self::deserialize);
        scope.and_then(Result::ok).unwrap_or_default()
    }

    /// Returns true if it has no pairs; each memory is in it.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The value of a key.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.pairs.get(key).map(String::as_str)
    }

    /// The pairs in the order of their keys.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.pairs.iter();
        pairs.map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Returns true if it has every pair of `other`: a memory of this scope is in `other`.
    pub fn contains(&self, other: &Self) -> bool {
        let mut pairs = other.pairs();
        pairs.all(|(key, value)| self.value(key) == Some(value))
    }

    /// Joins the pairs of both.
    ///
    /// # Errors
    /// Both have a key, with different values; or there are more than [`MAX_PAIRS`](Self::MAX_PAIRS).
    pub fn merged(&self, other: &Self) -> Result<Self, ScopeError> {
        let mut scope = self.clone();
        for (key, value) in other.pairs() {
            match self.value(key) {
                Some(bound) if bound == value => {}
                Some(bound) => {
                    return Err(ScopeError::Conflict {
                        key: key.into(),
                        bound: bound.into(),
                        other: value.into(),
                    });
                }
                None => scope.add(key.into(), value.into())?,
            }
        }
        Ok(scope)
    }

    fn add(&mut self, key: String, value: String) -> Result<(), ScopeError> {
        if !is_key(&key) {
            let key = key.chars().take(64).collect();
            return Err(ScopeError::Key { key });
        }
        let length = 1..=Self::MAX_VALUE_BYTES;
        if !length.contains(&value.len()) || value.contains(char::is_control) {
            return Err(ScopeError::Value { key });
        }
        if self.pairs.contains_key(&key) {
            return Err(ScopeError::Twice { key });
        }
        if self.pairs.len() == Self::MAX_PAIRS {
            return Err(ScopeError::TooMany);
        }
        self.pairs.insert(key, value);
        Ok(())
    }
}

fn is_key(key: &str) -> bool {
    let letter = |letter: char| {
        letter.is_ascii_lowercase() || letter.is_ascii_digit() || "_.-".contains(letter)
    };
    key.starts_with(|first: char| first.is_ascii_lowercase())
        && key.len() <= Scope::MAX_KEY_BYTES
        && key.chars().all(letter)
}

/// Reads `user=kit,session=42`. A comma or backslash in a value has a backslash before it. An empty text is refused, so that
/// a variable that is not set does not open everything.
impl FromStr for Scope {
    type Err = ScopeError;

    fn from_str(text: &str) -> Result<Self, ScopeError> {
        let mut scope = Self::default();
        let mut rest = text.chars();
        loop {
            let (mut pair, mut escaped) = (String::new(), false);
            let ended = loop {
                match rest.next() {
                    None => break true,
                    Some(letter) if escaped => {
                        if !matches!(letter, ',' | '\\') {
                            return Err(ScopeError::Form);
                        }
                        pair.push(letter);
                        escaped = false;
                    }
                    Some(',') => break false,
                    Some('\\') => escaped = true,
                    Some(letter) => pair.push(letter),
                }
            };
            let (key, value) = pair.split_once('=').ok_or(ScopeError::Form)?;
            if escaped {
                return Err(ScopeError::Form);
            }
            scope.add(key.into(), value.into())?;
            if ended {
                return Ok(scope);
            }
        }
    }
}

/// Writes the text that [`FromStr`] reads; nothing for the empty scope.
impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (key, value)) in self.pairs().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{key}=")?;
            for letter in value.chars() {
                let escape = if matches!(letter, ',' | '\\') {
                    "\\"
                } else {
                    ""
                };
                write!(f, "{escape}{letter}")?;
            }
        }
        Ok(())
    }
}

/// An object of strings.
impl Serialize for Scope {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(&self.pairs)
    }
}

impl<'de> Deserialize<'de> for Scope {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Scope;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of texts, such as {\"user\":\"kit\"}")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scope, A::Error> {
                let mut scope = Scope::default();
                while let Some((key, value)) = map.next_entry()? {
                    scope.add(key, value).map_err(A::Error::custom)?;
                }
                Ok(scope)
            }
        }
        from.deserialize_map(Pairs)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Scope {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "a scope".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "maxProperties": Self::MAX_PAIRS,
            "propertyNames": { "pattern": "^[a-z][a-z0-9_.-]{0,31}$" },
            "additionalProperties": { "type": "string", "minLength": 1, "maxLength": Self::MAX_VALUE_BYTES },
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn pairs() -> impl Strategy<Value = Vec<(String, String)>> {
        let key = "[a-c][a-z0-9_.-]{0,2}";
        let value = prop_oneof!["[ab]", "[a-z,=\\\\é ]{1,6}"];
        proptest::collection::vec((key, value), 0..6)
    }

    /// A scope of any pairs, later ones of a key left out.
    fn scope() -> impl Strategy<Value = Scope> {
        pairs().prop_map(|pairs| {
            let unique: BTreeMap<String, String> = pairs.into_iter().collect();
            Scope::from_pairs(unique).unwrap()
        })
    }

    fn read(text: &str) -> Result<Scope, ScopeError> {
        text.parse()
    }

    #[test]
    fn a_scope_is_read_and_has_one_order() {
        let scope = read("user=kit,session=42").unwrap();
        assert_eq!(scope.to_string(), "session=42,user=kit");
        assert_eq!(scope, read("session=42,user=kit").unwrap());
        assert_eq!(
            serde_json::to_value(&scope).unwrap(),
            json!({"session": "42", "user": "kit"})
        );
        assert_eq!(
            (scope.value("user"), scope.value("agent")),
            (Some("kit"), None)
        );
        assert!(Scope::default().is_empty() && !scope.is_empty());
    }

    #[test]
    fn what_is_no_scope_is_refused_with_a_cure() {
        let long = "v".repeat(Scope::MAX_VALUE_BYTES + 1);
        let many: Vec<String> = (0..=Scope::MAX_PAIRS)
            .map(|n| alloc::format!("k{n}=v"))
            .collect();
        for wrong in [
            "",
            "kit",
            "user=",
            "=kit",
            "User=kit",
            "1=kit",
            "user=kit,",
            "user=kit,,session=1",
            "user=kit, session=1",
            "user=kit,user=kit",
            "user=a\nb",
            "user=a\\",
            "user=a\\b",
            "ü=x",
            &alloc::format!("{}=v", "k".repeat(Scope::MAX_KEY_BYTES + 1)),
            &alloc::format!("user={long}"),
            &many.join(","),
        ] {
            let refused = read(wrong).unwrap_err().to_string();
            assert!(refused.contains("; "), "{wrong:?}: {refused}");
        }
        for wrong in [
            json!("user=kit"),
            json!({"user": 5}),
            json!({"user": ""}),
            json!({"User": "kit"}),
            json!({"user": null}),
            json!([["user", "kit"]]),
        ] {
            assert!(
                serde_json::from_value::<Scope>(wrong.clone()).is_err(),
                "{wrong}"
            );
        }
        assert!(serde_json::from_str::<Scope>(r#"{"user":"a","user":"b"}"#).is_err());
    }

    #[test]
    fn the_scope_of_a_memory_is_a_member_of_its_data() {
        let data = json!({"text": "x", "scope": {"user": "kit"}});
        assert_eq!(Scope::of(Some(&data)), read("user=kit").unwrap());
        for none in [json!({"text": "x"}), json!({"scope": "user=kit"}), json!(5)] {
            assert!(Scope::of(Some(&none)).is_empty());
        }
        assert!(Scope::of(None).is_empty());
    }

    proptest! {
        #[test]
        fn the_forms_round_trip(scope in scope()) {
            let value = serde_json::to_value(&scope).unwrap();
            prop_assert_eq!(&serde_json::from_value::<Scope>(value).unwrap(), &scope);
            let text = serde_json::to_string(&scope).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Scope>(&text).unwrap(), &scope);
            if !scope.is_empty() {
                prop_assert_eq!(read(&scope.to_string()).unwrap(), scope);
            }
        }

        #[test]
        fn a_text_that_is_read_is_written_as_an_equal_scope(text in "[a-c=,\\\\]{0,12}") {
            if let Ok(scope) = read(&text) {
                prop_assert_eq!(read(&scope.to_string()).unwrap(), scope);
            }
        }

        #[test]
        fn containing_is_an_order(a in scope(), b in scope(), c in scope()) {
            prop_assert!(a.contains(&a) && a.contains(&Scope::default()));
            prop_assert!(!(a.contains(&b) && b.contains(&a)) || a == b);
            prop_assert!(!(a.contains(&b) && b.contains(&c)) || a.contains(&c));
        }

        /// The merged scope is the least that contains both; there is none if they conflict.
        #[test]
        fn merging_is_the_least_upper_bound(a in scope(), b in scope()) {
            let conflict = a.pairs().any(|(key, value)| b.value(key).is_some_and(|it| it != value));
            match a.merged(&b) {
                Ok(both) => {
                    prop_assert!(!conflict && both.contains(&a) && both.contains(&b));
                    let of_one = |(key, value)| a.value(key) == Some(value) || b.value(key) == Some(value);
                    prop_assert!(both.pairs().all(of_one));
                    prop_assert_eq!(b.merged(&a).unwrap(), both);
                }
                Err(error) => {
                    prop_assert!(conflict);
                    let conflicts = matches!(error, ScopeError::Conflict { .. });
                    prop_assert!(conflicts);
                    prop_assert!(b.merged(&a).is_err());
                }
            }
        }
    }
}
