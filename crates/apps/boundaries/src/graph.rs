//! The dependency graph as Cargo resolves it: every platform, every feature of the members, each edge with its kind.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::path::{Path as FilePath, PathBuf};

use cargo_metadata::{
    CargoOpt, DependencyKind, FeatureName, Metadata, MetadataCommand, NodeDep, PackageId,
};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::Error;
use crate::visible::one_line;

/// A package of the graph.
#[derive(Debug, Clone)]
pub(crate) struct Package {
    /// Its manifest, as Cargo describes it. Dependents may rename the package.
    pub(crate) cargo: cargo_metadata::Package,
    /// True for a member of the workspace.
    pub(crate) member: bool,
    /// The features that the resolution turned on, for any dependent.
    pub(crate) features: Vec<FeatureName>,
    edges: Vec<Edge>,
    /// Its optional dependencies that no feature of the resolution turned on, tests' aside: only a package that
    /// is no member can have any.
    pub(crate) inactive: BTreeSet<String>,
}

impl Package {
    pub(crate) fn name(&self) -> &str {
        &self.cargo.name
    }

    /// Its name as in `use`.
    pub(crate) fn crate_name(&self) -> String {
        self.name().replace('-', "_")
    }

    /// Returns true for a package at a path, false for one from a registry or a repository.
    pub(crate) fn is_local(&self) -> bool {
        self.cargo.source.is_none()
    }
}

/// A dependency of one package on another.
#[derive(Debug, Clone)]
struct Edge {
    to: PackageId,
    /// True for `[dev-dependencies]`: tests, examples and benches alone.
    dev: bool,
    /// Note that leads to the line in the manifest; empty for a plain dependency.
    note: String,
}

/// A chain of dependencies: name of each package, and note on the edge that leads to it. Displays as
/// `a -> b (build dependency) -> c`, and serializes as the list of names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Path(Vec<(String, String)>);

impl Path {
    /// A chain of other names, such as those of items.
    pub(crate) fn of(names: impl IntoIterator<Item = String>) -> Self {
        Self(
            names
                .into_iter()
                .map(|name| (name, String::new()))
                .collect(),
        )
    }

    /// The package at the end.
    pub(crate) fn end(&self) -> &str {
        self.0.last().map_or("", |(package, _)| package)
    }

    /// The number of packages; 0 for no path.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    fn then(&self, package: &Package, note: &str) -> Self {
        let step = (package.name().to_owned(), note.to_owned());
        Self(self.0.iter().cloned().chain([step]).collect())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (package, note)) in self.0.iter().enumerate() {
            let arrow = if at > 0 { " -> " } else { "" };
            write!(f, "{arrow}{package}")?;
            if !note.is_empty() {
                write!(f, " ({note})")?;
            }
        }
        Ok(())
    }
}

impl Serialize for Path {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|(package, _)| package))
    }
}

/// Next step of a search along one edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visit {
    /// The edge ends a path that is looked for. The search does not go on behind it.
    Find,
    /// The edge leads on.
    Follow,
    /// The edge leads nowhere.
    Skip,
}

impl Visit {
    /// Finds the edges with this property and follows all others.
    pub(crate) const fn find_if(found: bool) -> Self {
        if found { Self::Find } else { Self::Follow }
    }
}

/// A workspace with all packages that it can build.
#[derive(Debug, Clone)]
pub struct Graph {
    packages: BTreeMap<PackageId, Package>,
    pub(crate) root: PathBuf,
    /// Options of the call that read the graph.
    pub(crate) options: Vec<String>,
    pub(crate) workspace_metadata: Value,
}

impl Graph {
    /// Reads the workspace of `manifest`, or else of the current directory, with more `options` for `cargo metadata`.
    ///
    /// # Errors
    /// [`Error::Metadata`] when Cargo cannot describe the workspace, with Cargo's own words.
    pub fn load(manifest: Option<&FilePath>, options: &[&str]) -> Result<Self, Error> {
        let mut command = MetadataCommand::new();
        command.features(CargoOpt::AllFeatures);
        let options: Vec<_> = options.iter().copied().map(str::to_owned).collect();
        command.other_options(options.clone());
        if let Some(manifest) = manifest {
            command.manifest_path(manifest);
        }
        let graph = Self::from_metadata(&command.exec()?)?;
        Ok(Self { options, ..graph })
    }

