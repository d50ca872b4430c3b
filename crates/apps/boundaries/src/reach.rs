//! Reach of each role: the public API of the crates that its package depends on, compared with the access matrix (specification
//! 9.1, 9.2).
//!
//! A dependency graph shows which crates are linked. It does not show what they hand on: a re-export, a value behind a trait, a
//! closure's argument. Here each public item is followed to what can be named or called through it.

mod api;
mod walk;

use crate::{Checked, Error, Graph, Package, Part, Path, Report, Role, Visit};
use api::Api;
use walk::Reached;

/// Column of the matrix.
struct Column {
    name: &'static str,
    /// Ends of the paths of what it consists of.
    items: &'static [&'static str],
    /// Roles that reach it. No other may.
    roles: &'static [Role],
    /// Rules that keep the others from it.
    rule: &'static str,
}

const COLUMNS: [Column; 8] = [
    Column {
        name: "Store",
        items: &["MemoryStore::get", "MemoryStore::exists"],
        roles: &[Role::Actor, Role::Store, Role::Selector],
        rule: "FP-09, FP-16",
    },
    Column {
        name: "prove",
        items: &["::prove"],
        roles: &[Role::Actor, Role::Selector, Role::Prover],
        rule: "FP-15",
    },
    Column {
        name: "verify_proof",
        items: &["ProofVerifier::verify_proof"],
        roles: &[
            Role::Actor,
            Role::Authority,
            Role::Store,
            Role::Selector,
            Role::Verifier,
            Role::Prover,
        ],
        rule: "section 9.1",
    },
    Column {
        name: "Selector",
        items: &["MemorySelector::select"],
        roles: &[Role::Actor, Role::Selector],
        rule: "M-4, CR-12, FP-04",
    },
    Column {
        name: "trace: create, attach",
        items: &["write::create", "::attach_to_proposal"],
        roles: &[Role::Actor],
        rule: "section 9.2",
    },
    Column {
        name: "trace: read",
        items: &["::from_proposal", "::has_trace"],
        roles: &[Role::Actor, Role::Authority],
        rule: "section 9.2",
    },
    Column {
        name: "evidence: make",
        items: &[walk::MAKES_EVIDENCE],
        roles: &[Role::Actor, Role::Selector],
        rule: "M-9, CR-17",
    },
    // The host's: an Actor is handed a channel, and the gate is behind its store.
    Column {
        name: "claims: gate, channels",
        items: &["gate::judge", "::Channels"],
        roles: &[],
        rule: "I4, I5",
    },
];

/// Compares the reach of each package under `tests/boundaries` with the matrix, both ways: what its role may not reach, and what
/// it has to, so that a walk which sees nothing is no success.
///
/// # Errors
/// [`Error::Describe`] when rustdoc could not describe a crate; [`Error::Declaration`] for a role without a meaning.
pub fn check_reach(graph: &Graph) -> Result<Report, Error> {
    let folder = graph.root.join("tests/boundaries");
    let mut packages = Vec::new();
    for package in graph.packages() {
        if package.cargo.manifest_path.starts_with(&folder) {
            packages.extend(Role::of_package(package)?.map(|role| (package, role)));
        }
    }
    let is_ours = |to: &Package| to.is_local() && Part::of_package(to.name()).is_some();
    let leads_to = |from: &Package, other: &Package| {
        let visit = |_: &Package, to: &Package| Visit::find_if(to.cargo.id == other.cargo.id);
        !graph.paths(from, visit).is_empty()
    };
    let is_behind = |other: &&Package| {
        is_ours(other) && packages.iter().any(|(package, _)| leads_to(package, other))
    };
    let behind: Vec<_> = graph.packages().filter(is_behind).collect();
    let api = Api::read(graph, &behind)?;
    let all = Reached::from(&api, behind.iter().map(|package| package.name()));
    let mut report = Report::default();
    for (package, role) in packages {
        let direct = graph.paths(package, |_, to| match is_ours(to) {
            true => Visit::Find,
            false => Visit::Skip,
        });
        let reached = Reached::from(&api, direct.iter().map(Path::end));
        let columns = COLUMNS.iter();
        let columns = columns.filter(|column| reached.path_to(column.items).is_some());
        let names: Vec<_> = columns.map(|column| column.name).collect();
        let checked = Checked::new(package, role.to_string(), &[]).reaching(&names);
        report.checked.push(checked);
        let found = findings(&reached, role);
        report.add(package.name(), &role.to_string(), found);
    }
    for column in COLUMNS.iter().filter(|column| column.roles.is_empty()) {
        if all.path_to(column.items).is_none() {
            let message = format!("no crate has `{}` any more", column.name);
            report.add(
                "the matrix",
                "reach",
                [(column.rule, message, Path::default())],
            );
        }
    }
    Ok(report)
}

/// Differences between the reach of a package and its role's row of the matrix.
fn findings(reached: &Reached<'_>, role: Role) -> Vec<(&'static str, String, Path)> {
    let mut found = Vec::new();
    for Column {
        name,
        items,
        roles,
        rule,
    } in &COLUMNS
    {
        match (reached.path_to(items), roles.contains(&role)) {
            (Some(path), false) => {
                let message = format!("this role may not reach `{name}`; make a step private");
                found.push((*rule, message, path));
            }
            (None, true) => {
                let message = format!("this role has to reach `{name}`, and does not");
                found.push((*rule, message, Path::default()));
            }
            _ => {}
        }
    }
    for (name, path) in reached.crates() {
        let part = Part::of_package(&name);
        // The fold of claims; the column of the gate and of channels is what an Authority is held to.
        let part = part.filter(|part| (role, *part) != (Role::Authority, Part::Claims));
        if let Some((rule, text)) = part.and_then(|part| role.forbids(part)) {
            let message = format!("{text}; remove the item that hands on {name}");
            found.push((rule, message, path));
        }
    }
    found
}
