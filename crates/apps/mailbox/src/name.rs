//! Names of files: `request-UUID.json`, `response-UUID.json`, `response-UUID.HASH.json`, `response-UUID.HASH.N.json`.

use counterfoil_exchange::documents::RequestId;
use counterfoil_types::{DidKey, Sha256Hash};
use sha2::{Digest, Sha256};

/// Highest number in the name of a further answer.
const MAX_NUMBER: u8 = 9;

/// Kind of a file by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Name {
    /// Request.
    Request(RequestId),
    /// First or further answer to it.
    Response(RequestId),
}

impl Name {
    /// Parses a name; `None` unless it is spelled exactly as specified.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let stem = name.strip_suffix(".json")?;
        if let Some(id) = stem.strip_prefix("request-") {
            return Some(Self::Request(id.parse().ok()?));
        }
        let mut parts = stem.strip_prefix("response-")?.split('.');
        let id = parts.next()?.parse().ok()?;
        let further = match (parts.next(), parts.next(), parts.next()) {
            (None, ..) => true,
            (Some(hash), None, _) => is_hash(hash),
            (Some(hash), Some(number), None) => {
                is_hash(hash) && matches!(number.as_bytes(), [b'2'..=b'9'])
            }
            _ => false,
        };
        further.then_some(Self::Response(id))
    }

    /// Returns the name of a request's file.
    pub(crate) fn request(id: &RequestId) -> String {
        format!("request-{id}.json")
    }

    /// Returns the names of an answer's file, in the order in which they are tried.
    pub(crate) fn responses<'a>(
        id: &'a RequestId,
        digits: &'a str,
    ) -> impl Iterator<Item = String> + 'a {
        let numbered =
            (2..=MAX_NUMBER).map(move |number| format!("response-{id}.{digits}.{number}.json"));
        [
            format!("response-{id}.json"),
            format!("response-{id}.{digits}.json"),
        ]
        .into_iter()
        .chain(numbered)
    }
}

fn is_hash(text: &str) -> bool {
    text.len() == 16
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// Returns the first 16 hex digits of the SHA-256 of a responder's key in its text form, `did:key:z6Mk…`.
pub(crate) fn key_digits(key: &DidKey) -> String {
    let digest = Sha256::digest(key.to_string().as_bytes());
    Sha256Hash::from_bytes(digest.into())
        .to_hex()
        .chars()
        .take(16)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0198c0de-0000-7000-8000-000000000000";

    /// Adversarial case H113: a name is exactly one of ours, or it is none.
    #[test]
    fn names_have_one_spelling() {
        let id: RequestId = ID.parse().unwrap();
        assert_eq!(
            Name::of(&Name::request(&id)),
            Some(Name::Request(id.clone()))
        );
        for name in Name::responses(&id, "0123456789abcdef") {
            assert_eq!(Name::of(&name), Some(Name::Response(id.clone())), "{name}");
        }
        for name in [
            "request-../../x.json".to_owned(),
            format!("request-{}.json", ID.to_uppercase()),
            format!("request-{ID}.json.json"),
            format!("request-{ID}.JSON"),
            format!("request-{ID}"),
            format!("request-{ID}.0123456789abcdef.json"),
            format!(" request-{ID}.json"),
            format!("response-{ID}.0123456789ABCDEF.json"),
            format!("response-{ID}.0123456789abcdef.1.json"),
            format!("response-{ID}.0123456789abcdef.10.json"),
            format!("response-{ID}.0123456789abcdef.2.2.json"),
            format!("response-{ID}..json"),
            format!(".request-{ID}.json"),
            "request-.json".to_owned(),
        ] {
            assert_eq!(Name::of(&name), None, "{name}");
        }
    }
}
