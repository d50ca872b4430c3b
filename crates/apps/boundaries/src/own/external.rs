//! External crates: those that pure crates may depend on, and those that may not be behind them.

use super::Kind;
use crate::Package;

/// Direct dependencies that a pure crate may take: `no_std` + alloc, no C (docs/decisions/0001).
pub(crate) const ALLOWED: &[&str] = &[
    "base64",
    "blake3",
    "bs58",
    "ed25519-dalek",
    "hex",
    "ryu-js",
    "schemars",
    "serde",
    "serde_json",
    "sha2",
    "thiserror",
    "unicode-normalization",
    "zeroize",
];

/// A crate that may stand nowhere behind another, and what it would bring.
#[derive(Debug, Clone, Copy)]
struct Heavy {
    package: &'static str,
    brings: &'static str,
}

/// An edge to a heavy crate that brings nothing as long as a feature is on.
#[derive(Debug, Clone, Copy)]
struct Excused {
    from: &'static str,
    to: &'static str,
    feature: &'static str,
}

const DATABASE: &str = "a database";
const NETWORK: &str = "the network";
const RUNTIME: &str = "an async runtime";
const C: &str = "a C compiler or a system library";
const CLOCK: &str = "a clock";
const CHANCE: &str = "randomness";

/// Crates that neither a pure crate nor an offline application may reach.
const NOT_OFFLINE: &[Heavy] = &[
    heavy("rusqlite", DATABASE),
    heavy("libsqlite3-sys", DATABASE),
    heavy("sqlx-core", DATABASE),
    heavy("postgres-protocol", DATABASE),
    heavy("redb", DATABASE),
    heavy("tokio", RUNTIME),
    heavy("async-std", RUNTIME),
    heavy("smol", RUNTIME),
    heavy("mio", NETWORK),
    heavy("socket2", NETWORK),
    heavy("hyper", NETWORK),
    heavy("reqwest", NETWORK),
    heavy("rustls", NETWORK),
    heavy("native-tls", NETWORK),
    heavy("openssl-sys", C),
    heavy("aws-lc-sys", C),
    heavy("ring", C),
];

/// Further crates that a pure crate may not reach.
const NOT_PURE: &[Heavy] = &[
    heavy("cc", C),
    heavy("cmake", C),
    heavy("bindgen", C),
    heavy("pkg-config", C),
    heavy("getrandom", CHANCE),
    heavy("rand", CHANCE),
    heavy("uuid", CHANCE),
    heavy("chrono", CLOCK),
    heavy("jiff", CLOCK),
    heavy("time", CLOCK),
    heavy("rayon-core", "threads"),
    heavy("async-trait", "an async interface, which is a sign of IO"),
];

const EXCUSED: &[Excused] = &[Excused {
    from: "blake3",
    to: "cc",
    feature: "pure",
}];

const fn heavy(package: &'static str, brings: &'static str) -> Heavy {
    Heavy { package, brings }
}

/// Effect of the edge `from` -> `to` on a crate of this kind, or `None` when it is allowed.
pub(super) fn brings(kind: Kind, from: &Package, to: &Package) -> Option<&'static str> {
    let lists: &[&[Heavy]] = match kind {
        Kind::Pure => &[NOT_OFFLINE, NOT_PURE],
        Kind::Offline => &[NOT_OFFLINE],
        Kind::Rim => &[],
    };
    let listed = lists
        .iter()
        .copied()
        .flatten()
        .find(|heavy| heavy.package == to.name);
    let links = kind == Kind::Pure && to.links.is_some();
    listed
        .map(|heavy| heavy.brings)
        .or_else(|| links.then_some(C))
        .filter(|_| !is_excused(from, to))
}

/// Does this edge bring nothing, and so nothing that is behind it?
pub(super) fn is_excused(from: &Package, to: &Package) -> bool {
    EXCUSED.iter().any(|edge| {
        edge.from == from.name && edge.to == to.name && from.features.contains(edge.feature)
    })
}
