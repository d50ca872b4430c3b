//! Small workspaces on disk, whose packages depend on stubs named like ours: no registry is asked.

use std::fs;
use std::path::{Path, PathBuf};

use counterfoil_boundaries::{Error, Graph, Report, check_roles};
use tempfile::TempDir;

/// A folder with a workspace in `user/` and stub packages in `stubs/`, outside of the workspace.
pub(crate) struct Workspace {
    folder: TempDir,
    members: Vec<String>,
    workspace_tables: String,
}

impl Workspace {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            members: Vec::new(),
            workspace_tables: String::new(),
        }
    }

    /// The member `mine` of this role, which depends on a stub.
    pub(crate) fn with_mine(self, as_role: &str, stub: &str) -> Self {
        let manifest = format!("{}[dependencies]\n{}", role(as_role), on_stub(stub));
        self.package("mine", &manifest)
    }

    /// A package of the workspace with these lines in its manifest.
    pub(crate) fn package(self, name: &str, manifest: &str) -> Self {
        self.package_with_source(name, manifest, "#![no_std]\n")
    }

    pub(crate) fn package_with_source(self, name: &str, manifest: &str, source: &str) -> Self {
        self.package_at(name, name, manifest, source)
    }

    /// A package in this folder of the workspace.
    pub(crate) fn package_at(
        mut self,
        folder: &str,
        name: &str,
        manifest: &str,
        source: &str,
    ) -> Self {
        write_package(&self.user().join(folder), name, manifest, source);
        self.members.push(format!("{folder:?}"));
        self
    }

    /// One more file in the workspace's folder.
    pub(crate) fn file(self, path: &str, text: &str) -> Self {
        let path = self.user().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// A package outside of the workspace; members reach it at `../../stubs/NAME`.
    pub(crate) fn stub(self, name: &str, manifest: &str) -> Self {
        write_package(
            &self.folder.path().join("stubs").join(name),
            name,
            manifest,
            "#![no_std]\n",
        );
        self
    }

    /// Lines for the root manifest.
    pub(crate) fn root(mut self, tables: &str) -> Self {
        self.workspace_tables.push_str(tables);
        self
    }

    pub(crate) fn user(&self) -> PathBuf {
        self.folder.path().join("user")
    }

    /// Writes the root manifest and returns its path.
    pub(crate) fn manifest(&self) -> PathBuf {
        let path = self.user().join("Cargo.toml");
        let text = format!(
            "[workspace]\nresolver = \"3\"\nmembers = [{}]\n{}",
            self.members.join(", "),
            self.workspace_tables
        );
        fs::create_dir_all(self.user()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn graph(&self) -> Graph {
        Graph::load(Some(&self.manifest()), &["--offline"]).unwrap()
    }

    pub(crate) fn check(&self) -> Result<Report, Error> {
        check_roles(&self.graph())
    }
}

/// The paths of the findings as the report shows them, empty for a finding without one.
pub(crate) fn paths(report: &Report) -> Vec<String> {
    let text = report.to_string();
    let findings = text
        .split("\n\n")
        .flat_map(|part| part.split_once(" breaks "));
    findings
        .map(|(_, finding)| {
            finding
                .split_once("\n    ")
                .map_or("", |(_, path)| path)
                .trim()
                .to_owned()
        })
        .collect()
}

/// A member of the only finding.
#[track_caller]
pub(crate) fn only(report: &Report, member: &str) -> String {
    let found = report.to_json();
    let [finding] = found["violations"].as_array().unwrap().as_slice() else {
        panic!("{report}")
    };
    finding[member].as_str().unwrap().to_owned()
}

/// The table that declares a role.
pub(crate) fn role(role: &str) -> String {
    format!("[package.metadata.counterfoil]\nrole = \"{role}\"\n")
}

/// A dependency on a stub.
pub(crate) fn on_stub(name: &str) -> String {
    format!("{name} = {{ path = \"../../stubs/{name}\" }}\n")
}

fn write_package(folder: &Path, name: &str, manifest: &str, source: &str) {
    let head = format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::write(folder.join("Cargo.toml"), head + manifest).unwrap();
    fs::write(folder.join("src/lib.rs"), source).unwrap();
}
