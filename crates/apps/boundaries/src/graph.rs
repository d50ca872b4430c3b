//! The dependency graph as Cargo resolves it: every platform, every feature of the members, each edge with its kind.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path as FilePath, PathBuf};

use cargo_metadata::{
    CargoOpt, DependencyKind, Metadata, MetadataCommand, NodeDep, PackageId, TargetKind,
};
use serde_json::Value;

use crate::visible::one_line;
use crate::{Edge, EdgeKind, Error, Path, Step};

/// Access of Cargo to registries, to complete a missing lock file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// As the user's own configuration of Cargo says.
    AsConfigured,
    /// Never.
    Offline,
}

/// A package of the graph, with the facts that the checks need.
#[derive(Debug, Clone)]
pub struct Package {
    /// Its own name; dependents may rename it.
    pub name: String,
    /// True for a member of the workspace.
    pub(crate) member: bool,
    /// True for a package at a path, false for one from a registry or a repository.
    pub(crate) local: bool,
    /// Its Cargo.toml.
    pub manifest: PathBuf,
    /// True for a release of crates.io, whose names have one owner each.
    pub(crate) published: bool,
    /// The root file of its library, when it has one.
    pub(crate) library: Option<PathBuf>,
    /// True for a library of procedural macros.
    pub(crate) writes_code: bool,
    /// Its build script, when it has one.
    pub(crate) build_script: Option<PathBuf>,
    /// The system library it links, by its `links` key.
    pub(crate) links: Option<String>,
    /// The features that the resolution turned on.
    pub(crate) features: BTreeSet<String>,
    /// `[package.metadata]`.
    pub(crate) metadata: Value,
    /// Its direct dependencies.
    pub(crate) edges: Vec<Edge>,
    /// Its optional dependencies that no feature of the resolution turned on, tests' aside: only a package that
    /// is no member can have any.
    pub(crate) inactive: BTreeSet<String>,
}

/// A workspace with all packages that it can build.
#[derive(Debug, Clone)]
pub struct Graph {
    packages: BTreeMap<PackageId, Package>,
    root: PathBuf,
    workspace_metadata: Value,
}

/// First edge by which the search reached each package.
type CameFrom<'a> = BTreeMap<&'a PackageId, (&'a PackageId, &'a Edge)>;

impl Graph {
    /// Reads the workspace of `manifest`, or else of the current directory.
    ///
    /// # Errors
    /// [`Error::Metadata`] when Cargo cannot describe the workspace, with Cargo's own words.
    pub fn load(manifest: Option<&FilePath>, network: Network) -> Result<Self, Error> {
        let mut command = MetadataCommand::new();
        command.features(CargoOpt::AllFeatures);
        if let Some(manifest) = manifest {
            command.manifest_path(manifest);
        }
        if network == Network::Offline {
            command.other_options(vec!["--offline".to_owned()]);
        }
        Self::from_metadata(&command.exec()?)
    }

    /// Graph in the output of `cargo metadata`.
    ///
    /// # Errors
    /// [`Error::NoGraph`] when it was printed with `--no-deps`.
    pub fn from_metadata(metadata: &Metadata) -> Result<Self, Error> {
        let resolve = metadata.resolve.as_ref().ok_or(Error::NoGraph)?;
        let members: BTreeSet<_> = metadata.workspace_members.iter().collect();
        let mut packages: BTreeMap<PackageId, Package> = metadata
            .packages
            .iter()
            .map(|package| {
                (
                    package.id.clone(),
                    describe(package, members.contains(&package.id)),
                )
            })
            .collect();
        let names: BTreeMap<PackageId, String> = packages
            .iter()
            .map(|(id, package)| (id.clone(), package.name.clone()))
            .collect();
        for node in &resolve.nodes {
            if let Some(package) = packages.get_mut(&node.id) {
                package.features = node.features.iter().map(ToString::to_string).collect();
                package.edges = node
                    .deps
                    .iter()
                    .flat_map(|dep| edges_of(dep, &names))
                    .collect();
                for edge in &package.edges {
                    if let Some(name) = names.get(&edge.to).filter(|_| edge.kind != EdgeKind::Dev) {
                        package.inactive.remove(name);
                    }
                }
            }
        }
        Ok(Self {
            packages,
            root: metadata.workspace_root.clone().into(),
            workspace_metadata: metadata.workspace_metadata.clone(),
        })
    }

    /// The folder of the workspace.
    pub(crate) fn root(&self) -> &FilePath {
        &self.root
    }

    /// `[workspace.metadata]`.
    pub(crate) fn workspace_metadata(&self) -> &Value {
        &self.workspace_metadata
    }

    /// All packages, in the order of their ids.
    pub(crate) fn packages(&self) -> impl Iterator<Item = (&PackageId, &Package)> {
        self.packages.iter()
    }

    /// The members of the workspace.
    pub fn members(&self) -> impl Iterator<Item = (&PackageId, &Package)> {
        self.packages().filter(|(_, package)| package.member)
    }

    /// One package.
    pub(crate) fn package(&self, id: &PackageId) -> Option<&Package> {
        self.packages.get(id)
    }

