//! Writes `tests/vectors/exchange` anew: `cargo run -p counterfoil-exchange-tests --example vectors`.
//!
//! For a vector that is new. One that changes breaks what others have signed.

use std::fs;
use std::path::Path;

use counterfoil_exchange_tests::golden;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors/exchange");
    fs::create_dir_all(&folder)?;
    for golden in golden() {
        let text = format!("{:#}\n", golden.vector);
        fs::write(folder.join(golden.name).with_extension("json"), text)?;
    }
    Ok(())
}
