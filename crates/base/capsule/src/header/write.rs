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
    let mut text = String::with_capacity(512);
    // To write into a String does not fail.
    let _ = members(&mut text, header, ext.as_deref(), world.as_deref());
    Ok(text)
}

fn members(
    out: &mut String,
    header: &Unlinked,
    ext: Option<&str>,
    world: Option<&str>,
) -> fmt::Result {
    write!(
        out,
        r#"{{"agent":"{}","chain":"{}","delta":"#,
        header.agent, header.chain
    )?;
    match &header.delta {
        Some(delta) => body(out, delta, Label::Format)?,
        None => out.push_str("null"),
    }
    if let Some(ext) = ext {
        write!(out, r#","ext":{ext}"#)?;
    }
    write!(out, r#","id":"{}","mutation":"#, header.id)?;
    hash_or_null(out, header.mutation)?;
    out.push_str(r#","payload":"#);
    body(out, &header.payload, Label::MediaType)?;
    out.push_str(r#","previous":"#);
    hash_or_null(out, header.previous)?;
    write!(
        out,
        r#","seq":{},"timestamp":"{}""#,
        header.seq, header.timestamp
    )?;
    out.push_str(r#","type":"memory_capsule","version":"1""#);
    if let Some(world) = world {
        write!(out, r#","world":{world}"#)?;
    }
    out.push('}');
    Ok(())
}

/// What the third member of a body is called; the names sort to different sides of `hash`.
enum Label {
    Format,
    MediaType,
}

fn body(out: &mut String, body: &BodyRef, name: Label) -> fmt::Result {
    let (hash, size) = (body.hash, body.size);
    match (&body.label, name) {
        (None, _) => write!(out, r#"{{"hash":"{hash}","size":{size}}}"#),
        (Some(label), Label::Format) => {
            write!(
                out,
                r#"{{"format":"{label}","hash":"{hash}","size":{size}}}"#
            )
        }
        (Some(label), Label::MediaType) => {
            write!(
                out,
                r#"{{"hash":"{hash}","media_type":"{label}","size":{size}}}"#
            )
        }
    }
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
