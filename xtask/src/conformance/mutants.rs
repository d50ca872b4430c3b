//! `cargo xtask conformance --mutants [RULE|MUTANT]…`: each mutant, a patch under `tests/mutants` that breaks a rule, is applied to a
//! copy of the last commit, and the tests of its rows have to fail there.
//!
//! Rows that were seen failing are in `docs/spec/killed.toml`, each with its commit: a run that was cut goes on from there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::held_by::{HeldBy, Hold, Kind};
use super::sources::Sources;
use crate::process::{self, cargo};
use crate::repository::{self, root};

const FOLDER: &str = "tests/mutants/";
const KILLED: &str = "docs/spec/killed.toml";
/// Number of mutants that run beside those of changed files.
const OTHERS: usize = 5;
/// Maximum seconds of one package's tests under a mutant, building included.
const MAX_SECONDS: &str = "1200";
const VECTORS: &str = "COUNTERFOIL_VECTORS";

/// Row, as `RULE name`, to the commit at which it was seen failing.
type Killed = BTreeMap<String, String>;

/// Mutant to the rows that name it: the rule, and its test.
type Mutants<'h> = BTreeMap<&'h str, Vec<(&'h str, &'h Hold)>>;

/// The mutants that are run.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Selection {
    /// Runs these mutants, and those of these rules; all of them without a name
    #[arg(long, num_args = 0.., value_name = "RULE")]
    pub(crate) mutants: Option<Vec<String>>,
    /// Only the mutants, of those seen killed, of files that changed since this commit, and five others
    #[arg(long, requires = "mutants", value_name = "COMMIT")]
    since: Option<String>,
    /// Only part K of N
    #[arg(long, requires = "mutants", value_name = "K/N", value_parser = part_of)]
    shard: Option<(usize, usize)>,
}

fn part_of(text: &str) -> Result<(usize, usize)> {
    let (part, of) = text.split_once('/').context("write it as 2/8")?;
    match (part.parse()?, of.parse()?) {
        (part, of) if 0 < part && part <= of => Ok((part, of)),
        _ => bail!("write it as 2/8"),
    }
}

/// Mutants that are missing, that no row names, or that do not apply any more.
pub(super) fn gaps(held: &HeldBy, sources: &Sources) -> Vec<String> {
    let mutants = mutants(held);
    let missing = mutants.keys().filter(|name| !sources.has(&path(name)));
    let mut gaps: Vec<String> = missing
        .map(|name| format!("{}: it is not there", path(name)))
        .collect();
    for file in sources.under(FOLDER) {
        if !mutants.keys().any(|name| path(name) == file) {
            gaps.push(format!("{file}: no row names it"));
        } else if let Err(error) = git(&["apply", "--check", file]) {
            gaps.push(format!("{file}: {error}"));
        }
    }
    gaps
}

/// Returns the rows with a test, each with its rule, and with true if it was seen failing under its mutant.
pub(super) fn rows(held: &HeldBy) -> Result<Vec<(&str, &str, bool)>> {
    let killed = killed()?;
    let all = held.iter().flat_map(|(rule, holds)| {
        let tested = holds.iter().filter(|hold| hold.kind.is_tested());
        tested.map(move |hold| (rule.as_str(), hold))
    });
    let rows = all.map(|(rule, hold)| {
        let is_killed = killed.contains_key(&row(rule, hold));
        (rule, hold.name.as_str(), is_killed)
    });
    Ok(rows.collect())
}

