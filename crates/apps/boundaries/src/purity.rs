//! A package of the role `verifier` or `prover` is pure, and so is all that it is built from (M-8, CR-16, FP-08).

use crate::own::ALLOWED;
use crate::{Error, Graph, Package, Part, Path, Role, Visit, bare, tokens};

/// Ways of `package`, which has this role, to IO, a clock or a memory of its own: in its own sources, in the local packages
/// behind it, in external crates that are not known to be pure. Where these show none, the compiler is asked. Rule, message and
/// path of each.
///
/// # Errors
/// [`Error::Read`] when a source cannot be read; [`Error::Build`] when the compiler came to no verdict.
pub(crate) fn impure(
    graph: &Graph,
    package: &Package,
    role: Role,
) -> Result<Vec<(&'static str, String, Path)>, Error> {
    // A part of ours that the role may not have is a finding of the matrix, not of this check.
    let part = |to: &Package| Part::of_package(to.name());
    let is_forbidden = |to: &Package| part(to).is_some_and(|part| role.forbids(part).is_some());
    let mut found: Vec<(String, Path)> = Vec::new();
    if tokens::library(package).is_none() {
        found.push(("put its code into a library".to_owned(), Path::default()));
    }
    for advice in advice(package)? {
        found.push((advice, Path::default()));
    }
    for other in graph.packages().filter(|other| other.is_local()) {
        let visit = |_: &Package, to: &Package| match to {
            _ if is_forbidden(to) => Visit::Skip,
            _ => Visit::find_if(to.cargo.id == other.cargo.id),
        };
        if let Some(path) = graph.paths(package, visit).pop() {
            for advice in advice(other)? {
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
        let known =
            to.is_local() || published && ALLOWED.contains(&to.name()) || part(to).is_some();
        match from {
            _ if is_forbidden(to) => Visit::Skip,
            from => Visit::find_if(from.is_local() && !known),
        }
    };
    for path in graph.paths(package, visit) {
        let advice = format!(
            "remove {}: this role may take from elsewhere only, and from crates.io, {}",
            path.end(),
            ALLOWED.join(", ")
        );
        found.push((advice, path));
    }
    if found.is_empty()
        && graph
            .paths(package, |_, to| Visit::find_if(is_forbidden(to)))
            .is_empty()
        && let Some(failure) = bare::build(graph, &[package])?
    {
        let visit = |_: &Package, to: &Package| Visit::find_if(to.name() == failure.package);
        let path = graph.paths(package, visit).into_iter().next();
        let advice = format!(
            "{} does not compile without std and unsafe code: {}",
            failure.package, failure.message
        );
        found.push((advice, path.unwrap_or_default()));
    }
    let with_rule = |(advice, path)| {
        let message =
            format!("a {role} performs no IO, reads no clock and keeps no count; {advice}");
        ("M-8, CR-16, FP-08", message, path)
    };
    Ok(found.into_iter().map(with_rule).collect())
}

/// Obstacles in one package. Ours may remember what they computed.
fn advice(package: &Package) -> Result<Vec<String>, Error> {
    let mut advice = tokens::impurities(package)?;
    if Part::of_package(package.name()).is_none() {
        advice.extend(tokens::states(package)?);
    }
    Ok(advice)
}
