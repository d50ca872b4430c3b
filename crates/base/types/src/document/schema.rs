//! JSON Schema (2020-12) of the types that carry limits.

use alloc::borrow::Cow;
use alloc::format;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::json;

use super::{List, Text, Whole};

impl<const MAX: usize> JsonSchema for Text<MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Self::must().into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // A schema counts characters, of which there are never more than bytes.
        json_schema!({
            "type": "string", "$comment": Self::must(), "minLength": 1, "maxLength": MAX,
            "pattern": "^[^\\u0000]*$",
        })
    }
}

impl<T: JsonSchema, const MIN: usize, const MAX: usize> JsonSchema for List<T, MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("{MIN} to {MAX} of {}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let items = generator.subschema_for::<T>();
        let mut schema = json_schema!({ "type": "array", "items": items, "maxItems": MAX });
        if MIN > 0 {
            schema.insert("minItems".into(), json!(MIN));
        }
        schema
    }
}

impl<const MIN: u64, const MAX: u64> JsonSchema for Whole<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("{MIN} to {MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}