    /// Graph in the output of `cargo metadata`.
    ///
    /// # Errors
    /// [`Error::NoGraph`] when it was printed with `--no-deps`.
    pub fn from_metadata(metadata: &Metadata) -> Result<Self, Error> {
        let resolve = metadata.resolve.as_ref().ok_or(Error::NoGraph)?;
        let nodes: BTreeMap<_, _> = resolve.nodes.iter().map(|node| (&node.id, node)).collect();
        let packages = metadata.packages.iter();
        let names: Names<'_> = packages.map(|one| (&one.id, one.name.as_str())).collect();
        let describe = |cargo: &cargo_metadata::Package| {
            let node = nodes.get(&cargo.id);
            let deps = node.iter().flat_map(|node| &node.deps);
            let edges: Vec<Edge> = deps.flat_map(|dep| edges_of(dep, &names)).collect();
            let built = edges.iter().filter(|edge| !edge.dev);
            let active: BTreeSet<_> = built.filter_map(|edge| names.get(&edge.to)).collect();
            let optional = cargo.dependencies.iter().filter(|one| {
                one.optional
                    && one.kind != DependencyKind::Development
                    && !active.contains(&one.name.as_str())
            });
            Package {
                cargo: cargo.clone(),
                member: metadata.workspace_members.contains(&cargo.id),
                features: node.map(|node| node.features.clone()).unwrap_or_default(),
                inactive: optional.map(|one| one.name.clone()).collect(),
                edges,
            }
        };
        let packages = metadata.packages.iter();
        Ok(Self {
            packages: packages
                .map(|one| (one.id.clone(), describe(one)))
                .collect(),
            root: metadata.workspace_root.clone().into(),
            options: Vec::new(),
            workspace_metadata: metadata.workspace_metadata.clone(),
        })
    }

    /// All packages, in the order of their ids.
    pub(crate) fn packages(&self) -> impl Iterator<Item = &Package> {
        self.packages.values()
    }

    /// Name and manifest of each member of the workspace.
    pub fn members(&self) -> impl Iterator<Item = (&str, &FilePath)> {
        self.packages()
            .filter(|package| package.member)
            .map(|package| (package.name(), package.cargo.manifest_path.as_std_path()))
    }

    /// Shortest paths from `start` along normal and build edges to the first package on each way that `visit` (from, to)
    /// finds.
    ///
    /// The search ends at such a package: when an authority depends on an actor crate, that is one
    /// finding, and the store behind it is not a second one.
    pub(crate) fn paths(
        &self,
        start: &Package,
        visit: impl Fn(&Package, &Package) -> Visit,
    ) -> Vec<Path> {
        self.search(start, false, visit)
    }

    /// As [`Graph::paths`], with a dev-dependency of `start` as the first edge.
    pub(crate) fn test_paths(
        &self,
        start: &Package,
        visit: impl Fn(&Package, &Package) -> Visit,
    ) -> Vec<Path> {
        self.search(start, true, visit)
    }

    fn search(
        &self,
        start: &Package,
        tests: bool,
        visit: impl Fn(&Package, &Package) -> Visit,
    ) -> Vec<Path> {
        let mut found = BTreeMap::new();
        let mut seen = BTreeSet::from([&start.cargo.id]);
        let mut queue = VecDeque::from([(start, Path::default().then(start, ""))]);
        while let Some((from, path)) = queue.pop_front() {
            let dev = tests && from.cargo.id == start.cargo.id;
            for edge in from.edges.iter().filter(|edge| edge.dev == dev) {
                let Some(to) = self.packages.get(&edge.to) else {
                    continue;
                };
                if edge.to == start.cargo.id {
                    continue;
                }
                match visit(from, to) {
                    Visit::Find => {
                        let path = || path.then(to, &edge.note);
                        found.entry(&edge.to).or_insert_with(path);
                    }
                    Visit::Follow if seen.insert(&edge.to) => {
                        queue.push_back((to, path.then(to, &edge.note)));
                    }
                    Visit::Follow | Visit::Skip => {}
                }
            }
        }
        let mut paths: Vec<_> = found.into_values().collect();
        paths.sort_by_key(Path::len);
        paths
    }
}

type Names<'a> = BTreeMap<&'a PackageId, &'a str>;

/// One edge per kind and platform, those that reach a user's build first.
fn edges_of(dep: &NodeDep, names: &Names<'_>) -> Vec<Edge> {
    let real_name = names.get(&dep.pkg).map(|name| name.replace('-', "_"));
    let renamed = real_name.as_ref() != Some(&dep.name);
    let mut kinds: Vec<(bool, bool, Option<String>)> = dep
        .dep_kinds
        .iter()
        .map(|info| {
            let (dev, build) = (DependencyKind::Development, DependencyKind::Build);
            let target = info.target.as_ref().map(ToString::to_string);
            (info.kind == dev, info.kind == build, target)
        })
        .collect();
    kinds.sort();
    let edge = |(dev, build, target): (bool, bool, Option<String>)| {
        let notes = [
            build.then(|| "build dependency".to_owned()),
            dev.then(|| "dev-dependency".to_owned()),
            target.map(|target| format!("for {}", one_line(&target))),
            renamed.then(|| format!("renamed `{}`", dep.name)),
        ];
        let notes: Vec<String> = notes.into_iter().flatten().collect();
        Edge {
            to: dep.pkg.clone(),
            dev,
            note: notes.join(", "),
        }
    };
    kinds.into_iter().map(edge).collect()
}
