//! A store in a bad state (keys, database, folder, disk): one clear line, a code, and nothing lost.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use rusqlite::Connection;

use crate::place::{BINARY, Place, Ran, long_record};

/// Recalling asked for both secret keys, although it signs nothing.
#[test]
fn reading_needs_no_secret_key() {
    let place = Place::with_memories();
    for name in ["log.key", "agent.key"] {
        fs::remove_file(place.keys().join(name)).unwrap();
    }
    let found = place.json(["recall", "heron"]);
    assert_eq!(found["selected"][0]["verified"], true);
    place.run(["anchors"]).ok();
    place
        .run(["propose", "--summary", "s", "--recall", "heron"])
        .ok();
    // Where the public halves are not either, the secret ones are asked for.
    fs::remove_file(place.keys().join("agent.pub")).unwrap();
    place.run(["recall", "heron"]).refused(4, "is missing");
}

/// Without a usable log key the audit said "clean", although it had not compared the log's key.
#[test]
fn an_audit_that_could_not_compare_all_is_not_clean() {
    let place = Place::with_memories();
    fs::remove_file(place.keys().join("log.key")).unwrap();
    let audit = place.run(["audit", "--json"]);
    let said = audit.code(2).json();
    assert_eq!(
        (&said["clean"], &said["total"], &said["notCompared"][0]),
        (&false.into(), &0.into(), &"keys/log.key".into())
    );
    assert!(audit.stderr().contains("could not be compared"));
}

/// The error of a memory that was kept told to repeat the command, which remembers it twice.
#[test]
fn a_memory_that_is_kept_unacknowledged_is_named() {
    let place = Place::with_memories();
    for number in 6..9 {
        place.run(["remember", &number.to_string()]).ok();
    }
    // The tenth checkpoint is longer than the ninth, so it is written beside it first.
    let part = place.keys().join("last-checkpoint.part");
    fs::create_dir(&part).unwrap();
    let ran = place.run(["remember", "the tenth"]);
    ran.refused(4, "do not remember it again");
    fs::remove_dir(&part).unwrap();
    let said = ran.stderr();
    let id = said
        .split([' ', ','])
        .find(|word| word.starts_with("world-"))
        .unwrap();
    let shown = place.json(["show", id]);
    assert_eq!(shown["world"]["data"]["text"], "the tenth");
    assert_eq!(place.size(), 9);
    place.run(["remember", "the eleventh"]).ok();
}

#[test]
fn a_missing_key_and_one_that_is_none() {
    let place = Place::with_memories();
    for name in ["log.key", "agent.key"] {
        let path = place.keys().join(name);
        let good = fs::read(&path).unwrap();
        let before = place.state();
        let refused = |what: &str| {
            place.run(["remember", "x"]).refused(4, what);
            place.run(["doctor"]).code(1);
            place.run(["recall", "heron", "--require-verified"]).ok();
        };
        fs::remove_file(&path).unwrap();
        refused("is missing");
        fs::create_dir(&path).unwrap();
        refused("key file");
        fs::remove_dir(&path).unwrap();
        write_private(&path, b"-----BEGIN PRIVATE KEY-----\n");
        refused("not a key file");
        write_private(&path, &[0xff; 10_000]);
        refused("not a key file");
        let other = if name == "log.key" {
            "agent.key"
        } else {
            "log.key"
        };
        write_private(&path, &fs::read(place.keys().join(other)).unwrap());
        refused("another use");
        write_private(&path, &good);
        assert_eq!(place.state(), before);
    }
}

fn write_private(path: &Path, content: &[u8]) {
    fs::write(path, content).unwrap();
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
}

#[cfg(unix)]
#[test]
fn keys_that_others_can_read() {
    use std::os::unix::fs::PermissionsExt;

    let place = Place::with_memories();
    let before = place.state();
    for (path, bad, good) in [
        (place.keys().join("log.key"), 0o640, 0o600),
        (place.keys().join("agent.key"), 0o604, 0o600),
        (place.keys(), 0o755, 0o700),
    ] {
        fs::set_permissions(&path, fs::Permissions::from_mode(bad)).unwrap();
        place.run(["remember", "x"]).refused(4, "chmod");
        assert_eq!(place.run(["doctor"]).code(1).stderr().lines().count(), 1);
        fs::set_permissions(&path, fs::Permissions::from_mode(good)).unwrap();
    }
    assert_eq!(place.state(), before);
}

