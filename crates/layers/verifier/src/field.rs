//! Leaves of the field tree: one scalar or empty container of a World, bound to path and salt.

use counterfoil_types::Sha256Hash;
use counterfoil_types::json::{self, Limits, Value};
use sha2::{Digest, Sha256};

use crate::limits::MAX_PROOF_BYTES;
use crate::refusal::Refusal;

/// Domain of the leaves; the log's entries begin otherwise.
const DOMAIN: &[u8] = b"counterfoil/field/v1\n";

/// Length of a field's salt, in bytes.
pub const SALT_BYTES: usize = 16;

/// `SHA-256(0x00 || "counterfoil/field/v1\n" || u32be len(path) || path || salt || value)`.
///
/// `path` is a JSON pointer (RFC 6901), `value` the canonical JSON (RFC 8785) of the field. The
/// length in front of the path and the fixed width of the salt leave no boundary to shift. A path
/// beyond 4 GiB would be hashed with the length 2^32-1; content of 1 MiB has none.
pub fn leaf_hash(path: &str, salt: &[u8; SALT_BYTES], value: &str) -> Sha256Hash {
    let length = u32::try_from(path.len()).unwrap_or(u32::MAX);
    let digest = Sha256::new()
        .chain_update([0])
        .chain_update(DOMAIN)
        .chain_update(length.to_be_bytes())
        .chain_update(path)
        .chain_update(salt)
        .chain_update(value);
    Sha256Hash::from_bytes(digest.finalize().into())
}

/// Reads a disclosed value: canonical, and a scalar or an empty container as every leaf.
pub(crate) fn leaf_value(text: &str) -> Result<Value, Refusal> {
    let limits = Limits {
        bytes: MAX_PROOF_BYTES,
        ..Limits::PROOF
    };
    let value = json::admit(text.as_bytes(), limits).ok();
    let is_leaf = |value: &Value| match value {
        Value::Array(elements) => elements.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => true,
    };
    value.filter(is_leaf).ok_or(Refusal::Misspelled {
        place: "disclosed.fields[].value",
        expected: "canonical JSON of a scalar or an empty container",
    })
}

/// Returns true for a JSON Pointer (RFC 6901 §3).
pub fn is_pointer(path: &str) -> bool {
    let escaped = path
        .split('~')
        .skip(1)
        .all(|after| after.starts_with(['0', '1']));
    escaped && (path.is_empty() || path.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_boundary_between_path_salt_and_value_can_be_shifted() {
        let leaf = leaf_hash("/ab", b"0123456789abcdef", "1");
        assert_ne!(leaf, leaf_hash("/a", b"b0123456789abcde", "f1"));
        assert_ne!(leaf, leaf_hash("/ab0", b"123456789abcdef1", ""));
        assert_ne!(leaf, leaf_hash("/ab", b"0123456789abcdef", "1 "));
    }

    #[test]
    fn leaves_are_scalars_and_empty_containers_in_canonical_form() {
        for text in ["null", "true", "1", "\"Berlin\"", "[]", "{}"] {
            assert!(leaf_value(text).is_ok(), "{text}");
        }
        for text in [
            "",
            " 1",
            "1.0",
            "-0",
            "[1]",
            "{\"a\":1}",
            "\"\\u0041\"",
            "1 2",
            "1e400",
            "\"\\ud800\"",
            "9007199254740993",
        ] {
            assert!(leaf_value(text).is_err(), "{text}");
        }
    }

    #[test]
    fn pointers_are_rfc_6901() {
        for path in ["", "/", "/a/b", "/a~1b", "/~0", "/a//b"] {
            assert!(is_pointer(path), "{path}");
        }
        for path in ["a", "/~", "/~2", "/a~", "#/a", "~1"] {
            assert!(!is_pointer(path), "{path}");
        }
    }
}
