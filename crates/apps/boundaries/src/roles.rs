//! `cargo counterfoil check-boundaries`: the access matrix (specification 9.1) on anyone's workspace.

use cargo_metadata::PackageId;

use crate::purity;
use crate::{Checked, EdgeKind, Error, Graph, Package, Part, Report, Role, Violation};

/// Checks every package of `graph` that declares a role.
///
/// Members of the workspace and packages at local paths are looked at. `Ok` with an empty list of violations
/// says that no normal or build dependency, on any platform and under any feature of the members, leads from a
/// package to a part of the memory that its role may not have, and that verifiers are pure with all that they
/// are built from.
///
/// # Errors
/// [`Error::NoRole`] when no package declares a role; the other declaration errors when one cannot be
/// read; [`Error::Read`] when the source of a verifier, or of a local package behind it, cannot be read.
pub fn check_roles(graph: &Graph) -> Result<Report, Error> {
    if graph.workspace_metadata().get("counterfoil").is_some() {
        return Err(Error::WorkspaceRole);
    }
    let mut report = Report {
        checked: Vec::new(),
        without_role: Vec::new(),
        not_looked_at: Vec::new(),
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
    check_inactive(graph, id, package, role, report);
    if role == Role::Verifier {
        report
            .violations
            .extend(purity::impure(graph, id, package)?);
    }
    report.checked.push(Checked {
        package: package.name.clone(),
        role: role.to_string(),
        dev_only: graph.paths(id, |kind| kind == EdgeKind::Dev, stop),
    });
    Ok(())
}

/// Cargo resolves no optional dependency of a package outside of the workspace that nothing turns on. A
/// forbidden one is a finding by its name; any other is listed, since its own dependencies are unknown.
fn check_inactive(
    graph: &Graph,
    id: &PackageId,
    package: &Package,
    role: Role,
    report: &mut Report,
) {
    for (other_id, other) in graph.packages() {
        let reached = || {
            let stop = |_: &Package, to: &Package| to.manifest == other.manifest;
            !graph
                .paths(id, |kind| kind != EdgeKind::Dev, stop)
                .is_empty()
        };
        if !other.local || other.inactive.is_empty() || (other_id != id && !reached()) {
            continue;
        }
        for name in &other.inactive {
            let optional = format!("{} -> {name}", other.name);
            match Part::of_package(name).and_then(|part| role.forbids(part)) {
                Some(rule) => report.violations.push(Violation::of_inactive(
                    &package.name,
                    role,
                    rule,
                    &optional,
                )),
                None if report.not_looked_at.contains(&optional) => {}
                None => report.not_looked_at.push(optional),
            }
        }
    }
}