/// Runs the selected mutants, but for rows that were seen failing since their files changed.
pub(super) fn run(held: &HeldBy, sources: &Sources, selection: &Selection) -> Result<()> {
    let head = git(&["rev-parse", "HEAD"])?.trim().to_owned();
    let tree = scratch(&head)?;
    let mut survivors = Vec::new();
    for (name, mut rows) in selected(held, selection, &head)? {
        let mut killed = killed()?;
        let is_known = |(rule, hold): &(&str, &Hold)| {
            let mut files = touched(name);
            files.extend([path(name), test_file(hold, sources)]);
            let at = killed.get(&row(rule, hold));
            at.is_some_and(|at| is_unchanged(at, &files))
        };
        rows.retain(|row| selection.since.is_some() || !is_known(row));
        if rows.is_empty() {
            continue;
        }
        let failed = failed(&tree, &head, name, &rows, sources)?;
        for (rule, hold) in rows {
            let row = row(rule, hold);
            if failed.contains(&hold.name) {
                killed.insert(row, head.clone());
            } else {
                eprintln!("{row}: holds nothing against {}", path(name));
                killed.remove(&row);
                survivors.push(row);
            }
        }
        let text = format!(
            "# Rows seen failing under their mutants, and the commit.\n\n{}",
            toml::to_string(&killed)?
        );
        std::fs::write(root().join(KILLED), text).context(KILLED)?;
    }
    if !survivors.is_empty() {
        bail!(
            "{} rows hold nothing against their mutants",
            survivors.len()
        );
    }
    Ok(())
}

fn mutants(held: &HeldBy) -> Mutants<'_> {
    let mut mutants = Mutants::new();
    for (rule, holds) in held {
        for hold in holds {
            if let Some(name) = &hold.mutant {
                mutants.entry(name).or_default().push((rule, hold));
            }
        }
    }
    mutants
}

fn selected<'h>(held: &'h HeldBy, selection: &Selection, head: &str) -> Result<Mutants<'h>> {
    let names = selection.mutants.as_deref().unwrap_or_default();
    let is_named = |name: &str| names.is_empty() || names.iter().any(|one| one == name);
    let mut selected = mutants(held);
    selected.retain(|mutant, rows| {
        rows.retain(|(rule, _)| is_named(rule) || is_named(mutant));
        !rows.is_empty()
    });
    let mut number = 0;
    if let Some((part, of)) = selection.shard {
        selected.retain(|_, _| {
            number += 1;
            number % of == part % of
        });
    }
    if let Some(since) = &selection.since {
        let changed = git(&["diff", "--name-only", since, head])?;
        // A mutant that never ran is listed as such, and may hold nothing.
        let killed = killed()?;
        selected.retain(|_, rows| {
            rows.retain(|(rule, hold)| killed.contains_key(&row(rule, hold)));
            !rows.is_empty()
        });
        let step = selected.len().div_ceil(OTHERS).max(1);
        // Other ones at each commit.
        number = usize::from_str_radix(head.get(..6).unwrap_or_default(), 16)?;
        selected.retain(|name, _| {
            number += 1;
            let is_touched = |file: &String| changed.lines().any(|line| line == file);
            number.is_multiple_of(step) || touched(name).iter().any(is_touched)
        });
    }
    Ok(selected)
}

/// Returns the names of the rows whose tests fail under the mutant.
fn failed(
    tree: &Path,
    head: &str,
    mutant: &str,
    rows: &[(&str, &Hold)],
    sources: &Sources,
) -> Result<BTreeSet<String>> {
    git_in(tree, &["checkout", "--quiet", "--force", "--detach", head])?;
    git_in(tree, &["clean", "--quiet", "--force", "-d"])?;
    git_in(tree, &["apply", &path(mutant)])?;
    let mut packages: BTreeMap<String, Vec<&Hold>> = BTreeMap::new();
    for (_, hold) in rows {
        let of = packages.entry(package(hold, sources));
        of.or_default().push(hold);
    }
    let mut failed = BTreeSet::new();
    for (package, holds) in packages {
        let files = holds.iter().map(|hold| test_file(hold, sources));
        let targets = files.map(|file| target(&file, sources)).collect();
        let printed = tested(tree, &package, &targets, &holds)?;
        if !printed.contains("test result: ") {
            let mutant = path(mutant);
            eprintln!("{printed}\n{mutant}: {package} does not build or does not end under it");
        }
        let fails = holds.iter().filter(|hold| fails(hold, &printed));
        failed.extend(fails.map(|hold| hold.name.clone()));
    }
    Ok(failed)
}

