//! The check of this workspace against its table (specification 9; FP-04, FP-08, FP-09, FP-15, FP-16).

use std::collections::BTreeSet;

use cargo_metadata::PackageId;

use super::external::{self, ALLOWED};
use super::{Kind, ROWS, Row};
use crate::tokens;
use crate::{Checked, EdgeKind, Error, Graph, Package, Path, Report, Violation};

/// Checks every package under `crates/` against [`ROWS`].
///
/// # Errors
/// [`Error::Read`] when the sources of a pure crate cannot be read.
pub fn check(graph: &Graph) -> Result<Report, Error> {
    let mut report = Report {
        checked: Vec::new(),
        without_role: Vec::new(),
        not_looked_at: Vec::new(),
        violations: Vec::new(),
    };
    let crates = graph.root().join("crates");
    for (id, package) in graph
        .members()
        .filter(|(_, one)| one.manifest.starts_with(&crates))
    {
        match ROWS.iter().find(|row| row.package == package.name) {
            Some(row) => check_row(graph, id, package, row, &mut report)?,
            None => report.violations.push(Violation {
                package: package.name.clone(),
                role: "unknown".to_owned(),
                rule: "the table".to_owned(),
                message: "no row says what it may depend on; add one to crates/apps/boundaries/src/own/table.rs"
                    .to_owned(),
                path: None,
            }),
        }
    }
    let present: BTreeSet<&str> = graph.members().map(|(_, it)| it.name.as_str()).collect();
    let absent = ROWS.iter().filter(|row| !present.contains(row.package));
    report.violations.extend(absent.map(|row| {
        let message = "there is no such package; remove its row".to_owned();
        violation(row, "the table", message, None)
    }));
    Ok(report)
}

fn check_row(
    graph: &Graph,
    id: &PackageId,
    package: &Package,
    row: &Row,
    report: &mut Report,
) -> Result<(), Error> {
    report.violations.extend(direct(graph, id, package, row));
    report.violations.extend(closure(graph, id, row));
    report.violations.extend(heavy(graph, id, row));
    if row.kind == Kind::Pure {
        report.violations.extend(not_allowed(graph, id, row));
        let impure = tokens::impurities(package)?.into_iter().map(|advice| {
            let message = format!("it must be pure; {advice}");
            violation(row, "M-8, FP-08", message, None)
        });
        report.violations.extend(impure);
    }
    report.checked.push(Checked {
        package: package.name.clone(),
        role: kind_name(row).to_owned(),
        dev_only: graph.paths(id, |kind| kind == EdgeKind::Dev, |_, to| outside(row, to)),
    });
    Ok(())
}

/// A direct dependency too many, or one that the table has and the manifest has not.
fn direct(graph: &Graph, id: &PackageId, package: &Package, row: &Row) -> Vec<Violation> {
    let more = graph
        .paths(id, |kind| kind != EdgeKind::Dev, |_, to| to.member)
        .into_iter()
        .filter(|path| path.0.len() == 2 && !row.direct.contains(&path.end()))
        .map(|path| {
            violation(
                row,
                "direct dependencies",
                format!("it may not depend on {}: {}", path.end(), row.reason),
                Some(path),
            )
        });
    let there: BTreeSet<&str> = package
        .edges
        .iter()
        .filter(|edge| edge.kind != EdgeKind::Dev)
        .filter_map(|edge| graph.package(&edge.to))
        .map(|to| to.name.as_str())
        .collect();
    let less = row.direct.iter().filter(|name| !there.contains(**name)).map(|name| {
        let text = format!(
            "the table says that it depends on {name}, and it does not; remove one or add the other"
        );
        violation(row, "direct dependencies", text, None)
    });
    more.chain(less).collect()
}

fn closure(graph: &Graph, id: &PackageId, row: &Row) -> Vec<Violation> {
    graph
        .paths(id, |kind| kind != EdgeKind::Dev, |_, to| outside(row, to))
        .into_iter()
        .filter(|path| path.0.len() > 2)
        .map(|path| {
            let text = format!("it may not reach {}: {}", path.end(), row.reason);
            violation(row, "closure", text, Some(path))
        })
        .collect()
}

fn heavy(graph: &Graph, id: &PackageId, row: &Row) -> Vec<Violation> {
    let brings = |from: &Package, to: &Package| external::brings(row.kind, from, to).is_some();
    let stop = |from: &Package, to: &Package| brings(from, to) || external::is_excused(from, to);
    graph
        .paths(id, |kind| kind != EdgeKind::Dev, stop)
        .into_iter()
        .filter(|path| last(graph, id, path).is_some_and(|(from, to)| brings(from, to)))
        .map(|path| {
            let text = format!("{} has no place behind a crate of this kind", path.end());
            violation(row, "heavy crates", text, Some(path))
        })
        .collect()
}

/// The two packages of the last edge of a path from `start`.
fn last<'a>(
    graph: &'a Graph,
    start: &'a PackageId,
    path: &'a Path,
) -> Option<(&'a Package, &'a Package)> {
    let mut ids = path.0.iter().rev().map(|step| match &step.edge {
        Some(edge) => &edge.to,
        None => start,
    });
    let (to, from) = (ids.next()?, ids.next()?);
    Some((graph.package(from)?, graph.package(to)?))
}

fn not_allowed(graph: &Graph, id: &PackageId, row: &Row) -> Vec<Violation> {
    graph
        .paths(
            id,
            |kind| kind != EdgeKind::Dev,
            |from, to| {
                from.name == row.package && !to.member && !ALLOWED.contains(&to.name.as_str())
            },
        )
        .into_iter()
        .map(|path| {
            let text = format!(
                "{} is not on the list that pure crates may take; a decision record can put it there",
                path.end()
            );
            violation(row, "allow-list", text, Some(path))
        })
        .collect()
}

fn outside(row: &Row, to: &Package) -> bool {
    to.member
        && row
            .reaches
            .is_some_and(|reaches| !reaches.contains(&to.name.as_str()))
}

fn violation(row: &Row, rule: &str, message: String, path: Option<Path>) -> Violation {
    Violation {
        package: row.package.to_owned(),
        role: kind_name(row).to_owned(),
        rule: rule.to_owned(),
        message,
        path,
    }
}

const fn kind_name(row: &Row) -> &'static str {
    match row.kind {
        Kind::Pure => "pure",
        Kind::Offline => "offline",
        Kind::Rim => "rim",
    }
}
