//! `cargo counterfoil check-boundaries`: the access matrix (specification 9.1) on anyone's workspace.

use crate::matrix::is_fold;
use crate::{Checked, Error, Graph, Package, Part, Path, Report, Role, Visit, io, purity};

/// Checks every package of `graph` that declares a role.
///
/// Members of the workspace and packages at local paths are looked at. `Ok` with an empty list of violations
/// says that no normal or build dependency, on any platform and under any feature of the members, leads from a
/// package to a part of the memory that its role may not have, and that verifiers and provers are pure with
/// all that they are built from.
///
/// # Errors
/// [`Error::NoRole`] when no package declares a role; [`Error::Declaration`] and [`Error::WorkspaceRole`] when a
/// declaration has no meaning; [`Error::Read`] when the source of a verifier or prover, or of a local package behind it,
/// cannot be read; [`Error::Build`] when it could not be built.
pub fn check_roles(graph: &Graph) -> Result<Report, Error> {
    let own_io = io::of_workspace(graph)?;
    let mut report = Report::default();
    for package in graph.packages().filter(|package| package.is_local()) {
        let Some(role) = Role::of_package(package)? else {
            let unchecked = package.member.then(|| package.name().to_owned());
            report.without_role.extend(unchecked);
            continue;
        };
        let rule_of = |name: &str| Part::of_package(name).and_then(|part| role.forbids(part));
        let (name, role_name) = (package.name(), role.to_string());
        let is_fold = |from: &Package, to: &Package| {
            role == Role::Authority && is_fold(from.name(), to.name())
        };
        let visit = |from: &Package, to: &Package| {
            Visit::find_if(rule_of(to.name()).is_some() && !is_fold(from, to))
        };
        for path in graph.paths(package, visit) {
            let end = path.end();
            let remedy = format!(
                "remove the dependency that leads to {end}, or move that code to a package of another role"
            );
            let found = rule_of(end).map(|(rule, text)| (rule, format!("{text}; {remedy}"), path));
            report.add(name, &role_name, found);
        }
        // Cargo resolves no optional dependency of a package outside of the workspace that nothing turns on. A
        // forbidden one is a finding by its name; any other is listed, since its own dependencies are unknown.
        for other in graph.packages().filter(|other| other.is_local()) {
            let id = &other.cargo.id;
            let reached = |_: &Package, to: &Package| Visit::find_if(to.cargo.id == *id);
            let is_behind = || *id == package.cargo.id || !graph.paths(package, reached).is_empty();
            if other.inactive.is_empty() || !is_behind() {
                continue;
            }
            for optional in &other.inactive {
                let edge = format!("{} -> {optional}", other.name());
                if let Some((rule, text)) = rule_of(optional) {
                    let message = format!("{text}; remove the optional dependency {edge}");
                    report.add(name, &role_name, [(rule, message, Path::default())]);
                } else if !report.not_looked_at.contains(&edge) {
                    report.not_looked_at.push(edge);
                }
            }
        }
        if role == Role::Authority {
            let does_io = |to: &Package| io::is_listed(to) || own_io.contains(&to.name());
            let found = graph.paths(package, |from, to| match visit(from, to) {
                Visit::Find => Visit::Skip,
                _ => Visit::find_if(does_io(to)),
            });
            let with_rule = found.into_iter().map(|path| {
                let message = format!(
                    "an Authority reaches no database, file, process or network; remove the dependency that leads to {}",
                    path.end()
                );
                ("section 9.2.3, FP-16", message, path)
            });
            report.add(name, &role_name, with_rule);
        }
        if role.is_pure() {
            report.add(name, &role_name, purity::impure(graph, package, role)?);
        }
        let tests = graph.test_paths(package, visit);
        let checked = Checked::new(package, role_name, &tests);
        report.checked.push(checked);
    }
    if report.checked.is_empty() {
        return Err(Error::NoRole {
            roles: Role::list(Role::ALL.get(1..).unwrap_or_default()),
        });
    }
    Ok(report)
}
