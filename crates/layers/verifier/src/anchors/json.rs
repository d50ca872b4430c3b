//! Anchors as a JSON document (`docs/format/anchors.md`): closed members, integers as strings.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_types::Sha256Hash;
use counterfoil_types::json::{self, Limits, Map, Value};

use super::{AnchorError, Anchors, AnchorsBuilder, Floor, LogAnchor};
use crate::limits::quoted;
use crate::text::{base64_array, decimal, to_base64};

const TYPE: &str = "counterfoil/anchors";
const VERSION: &str = "1";

impl Anchors {
    /// Reads anchors, at most 16 MiB.
    ///
    /// # Errors
    /// [`AnchorError::AnotherDocument`] if `type` says that it is something else; JSON that is not
    /// strict, another shape, an unknown member, or anchors that [`AnchorsBuilder::build`] refuses.
    pub fn from_json(bytes: &[u8]) -> Result<Self, AnchorError> {
        let value = json::parse(bytes, Limits::DOCUMENT)?;
        // First of all, since the members of another document would be named as mistakes.
        if value.get("type").and_then(Value::as_str) != Some(TYPE) {
            return Err(AnchorError::AnotherDocument);
        }
        let members = ["type", "version", "logs", "agents", "witnesses"];
        let top = object("the document", &value, &members)?;
        if top.get("version").and_then(Value::as_str) != Some(VERSION) {
            return Err(wrong("version", "\"1\", the one that is known here"));
        }
        let mut builder = Self::builder();
        for log in array("logs", top.get("logs"))? {
            builder = builder.log(read_log(log)?);
        }
        for agent in array("agents", top.get("agents"))? {
            let did = text("agents[]", Some(agent))?;
            let did = did
                .parse()
                .map_err(|_| wrong("agents[]", "a did:key of Ed25519"))?;
            builder = builder.agent(did);
        }
        if let Some(witnesses) = top.get("witnesses") {
            builder = read_witnesses(builder, witnesses)?;
        }
        builder.build()
    }

    /// Writes anchors so that [`Anchors::from_json`] reads them back.
    pub fn to_json(&self) -> String {
        let mut top = Map::new();
        top.insert("type".into(), TYPE.into());
        top.insert("version".into(), VERSION.into());
        top.insert("logs".into(), self.logs.iter().map(write_log).collect());
        top.insert(
            "agents".into(),
            self.agents().map(ToString::to_string).collect(),
        );
        if !self.witnesses.is_empty() {
            let keys: Vec<String> = self.witnesses.iter().map(ToString::to_string).collect();
            let mut witnesses = Map::new();
            witnesses.insert("quorum".into(), self.quorum.to_string().into());
            witnesses.insert("keys".into(), keys.into());
            top.insert("witnesses".into(), witnesses.into());
        }
        Value::Object(top).to_string()
    }
}

fn read_log(value: &Value) -> Result<LogAnchor, AnchorError> {
    let log = object("logs[]", value, &["origin", "verifierKey", "floor"])?;
    let key = text("logs[].verifierKey", log.get("verifierKey"))?;
    let anchor = LogAnchor::new(key.parse()?);
    let anchor = anchor.with_origin(text("logs[].origin", log.get("origin"))?)?;
    match log.get("floor") {
        Some(floor) => Ok(anchor.with_floor(read_floor(floor)?)),
        None => Ok(anchor),
    }
}

fn write_log(log: &LogAnchor) -> Value {
    let mut members = Map::new();
    members.insert("origin".into(), log.origin.clone().into());
    members.insert("verifierKey".into(), log.key.to_string().into());
    if let Some(floor) = &log.floor {
        let mut floor_members = Map::new();
        floor_members.insert("size".into(), floor.size.to_string().into());
        floor_members.insert("root".into(), to_base64(floor.root.as_bytes()).into());
        members.insert("floor".into(), floor_members.into());
    }
    Value::Object(members)
}

fn read_floor(value: &Value) -> Result<Floor, AnchorError> {
    let floor = object("logs[].floor", value, &["size", "root"])?;
    let size = number("logs[].floor.size", floor.get("size"))?;
    let root = text("logs[].floor.root", floor.get("root"))?;
    let root = base64_array(root).ok_or(wrong("logs[].floor.root", "32 bytes in base64"))?;
    Floor::new(size, Sha256Hash::from_bytes(root))
}

