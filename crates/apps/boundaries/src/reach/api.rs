//! Public and private items of crates, as rustdoc describes them in JSON.
//!
//! The format is unstable: `RUSTC_BOOTSTRAP` lets the pinned toolchain write it, and another format is an error.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

use crate::source::read;
use crate::{Error, Graph, Package};

/// Version of the format that [`walk`](super::walk) reads.
const FORMAT: u64 = 57;
const FLAGS: &str = "-Zunstable-options --output-format json --document-private-items --document-hidden-items --cap-lints allow";

/// An item: its crate, and its number there.
pub(super) type Id<'a> = (&'a str, u64);

/// All items of the crates that were described.
pub(super) struct Api {
    crates: BTreeMap<String, Value>,
    /// Path and kind of an item, to its number: other crates have numbers of their own for it.
    paths: BTreeMap<(String, String), u64>,
}

impl Api {
    /// Descriptions of the libraries of `packages`, private items too: a value of a private type is a value.
    ///
    /// # Errors
    /// [`Error::Describe`] with the output of rustdoc, or for another format.
    pub(super) fn read(graph: &Graph, packages: &[&Package]) -> Result<Self, Error> {
        let folder = graph.root.join("target/counterfoil-reach");
        let mut api = Self {
            crates: BTreeMap::new(),
            paths: BTreeMap::new(),
        };
        if packages.is_empty() {
            return Ok(api);
        }
        let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(program);
        command.args(["doc", "--quiet", "--no-deps", "--lib", "--all-features"]);
        command
            .arg("--target-dir")
            .arg(&folder)
            .args(&graph.options);
        for package in packages {
            command.args(["--package", &package.cargo.id.repr]);
        }
        command.env("RUSTC_BOOTSTRAP", "1");
        command.env("RUSTDOCFLAGS", FLAGS);
        match command.current_dir(&graph.root).output() {
            Ok(output) if output.status.success() => {}
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stderr);
                return Err(Error::Describe(text.into_owned()));
            }
            Err(error) => return Err(Error::Describe(error.to_string())),
        }
        for package in packages {
            let name = package.crate_name();
            let path = folder.join("doc").join(format!("{name}.json"));
            let text = read(&path)?;
            let described: Value =
                serde_json::from_str(&text).map_err(|error| Error::Describe(error.to_string()))?;
            let found = at(&described, "/format_version");
            if *found != FORMAT {
                let problem = format!("it writes format {found}, and {FORMAT} is read here");
                return Err(Error::Describe(problem));
            }
            api.add(name, described);
        }
        Ok(api)
    }

    fn add(&mut self, name: String, described: Value) {
        for (id, summary) in at(&described, "/paths").as_object().into_iter().flatten() {
            if let (Ok(id), 0) = (id.parse(), at(summary, "/crate_id").as_u64().unwrap_or(1)) {
                self.paths.insert(key(summary), id);
            }
        }
        self.crates.insert(name, described);
    }

    /// The root module of the crate `name`, as in `use`.
    pub(super) fn root(&self, name: &str) -> Option<Id<'_>> {
        let (name, described) = self.crates.get_key_value(name)?;
        Some((name, at(described, "/root").as_u64()?))
    }

    /// The item, if a crate that was described defines it.
    pub(super) fn item(&self, (name, id): Id<'_>) -> Option<&Value> {
        at(self.crates.get(name)?, "/index").get(id.to_string())
    }

    /// Place of definition of the item that the crate `name` knows as `id`.
    pub(super) fn home<'a>(&'a self, name: &'a str, id: u64) -> Option<Id<'a>> {
        let summary = at(self.crates.get(name)?, &format!("/paths/{id}"));
        if summary.is_null() || *at(summary, "/crate_id") == 0 {
            return Some((name, id));
        }
        let (home, _) = self
            .crates
            .get_key_value(at(summary, "/path/0").as_str()?)?;
        Some((home, *self.paths.get(&key(summary))?))
    }

    /// The path at which the item is defined.
    pub(super) fn path(&self, (name, id): Id<'_>) -> Option<String> {
        let summary = at(self.crates.get(name)?, &format!("/paths/{id}"));
        (!summary.is_null()).then(|| key(summary).0)
    }
}

/// The member at a JSON pointer, or `null`.
pub(super) fn at<'v>(value: &'v Value, pointer: &str) -> &'v Value {
    static NULL: Value = Value::Null;
    value.pointer(pointer).unwrap_or(&NULL)
}

fn key(summary: &Value) -> (String, String) {
    let parts = at(summary, "/path").as_array().into_iter().flatten();
    let parts: Vec<_> = parts.filter_map(Value::as_str).collect();
    let kind = at(summary, "/kind").as_str().unwrap_or_default();
    (parts.join("::"), kind.to_owned())
}
