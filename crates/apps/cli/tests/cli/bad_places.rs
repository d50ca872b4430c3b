//! A store in a bad state (keys, database, folder, disk): one clear line, a code, and nothing lost.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::place::{BINARY, Place, Ran, long_record};

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
        .find(|word| word.starts_with("mem_"))
        .unwrap();
    let shown = place.json(["show", id]);
    assert_eq!(shown["world"]["data"]["text"], "the tenth");
    assert_eq!(place.size(), 9);
    place.run(["remember", "the eleventh"]).ok();
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

/// A file system of 2 MiB, in a mount namespace of its own.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let place = Place::new();
    let folder = place.folder().join("small");
    fs::create_dir(&folder).unwrap();
    let record = place.file("long.jsonl", long_record(4000).join("\n").as_bytes());
    let script = r#"
        mount -t tmpfs -o size=2m none "$1" || exit 77
        "$0" --dir "$1/store" init >&2 || exit 78
        "$0" --dir "$1/store" import "$2" --json > "$1.json"; code=$?
        "$0" --dir "$1/store" stats --json
        "$0" --dir "$1/store" check >&2 || exit 79
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
        .find(|line| line.starts_with("{\"code\":"))
        .unwrap();
    assert!(
        line.contains("full") && line.contains("run the same import again"),
        "{said}"
    );
    let kept = ran.json()["memories"].as_u64().unwrap();
    // The document was missing when the disk was full.
    let summary = fs::read(place.folder().join("small.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_slice(&summary).unwrap();
    // The last batch is not acknowledged if the checkpoint beside the keys found no room.
    let added = summary["added"].as_u64().unwrap();
    assert!(added == kept || added + 256 == kept, "{added} of {kept}");
    assert_eq!(kept % 256, 0, "whole batches: {kept}");
    assert!(added > 0 && kept < 4000);
}
