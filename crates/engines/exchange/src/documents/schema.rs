//! JSON Schemas of all documents (JSON Schema 2020-12), made from the types that read them.

use alloc::format;
use alloc::vec::Vec;

use counterfoil_types::json::Value;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::json;

use super::DocumentKind;
use super::wire::attestation::WireAttestation;
use super::wire::capability::WireCapability;
use super::wire::request::WireRequest;
use super::wire::response::WireResponse;
use super::wire::verify::{WireVerify, WireVerifyResult};
use super::wire::vouch::{WireRevocation, WireVouch};

/// The schema of each document, in the order of [`DocumentKind::ALL`].
///
/// What fits a schema can still be refused: a schema counts characters where the format counts bytes, and says nothing of
/// times that must be in order, of counts that must be true, or of proofs.
#[must_use]
pub fn schemas() -> Vec<(DocumentKind, Value)> {
    let of = |kind| match kind {
        DocumentKind::Request => schema::<WireRequest>(kind),
        DocumentKind::Response => schema::<WireResponse>(kind),
        DocumentKind::Verify => schema::<WireVerify>(kind),
        DocumentKind::VerifyResult => schema::<WireVerifyResult>(kind),
        DocumentKind::Attestation => schema::<WireAttestation>(kind),
        DocumentKind::Vouch => schema::<WireVouch>(kind),
        DocumentKind::Revocation => schema::<WireRevocation>(kind),
        DocumentKind::Capability => schema::<WireCapability>(kind),
    };
    DocumentKind::ALL
        .into_iter()
        .map(|kind| (kind, of(kind)))
        .collect()
}

fn schema<T: JsonSchema>(kind: DocumentKind) -> Value {
    let settings = SchemaSettings::draft2020_12().with_transform(RecursiveTransform(without_null));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("$id".into(), json!(format!("{kind}.schema.json")));
    schema.insert("title".into(), json!(kind.as_str()));
    schema.to_value()
}

/// A member that may be left out may not be `null`.
fn without_null(schema: &mut Schema) {
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    if let Some(Value::Array(types)) = members.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            members.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(words)) = members.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    if let Some(Value::Array(choices)) = members.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            members.remove("anyOf");
            members.extend(only);
        }
    }
}