fn read_witnesses(
    mut builder: AnchorsBuilder,
    value: &Value,
) -> Result<AnchorsBuilder, AnchorError> {
    let witnesses = object("witnesses", value, &["quorum", "keys"])?;
    for key in array("witnesses.keys", witnesses.get("keys"))? {
        builder = builder.witness(text("witnesses.keys[]", Some(key))?.parse()?);
    }
    Ok(builder.quorum(number("witnesses.quorum", witnesses.get("quorum"))?))
}

const fn wrong(place: &'static str, expected: &'static str) -> AnchorError {
    AnchorError::Shape { place, expected }
}

fn object<'a>(
    place: &'static str,
    value: &'a Value,
    members: &[&str],
) -> Result<&'a Map, AnchorError> {
    let object = value.as_object().ok_or(wrong(place, "an object"))?;
    match object.keys().find(|name| !members.contains(&name.as_str())) {
        Some(name) => Err(AnchorError::UnknownMember {
            place,
            member: quoted(name),
        }),
        None => Ok(object),
    }
}

fn array<'a>(place: &'static str, value: Option<&'a Value>) -> Result<&'a [Value], AnchorError> {
    value
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .ok_or(wrong(place, "an array"))
}

fn text<'a>(place: &'static str, value: Option<&'a Value>) -> Result<&'a str, AnchorError> {
    value
        .and_then(Value::as_str)
        .ok_or(wrong(place, "a string"))
}

fn number(place: &'static str, value: Option<&Value>) -> Result<u64, AnchorError> {
    let number = value.and_then(Value::as_str).and_then(decimal);
    number.ok_or(wrong(place, "a decimal number in a string"))
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

    fn shape(place: &str) -> impl Fn(AnchorError) -> bool {
        move |error| matches!(error, AnchorError::Shape { place: found, .. } if found == place)
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
        let unknown = |verdict: Result<Anchors, AnchorError>, member: &str| matches!(verdict, Err(AnchorError::UnknownMember { member: found, .. }) if found == member);
        assert!(unknown(anchors(r#","flor":{}"#, ""), "flor"));
        assert!(unknown(anchors("", r#","witness":{}"#), "witness"));
        let floor = alloc::format!(r#","floor":{{"size":"1","root":"{ROOT}","time":"1"}}"#);
        assert!(unknown(anchors(&floor, ""), "time"));
        let witnesses = r#","witnesses":{"quorum":"0","keys":[],"min":"1"}"#;
        assert!(unknown(anchors("", witnesses), "min"));
    }

    #[test]
    fn values_of_another_shape_are_refused() {
        let floor = |size: &str, root: &str| {
            let floor = alloc::format!(r#","floor":{{"size":{size},"root":{root}}}"#);
            anchors(&floor, "").unwrap_err()
        };
        let root = alloc::format!("\"{ROOT}\"");
        for size in ["1", "\"01\"", "\"\"", "null", "\"1e3\""] {
            assert!(shape("logs[].floor.size")(floor(size, &root)), "{size}");
        }
        assert!(shape("logs[].floor.root")(floor("\"1\"", "\"47DE\"")));
        assert_eq!(floor("\"0\"", &root), AnchorError::FloorSize { size: 0 });
        assert!(shape("logs[].floor")(
            anchors(r#","floor":null"#, "").unwrap_err()
        ));
        let quorum = |quorum: &str| {
            let witnesses = alloc::format!(r#","witnesses":{{"quorum":{quorum},"keys":[]}}"#);
            anchors("", &witnesses).unwrap_err()
        };
        assert!(shape("witnesses.quorum")(quorum("1")));
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
            assert!(matches!(error, AnchorError::Shape { .. }), "{document}");
        }
        let twice = br#"{"type":"counterfoil/anchors","type":"counterfoil/anchors"}"#;
        assert!(matches!(
            Anchors::from_json(twice),
            Err(AnchorError::Json(_))
        ));
    }
}
