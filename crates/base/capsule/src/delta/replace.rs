//! `replace/1`: the change of a content that has no delta of its own, named by both addresses (C14, capsules 4.3).

use alloc::format;
use alloc::string::String;

use counterfoil_types::Blake3Hash;

/// Name of this format in a header (`delta.format`). Such a change is undone only while the body of
/// the older version exists.
pub const REPLACE_FORMAT: &str = "replace/1";

/// The canonical body: `{"new_hash":"blake3:…","old_hash":"blake3:…"}`, the payload hashes of the
/// two versions.
pub fn replacement(old: &Blake3Hash, new: &Blake3Hash) -> String {
    format!(r#"{{"new_hash":"{new}","old_hash":"{old}"}}"#)
}

/// The addresses in such a body, older first; `None` unless it is one, byte for byte.
pub fn replaced(body: &[u8]) -> Option<(Blake3Hash, Blake3Hash)> {
    let text = core::str::from_utf8(body).ok()?;
    let inside = text
        .strip_prefix(r#"{"new_hash":""#)?
        .strip_suffix(r#""}"#)?;
    let (new, old) = inside.split_once(r#"","old_hash":""#)?;
    Some((old.parse().ok()?, new.parse().ok()?))
}
