//! A package of the role `verifier` is pure, and so is all that it is built from (M-8, CR-16, FP-08).

use crate::own::ALLOWED;
use crate::{Error, Graph, Package, Part, Path, Role, Visit, tokens};

/// Ways of `package` to IO or a clock: in its own sources, in the local packages behind it, in external crates that are
/// not known to be pure. Rule, message and path of each.
///
/// # Errors
/// [`Error::Read`] when a source cannot be read.
pub(crate) fn impure(
    graph: &Graph,
    package: &Package,
) -> Result<Vec<(&'static str, String, Path)>, Error> {
    let mut found: Vec<(String, Path)> = Vec::new();
    if tokens::library(package).is_none() {
        found.push(("put its code into a library".to_owned(), Path::default()));
    }
    for advice in tokens::impurities(package)? {
        found.push((advice, Path::default()));
    }
    for other in graph.packages().filter(|other| other.is_local()) {
        let visit = |_: &Package, to: &Package| match to {
            _ if is_forbidden(to) => Visit::Skip,
            _ => Visit::find_if(to.cargo.id == other.cargo.id),
        };
        if let Some(path) = graph.paths(package, visit).pop() {
            for advice in tokens::impurities(other)? {
                let advice = format!("in {}: {advice}", other.name());
                found.push((advice, path.clone()));
            }
        }
    }
    // A crate is on the list with all its own dependencies.
    let visit = |from: &Package, to: &Package| {
        let published = to
            .cargo
            .source
            .as_ref()
            .is_some_and(|one| one.is_crates_io());
        let known = to.is_local()
            || published && ALLOWED.contains(&to.name())
            || Part::of_package(to.name()).is_some();
        match from {
            _ if is_forbidden(to) => Visit::Skip,
            from => Visit::find_if(from.is_local() && !known),
        }
    };
    for path in graph.paths(package, visit) {
        let advice = format!(
            "remove {}: a Verifier may take from elsewhere only, and from crates.io, {}",
            path.end(),
            ALLOWED.join(", ")
        );
        found.push((advice, path));
    }
    let with_rule = |(advice, path)| {
        let message = format!("a Verifier performs no IO and reads no clock; {advice}");
        ("M-8, CR-16, FP-08", message, path)
    };
    Ok(found.into_iter().map(with_rule).collect())
}

/// A part of ours that a Verifier may not have: a finding of the matrix, not of this check.
fn is_forbidden(to: &Package) -> bool {
    Part::of_package(to.name()).is_some_and(|part| Role::Verifier.forbids(part).is_some())
}
