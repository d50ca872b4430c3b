//! Manifests and licences: what every crate must say of itself.

use toml::{Table, Value};

use super::Finding;

const LICENCES: &[&str] = &["LICENSE-MIT", "LICENSE-APACHE"];

/// The one package with unsafe code: it stands before the system calls of its own tests. Its lints
/// are the workspace's but for that one.
pub(super) const UNSAFE: &str = "tests/faults/Cargo.toml";

/// A description, and the workspace's lints.
pub(super) fn check_manifest(path: &str, text: &str) -> Vec<Finding> {
    let Ok(manifest) = text.parse::<Table>() else {
        return vec![Finding::new(path, "is no TOML")];
    };
    let Some(package) = manifest.get("package") else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let described = package.get("description").and_then(Value::as_str);
    if described.is_none_or(|text| text.trim().is_empty()) {
        found.push(Finding::new(path, "add a `description`"));
    }
    let lints = manifest
        .get("lints")
        .and_then(|lints| lints.get("workspace"));
    if path != UNSAFE && lints.and_then(Value::as_bool) != Some(true) {
        found.push(Finding::new(path, "add `[lints]` with `workspace = true`"));
    }
    found
}

/// The package with unsafe code keeps every other lint of the workspace.
pub(super) fn check_own_lints(workspace: &str, package: &str) -> Option<Finding> {
    let lints = |text: &str, of_all: bool| -> Option<Table> {
        let manifest = text.parse::<Table>().ok()?;
        let place = if of_all {
            manifest.get("workspace")?.get("lints")?
        } else {
            manifest.get("lints")?
        };
        place.as_table().cloned()
    };
    let mut expected = lints(workspace, true)?;
    let rust = expected.get_mut("rust").and_then(Value::as_table_mut)?;
    rust.insert("unsafe_code".to_owned(), "deny".into());
    let own = lints(package, false);
    (own.as_ref() != Some(&expected)).then(|| {
        Finding::new(
            UNSAFE,
            "repeat the lints of the workspace, with `unsafe_code = \"deny\"`",
        )
    })
}

pub(super) fn check_licences(files: &[String]) -> Vec<Finding> {
    let missing = LICENCES
        .iter()
        .filter(|name| !files.iter().any(|file| file == *name));
    missing
        .map(|name| Finding::new(*name, "is missing; the crates are MIT OR Apache-2.0"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_describes_its_crate_and_takes_the_lints() {
        let whole = "[package]\ndescription = \"x\"\n[lints]\nworkspace = true\n";
        assert!(check_manifest("a", whole).is_empty());
        assert!(check_manifest("a", "[workspace]\n").is_empty());
        for without in [
            "description = \"x\"\n",
            "[lints]\nworkspace = true\n",
            "workspace = true\n",
        ] {
            assert_eq!(
                check_manifest("a", &whole.replace(without, "")).len(),
                1,
                "{without}"
            );
        }
        assert_eq!(check_manifest("a", "[").len(), 1);
    }

    #[test]
    fn the_package_with_unsafe_code_keeps_every_other_lint() {
        let workspace =
            "[workspace.lints.rust]\nunsafe_code = \"forbid\"\nmissing_docs = \"warn\"\n";
        let own = "[lints.rust]\nunsafe_code = \"deny\"\nmissing_docs = \"warn\"\n";
        assert!(check_own_lints(workspace, own).is_none());
        for other in [
            own.replace("deny", "warn"),
            own.replace("missing_docs = \"warn\"\n", ""),
            String::new(),
        ] {
            assert!(check_own_lints(workspace, &other).is_some(), "{other}");
        }
        assert!(check_manifest(UNSAFE, "[package]\ndescription = \"x\"\n").is_empty());
    }

    #[test]
    fn both_licences_must_be_there() {
        let both: Vec<String> = LICENCES.iter().map(ToString::to_string).collect();
        assert!(check_licences(&both).is_empty());
        assert_eq!(check_licences(&both[..1]).len(), 1);
        assert_eq!(check_licences(&[]).len(), 2);
    }
}