#[test]
fn keys_of_another_log() {
    let (place, other) = (Place::with_memories(), Place::new());
    let before = place.state();
    let mine = fs::read(place.keys().join("log.key")).unwrap();
    write_private(
        &place.keys().join("log.key"),
        &fs::read(other.keys().join("log.key")).unwrap(),
    );
    place.run(["remember", "x"]).refused(4, "key");
    let audit = place.run(["audit"]);
    audit.code(1);
    assert!(
        audit.stdout().contains("keys/log.key"),
        "{}",
        audit.stdout()
    );
    // Recall said "merkle unverified" and no word why.
    let public = place.keys().join("log.pub");
    let my_public = fs::read(&public).unwrap();
    fs::copy(other.keys().join("log.pub"), &public).unwrap();
    for args in [&["recall", "heron"][..], &["anchors"]] {
        place
            .run(args)
            .refused(4, "the key that belongs to this store");
    }
    fs::write(&public, my_public).unwrap();
    write_private(&place.keys().join("log.key"), &mine);
    assert_eq!(place.state(), before);
}

#[test]
fn a_database_that_another_process_has_locked() {
    let place = Place::with_memories();
    let before = place.state();
    let holder = Connection::open(place.database()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    place
        .run(["remember", "x"])
        .refused(4, "locked by another process");
    holder.execute_batch("ROLLBACK").unwrap();
    drop(holder);
    assert_eq!(place.state(), before);
    place.run(["remember", "x"]).ok();
}

#[test]
fn a_database_from_a_newer_version() {
    let place = Place::with_memories();
    let version = |change: &str| {
        let connection = Connection::open(place.database()).unwrap();
        connection
            .execute_batch(&format!("PRAGMA user_version = {change}"))
            .unwrap();
    };
    let before = place.state();
    let now: i64 = Connection::open(place.database())
        .unwrap()
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap();
    version("99");
    for args in [
        &["remember", "x"][..],
        &["recall", "heron"],
        &["stats"],
        &["audit"],
        &["doctor"],
    ] {
        place.run(args).refused(4, "update counterfoil");
    }
    version(&now.to_string());
    assert_eq!(place.state(), before);
}

#[test]
fn a_database_that_is_not_ours() {
    let place = Place::new();
    let refused = || {
        for args in [
            &["remember", "x"][..],
            &["recall", "x"],
            &["stats"],
            &["audit"],
            &["rebuild"],
        ] {
            place.run(args).refused(4, "not a Counterfoil store");
        }
    };
    fs::remove_file(place.database()).unwrap();
    let other = Connection::open(place.database()).unwrap();
    other
        .execute_batch("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')")
        .unwrap();
    drop(other);
    let bytes = fs::read(place.database()).unwrap();
    refused();
    assert_eq!(
        fs::read(place.database()).unwrap(),
        bytes,
        "nothing of another's file changes"
    );
    fs::write(
        place.database(),
        b"this is a letter to my aunt, and it is longer than a header",
    )
    .unwrap();
    refused();
}

/// A restored backup must not sign a second history (proof.md §5).
#[test]
fn a_restored_backup_is_read_and_not_written() {
    let place = Place::with_memories();
    let backup = fs::read(place.database()).unwrap();
    place.run(["remember", "later"]).ok();
    fs::write(place.database(), backup).unwrap();
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(place.dir().join(format!("memory.db{suffix}")));
    }
    place.run(["remember", "x"]).refused(4, "restored backup");
    place.run(["recall", "heron"]).ok();
    assert!(
        place
            .run(["audit"])
            .code(1)
            .stdout()
            .contains("keys/last-checkpoint")
    );
    place.run(["doctor"]).code(1);
}

