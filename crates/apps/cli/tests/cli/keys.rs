//! The agent's keys over its life, from the command line: committed to, rotated, stolen, sealed.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::place::{Place, Ran};

/// What is shown with a capsule that is not to be relied upon.
const CONTESTED: &str = "contested: key 0";

fn recovery(place: &Place) -> PathBuf {
    place.dir().join("recovery")
}

fn agent_key(place: &Place) -> PathBuf {
    place.keys().join("agent.key")
}

fn rotate(place: &Place) -> Value {
    place.json(["key", "rotate"])
}

fn remember(place: &Place, text: &str) -> Value {
    let made = place.json(["remember", text]);
    place.json(["show", made["worldId"].as_str().unwrap()])
}

/// Proposes with the signature as proof, and has an authority decide that holds these anchors.
fn decided(place: &Place, anchors: &Path, query: &str) -> Ran {
    let proposal = place.folder().join("proposal.json");
    place
        .run([
            "propose".as_ref(),
            "--summary".as_ref(),
            "s".as_ref(),
            "--recall".as_ref(),
            query.as_ref(),
            "--method".as_ref(),
            "signature".as_ref(),
            "--max".as_ref(),
            "1".as_ref(),
            "-o".as_ref(),
            proposal.as_os_str(),
        ])
        .ok();
    place.run([
        "verify".as_ref(),
        proposal.as_os_str(),
        "--anchors".as_ref(),
        anchors.as_os_str(),
    ])
}

fn anchors(place: &Place) -> PathBuf {
    let path = place.folder().join("anchors.json");
    place
        .run(["anchors".as_ref(), "-o".as_ref(), path.as_os_str()])
        .ok();
    path
}

#[test]
fn a_new_store_begins_with_the_commitment_to_its_keys() {
    let place = Place::new();
    let shown = place.json(["key", "show"]);
    assert_eq!(shown["number"], 0);
    assert_eq!(shown["key"], shown["agent"]);
    let committed = shown["chain"]["nextKey"].as_str().unwrap();
    assert!(committed.starts_with("blake3:"), "{committed}");
    assert_ne!(shown["chain"]["nextKey"], shown["chain"]["recoveryKey"]);
    let states: Vec<_> = shown["files"].as_array().unwrap().iter().collect();
    assert!(states.iter().all(|file| file["state"] == "not sealed"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;

        let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(recovery(&place)), 0o700);
        assert_eq!(mode(recovery(&place).join("agent.next")), 0o600);
        assert_eq!(mode(recovery(&place).join("agent.recovery")), 0o600);
    }
    assert_eq!(place.json(["stats"])["entries"], 1);
    assert_eq!(place.json(["stats"])["memories"], 0);
    place.run(["audit"]).ok();
    let told = Place::bare().run(["init"]).ok().stdout();
    assert!(told.contains("to another medium"), "{told}");
}

/// The keys that take over may go to another medium at once.
#[test]
fn the_recovery_folder_may_lie_elsewhere() {
    let place = Place::bare();
    let medium = place.folder().join("medium");
    let medium = medium.to_str().unwrap();
    place.run(["init", "--recovery-dir", medium]).ok();
    assert!(!recovery(&place).exists());
    place
        .run(["key", "rotate"])
        .refused(4, "there is no recovery folder");
    place.run(["key", "rotate", "--recovery-dir", medium]).ok();
    assert_eq!(place.json(["key", "show"])["files"][1]["state"], "not here");
    place
        .run(["init", "--recovery-dir", medium])
        .refused(3, "is not overwritten");
}

/// C12: what was signed before stays valid, what comes is signed with the new key, and both are
/// proven to an authority.
#[test]
fn a_rotated_key_signs_what_comes_and_the_old_memories_stay() {
    let place = Place::new();
    let before = remember(&place, "the heron key opens the boat shed");
    assert_eq!(before["capsule"]["ext"], Value::Null);
    let rotated = rotate(&place);
    assert_eq!(
        (&rotated["number"], &rotated["index"]),
        (&1.into(), &2.into())
    );
    let after = remember(&place, "the otter key opens the cellar");
    assert_eq!(after["capsule"]["ext"]["key"], 1);
    assert_eq!(after["capsule"]["agent"], before["capsule"]["agent"]);
    assert_eq!(after["receipt"]["agent"], rotated["key"]);
    assert_eq!(rotate(&place)["number"], 2);
    remember(&place, "a third key for the gate");
    assert_eq!(place.json(["audit", "--deep"])["clean"], true);
    assert_eq!(place.json(["rebuild"])["identical"], true);
    let anchors = anchors(&place);
    let listed = fs::read_to_string(&anchors).unwrap();
    for key in place.json(["key", "show"])["keys"].as_array().unwrap() {
        assert!(listed.contains(key["key"].as_str().unwrap()), "{listed}");
    }
    for query in ["heron boat shed", "otter cellar", "third gate"] {
        decided(&place, &anchors, query).ok();
    }
}

