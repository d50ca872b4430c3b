//! The schemas of what stands in documents: made from the same types that read it (JSON Schema 2020-12).

use alloc::borrow::Cow;
use alloc::format;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::json;

use super::leaf::Shape;
use super::{As, List, Share, Spelled, Whole};

impl<T: Spelled> JsonSchema for As<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::must().into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let must = T::must();
        // A schema counts characters, of which there are never more than bytes.
        match T::SHAPE {
            Shape::Like(pattern) => {
                json_schema!({ "type": "string", "description": must, "pattern": pattern })
            }
            Shape::UpTo(most) => json_schema!({
                "type": "string", "description": must, "minLength": 1, "maxLength": most,
                "pattern": "^[^\\u0000]*$",
            }),
        }
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

impl JsonSchema for Share {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "0 to 1".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": 1 })
    }
}
