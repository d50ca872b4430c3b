//! The authorities whose decisions count in a store: `DIR/authorities`, one `did:key` a line.

use std::path::Path;

use counterfoil_types::DidKey;

use crate::error::{Error, ErrorKind};
use crate::home::Home;

/// The name of the file.
pub(crate) const FILE: &str = "authorities";
/// No such file is longer, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// The authorities that the operator of the store has pinned. Empty lines and those that begin with
/// `#` are for people.
pub(crate) fn read(home: &Home) -> Result<Vec<DidKey>, Error> {
    let path = home.dir().join(FILE);
    if !path.exists() {
        return Err(Error::input(
            format_args!(
                "no authority decides for this store: {} is not there",
                path.display()
            ),
            "write the did:key of each authority that may on a line of it",
        ));
    }
    let bytes = counterfoil_verify::read_file("authorities", &path, MAX_BYTES)
        .map_err(|error| Error::new(ErrorKind::Place, error.to_string()))?;
    let text = std::str::from_utf8(&bytes).map_err(|_| wrong(&path, "is not UTF-8"))?;
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            line.parse()
                .map_err(|_| wrong(&path, "has a line that is no did:key of an Ed25519 key"))
        })
        .collect()
}

fn wrong(path: &Path, what: &str) -> Error {
    Error::place(
        format_args!("{} {what}", path.display()),
        "write one did:key a line",
    )
}
