//! Writes `docs/schemas/recall.schema.json`: what `cargo xtask schemas` runs.

use std::fs;
use std::path::Path;

use counterfoil::RecallDocument;
use schemars::generate::SchemaSettings;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas");
    let settings = SchemaSettings::draft2020_12().into_generator();
    let schema = settings.into_root_schema_for::<RecallDocument>();
    let text = format!("{:#}\n", schema.to_value());
    fs::write(folder.join("recall.schema.json"), text)
}
