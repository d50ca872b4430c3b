//! This workspace's own fence: exact dependencies, closures, the allow-list of the pure crates (specification 9; FP-04,
//! FP-08, FP-09, FP-15, FP-16).

mod table;

use crate::{Checked, Error, Graph, Package, Path, Report, Visit, bare, io, tokens};
pub use table::dependencies;
use table::{Kind, ROWS, Row};

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

/// Crates that neither a pure crate nor an offline application may reach, beside those that do IO: async runtimes, TLS, C.
const NOT_OFFLINE: &[&str] = &[
    "tokio",
    "rustls",
    "native-tls",
    "openssl-sys",
    "aws-lc-sys",
    "ring",
];

/// Further crates that a pure crate may not reach: C compilers, randomness, clocks, threads, and a sign of IO.
const NOT_PURE: &[&str] = &[
    "cc",
    "cmake",
    "bindgen",
    "pkg-config",
    "getrandom",
    "rand",
    "uuid",
    "chrono",
    "jiff",
    "time",
    "rayon-core",
    "async-trait",
];

/// Checks every package under `crates/` against the table.
///
/// # Errors
/// [`Error::Read`] when the sources of a pure crate cannot be read.
pub fn check(graph: &Graph) -> Result<Report, Error> {
    let mut report = Report::default();
    let crates = graph.root.join("crates");
    for package in graph
        .packages()
        .filter(|one| one.member && one.cargo.manifest_path.starts_with(&crates))
    {
        let (role, found) = if let Some(row) = ROWS.iter().find(|row| row.package == package.name())
        {
            let role = row.kind.to_string();
            let tests = graph.test_paths(package, |_, to| row.outside(to));
            let checked = Checked::new(package, role.clone(), &tests);
            report.checked.push(checked);
            (role, findings(graph, package, row)?)
        } else {
            let message = "no row says what it may depend on; add one to crates/apps/boundaries/src/own/table.rs";
            (
                "unknown".to_owned(),
                vec![("the table", message.to_owned(), Path::default())],
            )
        };
        let name = package.name();
        report.add(name, &role, found);
    }
    for row in ROWS {
        if !graph.members().any(|(name, _)| name == row.package) {
            let message = "there is no such package; remove its row".to_owned();
            let found = vec![("the table", message, Path::default())];
            report.add(row.package, &row.kind.to_string(), found);
        }
    }
    Ok(report)
}

/// Builds every pure crate under `crates/` without `std`; a compiler's message that it is not so is a finding.
///
/// # Errors
/// [`Error::Build`] when the compiler came to no verdict.
pub fn check_without_std(graph: &Graph) -> Result<Report, Error> {
    let is_pure = |package: &&Package| {
        let mut rows = ROWS.iter().filter(|row| row.kind == Kind::Pure);
        package.member && rows.any(|row| row.package == package.name())
    };
    let pure: Vec<_> = graph.packages().filter(is_pure).collect();
    let mut report = Report::default();
    if let Some(failure) = bare::build(graph, &pure)? {
        let found = ("M-8, FP-08", failure.message, Path::default());
        report.add(&failure.package, &Kind::Pure.to_string(), [found]);
    }
    Ok(report)
}

/// Rule, message and path of everything that keeps `package` from its row.
fn findings(
    graph: &Graph,
    package: &Package,
    row: &Row,
) -> Result<Vec<(&'static str, String, Path)>, Error> {
    let mut found = Vec::new();
    let members = |_: &Package, to: &Package| if to.member { Visit::Find } else { Visit::Skip };
    let direct = graph.paths(package, members);
    for name in row.direct {
        if !direct.iter().any(|path| path.end() == *name) {
            let text = format!(
                "the table says that it depends on {name}, and it does not; remove one or add the other"
            );
            found.push(("direct dependencies", text, Path::default()));
        }
    }
    for path in direct {
        if !row.direct.contains(&path.end()) {
            let text = format!("it may not depend on {}: {}", path.end(), row.reason);
            found.push(("direct dependencies", text, path));
        }
    }
    for path in graph.paths(package, |_, to| row.outside(to)) {
        if path.len() > 2 {
            let text = format!("it may not reach {}: {}", path.end(), row.reason);
            found.push(("closure", text, path));
        }
    }
    let heavy = graph.paths(package, |from, to| {
        let (name, features) = (to.name(), &from.features);
        // blake3 compiles no C while its feature `pure` is on.
        let is_pure = || features.iter().any(|one| *one == "pure");
        if from.name() == "blake3" && name == "cc" && is_pure() {
            return Visit::Skip;
        }
        // schemars knows the types of chrono for a program that also links rmcp, which asks for them; no crate of this
        // workspace does, and each pure crate is built by itself without.
        if from.name() == "schemars" && name == "chrono" {
            return Visit::Skip;
        }
        let offline = row.kind != Kind::Rim && (io::is_listed(to) || NOT_OFFLINE.contains(&name));
        let pure = NOT_PURE.contains(&name) || to.cargo.links.is_some();
        Visit::find_if(offline || row.kind == Kind::Pure && pure)
    });
    for path in heavy {
        let text = format!("{} has no place behind a crate of this kind", path.end());
        found.push(("heavy crates", text, path));
    }
    if row.kind == Kind::Pure {
        let unlisted = graph.paths(package, |from, to| {
            let own = from.cargo.id == package.cargo.id && !to.member;
            Visit::find_if(own && !ALLOWED.contains(&to.name()))
        });
        for path in unlisted {
            let text = format!(
                "{} is not on the list that pure crates may take; a decision record can put it there",
                path.end()
            );
            found.push(("allow-list", text, path));
        }
        for advice in tokens::impurities(package)? {
            let text = format!("it must be pure; {advice}");
            found.push(("M-8, FP-08", text, Path::default()));
        }
    }
    Ok(found)
}