/// Adversarial case B25: the old key signs nothing any more, not even in its own store.
#[test]
fn what_the_old_key_signs_after_the_rotation_is_refused() {
    let place = Place::with_memories();
    let old = fs::read(agent_key(&place)).unwrap();
    rotate(&place);
    let new = fs::read(agent_key(&place)).unwrap();
    fs::write(agent_key(&place), old).unwrap();
    place.refuses(["remember", "theirs"], 4, "is not its current key");
    place.refuses(["key", "rotate"], 4, "number 1");
    fs::write(agent_key(&place), new).unwrap();
    place.run(["remember", "ours"]).ok();
}

/// Adversarial case B24: who stole the key that signs cannot rotate, and what it signed is
/// contested from the entry on that the owner names.
#[test]
fn a_stolen_key_is_marked_and_replaced() {
    let place = Place::with_memories();
    let medium = place.folder().join("medium");
    fs::rename(recovery(&place), &medium).unwrap();
    place
        .run(["key", "rotate"])
        .refused(4, "there is no recovery folder");
    let theirs = place.json(["remember", "trust the man with the hat"]);
    fs::rename(&medium, recovery(&place)).unwrap();
    let from = theirs["index"].to_string();
    let mark = [
        "key",
        "compromise",
        "--from",
        &from,
        "--reason",
        "laptop stolen",
    ];
    let marked = place.json(mark);
    assert_eq!(
        (&marked["number"], &marked["current"]),
        (&0.into(), &true.into())
    );
    rotate(&place);
    let shown = place.json(["key", "show"]);
    assert_eq!(shown["keys"][0]["compromised"]["from"], theirs["index"]);
    assert_eq!(shown["keys"][1]["compromised"], Value::Null);
    let listed = fs::read_to_string(anchors(&place)).unwrap();
    assert!(!listed.contains(shown["keys"][0]["key"].as_str().unwrap()));
    assert!(listed.contains(shown["keys"][1]["key"].as_str().unwrap()));
    // Nothing is gone, and what they signed is said to be theirs.
    let shown = place.run(["show", theirs["worldId"].as_str().unwrap()]);
    assert!(shown.ok().stdout().contains(CONTESTED));
    let mark = place.run(["show", "--entry", &marked["index"].to_string()]);
    assert!(
        !mark.ok().stdout().contains(CONTESTED),
        "the recovery key signed the mark"
    );
    assert_eq!(place.json(["audit", "--deep"])["clean"], true);
}

#[test]
fn a_mark_names_an_entry_a_key_and_needs_the_recovery_key() {
    let place = Place::with_memories();
    let mark = |from: &str, more: &[&str]| {
        let mut args = vec!["key", "compromise", "--from", from, "--reason", "r"];
        args.extend(more);
        place.run(args)
    };
    mark("99", &[]).refused(3, "there is no entry 99");
    mark("1", &["--key", "1"]).refused(3, "key number 1");
    let other = Place::new();
    let others = recovery(&other);
    mark("1", &["--recovery-dir", others.to_str().unwrap()]).refused(4, "is not that of the agent");
    place
        .run(["key", "compromise", "--from", "1", "--reason", ""])
        .refused(3, "reason");
    assert_eq!(place.json(["stats"])["entries"], 6);
}

#[test]
fn an_agent_commits_once() {
    let place = Place::with_memories();
    place
        .run(["key", "begin"])
        .refused(3, "has committed to its keys already");
}

