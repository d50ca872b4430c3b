//! Memories that change: update, history, diff, rollback, as-of, and what a recall gives of them.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::place::Place;

/// A place with one note, and its id.
fn noted(text: &str) -> (Place, String) {
    let place = Place::new();
    let made = place.json(["remember", text]);
    let id = made["worldId"].as_str().unwrap().to_owned();
    (place, id)
}

fn id_of(answer: &Value) -> String {
    answer["worldId"].as_str().unwrap().to_owned()
}

fn recalled(place: &Place, args: &[&str]) -> Vec<(String, String)> {
    let all: Vec<&str> = ["recall"].iter().chain(args).copied().collect();
    let trace = place.json(all);
    let selected = trace["selected"].as_array().unwrap().iter();
    let text =
        |memory: &Value, path: &str| memory.pointer(path).unwrap().as_str().unwrap().to_owned();
    selected
        .map(|memory| {
            assert_eq!(memory["verified"], true);
            (text(memory, "/ref/worldId"), text(memory, "/reason"))
        })
        .collect()
}

/// C17, decision 0007: each version has its own WorldId, is proven, and stands after the one before.
#[test]
fn an_update_is_a_new_version_that_is_recalled_in_place_of_the_old() {
    let (place, first) = noted("Priya lives in Lisbon");
    let updated = place.json(["update", &first, "--set", "/text=Priya lives in Porto"]);
    let second = id_of(&updated);
    assert_ne!(second, first);
    assert_eq!(updated["seq"], 1);
    assert_eq!(updated["previous"], first.as_str());
    assert_eq!(updated["changes"][0]["old"], "Priya lives in Lisbon");

    let found = recalled(&place, &["Where does Priya live?"]);
    assert_eq!(found.len(), 1, "one version of a memory: {found:?}");
    assert_eq!(found[0].0, second);
    assert!(!found[0].1.contains("older"), "{found:?}");

    let shown = place.json(["show", &second]);
    assert_eq!(
        (&shown["seq"], &shown["previous"]),
        (&json!(1), &json!(first))
    );
    assert_eq!(place.json(["show", &first])["next"], second.as_str());
    place.run(["audit", "--deep"]).ok();
}

/// Only what nothing says any more is recalled as it was, and the reason says so.
#[test]
fn an_older_version_is_recalled_when_the_current_one_says_nothing_of_it() {
    let (place, first) = noted("Priya lives in Lisbon");
    let second = id_of(&place.json(["update", &first, "--set", "/text=She moved to Porto"]));
    let found = recalled(&place, &["Lisbon"]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, first);
    assert!(
        found[0]
            .1
            .starts_with(&format!("an older version, replaced by {second} on 20")),
        "{}",
        found[0].1
    );
    let said = place.run(["recall", "Lisbon"]).ok().stdout();
    assert!(said.contains("[an older version, replaced by"), "{said}");
    let both = recalled(&place, &["Lisbon Porto", "--all-versions"]);
    let ids: Vec<&str> = both.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids.len(), 2, "{both:?}");
    assert!(ids.contains(&first.as_str()) && ids.contains(&second.as_str()));
}