/// Runs the tests of rows, all of one package, and returns what they print.
fn tested(
    tree: &Path,
    package: &str,
    targets: &BTreeSet<String>,
    holds: &[&Hold],
) -> Result<String> {
    let mut command = Command::new("timeout");
    command.arg(MAX_SECONDS).arg(cargo([]).get_program());
    command.args([
        "test",
        "--no-fail-fast",
        "--all-features",
        "--package",
        package,
    ]);
    // Cargo takes a package of the copy for the same as here. Another profile keeps the two apart, and what they are built
    // from shared: no mutant may stay in the builds of the workspace.
    command.args(["--config", "profile.dev.debug=0", "--config"]);
    command.arg(r#"profile.dev.package."*".debug="line-tables-only""#);
    command.args(targets).args(["--", "--color=never"]);
    for hold in holds {
        if hold.kind == Kind::CompileFail {
            // An underscore is in the name of the test that runs the cases.
            command.args(["_", &format!("trybuild={}", last(&hold.name, '/'))]);
        } else {
            command.arg(last(&hold.name, ':'));
        }
    }
    let command = command.env("CARGO_TARGET_DIR", root().join("target"));
    // The copy lies elsewhere than the repository, beside which vectors that are not part of it are looked for.
    if std::env::var_os(VECTORS).is_none() {
        command.env(VECTORS, root().join("../shared/vectors"));
    }
    // trybuild colours its words wherever a terminal has colours, and they are read here.
    let command = command.env("NO_COLOR", "1");
    let ran = command.current_dir(tree).output();
    let ran = ran.context("cannot start cargo")?;
    let printed = [ran.stdout, ran.stderr].concat();
    Ok(String::from_utf8_lossy(&printed).into_owned())
}

/// Tests whether the test of a row failed: a program that must not compile was compiled.
fn fails(hold: &Hold, printed: &str) -> bool {
    let mut tests = printed.split("\ntest ");
    if hold.kind == Kind::CompileFail {
        let case = hold.name.split_once("/tests/ui/").map(|(_, case)| case);
        let case = format!("tests/ui/{}", case.unwrap_or_default());
        return tests.any(|test| test.starts_with(&case) && test.contains("but it succeeded"));
    }
    tests.any(|test| {
        let line = test
            .lines()
            .next()
            .and_then(|line| line.strip_suffix(" ... FAILED"));
        line.is_some_and(|test| last(test, ':') == last(&hold.name, ':'))
    })
}

/// Returns a copy of the repository, which shares what was built of others.
fn scratch(head: &str) -> Result<PathBuf> {
    let tree = root().join("target/mutants");
    if !tree.exists() {
        git(&["worktree", "prune"])?;
        let shown = tree.to_string_lossy();
        git(&["worktree", "add", "--quiet", "--detach", &shown, head])?;
    }
    Ok(tree)
}

fn killed() -> Result<Killed> {
    match root().join(KILLED).exists() {
        true => toml::from_str(&repository::read(KILLED)?).context(KILLED),
        false => Ok(Killed::new()),
    }
}

/// Tests whether none of the files changed since `commit`.
fn is_unchanged(commit: &str, files: &[String]) -> bool {
    let mut arguments = vec!["diff", "--quiet", commit, "HEAD", "--"];
    arguments.extend(files.iter().map(String::as_str));
    git(&arguments).is_ok()
}

/// Files that a mutant changes.
fn touched(mutant: &str) -> Vec<String> {
    let patch = repository::read(&path(mutant)).unwrap_or_default();
    let files = patch.lines().filter_map(|line| line.strip_prefix("+++ b/"));
    files.map(str::to_owned).collect()
}

fn test_file(hold: &Hold, sources: &Sources) -> String {
    match hold.kind {
        Kind::CompileFail => hold.name.clone(),
        _ => sources
            .test(&hold.name)
            .map(|test| test.path.to_owned())
            .unwrap_or_default(),
    }
}

/// Target of its package that a file of tests is part of, as cargo takes it.
fn target(file: &str, sources: &Sources) -> String {
    if let Some((package, _)) = file.split_once("/src/") {
        let is_library = sources.has(&format!("{package}/src/lib.rs"));
        return if is_library { "--lib" } else { "--bins" }.to_owned();
    }
    let (package, path) = file.split_once("/tests/").unwrap_or_default();
    let (name, rest) = path.split_once(['/', '.']).unwrap_or_default();
    // Other folders hold programs that trybuild compiles, or modules of another target.
    let is_target = rest == "rs" || sources.has(&format!("{package}/tests/{name}/main.rs"));
    match is_target {
        true => format!("--test={name}"),
        false => "--tests".to_owned(),
    }
}

/// Package of the test of a row.
fn package(hold: &Hold, sources: &Sources) -> String {
    let of = match hold.kind {
        Kind::CompileFail => sources.package_of(&hold.name).unwrap_or_default(),
        _ => hold.name.split("::").next().unwrap_or_default(),
    };
    of.replace('_', "-")
}

fn row(rule: &str, hold: &Hold) -> String {
    format!("{rule} {}", hold.name)
}

fn path(mutant: &str) -> String {
    format!("{FOLDER}{mutant}.patch")
}

fn last(name: &str, separator: char) -> &str {
    name.rsplit(separator).next().unwrap_or(name)
}

fn git(arguments: &[&str]) -> Result<String> {
    git_in(&root(), arguments)
}

fn git_in(folder: &Path, arguments: &[&str]) -> Result<String> {
    process::output(Command::new("git").args(arguments).current_dir(folder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::held_by;

    #[test]
    fn parts_are_counted_from_one() {
        assert_eq!(part_of("2/8").unwrap(), (2, 8));
        for refused in ["0/8", "9/8", "2", "a/b"] {
            assert!(part_of(refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn a_test_is_built_by_its_own_target() {
        let sources = Sources::of("my", "crates/my/src/lib.rs", "");
        let target = |file| target(file, &sources);
        assert_eq!(target("crates/my/tests/of/it.rs"), "--tests");
        assert_eq!(target("tests/my/tests/of.rs"), "--test=of");
        assert_eq!(target("crates/my/src/of/tests/it.rs"), "--lib");
        assert_eq!(target("xtask/src/of.rs"), "--bins");
        assert_eq!(target("crates/my/tests/ui/refused/it.rs"), "--tests");
    }

    #[test]
    fn each_row_fails_by_its_own_test_alone() {
        let printed = "\nrunning 3 tests\ntest a::it_holds ... FAILED\ntest it_holds_too ... ok\n\
            test tests/ui/refused/one.rs ... error\nExpected test case to fail to compile, but it succeeded.\n\
            \ntest tests/ui/refused/two.rs ... ok\n";
        let row = |kind: &str, name: &str| {
            let held = format!("[[M-1]]\nkind = \"{kind}\"\nname = \"{name}\"\n");
            fails(&held_by::parse(&held).unwrap()["M-1"][0], printed)
        };
        assert!(row("test", "my::it_holds"));
        assert!(!row("test", "my::it_holds_too") && !row("test", "my::holds"));
        assert!(row("compile-fail", "crates/my/tests/ui/refused/one.rs"));
        assert!(!row("compile-fail", "crates/my/tests/ui/refused/two.rs"));
    }

    #[test]
    fn a_mutant_that_is_missing_and_one_that_no_row_names_are_gaps() {
        let held = "[[M-1]]\nkind = \"test\"\nname = \"my::it_holds\"\nmutant = \"lost\"\n";
        let held = held_by::parse(held).unwrap();
        let sources = Sources::of("my", "tests/mutants/of-no-row.patch", "");
        let gaps = gaps(&held, &sources);
        assert_eq!(gaps.len(), 2, "{gaps:?}");
    }
}
