//! Writes a header in its canonical form directly: the members are few and their order is fixed.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Display;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use counterfoil_types::Sha256Hash;
use counterfoil_types::json::{self, Value};

use super::body::SaltedBody;
use super::read::Unlinked;
use crate::error::CapsuleError;

/// The parts of a capsule that are not in its header.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Beside {
    pub(crate) signature: Option<[u8; 64]>,
    pub(crate) field_root: Sha256Hash,
    pub(crate) field_count: u64,
    pub(crate) payload: Option<SaltedBody>,
    pub(crate) delta: Option<SaltedBody>,
}

/// RFC 8785 text of a header, or of an exported capsule: a header with the members `beside` it.
///
/// What only a canonicaliser can write (`world`, `ext`) is given to one; all else is ASCII that needs no escape, or
/// canonical JSON already.
pub(crate) fn canonical(
    header: &Unlinked,
    beside: Option<&Beside>,
) -> Result<String, CapsuleError> {
    let what = "header";
    let json =
        |value| json::canonical(&value).map_err(|source| CapsuleError::Json { what, source });
    let world = header.world.as_ref();
    let world = world.map(|world| json(Value::String(world.to_string())));
    let ext = (!header.ext.is_empty()).then(|| json(Value::Object(header.ext.clone())));
    let payload = beside.and_then(|beside| beside.payload.as_ref());
    let delta = beside.and_then(|beside| beside.delta.as_ref());
    let signature = beside.and_then(|beside| beside.signature);
    let change = |named: &super::BodyRef| {
        object([
            ("format", named.label().map(quoted)),
            ("hash", Some(quoted(named.hash()))),
            ("ops", delta.map(|body| body.text.clone())),
            ("size", Some(named.size().to_string())),
        ])
    };
    Ok(object([
        ("agent", Some(quoted(header.agent))),
        ("chain", Some(quoted(header.chain))),
        ("delta", Some(or_null(header.delta.as_ref(), change))),
        ("delta_salt", delta.map(|body| base64(&body.salt))),
        ("ext", ext.transpose()?),
        (
            "fields",
            beside.map(|it| {
                format!(
                    r#"{{"count":{},"root":"{}"}}"#,
                    it.field_count, it.field_root
                )
            }),
        ),
        ("id", Some(quoted(header.id))),
        ("mutation", Some(or_null(header.mutation, quoted))),
        (
            "payload",
            Some(object([
                ("hash", Some(quoted(header.payload.hash()))),
                ("media_type", header.payload.label().map(quoted)),
                ("size", Some(header.payload.size().to_string())),
                ("state", payload.map(|body| body.text.clone())),
            ])),
        ),
        ("payload_salt", payload.map(|body| base64(&body.salt))),
        ("previous", Some(or_null(header.previous, quoted))),
        ("seq", Some(header.seq.to_string())),
        ("signature", signature.map(|signature| base64(&signature))),
        ("timestamp", Some(quoted(header.timestamp))),
        ("type", Some(quoted("memory_capsule"))),
        ("version", Some(quoted("1"))),
        ("world", world.transpose()?),
    ]))
}

/// An object of canonical values under names in their order; absent ones are left out.
fn object<const N: usize>(members: [(&str, Option<String>); N]) -> String {
    let mut text = String::from("{");
    for (name, value) in members {
        let Some(value) = value else { continue };
        let comma = if text.len() > 1 { "," } else { "" };
        text.extend([comma, "\"", name, "\":", &value]);
    }
    text.push('}');
    text
}

fn or_null<T>(value: Option<T>, write: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "null".to_string(), write)
}

fn quoted(text: impl Display) -> String {
    format!("\"{text}\"")
}

fn base64(bytes: &[u8]) -> String {
    quoted(STANDARD.encode(bytes))
}
