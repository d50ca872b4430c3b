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
fn an_unknown_role_is_refused_with_the_known_ones() {
    for wrong in ["Actor", "autority", "", "actor "] {
        let error = error(&role(wrong));
        assert!(matches!(error, Error::UnknownRole { .. }), "{error}");
        assert!(
            error
                .to_string()
                .contains("actor, authority, projection, host, core, verifier")
        );
    }
}

#[test]
fn a_role_that_is_no_text_is_refused() {
    let error = error("[package.metadata.counterfoil]\nrole = [\"actor\"]\n");
    assert!(matches!(error, Error::RoleNotText { .. }), "{error}");
}

#[test]
fn a_misspelt_key_is_refused() {
    let error = error("[package.metadata.counterfoil]\nrol = \"actor\"\n");
    assert!(matches!(error, Error::UnknownKey { .. }), "{error}");
}

#[test]
fn a_table_without_a_role_is_refused() {
    let error = error("[package.metadata.counterfoil]\n");
    assert!(matches!(error, Error::RoleMissing { .. }), "{error}");
}

#[test]
fn a_role_in_place_of_the_table_is_refused() {
    let error = error("[package.metadata]\ncounterfoil = \"actor\"\n");
    assert!(matches!(error, Error::NotATable { .. }), "{error}");
}

#[test]
fn a_misspelt_table_is_refused() {
    let error = error("[package.metadata.counterfiol]\nrole = \"actor\"\n");
    assert!(matches!(error, Error::MisspeltTable { .. }), "{error}");
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
fn a_workspace_without_any_role_is_refused() {
    let error = Workspace::new()
        .package("mine", "[package.metadata.docs]\nx = 1\n")
        .check();
    assert!(matches!(error, Err(Error::NoRole { .. })));
}
