//! The shape of an opened capsule (docs/format/belief.md §1), for the schema alone: `OpenedCapsule` reads it.

use alloc::string::String;

use counterfoil_types::json::Value;

/// The capsule of a memory, opened under its inclusion proof.
#[derive(schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(
    dead_code,
    reason = "it is never made: the schema is made from its shape"
)]
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

#[derive(schemars::JsonSchema)]
#[schemars(deny_unknown_fields, rename_all = "camelCase")]
#[expect(
    dead_code,
    reason = "it is never made: the schema is made from its shape"
)]
struct ReceiptSignature {
    /// Which key signed.
    #[schemars(extend("pattern" = "^[0-9a-f]{64}$"))]
    key_id: String,
    /// The signature over the entry: 64 bytes in base64.
    #[schemars(length(equal = 88))]
    value: String,
}

#[derive(schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(
    dead_code,
    reason = "it is never made: the schema is made from its shape"
)]
struct ReceiptProof {
    #[schemars(extend("const" = "merkle"))]
    method: String,
    /// docs/format/proof.md §4.
    proof: Value,
}
