//! A package of the role `verifier` is pure, and so is all that it is built from (M-8, CR-16, FP-08).

use cargo_metadata::PackageId;

use crate::own::ALLOWED;
use crate::tokens;
use crate::{EdgeKind, Error, Graph, Package, Part, Path, Role, Violation};

/// Ways of `package` to IO or a clock: in its own sources, in the local packages behind it, in external crates that are
/// not known to be pure.
///
/// # Errors
/// [`Error::Read`] when a source cannot be read.
pub(crate) fn impure(
    graph: &Graph,
    id: &PackageId,
    package: &Package,
) -> Result<Vec<Violation>, Error> {
    let library = package.library.is_none();
    let mut found: Vec<Found> = library
        .then(|| ("put its code into a library".to_owned(), None))
        .into_iter()
        .collect();
    let own = tokens::impurities(package)?;
    found.extend(own.into_iter().map(|advice| (advice, None)));
    found.extend(local(graph, id)?);
    found.extend(from_elsewhere(graph, id));
    let violation = |(advice, path)| Violation {
        package: package.name.clone(),
        role: Role::Verifier.to_string(),
        rule: "M-8, CR-16, FP-08".to_owned(),
        message: format!("a Verifier performs no IO and reads no clock; {advice}"),
        path,
    };
    Ok(found.into_iter().map(violation).collect())
}

/// Advice, and the path from the Verifier to its subject.
type Found = (String, Option<Path>);

/// Impurities of the packages at local paths that are built into the Verifier.
fn local(graph: &Graph, id: &PackageId) -> Result<Vec<Found>, Error> {
    let mut found = Vec::new();
    for (_, other) in graph
        .packages()
        .filter(|(_, other)| other.local && !forbidden(other))
    {
        let stop = |_: &Package, to: &Package| to.manifest == other.manifest || forbidden(to);
        let paths = graph.paths(id, |kind| kind != EdgeKind::Dev, stop);
        let Some(path) = paths.into_iter().find(|path| path.end() == other.name) else {
            continue;
        };
        for advice in tokens::impurities(other)? {
            let advice = format!("in {}: {advice}", other.name);
            found.push((advice, Some(path.clone())));
        }
    }
    Ok(found)
}

/// External dependencies of local packages that are not known to be pure. A crate is on the list with all its own
/// dependencies.
fn from_elsewhere(graph: &Graph, id: &PackageId) -> Vec<Found> {
    let known = |to: &Package| to.published && ALLOWED.contains(&to.name.as_str());
    let unknown = |to: &Package| !to.local && !known(to) && Part::of_package(&to.name).is_none();
    let stop = |from: &Package, to: &Package| forbidden(to) || (from.local && unknown(to));
    let paths = graph.paths(id, |kind| kind != EdgeKind::Dev, stop);
    paths
        .into_iter()
        .filter(|path| Part::of_package(path.end()).is_none())
        .map(|path| {
            let advice = format!(
                "remove {}: a Verifier may take from elsewhere only, and from crates.io, {}",
                path.end(),
                ALLOWED.join(", ")
            );
            (advice, Some(path))
        })
        .collect()
}

/// A part of ours that a Verifier may not have: a finding of the matrix, not of this check.
fn forbidden(to: &Package) -> bool {
    Part::of_package(&to.name).is_some_and(|part| Role::Verifier.forbids(part).is_some())
}
