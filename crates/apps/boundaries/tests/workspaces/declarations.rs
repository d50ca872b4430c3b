//! A declaration that means nothing is an error: a package that is skipped in silence is not checked.

use crate::stubs::{Workspace, role};
use counterfoil_boundaries::Error;

fn error(manifest: &str) -> Error {
    Workspace::new()
        .package("good", &role("actor"))
        .package("bad", manifest)
        .check()
        .expect_err(manifest)
}

#[test]
fn a_declaration_without_a_meaning_is_refused_with_the_remedy() {
    let roles = "actor, authority, projection, host, core, store, selector, verifier, prover";
    for (tables, problem) in [
        (role("Actor"), roles),
        (role("autority"), "`autority` is not a role"),
        (role(""), roles),
        (role("actor "), roles),
        (
            role("actor").replace("\"actor\"", "[\"actor\"]"),
            "`role` must be a string",
        ),
        (
            role("actor").replace("role", "rol"),
            "knows only `role`, and `rol` is there",
        ),
        (
            "[package.metadata.counterfoil]\n".to_owned(),
            "has no `role`",
        ),
        (
            "[package.metadata]\ncounterfoil = \"actor\"\n".to_owned(),
            "must be a table",
        ),
    ] {
        let error = error(&tables);
        assert!(matches!(error, Error::Declaration { .. }), "{error}");
        assert!(error.to_string().contains(problem), "{error}");
    }
}

#[test]
fn a_table_that_is_nearly_ours_is_refused_and_others_are_left_alone() {
    let table = |name: &str| format!("[package.metadata.{name}]\nx = 1\n");
    for near in [
        "counterfiol",
        "Counterfoil",
        "counter-foil",
        "counterfoi",
        "counterfoils",
    ] {
        let error = error(&table(near));
        assert!(
            error.to_string().contains("a misspelt `counterfoil`"),
            "{error}"
        );
    }
    let others = table("docs") + &table("counter") + &table("deb") + &table("release");
    let manifest = others + &role("actor");
    assert!(
        Workspace::new()
            .package("good", &manifest)
            .check()
            .unwrap()
            .holds()
    );
}

#[test]
fn a_role_for_the_whole_workspace_is_refused() {
    let error = Workspace::new()
        .package("mine", &role("actor"))
        .root("[workspace.metadata.counterfoil]\nrole = \"actor\"\n")
        .check()
        .unwrap_err();
    assert!(matches!(error, Error::WorkspaceRole), "{error}");
}

#[test]
fn a_list_of_crates_that_means_nothing_is_refused_with_the_remedy() {
    for (line, problem) in [
        (
            "io-crate = []",
            "knows only `io-crates`, and `io-crate` is there",
        ),
        ("io-crates = \"app-db\"", "must be a list of package names"),
        ("io-crates = [1]", "must be a list of package names"),
        (
            "io-crates = [\"app-bd\"]",
            "names `app-bd`, and no package here has that name",
        ),
    ] {
        let workspace = Workspace::new()
            .package("mine", &role("actor"))
            .root(&format!("[workspace.metadata.counterfoil]\n{line}\n"));
        let error = workspace.check().expect_err(line);
        assert!(error.to_string().contains(problem), "{error}");
    }
}

#[test]
fn a_workspace_without_any_role_is_refused() {
    let error = Workspace::new()
        .package("mine", "[package.metadata.docs]\nx = 1\n")
        .check();
    assert!(matches!(error, Err(Error::NoRole { .. })));
}
