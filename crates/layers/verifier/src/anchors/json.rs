//! Anchors as a JSON document (`docs/format/anchors.md`): closed members, integers as strings.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use counterfoil_types::json::{self, Limits, Value};
use counterfoil_types::{DidKey, Sha256Hash, document, text_form, words};
use serde::{Deserialize, Serialize};

use super::{Anchors, LogAnchor};
use crate::error::AnchorError;
use crate::text::decimal;

const TYPE: &str = "counterfoil/anchors";

/// The document; members in the order of their names.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    agents: Vec<DidKey>,
    logs: Vec<Log>,
    #[serde(rename = "type")]
    kind: String,
    version: Version,
    #[serde(skip_serializing_if = "Option::is_none")]
    witnesses: Option<Witnesses>,
}

words! {
    enum Version {
        First = "1",
    }
}

/// A log. Its key is read by the caller, whose errors say more.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Log {
    #[serde(skip_serializing_if = "Option::is_none")]
    floor: Option<FloorDocument>,
    origin: String,
    verifier_key: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FloorDocument {
    #[serde(with = "document::base64")]
    root: [u8; 32],
    size: Number,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Witnesses {
    keys: Vec<String>,
    quorum: Number,
}

/// A number in a string.
struct Number(u64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

text_form! {
    Number: "a decimal number in a string, in its one spelling", = |text| decimal(text).map(Number);
}

impl Anchors {
    /// Reads anchors, at most 16 MiB.
    ///
    /// # Errors
    /// [`AnchorError::AnotherDocument`] if `type` says that it is something else; JSON that is not
    /// strict, another shape, an unknown member, or anchors that [`Anchors::new`], [`Anchors::of_agents`],
    /// [`Anchors::with_witnesses`] or [`Anchors::with_agents`] refuses.
    pub fn from_json(bytes: &[u8]) -> Result<Self, AnchorError> {
        let value = json::parse(bytes, Limits::DOCUMENT)?;
        // First of all, since the members of another document would be named as mistakes.
        if value.get("type").and_then(Value::as_str) != Some(TYPE) {
            return Err(AnchorError::AnotherDocument);
        }
        let document: Document = document::read(&value)?;
        let log = |log: Log| {
            let anchor = LogAnchor::new(log.verifier_key.parse()?).with_origin(log.origin)?;
            match log.floor {
                Some(floor) => anchor.with_floor(floor.size.0, Sha256Hash::from_bytes(floor.root)),
                None => Ok(anchor),
            }
        };
        let logs: Result<Vec<_>, AnchorError> = document.logs.into_iter().map(log).collect();
        let mut anchors = match logs? {
            none if none.is_empty() => Self::of_agents(document.agents)?,
            logs => Self::new(logs)?.with_agents(document.agents)?,
        };
        if let Some(Witnesses { keys, quorum }) = document.witnesses {
            let keys: Result<_, _> = keys.iter().map(|key| key.parse()).collect();
            anchors = anchors.with_witnesses(keys?, quorum.0)?;
        }
        Ok(anchors)
    }

    /// Writes anchors so that [`Anchors::from_json`] reads them back.
    pub fn to_json(&self) -> String {
        let log = |log: &LogAnchor| Log {
            floor: log.floor.map(|(size, root)| FloorDocument {
                root: *root.as_bytes(),
                size: Number(size),
            }),
            origin: log.origin.clone(),
            verifier_key: log.key.to_string(),
        };
        let witnesses = Witnesses {
            keys: self.witnesses.iter().map(ToString::to_string).collect(),
            quorum: Number(u64::try_from(self.quorum).unwrap_or(u64::MAX)),
        };
        let document = Document {
            agents: self.agents().copied().collect(),
            logs: self.logs.iter().map(log).collect(),
            kind: TYPE.into(),
            version: Version::First,
            witnesses: (!self.witnesses.is_empty()).then_some(witnesses),
        };
        // Strings and arrays alone: this cannot fail.
        serde_json::to_string(&document).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    const ROOT: &str = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

    fn anchors(log: &str, rest: &str) -> Result<Anchors, AnchorError> {
        let document = alloc::format!(
            r#"{{"type":"counterfoil/anchors","version":"1","logs":[{{"origin":"log","verifierKey":"{KEY}"{log}}}],"agents":[]{rest}}}"#
        );
        Anchors::from_json(document.as_bytes())
    }

    fn fault_at(place: &str) -> impl Fn(AnchorError) -> bool {
        move |error| matches!(error, AnchorError::Document(found) if found.pointer() == place)
    }

    #[test]
    fn floor_and_witnesses_may_be_left_out() {
        let anchors = anchors("", "").unwrap();
        assert_eq!(anchors.logs().len(), 1);
        assert_eq!(anchors.quorum(), 0);
        assert!(anchors.to_json().contains(KEY));
    }

    /// A misspelled `floor` would silently trust more.
    #[test]
    fn unknown_members_are_refused_wherever_they_stand() {
        let unknown = |verdict: Result<Anchors, AnchorError>, place: &str| {
            fault_at(place)(verdict.unwrap_err())
        };
        assert!(unknown(anchors(r#","flor":{}"#, ""), "/logs/0/flor"));
        assert!(unknown(anchors("", r#","witness":{}"#), "/witness"));
        let floor = alloc::format!(r#","floor":{{"size":"1","root":"{ROOT}","time":"1"}}"#);
        assert!(unknown(anchors(&floor, ""), "/logs/0/floor/time"));
        let witnesses = r#","witnesses":{"quorum":"0","keys":[],"min":"1"}"#;
        assert!(unknown(anchors("", witnesses), "/witnesses/min"));
    }

    #[test]
    fn values_of_another_shape_are_refused() {
        let floor = |size: &str, root: &str| {
            let floor = alloc::format!(r#","floor":{{"size":{size},"root":{root}}}"#);
            anchors(&floor, "").unwrap_err()
        };
        let root = alloc::format!("\"{ROOT}\"");
        for size in ["1", "\"01\"", "\"\"", "null", "\"1e3\""] {
            assert!(fault_at("/logs/0/floor/size")(floor(size, &root)), "{size}");
        }
        assert!(fault_at("/logs/0/floor/root")(floor("\"1\"", "\"47DE\"")));
        assert_eq!(floor("\"0\"", &root), AnchorError::FloorSize { size: 0 });
        assert!(fault_at("/logs/0/floor")(
            anchors(r#","floor":null"#, "").unwrap_err()
        ));
        let quorum = |quorum: &str| {
            let witnesses = alloc::format!(r#","witnesses":{{"quorum":{quorum},"keys":[]}}"#);
            anchors("", &witnesses).unwrap_err()
        };
        assert!(fault_at("/witnesses/quorum")(quorum("1")));
        assert!(matches!(
            quorum("\"1\""),
            AnchorError::Quorum {
                quorum: 1,
                witnesses: 0
            }
        ));
    }

    /// A proposal given as anchors was answered with the first of its members that anchors lack.
    #[test]
    fn another_document_is_not_anchors_and_the_error_says_which_is() {
        for document in [
            "null",
            "[]",
            "{}",
            r#"{"proposalId":"p","actor":{},"type":7}"#,
            r#"{"type":"counterfoil/report","version":"1","logs":[],"agents":[]}"#,
        ] {
            let error = Anchors::from_json(document.as_bytes()).unwrap_err();
            assert_eq!(error, AnchorError::AnotherDocument, "{document}");
        }
        let text = AnchorError::AnotherDocument.to_string();
        assert!(text.contains("`counterfoil anchors -o`"), "{text}");
    }

    #[test]
    fn anchors_of_another_shape_are_refused() {
        for document in [
            r#"{"type":"counterfoil/anchors","version":"2","logs":[],"agents":[]}"#,
            r#"{"type":"counterfoil/anchors","version":"1","logs":[]}"#,
            r#"{"type":"counterfoil/anchors","version":"1","logs":[],"agents":["did:web:x"]}"#,
        ] {
            let error = Anchors::from_json(document.as_bytes()).unwrap_err();
            assert!(matches!(error, AnchorError::Document(_)), "{document}");
        }
        let twice = br#"{"type":"counterfoil/anchors","type":"counterfoil/anchors"}"#;
        assert!(matches!(
            Anchors::from_json(twice),
            Err(AnchorError::Json(_))
        ));
    }
}
