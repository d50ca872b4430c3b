//! JSON Schemas of all documents (JSON Schema 2020-12), made from the types that read them.

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;

use counterfoil_types::document::{List, Whole};
use counterfoil_types::json::Value;
use counterfoil_types::{Confidence, words};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::json;

use super::document::{ExchangeDocument, Parts};
use super::member::{Fact, Items, MaybeNumber, Number, Required, Share};
use super::proof::Proof;
use super::response::{ResultJson, ResultParts};
use super::{
    Agent, Attestation, Capability, DocumentKind, Party, Request, Response, Revocation,
    VerifyRequest, VerifyResult, Vouch, forms,
};

/// The schema of each document, in the order of [`DocumentKind::ALL`].
///
/// A document that fits its schema can still be refused: a schema counts characters where the format counts bytes, and has
/// no rule for times that must be in order, counts that must be true, or proofs.
pub fn schemas() -> Vec<(DocumentKind, Value)> {
    let of = |kind| match kind {
        DocumentKind::Request => schema::<Request>(kind),
        DocumentKind::Response => schema::<Response>(kind),
        DocumentKind::Verify => schema::<VerifyRequest>(kind),
        DocumentKind::VerifyResult => schema::<VerifyResult>(kind),
        DocumentKind::Attestation => schema::<Attestation>(kind),
        DocumentKind::Vouch => schema::<Vouch>(kind),
        DocumentKind::Revocation => schema::<Revocation>(kind),
        DocumentKind::Capability => schema::<Capability>(kind),
    };
    DocumentKind::ALL
        .into_iter()
        .map(|kind| (kind, of(kind)))
        .collect()
}

fn schema<T: JsonSchema>(kind: DocumentKind) -> Value {
    let settings = SchemaSettings::draft2020_12().with_transform(RecursiveTransform(published));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("$id".into(), json!(format!("{kind}.schema.json")));
    schema.insert("title".into(), json!(kind.name()));
    schema.to_value()
}

/// The form of a text describes it, and a member that may be left out may not be `null`.
fn published(schema: &mut Schema) {
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    if let Some(form) = members.remove("$comment") {
        members.insert("description".into(), form);
    }
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

words! {
    /// The version that is written.
    #[derive(JsonSchema)]
    enum Version { One = "1" }
}

/// The parts with type, version and proof.
impl<P: Parts + JsonSchema> JsonSchema for ExchangeDocument<P> {
    fn schema_name() -> Cow<'static, str> {
        P::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = P::json_schema(generator);
        let proof = match P::SIGNED {
            true => Proof::json_schema(generator),
            false => generator.subschema_for::<Proof>(),
        };
        let envelope = [
            (
                "type",
                json_schema!({ "type": "string", "const": P::KIND.name() }),
            ),
            ("version", generator.subschema_for::<Version>()),
            ("proof", proof),
        ];
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            for (name, member) in envelope {
                properties.insert(name.into(), member.to_value());
            }
        }
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            required.splice(0..0, [json!("type"), json!("version")]);
            required.extend(P::SIGNED.then(|| json!("proof")));
        }
        schema
    }
}

macro_rules! same_schema {
    ($([$($generics:tt)*] $name:ty: $as:ty;)*) => {$(
        impl<$($generics)*> JsonSchema for $name {
            fn inline_schema() -> bool {
                <$as>::inline_schema()
            }

            fn schema_name() -> Cow<'static, str> {
                <$as>::schema_name()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                <$as>::json_schema(generator)
            }
        }
    )*};
}

same_schema! {
    [T: JsonSchema, const MIN: usize, const MAX: usize] Items<T, MIN, MAX>: List<T, MIN, MAX>;
    [T: JsonSchema] Required<T>: T;
    [const MIN: u64, const MAX: u64] Number<MIN, MAX>: Whole<MIN, MAX>;
    [const MIN: u64, const MAX: u64] MaybeNumber<MIN, MAX>: Whole<MIN, MAX>;
    [] ResultParts: ResultJson;
    [] Agent: forms::Agent;
    [] Party: forms::Party;
    [] Share: Confidence;
    [] Fact: Value;
}
