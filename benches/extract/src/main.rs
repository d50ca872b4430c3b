//! `counterfoil-bench-extract [show]`: what the rules read in labelled turns, and what is believed of facts that change.

mod labels;
mod turns;
mod update;

use std::path::{Path, PathBuf};

use anyhow::Result;

/// Labelled conversations. The last one is held out: its turns were not read while patterns were written (README.md).
const CONVERSATIONS: [(&str, &str); 3] = [
    ("conv-26", include_str!("../labels/conv-26.tsv")),
    ("conv-30", include_str!("../labels/conv-30.tsv")),
    ("conv-43", include_str!("../labels/conv-43.tsv")),
];

fn main() -> Result<()> {
    let show = std::env::args().nth(1).as_deref() == Some("show");
    let file = data_folder().join("locomo/locomo-dev.json");
    if file.is_file() {
        turns::measure(&file, show)?;
    } else {
        println!(
            "labelled turns: skipped, as {} is not there. Set COUNTERFOIL_DATA to the folder that \
             holds locomo/locomo-dev.json.",
            file.display()
        );
    }
    update::measure()
}

/// `$COUNTERFOIL_DATA`, or the folder `shared/data` beside the repository.
fn data_folder() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    std::env::var_os("COUNTERFOIL_DATA").map_or_else(beside, PathBuf::from)
}
