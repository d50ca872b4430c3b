//! JSON Schema of members whose types have none of their own.

use alloc::borrow::Cow;
use alloc::string::String;

use counterfoil_types::DidKey;
use counterfoil_types::document::Text;
use counterfoil_types::json::Value;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::member::True;

/// A subject or a predicate.
pub(super) struct Identifier;

/// A date or an instant.
pub(super) struct Boundary;

/// A signature of Ed25519.
pub(super) struct Ed25519Signature;

macro_rules! text_schema {
    ($($name:ty: $schema:tt;)*) => {$(
        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    )*};
}

text_schema! {
    Identifier: {
        "type": "string", "minLength": 1, "maxLength": 512, "pattern": "^[^\\u0000]*$",
        "$comment": "1 to 512 bytes in normal form C, without control characters and without space at its ends",
    };
    Boundary: {
        "type": "string", "pattern": "^[0-9]{4}(-[0-9]{2}(-[0-9]{2}(T[0-9:.]{8,15}Z)?)?)?$",
        "$comment": "a date or an instant in UTC in its shortest form, such as 2020, 2020-03 or 2020-03-15",
    };
    True: { "type": "boolean", "const": true };
    Ed25519Signature: {
        "type": "string", "pattern": "^[A-Za-z0-9+/]{86}==$", "$comment": "64 bytes in base64",
    };
}

/// An agent with its key.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "the schema is made from its shape")]
pub(super) struct Agent {
    /// Display name, which any agent may use.
    agent_id: Text<128>,
    /// Key that the agent signs with.
    public_key: DidKey,
}

/// An agent as it names itself. The name is for people; the key is the identity.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "the schema is made from its shape")]
pub(super) struct Party {
    /// Display name, which any agent may use.
    agent_id: Text<128>,
    /// Key that the agent signs with.
    public_key: Option<DidKey>,
}

/// The capsule of a memory, opened under its inclusion proof (docs/format/belief.md §1). `OpenedCapsule` reads it.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "the schema is made from its shape")]
pub(super) struct Receipt {
    /// The header without signature, canonical JSON.
    header: String,
    /// The content of its World, canonical JSON.
    content: String,
    /// The salt of the content's address: 32 bytes in base64.
    #[schemars(length(equal = 44))]
    salt: String,
    signature: ReceiptSignature,
    proof: ReceiptProof,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "the schema is made from its shape")]
struct ReceiptSignature {
    /// Id of the key that signed.
    #[schemars(extend("pattern" = "^[0-9a-f]{64}$"))]
    key_id: String,
    /// The signature over the entry: 64 bytes in base64.
    #[schemars(length(equal = 88))]
    value: String,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "the schema is made from its shape")]
struct ReceiptProof {
    #[schemars(extend("const" = "merkle"))]
    method: String,
    /// docs/format/proof.md §4.
    proof: Value,
}
