//! Writes `docs/schemas`: what `cargo xtask schemas` runs.

use std::fs;
use std::path::Path;

use counterfoil_exchange::documents::schemas;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas");
    fs::create_dir_all(&folder)?;
    for (kind, schema) in schemas() {
        fs::write(
            folder.join(format!("{kind}.schema.json")),
            format!("{schema:#}\n"),
        )?;
    }
    Ok(())
}
