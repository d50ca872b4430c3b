//! Writes a header in its canonical form directly: the members are few and their order is fixed.

use alloc::string::{String, ToString};
use core::fmt::{self, Write};

use counterfoil_types::json::{self, Value};

use super::body::BodyRef;
use super::read::Unlinked;
use crate::error::CapsuleError;

/// The RFC 8785 text of a header. What only a canonicaliser can write (`world`, `ext`) is given to
/// one; all else is ASCII that needs no escape.
pub(super) fn header(header: &Unlinked) -> Result<String, CapsuleError> {
    exported(header, &Laid::default())
}

/// Members that an exported capsule adds to its header: each a canonical JSON value.
#[derive(Default)]
pub(crate) struct Laid<'a> {
    pub(crate) signature: Option<&'a str>,
    pub(crate) fields: Option<&'a str>,
    pub(crate) state: Option<&'a str>,
    pub(crate) payload_salt: Option<&'a str>,
    pub(crate) ops: Option<&'a str>,
    pub(crate) delta_salt: Option<&'a str>,
}

/// RFC 8785 text of a header with the added members.
pub(crate) fn exported(header: &Unlinked, laid: &Laid<'_>) -> Result<String, CapsuleError> {
    let world = header
        .world
        .as_ref()
        .map(|world| Value::String(world.to_string()));
    let world = world.as_ref().map(canonical).transpose()?;
    let ext = if header.ext.is_empty() {
        None
    } else {
        Some(canonical(&Value::Object(header.ext.clone()))?)
    };
    let bodies = [laid.state, laid.ops].map(|text| text.map_or(0, str::len));
    let mut text = String::with_capacity(512 + bodies.iter().sum::<usize>());
    // To write into a String does not fail.
    let _ = members(&mut text, header, laid, ext.as_deref(), world.as_deref());
    Ok(text)
}

fn members(
    out: &mut String,
    header: &Unlinked,
    laid: &Laid<'_>,
    ext: Option<&str>,
    world: Option<&str>,
) -> fmt::Result {
    write!(
        out,
        r#"{{"agent":"{}","chain":"{}","delta":"#,
        header.agent, header.chain
    )?;
    match &header.delta {
        Some(delta) => body(out, delta, Label::Format, laid.ops)?,
        None => out.push_str("null"),
    }
    for (name, value) in [
        ("delta_salt", laid.delta_salt),
        ("ext", ext),
        ("fields", laid.fields),
    ] {
        member(out, name, value)?;
    }
    write!(out, r#","id":"{}","mutation":"#, header.id)?;
    hash_or_null(out, header.mutation)?;
    out.push_str(r#","payload":"#);
    body(out, &header.payload, Label::MediaType, laid.state)?;
    member(out, "payload_salt", laid.payload_salt)?;
    out.push_str(r#","previous":"#);
    hash_or_null(out, header.previous)?;
    write!(out, r#","seq":{}"#, header.seq)?;
    member(out, "signature", laid.signature)?;
    write!(out, r#","timestamp":"{}""#, header.timestamp)?;
    out.push_str(r#","type":"memory_capsule","version":"1""#);
    member(out, "world", world)?;
    out.push('}');
    Ok(())
}

/// Name of the label of a body; the names sort to different sides of `hash`, as those of
/// the bodies themselves do of `size`.
#[derive(Clone, Copy)]
enum Label {
    Format,
    MediaType,
}

fn member(out: &mut String, name: &str, value: Option<&str>) -> fmt::Result {
    match value {
        Some(value) => write!(out, r#","{name}":{value}"#),
        None => Ok(()),
    }
}

fn body(out: &mut String, body: &BodyRef, name: Label, laid: Option<&str>) -> fmt::Result {
    let (hash, size) = (body.hash, body.size);
    let (format, media_type) = match name {
        Label::Format => (body.label(), None),
        Label::MediaType => (None, body.label()),
    };
    out.push('{');
    if let Some(format) = format {
        write!(out, r#""format":"{format}","#)?;
    }
    write!(out, r#""hash":"{hash}""#)?;
    if let Some(media_type) = media_type {
        write!(out, r#","media_type":"{media_type}""#)?;
    }
    let (before, after) = match name {
        Label::Format => (laid, None),
        Label::MediaType => (None, laid),
    };
    member(out, "ops", before)?;
    write!(out, r#","size":{size}"#)?;
    member(out, "state", after)?;
    out.push('}');
    Ok(())
}

fn hash_or_null(out: &mut String, hash: Option<counterfoil_types::Blake3Hash>) -> fmt::Result {
    match hash {
        Some(hash) => write!(out, r#""{hash}""#),
        None => out.write_str("null"),
    }
}

fn canonical(value: &Value) -> Result<String, CapsuleError> {
    json::canonical(value).map_err(|source| CapsuleError::Json {
        what: "header",
        source,
    })
}
