//! `cargo counterfoil check-boundaries`: the access matrix (specification 9.1) on anyone's workspace.

use cargo_metadata::PackageId;

use crate::source;
use crate::{Checked, EdgeKind, Error, Graph, Package, Part, Report, Role, Violation};

/// Checks every package of `graph` that declares a role.
///
/// Members of the workspace and packages at local paths are looked at. `Ok` with an empty list of violations
/// says that no normal or build dependency, on any platform and under any feature of the members, leads from a
/// package to a part of the memory that its role may not have.
///
/// # Errors
/// [`Error::NoRole`] when no package declares a role; the other declaration errors when one cannot be read as it
/// stands; [`Error::Read`] when the root of a verifier's library cannot be read.
pub fn check_roles(graph: &Graph) -> Result<Report, Error> {
    if graph.workspace_metadata().get("counterfoil").is_some() {
        return Err(Error::WorkspaceRole);
    }
    let mut report = Report {
        checked: Vec::new(),
        without_role: Vec::new(),
        violations: Vec::new(),
    };
    for (id, package) in graph.packages().filter(|(_, package)| package.local) {
        match Role::of_package(package)? {
            Some(role) => check_package(graph, id, package, role, &mut report)?,
            None if package.member => report.without_role.push(package.name.clone()),
            None => {}
        }
    }
    if report.checked.is_empty() {
        return Err(Error::NoRole {
            roles: Role::list(Role::ALL.get(1..).unwrap_or_default()),
        });
    }
    Ok(report)
}

fn check_package(
    graph: &Graph,
    id: &PackageId,
    package: &Package,
    role: Role,
    report: &mut Report,
) -> Result<(), Error> {
    let rule_of = |name: &str| Part::of_package(name).and_then(|part| role.forbids(part));
    let stop = |_: &Package, to: &Package| rule_of(&to.name).is_some();
    for path in graph.paths(id, |kind| kind != EdgeKind::Dev, stop) {
        if let Some(rule) = rule_of(path.end()) {
            report
                .violations
                .push(Violation::of_role(&package.name, role, rule, path));
        }
    }
    if role == Role::Verifier {
        report.violations.extend(impure(package)?);
    }
    report.checked.push(Checked {
        package: package.name.clone(),
        role: role.to_string(),
        dev_only: graph.paths(id, |kind| kind == EdgeKind::Dev, stop),
    });
    Ok(())
}

/// A verifier with `std` can open files and read the clock, and nothing else would notice.
fn impure(package: &Package) -> Result<Vec<Violation>, Error> {
    let Some(library) = &package.library else {
        return Ok(Vec::new());
    };
    let violation = |message| Violation {
        package: package.name.clone(),
        role: Role::Verifier.to_string(),
        rule: "M-8, CR-16, FP-08".to_owned(),
        message: format!("a Verifier performs no IO and reads no clock; {message}"),
        path: None,
    };
    Ok(source::reaches_std(library)?
        .into_iter()
        .map(violation)
        .collect())
}
