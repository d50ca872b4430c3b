//! Crates for databases, files, processes and the network, which an authority may not reach (specification 9.2.3, FP-16).
//!
//! The list has what a program names to do IO. It has no bindings that pure crates bring along for other ends, such as `libc`,
//! `rustix` and `windows-sys` (features of the processor, width of the terminal): no graph shows their use. Nor does it show
//! `std`, which needs no dependency. A workspace adds its own crates to the list.

use serde_json::Value;

use crate::visible::one_line;
use crate::{Error, Graph, Package};

/// Databases and key-value stores, embedded or behind a connection.
const DATABASES: &str = "duckdb fjall heed libsqlite3-sys librocksdb-sys lmdb mongodb mysql mysql_async mysql_common \
    postgres postgres-protocol r2d2 redb redis rocksdb rusqlite sled sqlite surrealdb tantivy tokio-postgres";
/// Connections, clients and servers.
const NETWORK: &str = "async-net attohttpc axum curl h2 hyper isahc lettre minreq mio object_store quinn reqwest rouille \
    smol socket2 surf tiny_http tonic tungstenite ureq warp";
/// Files and processes.
const SYSTEM: &str = "async-fs async-io async-process async-std cap-std duct fs-err fs2 fs4 fs_extra glob ignore memmap2 \
    nix notify subprocess tempfile walkdir";
/// Beginnings of names of families.
const FAMILIES: &[&str] = &["actix-", "aws-sdk-", "diesel", "opendal", "sea-orm", "sqlx"];
/// Features of the one crate that does IO by feature. Features are unified over a build, so that those which another member of
/// the workspace turned on count.
const TOKIO: &[&str] = &["fs", "net", "process"];
/// Key under `[workspace.metadata.counterfoil]`.
const KEY: &str = "io-crates";

/// Tests whether the list has the package.
pub(crate) fn is_listed(package: &Package) -> bool {
    let name = package.name();
    let is_tokio = || {
        let mut features = package.features.iter();
        name == "tokio" && features.any(|one| TOKIO.contains(&one.as_str()))
    };
    let mut lists = [DATABASES, NETWORK, SYSTEM].into_iter();
    lists.any(|list| list.split_whitespace().any(|one| one == name))
        || FAMILIES.iter().any(|one| name.starts_with(one))
        || is_tokio()
}

/// The crates that the workspace adds to the list.
///
/// # Errors
/// [`Error::WorkspaceRole`] for a role; [`Error::Declaration`] for another key, for anything but names, and for a name that no
/// package has.
pub(crate) fn of_workspace(graph: &Graph) -> Result<Vec<&str>, Error> {
    let refused = |problem| {
        let manifest = graph.root.join("Cargo.toml");
        Err(Error::Declaration { manifest, problem })
    };
    let table = graph.workspace_metadata.get("counterfoil");
    let Some(table) = table.and_then(Value::as_object) else {
        return match table {
            None => Ok(Vec::new()),
            Some(_) => Err(Error::WorkspaceRole),
        };
    };
    if table.contains_key("role") {
        return Err(Error::WorkspaceRole);
    }
    if let Some(key) = table.keys().find(|key| *key != KEY) {
        let key = one_line(key);
        return refused(format!(
            "`[workspace.metadata.counterfoil]` knows only `{KEY}`, and `{key}` is there; rename or remove it"
        ));
    }
    let listed = table.get(KEY).and_then(Value::as_array);
    let names: Option<Vec<&str>> = listed.and_then(|all| all.iter().map(Value::as_str).collect());
    let Some(names) = names else {
        return refused(format!("`{KEY}` must be a list of package names"));
    };
    let is_missing = |name: &&&str| !graph.packages().any(|package| package.name() == **name);
    if let Some(name) = names.iter().find(is_missing) {
        let name = one_line(name);
        return refused(format!(
            "`{KEY}` names `{name}`, and no package here has that name; correct or remove it"
        ));
    }
    Ok(names)
}
