//! Edges of the dependency graph and chains of them.

use std::fmt;

use cargo_metadata::PackageId;

/// Kind of a dependency. One of two kinds counts as the first of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EdgeKind {
    /// `[dependencies]`.
    Normal,
    /// `[build-dependencies]`: runs on the machine that builds, and can read and write whatever it likes.
    Build,
    /// `[dev-dependencies]`: tests, examples and benches alone.
    Dev,
}

/// A dependency of one package on another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The package depended on.
    pub(crate) to: PackageId,
    /// Its kind.
    pub(crate) kind: EdgeKind,
    /// Its platforms, when not all.
    pub(crate) target: Option<String>,
    /// The name it goes by in the dependent's sources, when that is not its own.
    pub(crate) renamed: Option<String>,
}

/// One package on a [`Path`], and the edge that leads to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    /// The package's name.
    pub(crate) package: String,
    /// Dependency of the package before it; `None` for the first.
    pub(crate) edge: Option<Edge>,
}

/// A chain of dependencies. Displays as `a -> b (build dependency) -> c`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path(pub(crate) Vec<Step>);

impl Path {
    /// The package at the end.
    #[must_use]
    pub fn end(&self) -> &str {
        self.0.last().map_or("", |step| &step.package)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(" -> ")?;
            }
            f.write_str(&step.package)?;
            if let Some(note) = step.edge.as_ref().and_then(Edge::note) {
                write!(f, " ({note})")?;
            }
        }
        Ok(())
    }
}

impl Edge {
    /// Note that leads to the line in the manifest, when it is no plain dependency.
    fn note(&self) -> Option<String> {
        let kind = match self.kind {
            EdgeKind::Normal => None,
            EdgeKind::Build => Some("build dependency".to_owned()),
            EdgeKind::Dev => Some("dev-dependency".to_owned()),
        };
        let target = self.target.as_ref().map(|target| format!("for {target}"));
        let renamed = self
            .renamed
            .as_ref()
            .map(|name| format!("renamed `{name}`"));
        let notes: Vec<_> = [kind, target, renamed].into_iter().flatten().collect();
        (!notes.is_empty()).then(|| notes.join(", "))
    }
}