    /// Features of each version of a package that the resolution turned on.
    pub fn features_of(&self, package: &str) -> impl Iterator<Item = &BTreeSet<String>> {
        let versions = self.packages.values().filter(move |it| it.name == package);
        versions.map(|it| &it.features)
    }

    /// Adds a plain dependency that no manifest has, by the names of both packages: tests break a workspace by it.
    pub fn add_dependency(&mut self, from: &str, to: &str) {
        let to = self.packages.iter().find(|(_, it)| it.name == to);
        let to = to.map(|(id, _)| id.clone());
        let from = self.packages.values_mut().find(|it| it.name == from);
        if let (Some(from), Some(to)) = (from, to) {
            from.edges.push(Edge {
                to,
                kind: EdgeKind::Normal,
                target: None,
                renamed: None,
            });
        }
    }

    /// Shortest paths from `start` to the first package on each way that `stop` (from, to) names.
    ///
    /// The search ends at such a package: when an authority depends on an actor crate, that is one
    /// finding, and the store behind it is not a second one. Normal and build edges are followed everywhere;
    /// `first` says which edges may leave `start`.
    pub(crate) fn paths(
        &self,
        start: &PackageId,
        first: impl Fn(EdgeKind) -> bool,
        stop: impl Fn(&Package, &Package) -> bool,
    ) -> Vec<Path> {
        let mut found = BTreeMap::new();
        let mut came_from = CameFrom::new();
        let mut queue = VecDeque::from([start]);
        while let Some(id) = queue.pop_front() {
            let Some(from) = self.packages.get(id) else {
                continue;
            };
            let follow = |edge: &&Edge| {
                edge.to != *start
                    && if id == start {
                        first(edge.kind)
                    } else {
                        edge.kind != EdgeKind::Dev
                    }
            };
            for edge in from.edges.iter().filter(follow) {
                let Some(to) = self.packages.get(&edge.to) else {
                    continue;
                };
                if stop(from, to) {
                    found
                        .entry(&edge.to)
                        .or_insert_with(|| self.walk_back((id, edge), &came_from));
                } else if !came_from.contains_key(&edge.to) {
                    came_from.insert(&edge.to, (id, edge));
                    queue.push_back(&edge.to);
                }
            }
        }
        let mut paths: Vec<_> = found.into_values().collect();
        paths.sort_by_key(|path| path.0.len());
        paths
    }

    fn walk_back(&self, last: (&PackageId, &Edge), came_from: &CameFrom<'_>) -> Path {
        let name = |id: &PackageId| {
            self.packages
                .get(id)
                .map_or_else(|| id.to_string(), |package| package.name.clone())
        };
        let (mut at, edge) = last;
        let mut steps = vec![Step {
            package: name(&edge.to),
            edge: Some(edge.clone()),
        }];
        while let Some((before, edge)) = came_from.get(at) {
            steps.push(Step {
                package: name(at),
                edge: Some((*edge).clone()),
            });
            at = before;
        }
        steps.push(Step {
            package: name(at),
            edge: None,
        });
        steps.reverse();
        Path(steps)
    }
}

fn describe(package: &cargo_metadata::Package, member: bool) -> Package {
    let target = |wanted: &dyn Fn(&TargetKind) -> bool| {
        package
            .targets
            .iter()
            .find(|target| target.kind.iter().any(wanted))
            .map(|target| target.src_path.clone().into())
    };
    Package {
        name: package.name.to_string(),
        member,
        local: package.source.is_none(),
        manifest: package.manifest_path.clone().into(),
        published: package
            .source
            .as_ref()
            .is_some_and(cargo_metadata::Source::is_crates_io),
        writes_code: target(&|kind| *kind == TargetKind::ProcMacro).is_some(),
        library: target(&|kind| {
            matches!(
                kind,
                TargetKind::Lib
                    | TargetKind::RLib
                    | TargetKind::DyLib
                    | TargetKind::CDyLib
                    | TargetKind::StaticLib
                    | TargetKind::ProcMacro
            )
        }),
        build_script: target(&|kind| *kind == TargetKind::CustomBuild),
        links: package.links.clone(),
        features: BTreeSet::new(),
        metadata: package.metadata.clone(),
        edges: Vec::new(),
        inactive: package
            .dependencies
            .iter()
            .filter(|one| one.optional && one.kind != DependencyKind::Development)
            .map(|one| one.name.clone())
            .collect(),
    }
}

/// One edge per kind and platform, those that reach a user's build first.
fn edges_of(dep: &NodeDep, names: &BTreeMap<PackageId, String>) -> Vec<Edge> {
    let real_name = names.get(&dep.pkg).map(|name| name.replace('-', "_"));
    let renamed = (real_name.as_deref() != Some(dep.name.as_str())).then(|| dep.name.clone());
    let mut edges: Vec<Edge> = dep
        .dep_kinds
        .iter()
        .map(|info| Edge {
            to: dep.pkg.clone(),
            kind: match info.kind {
                DependencyKind::Build => EdgeKind::Build,
                DependencyKind::Development => EdgeKind::Dev,
                _ => EdgeKind::Normal,
            },
            target: info.target.as_ref().map(|one| one_line(&one.to_string())),
            renamed: renamed.clone(),
        })
        .collect();
    edges.sort_by(|a, b| (a.kind, &a.target).cmp(&(b.kind, &b.target)));
    edges
}