/// Runs as somebody who may read the folder and not write to it.
#[cfg(unix)]
#[test]
fn a_read_only_folder() {
    let place = Place::with_memories();
    let before = place.state();
    let chmod = |mode| {
        Command::new("chmod")
            .args(["-R", mode])
            .arg(place.dir())
            .status()
            .unwrap()
    };
    chmod("u-w");
    let may_write = File::create(place.dir().join("probe")).is_ok();
    if may_write {
        let _ = fs::remove_file(place.dir().join("probe"));
        chmod("u+w");
        if as_nobody(&place).is_none() {
            println!("skipped: this user may write everywhere and cannot become another");
        }
        return;
    }
    place.run(["remember", "x"]).refused(4, "cannot be written");
    place.run(["recall", "heron"]).ok();
    chmod("u+w");
    assert_eq!(place.state(), before);
}

/// Root may write everywhere, so it steps down first.
#[cfg(unix)]
fn as_nobody(place: &Place) -> Option<()> {
    let nobody = |args: &[&str]| {
        Command::new("setpriv")
            .args([
                "--reuid",
                "65534",
                "--regid",
                "65534",
                "--clear-groups",
                BINARY,
                "--dir",
            ])
            .arg(place.dir())
            .args(args)
            .stdin(Stdio::null())
            .output()
    };
    let own = |path: &Path| {
        Command::new("chown")
            .arg("-R")
            .arg("65534:65534")
            .arg(path)
            .status()
    };
    let chmod = |mode: &str| {
        Command::new("chmod")
            .args(["-R", mode])
            .arg(place.dir())
            .status()
    };
    own(place.folder()).ok()?;
    nobody(&["--version"])
        .ok()
        .filter(|output| output.status.success())?;
    chmod("u-w").ok()?;
    Ran(nobody(&["remember", "x"]).ok()?).refused(4, "cannot be written");
    Ran(nobody(&["recall", "heron"]).ok()?).ok();
    chmod("u+w").ok()?;
    assert_eq!(
        Ran(nobody(&["stats", "--json"]).ok()?).ok().json()["memories"],
        5
    );
    Some(())
}

/// A file system of 1 MiB, in a mount namespace of its own.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let place = Place::new();
    let folder = place.folder().join("small");
    fs::create_dir(&folder).unwrap();
    let record = place.file("long.jsonl", long_record(4000).join("\n").as_bytes());
    let script = r#"
        mount -t tmpfs -o size=1m none "$1" || exit 77
        "$0" --dir "$1/store" init >&2 || exit 78
        "$0" --dir "$1/store" import "$2" --json > "$1.json"; code=$?
        "$0" --dir "$1/store" stats --json
        "$0" --dir "$1/store" audit >&2 || exit 79
        exit $code"#;
    let output = Command::new("unshare")
        .args(["--mount", "--map-root-user", "sh", "-c", script, BINARY])
        .args([&folder, &record])
        .output();
    let ran = match output {
        Ok(output) if output.status.code() != Some(77) && output.status.code() != Some(1) => {
            Ran(output)
        }
        _ => {
            println!("skipped: no file system can be mounted here");
            return;
        }
    };
    ran.code(4);
    let said = ran.stderr();
    let line = said
        .lines()
        .find(|line| line.starts_with("counterfoil: "))
        .unwrap();
    assert!(
        line.contains("full") && line.contains("run the same import again"),
        "{said}"
    );
    let kept = ran.json()["memories"].as_u64().unwrap();
    // The document was missing when the disk was full.
    let summary = fs::read(place.folder().join("small.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_slice(&summary).unwrap();
    assert_eq!(summary["added"].as_u64(), Some(kept));
    assert_eq!(kept % 256, 0, "whole batches: {kept}");
    assert!(kept < 4000);
}

/// What is set about exchanges is looked at as what is set about claims.
#[test]
fn the_doctor_looks_at_what_is_set_about_exchanges() {
    let place = Place::new();
    let said = place.run(["doctor"]).ok().stdout();
    assert!(said.contains("nothing is shared with others"), "{said}");
    fs::write(
        place.dir().join("exchange.toml"),
        "[[share]]\nfor = \"*\"\n",
    )
    .unwrap();
    let said = place.run(["doctor"]).code(1).stdout();
    assert!(
        said.contains("BAD  exchange") && said.contains("share.for"),
        "{said}"
    );
}