#[test]
fn a_change_is_given_by_path_as_a_patch_or_as_a_whole() {
    let place = Place::new();
    let data = json!({"text": "lent", "tags": ["key"], "n": 1});
    let file = place.file("data.json", data.to_string().as_bytes());
    let id = id_of(&place.json(["remember".as_ref(), "--file".as_ref(), file.as_os_str()]));
    place.json([
        "update",
        &id,
        "--set",
        "/n=2",
        "--set",
        "/tags/-=blue",
        "--set",
        "/note=new",
    ]);
    let patch = br#"[{"op":"test","path":"/n","value":2},{"op":"remove","path":"/text"}]"#;
    place
        .run_with_input(["update", &id, "--patch", "-"], patch)
        .ok();
    let merge = place.file("merge.json", br#"{"note":null,"n":{"m":3}}"#);
    let args = [
        "update".as_ref(),
        id.as_ref(),
        "--patch".as_ref(),
        merge.as_os_str(),
    ];
    let merged = place.json(args);
    let data = |id: &str| place.json(["show", id])["world"]["data"].clone();
    assert_eq!(
        data(&id_of(&merged)),
        json!({"tags": ["key", "blue"], "n": {"m": 3}})
    );
    let replaced = place.run_with_input(["--json", "update", &id, "--replace", "-"], b"[1, 2]");
    assert_eq!(data(&id_of(&replaced.ok().json())), json!([1, 2]));
    let history = place.json(["history", &id]);
    assert_eq!(
        (history["count"].as_u64(), history["chain"].is_string()),
        (Some(5), true)
    );
    assert_eq!(history["versions"][2]["changes"][0]["op"], "remove");
    assert_eq!(history["versions"][0].get("changes"), None);
    place.run(["audit"]).ok();
}

/// A content of hundreds of kilobytes has no delta; it is replaced all the same.
#[test]
fn a_large_content_is_replaced_as_a_whole() {
    let (place, id) = noted("small");
    let large = |letter: &str| json!({"text": letter.repeat(300_000)}).to_string();
    for letter in ["a", "b"] {
        place
            .run_with_input(["update", &id, "--replace", "-"], large(letter).as_bytes())
            .ok();
    }
    let back = place.json(["rollback", &id, "--to", "1"]);
    let shown = place.json(["show", &id_of(&back)]);
    assert_eq!(shown["world"]["data"]["text"], "a".repeat(300_000));
    place.run(["audit"]).ok();
}

/// Adversarial case C49 at the command line: nothing changes, and that is recorded.
#[test]
fn an_update_that_changes_nothing_is_recorded() {
    let (place, id) = noted("as it is");
    let again = place.json(["update", &id, "--set", "/text=as it is"]);
    assert_eq!(
        (again["seq"].as_u64(), again["changes"].clone()),
        (Some(1), json!([]))
    );
    let said = place.run(["history", &id]).ok().stdout();
    assert!(said.contains("nothing changed"), "{said}");
}

/// Adversarial case C45 at the command line: states are equal byte for byte, and a rollback is
/// rolled back.
#[test]
fn a_rollback_restores_a_state_and_can_be_rolled_back() {
    let (place, id) = noted("one");
    for text in ["/text=two", "/text=three"] {
        place.json(["update", &id, "--set", text]);
    }
    let back = place.json(["rollback", &id, "--to", "0"]);
    assert_eq!(
        (back["seq"].as_u64(), &back["restored"]["worldId"]),
        (Some(3), &json!(id))
    );
    let edited = place.json(["update", &id, "--set", "/more=x"]);
    assert_eq!(edited["seq"], 4);
    let again = place.json(["rollback", &id, "--to", "2"]);
    let state = |id: &str| {
        let mut world = place.json(["show", id])["world"].clone();
        let members = world.as_object_mut().unwrap();
        members
            .remove("worldId")
            .and(members.remove("createdAt"))
            .unwrap();
        world
    };
    assert_eq!(state(&id_of(&back)), state(&id));
    assert_eq!(state(&id_of(&again))["data"]["text"], "three");
    let history = place.json(["history", &id]);
    assert_eq!(history["versions"][3]["rollbackTo"], 0);
    assert_eq!(history["versions"][5]["rollbackTo"], 2);
    assert_eq!(place.json(["diff", &id, &id_of(&back)])["delta"], json!([]));
    place.refuses(["rollback", &id, "--to", "5"], 3, "is the current one");
    place.refuses(["rollback", &id, "--to", "99"], 3, "no version 99");
    place.run(["audit", "--deep"]).ok();
}

/// C17: compare-and-swap by the caller, over the version that it has seen.
#[test]
fn an_update_over_a_version_that_is_no_longer_the_newest_is_refused() {
    let (place, first) = noted("one");
    let (other, _) = (place.json(["remember", "another"]), ());
    let second = id_of(&place.json(["update", &first, "--expect", &first, "--set", "/text=two"]));
    place.refuses(
        ["update", &first, "--expect", &first, "--set", "/text=three"],
        3,
        &format!("the newest version is {second}"),
    );
    place.refuses(
        [
            "update",
            &first,
            "--expect",
            &id_of(&other),
            "--set",
            "/text=three",
        ],
        3,
        "is no version of that memory",
    );
    place.json([
        "update",
        &first,
        "--expect",
        &second,
        "--set",
        "/text=three",
    ]);
}

#[test]
fn a_change_that_does_not_fit_is_refused_and_says_where() {
    let (place, id) = noted("one");
    for (set, what) in [
        ("/a/b=1", "there is no member"),
        ("text=1", "not a JSON pointer"),
        ("/text/x=1", "has no parts"),
        ("/text", "write --set"),
        ("/n=9007199254740993", "/n"),
    ] {
        place.refuses(["update", &id, "--set", set], 3, what);
    }
    place.refuses(["update", &id], 3, "");
    place.refuses(["update", &id, "--set", "/a=1", "--patch", "-"], 3, "");
    place.refuses(
        ["update", "world-nowhere", "--set", "/a=1"],
        3,
        "there is no memory",
    );
    for command in [
        ["history", "x"].as_slice(),
        &["diff", &id, "x"],
        &["rollback", "x", "--to", "0"],
    ] {
        place.refuses(command, 3, "there is no memory");
    }
    let patch = place.run_with_input(
        ["update", &id, "--patch", "-"],
        b"[{\"op\":\"test\",\"path\":\"/text\",\"value\":\"two\"}]",
    );
    patch.refused(3, "test");
}

#[test]
fn a_difference_is_a_patch_that_update_takes() {
    let (place, first) = noted("Priya lives in Lisbon");
    let other = id_of(&place.json(["remember", "Priya lives in Porto"]));
    let diff = place.json(["diff", &first, &other]);
    assert_eq!(
        (&diff["sameChain"], &diff["format"]),
        (&json!(false), &json!("rev-json-patch/1"))
    );
    let patch = place.file("patch.json", diff["delta"].to_string().as_bytes());
    let args = [
        "update".as_ref(),
        first.as_ref(),
        "--patch".as_ref(),
        patch.as_os_str(),
    ];
    let updated = id_of(&place.json(args));
    let said = place.run(["diff", &updated, &other]).ok().stdout();
    assert_eq!(said, "They say the same.\n");
    let said = place.run(["diff", &first, &updated]).ok().stdout();
    assert_eq!(
        said,
        "/text\n  - \"Priya lives in Lisbon\"\n  + \"Priya lives in Porto\"\n"
    );
}

/// I2: transaction time, when it was recorded; not when it happened.
#[test]
fn the_memory_stands_as_it_was_recorded_by_a_time() {
    let (place, first) = noted("Priya lives in Lisbon");
    place.json(["remember", "an unrelated heron"]);
    let recorded = |id: &str| {
        let shown = place.json(["show", id]);
        shown["capsule"]["timestamp"].as_str().unwrap().to_owned()
    };
    let second = id_of(&place.json(["update", &first, "--set", "/text=Priya lives in Porto"]));
    let (then, now) = (recorded(&first), recorded(&second));
    let listed = |time: &str| -> Vec<String> {
        let answer = place.json(["as-of", time]);
        let listed = answer["listed"].as_array().unwrap().iter();
        listed.map(id_of).collect()
    };
    assert_eq!(listed(&then), [first.as_str()]);
    assert_eq!(listed(&now).len(), 2);
    assert!(listed(&now).contains(&second) && !listed(&now).contains(&first));
    let at = |time: &str| {
        place.json(["as-of", time, "Where does Priya live?"])["selected"][0]["ref"]["worldId"]
            .clone()
    };
    assert_eq!((at(&then), at(&now)), (json!(first), json!(second)));
    let page = place.json(["as-of", &now, "--max", "1", "--skip", "1"]);
    assert_eq!(page["listed"].as_array().unwrap().len(), 1);
    assert_eq!(page["memories"], 2);
    place.refuses(["as-of", "2001-01-01"], 3, "nothing was recorded by");
    place.refuses(["as-of", "yesterday"], 3, "yesterday");
}

/// C15: who does not write a chain derives from it.
#[test]
fn a_memory_of_ones_own_is_derived_from_another() {
    let (place, first) = noted("Priya lives in Lisbon");
    let derived = place.json([
        "update",
        &first,
        "--derive",
        "--set",
        "/text=Ada lives in Lisbon",
    ]);
    assert_eq!(
        (&derived["seq"], &derived["derivedFrom"]),
        (&json!(0), &json!(first))
    );
    let shown = place.json(["show", &id_of(&derived)]);
    assert!(shown["capsule"]["ext"]["derived_from"][0].is_string());
    assert_eq!(recalled(&place, &["Lisbon"]).len(), 2, "two memories");
}

/// A long chain: what is shown is bounded, what is found is not.
#[test]
fn a_memory_of_many_versions_is_found_by_all_that_it_says() {
    let place = Place::new();
    let data = json!({"text": "The heron key opens the boat shed.", "count": 0, "state": "zero"});
    let file = place.file("data.json", data.to_string().as_bytes());
    let id = id_of(&place.json(["remember".as_ref(), "--file".as_ref(), file.as_os_str()]));
    let mut newest = String::new();
    for n in 1..70 {
        newest = id_of(&place.json(["update", &id, "--set", &format!("/state=s{n}")]));
    }
    assert_eq!(recalled(&place, &["heron key"])[0].0, newest);
    assert_eq!(recalled(&place, &["s69"])[0].0, newest);
    let history = place.json(["history", &id, "--max", "3"]);
    let seqs: Vec<u64> = history["versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(
        (history["count"].as_u64(), seqs),
        (Some(70), vec![67, 68, 69])
    );
    let shown = place.json(["show", &recalled(&place, &["s42"])[0].0]);
    assert_eq!(shown["seq"], 42);
    place.run(["rebuild"]).ok();
    place.run(["audit", "--deep"]).ok();
    assert_eq!(recalled(&place, &["heron key"])[0].0, newest);
}

/// An entry of the log is shown by its index, whatever it is.
#[test]
fn a_record_is_shown_by_its_entry() {
    let (place, id) = noted("one");
    let index = place.json(["show", &id])["index"].as_u64().unwrap();
    assert_eq!(
        place.json(["show", "--entry", &index.to_string()])["world"]["worldId"],
        id.as_str()
    );
    if index > 0 {
        let record = place.json(["show", "--entry", "0"]);
        assert!(
            record["record"].is_object() && record["world"].is_null(),
            "{record}"
        );
        assert!(
            place
                .run(["show", "--entry", "0"])
                .ok()
                .stdout()
                .contains("key_inception")
        );
    }
    place.refuses(["show", "--entry", "9999"], 3, "none with the index 9999");
    place.refuses(["show"], 3, "");
}

/// MEM-MAINT, C20: what is erased is found by nothing, and the versions around it stand.
#[test]
fn an_erased_version_leaves_the_others_as_they_are() {
    let (place, first) = noted("Priya lives in Lisbon");
    let second = id_of(&place.json(["update", &first, "--set", "/text=Priya lives in Porto"]));
    let third = id_of(&place.json(["update", &first, "--set", "/mood=calm"]));
    let erase = |id: &str| {
        place
            .run(["erase", id, "--reason", "asked for", "--yes"])
            .ok();
    };
    erase(&second);
    assert_eq!(recalled(&place, &["Priya Porto"])[0].0, third);
    let history = place.run(["history", &first]).ok().stdout();
    assert!(history.contains("ERASED"), "{history}");
    let json = place.json(["history", &first]);
    assert_eq!(json["versions"][1]["content"], "erased");
    assert_eq!(
        json["versions"][2].get("changes"),
        None,
        "nobody knows any more"
    );
    let shown = place.json(["show", &second]);
    assert!(shown["world"].is_null() && shown["marks"][0].as_str().unwrap().contains("ERASED"));
    place.run(["diff", &first, &second]).refused(2, "is erased");
    place.refuses(["rollback", &first, "--to", "1"], 3, "cannot be restored");

    erase(&third);
    let older = recalled(&place, &["Priya"]);
    assert_eq!(older[0].0, first);
    assert!(
        older[0].1.contains(&format!("replaced by {second}")),
        "{older:?}"
    );
    place.refuses(["update", &first, "--set", "/text=x"], 3, "is erased");
    place.refuses(["rollback", &first, "--to", "0"], 3, "is erased");
    place.json(["update", &first, "--derive", "--set", "/mood=calm"]);
    assert_eq!(recalled(&place, &["Lisbon"]).len(), 2);
    place.run(["audit", "--deep"]).ok();
}

/// MEM-MAINT: what is forgotten is in no selection, whichever version was named.
#[test]
fn a_forgotten_memory_is_not_selected_and_its_history_says_so() {
    let (place, first) = noted("Priya lives in Lisbon");
    let second = id_of(&place.json(["update", &first, "--set", "/text=Priya lives in Porto"]));
    place.run(["forget", &first, "--reason", "asked for"]).ok();
    for query in ["Lisbon", "Porto", "Priya"] {
        assert_eq!(recalled(&place, &[query]), []);
        assert_eq!(recalled(&place, &[query, "--all-versions"]), []);
    }
    let shown = place.json(["show", &second])["capsule"]["timestamp"].clone();
    let listed = place.json(["as-of", shown.as_str().unwrap()]);
    assert_eq!(
        (&listed["memories"], &listed["listed"]),
        (&json!(0), &json!([]))
    );
    let history = place.run(["history", &second]).ok().stdout();
    assert!(history.contains("FORGOTTEN"), "{history}");
}

/// C15: another agent's chain is not extended; a memory of one's own is derived from it.
#[test]
fn the_memory_of_another_agent_is_derived_from_and_not_changed() {
    let (theirs, first) = noted("Priya lives in Lisbon");
    let file = theirs.folder().join("export.jsonl");
    theirs
        .run(["export".as_ref(), "-o".as_ref(), file.as_os_str()])
        .ok();
    let place = Place::new();
    let import = [
        "import".as_ref(),
        file.as_os_str(),
        "--format".as_ref(),
        "capsules".as_ref(),
    ];
    place.run(import);
    assert_eq!(recalled(&place, &["Lisbon"]).len(), 1);
    place.refuses(["update", &first, "--set", "/text=x"], 3, "another agent's");
    place.refuses(["rollback", &first, "--to", "0"], 3, "");
    let mine = place.json([
        "update",
        &first,
        "--derive",
        "--set",
        "/text=Ada lives in Lisbon",
    ]);
    assert_eq!(mine["derivedFrom"], first.as_str());
    let shown = place.json(["show", &id_of(&mine)]);
    let source = place.json(["show", &first]);
    assert_ne!(shown["capsule"]["agent"], source["capsule"]["agent"]);
    place.run(["audit"]).ok();
}

/// I7: what a recall gives of a forked chain is called contested, and nothing before the fork is.
#[test]
fn a_contested_version_is_called_so_in_the_reason() {
    let (place, first) = noted("Priya lives in Lisbon");
    place.json(["update", &first, "--set", "/mood=calm"]);
    let copy = Place::bare();
    copy_folder(&place.dir(), &copy.dir());
    copy.json(["update", &first, "--set", "/text=Priya lives in Ghent"]);
    let newest = id_of(&place.json(["update", &first, "--set", "/text=Priya lives in Porto"]));
    assert!(!recalled(&place, &["Porto"])[0].1.contains("CONTESTED"));
    let file = copy.folder().join("export.jsonl");
    copy.run(["export".as_ref(), "-o".as_ref(), file.as_os_str()])
        .ok();
    place.run([
        "import".as_ref(),
        file.as_os_str(),
        "--format".as_ref(),
        "capsules".as_ref(),
    ]);
    let found = recalled(&place, &["Porto"]);
    assert_eq!(found[0].0, newest);
    assert!(
        found[0]
            .1
            .starts_with("CONTESTED: its chain was continued in two ways"),
        "{found:?}"
    );
    assert!(!recalled(&place, &["Lisbon"])[0].1.contains("CONTESTED"));
    assert_eq!(
        recalled(&place, &["Ghent"]),
        [],
        "the other branch is kept, and not recalled"
    );
    let history = place.json(["history", &first]);
    assert!(history["versions"][2]["contested"].is_string());
    assert_eq!(history["versions"][1].get("contested"), None);
    place
        .run(["update", &first, "--set", "/text=x"])
        .refused(3, "forked at number 2");
}

fn copy_folder(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir(to).unwrap();
    std::fs::set_permissions(to, std::fs::metadata(from).unwrap().permissions()).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A conflict names the version that is there by the id that a person has to give.
#[test]
fn a_conflict_names_the_newest_version() {
    let place = Place::new();
    let first = id_of(&place.json(["remember", "one"]));
    let second = id_of(&place.json(["update", &first, "--set", "/text=two"]));
    let args = ["update", &first, "--expect", &first, "--set", "/text=three"];
    place.refuses(args, 3, &format!("--expect {second}"));
    let args = [
        "update",
        &first,
        "--expect",
        &second,
        "--set",
        "/text=three",
    ];
    place.run(args).ok();
    place
        .run(["history", &first, "--max", "0"])
        .refused(3, "--max");
}

/// What begins as JSON and is none was taken as a text without a word.
#[test]
fn a_value_that_is_almost_json_is_told_of() {
    let place = Place::new();
    let first = id_of(&place.json(["remember", "one"]));
    let update = place.run(["update", &first, "--set", "/tags=[one, two]"]);
    assert!(
        update.ok().stderr().contains("taken as a text"),
        "{}",
        update.stderr()
    );
    let update = place.run(["update", &first, "--set", "/tags=[1, 2]"]);
    assert_eq!(update.ok().stderr(), "");
}

/// Three programs that change a memory at once all do so: whoever comes second takes the newer
/// version.
#[test]
fn updates_at_the_same_time_are_all_made() {
    let place = Place::new();
    let first = id_of(&place.json(["remember", "one"]));
    let running: Vec<_> = ["/a=1", "/b=1", "/c=1"]
        .iter()
        .map(|set| {
            let mut command = place.command();
            command.args(["update", &first, "--set", set]);
            command.stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut update in running {
        assert!(update.wait().unwrap().success());
    }
    let history = place.json(["history", &first]);
    assert_eq!(history["count"], 4);
}