/// One capsule a line, with the commitments, both proofs and no secret.
#[test]
fn the_public_history_is_exported() {
    let place = Place::with_memories();
    rotate(&place);
    place
        .run(["key", "compromise", "--from", "2", "--reason", "lost"])
        .ok();
    let exported = place.run(["key", "export"]).ok().stdout();
    let lines: Vec<Value> = exported
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let kinds: Vec<_> = lines.iter().map(|it| &it["ext"]["kind"]).collect();
    assert_eq!(kinds, ["key_inception", "key_rotation", "key_compromise"]);
    let state = &lines[1]["payload"]["state"];
    assert_eq!(state["proof"].as_array().unwrap().len(), 2);
    assert_eq!(state["next_key"], lines[1]["ext"]["next_key"]);
    let path = place.folder().join("keys.jsonl");
    let written = place.json(["key", "export", "-o", path.to_str().unwrap()]);
    assert_eq!(written["records"], 3);
    assert_eq!(fs::read_to_string(path).unwrap(), exported);
}

#[test]
fn sealed_keys_need_the_passphrase() {
    let place = Place::bare();
    let file = place.file("passphrase", b"correct horse\n");
    let file = file.to_str().unwrap();
    place
        .run(["init", "--passphrase", "--passphrase-file", file])
        .ok();
    for path in [
        agent_key(&place),
        place.keys().join("log.key"),
        recovery(&place).join("agent.next"),
        recovery(&place).join("agent.recovery"),
    ] {
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("\nsealed argon2id ") && !text.contains("seed"));
    }
    place
        .run(["remember", "x"])
        .refused(4, "COUNTERFOIL_PASSPHRASE");
    let wrong = place.file("wrong", b"battery staple");
    place
        .run([
            "remember",
            "x",
            "--passphrase-file",
            wrong.to_str().unwrap(),
        ])
        .refused(4, "does not open");
    place.run(["remember", "x", "--passphrase-file", file]).ok();
    // To read needs no secret.
    place.run(["recall", "x"]).ok();
    let from_environment = place
        .command()
        .env("COUNTERFOIL_PASSPHRASE", "correct horse")
        .args(["key", "rotate"])
        .output()
        .unwrap();
    Ran(from_environment).ok();
    let text = fs::read_to_string(agent_key(&place)).unwrap();
    assert!(text.contains("number 1\nsealed "), "still sealed");
}

#[test]
fn keys_are_sealed_and_unsealed_later() {
    let place = Place::with_memories();
    let file = place.file("passphrase", b"correct horse\n");
    let file = file.to_str().unwrap();
    let plain = fs::read(agent_key(&place)).unwrap();
    let sealed = place.json(["key", "encrypt", "--passphrase-file", file]);
    assert_eq!(sealed["written"].as_array().unwrap().len(), 4);
    let again = place.json(["key", "encrypt", "--passphrase-file", file]);
    assert_eq!(again["written"].as_array().unwrap().len(), 0);
    place.run(["remember", "x"]).refused(4, "passphrase");
    place.run(["remember", "x", "--passphrase-file", file]).ok();
    place
        .run(["key", "decrypt", "--passphrase-file", file])
        .ok();
    assert_eq!(fs::read(agent_key(&place)).unwrap(), plain);
    place.run(["remember", "y"]).ok();
    assert_eq!(place.json(["audit"])["clean"], true);
}

/// A key behind a link would stay where it leads, and a folder or a passphrase that others can
/// change or read is told of.
#[cfg(unix)]
#[test]
fn links_and_open_folders_are_told_of() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let place = Place::new();
    let (key, away) = (place.keys().join("agent.key"), place.folder().join("away"));
    fs::rename(&key, &away).unwrap();
    symlink(&away, &key).unwrap();
    place.refuses(["key", "rotate"], 4, "is a link");
    fs::remove_file(&key).unwrap();
    fs::rename(&away, &key).unwrap();

    let open = fs::Permissions::from_mode(0o777);
    fs::set_permissions(place.dir().join("recovery"), open).unwrap();
    let rotated = place.run(["key", "rotate"]);
    assert!(
        rotated.ok().stderr().contains("chmod 700"),
        "{}",
        rotated.stderr()
    );

    let file = place.file("passphrase", b"swordfish");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let file = file.to_str().unwrap();
    let sealed = place.run(["key", "encrypt", "--passphrase-file", file]);
    assert!(
        sealed.ok().stderr().contains("chmod 600"),
        "{}",
        sealed.stderr()
    );
}
