//! One log on several machines, from the command line: a real PostgreSQL, a folder for each machine.

use counterfoil_ground_tests::{Server, server};

use crate::place::Place;

/// A node of the log of `first`.
fn joined(first: &Place, url: &str) -> Place {
    let node = Place::bare();
    let keys = first.keys();
    node.run(["reach", "join", url, "--keys", keys.to_str().unwrap()])
        .ok();
    node
}

fn made(server: &Server) -> (Place, String) {
    let (place, url) = (Place::bare(), server.database());
    place.run(["init", "--ground", &url]).ok();
    (place, url)
}

/// RCH-1, RCH-2: what is remembered on one machine is recalled on another, with a proof; facts and settings too.
#[test]
fn what_is_remembered_on_one_machine_is_found_on_another() {
    let Some(server) = server() else { return };
    let (a, url) = made(server);
    a.run(["remember", "Ada likes tea"]).ok();
    let b = joined(&a, &url);
    let found = b.json(["recall", "tea"]);
    assert!(found.to_string().contains("Ada likes tea"), "{found}");
    b.run(["claim", "add", "Ada", "drink", "green tea"]).ok();
    let believed = a.run(["believe", "Ada", "drink"]).stdout();
    assert!(believed.contains("green tea"), "{believed}");
    let id = b.json(["remember", "Ben likes coffee"])["id"]
        .as_str()
        .unwrap()
        .to_owned();
    b.run(["show", &id]).ok();
    a.run(["forget", &id, "--reason", "asked to"]).ok();
    assert!(!b.run(["recall", "coffee"]).stdout().contains("Ben"));
    for node in [&a, &b] {
        node.run(["check", "--deep"]).ok();
        node.run(["rebuild"]).ok();
    }
    let nodes = a.json(["reach", "nodes"]);
    assert_eq!(nodes["nodes"].as_array().unwrap().len(), 2);
    let gone = nodes["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["own"] == false)
        .unwrap();
    a.run(["reach", "nodes", "--forget", gone["name"].as_str().unwrap()])
        .ok();
    a.run(["reach", "nodes", "--forget", "nobody"])
        .refused(3, "no other node");
    let twice = Place::bare();
    twice
        .run(["reach", "join", &url, "--keys", "/nowhere"])
        .refused(4, "/nowhere");
    b.run(["reach", "join", &url, "--keys", a.keys().to_str().unwrap()])
        .refused(3, "holds a memory already");
}

/// RCH-10: a log that is moved is whole, in both directions, and its other nodes neither write nor go stale without a sign.
#[test]
fn a_log_moves_and_goes_on_at_one_place() {
    let Some(server) = server() else { return };
    let place = Place::with_memories();
    let kept = place.json(["recall", "heron"])["results"].to_string();
    let (url, keys) = (server.database(), server.database());
    place
        .run(["log", "move", "--to", &url, "--ground-keys", &keys])
        .ok();
    place.run(["check", "--deep"]).ok();
    assert_eq!(place.json(["recall", "heron"])["results"].to_string(), kept);
    place
        .run(["log", "move", "--to", &url])
        .refused(3, "already");
    let keys_of = place.keys();
    let other = Place::bare();
    other
        .run([
            "reach",
            "join",
            &url,
            "--ground-keys",
            &keys,
            "--keys",
            keys_of.to_str().unwrap(),
        ])
        .ok();
    other.run(["remember", "said on the other machine"]).ok();
    let home = Place::bare();
    place
        .run(["log", "move", "--to", home.dir().to_str().unwrap()])
        .ok();
    home.run(["check", "--deep"]).ok();
    assert!(
        home.run(["recall", "machine"])
            .stdout()
            .contains("the other machine")
    );
    home.run(["remember", "alone again"]).ok();
    for node in [&place, &other] {
        node.run(["remember", "must not be kept"])
            .refused(4, "moved out of it");
        node.run(["recall", "heron"]).refused(4, "moved out of it");
        assert!(
            node.run(["recall", "heron", "--read", "any"])
                .ok()
                .stdout()
                .contains("heron")
        );
    }
    // It can come back, into a database that has nothing of it.
    home.run(["log", "move", "--to", &url])
        .refused(4, "moved out of it");
    home.run(["log", "move", "--to", &server.database()]).ok();
    assert!(
        home.run(["recall", "again"])
            .ok()
            .stdout()
            .contains("alone again")
    );
}

/// RCH-1: without its ground a node reads its own copy under `--read any`, and refuses all else with the next step.
#[test]
fn a_node_without_its_ground_says_so() {
    let Some(server) = Server::start(&["fsync=off"]) else {
        return;
    };
    let (place, _) = made(&server);
    place.run(["remember", "Ada likes tea"]).ok();
    server.kill();
    place.run(["recall", "tea"]).refused(4, "--read any");
    place
        .run(["remember", "lost"])
        .refused(4, "connecting to the shared ground");
    assert!(
        place
            .run(["recall", "tea", "--read", "any"])
            .ok()
            .stdout()
            .contains("Ada")
    );
    assert!(
        place
            .run(["recall", "tea", "--read", "2"])
            .code(4)
            .stderr()
            .contains("ground")
    );
    server.resume();
    assert!(
        place
            .run(["recall", "tea", "--read", "2"])
            .ok()
            .stdout()
            .contains("Ada")
    );
    place.run(["recall", "tea", "--read", "9"]).refused(3, "9");
    place.run(["remember", "again"]).ok();
}

/// RCH-6: a ground that lost what was answered for is refused by each node that has seen it, until a person decides; the lost memory
/// can be read meanwhile.
#[test]
fn what_a_failover_has_lost_is_for_a_person_to_decide() {
    let Some(server) = server() else { return };
    let (a, url) = made(server);
    let database = url.rsplit('/').next().unwrap();
    a.run(["remember", "Ada likes tea"]).ok();
    let tables = ["log", "commit", "entry", "beside"];
    for table in tables {
        server.sql(
            database,
            &format!("CREATE TABLE kept_{table} AS SELECT * FROM counterfoil.{table}"),
        );
    }
    a.run(["remember", "lost by the failover"]).ok();
    for table in tables {
        server.sql(
            database,
            &format!(
                "SET session_replication_role = replica; DELETE FROM counterfoil.{table}; \
                 INSERT INTO counterfoil.{table} SELECT * FROM kept_{table}"
            ),
        );
    }
    a.run(["remember", "no second history"])
        .refused(4, "has gone back");
    a.run(["recall", "tea"]).refused(4, "has gone back");
    assert!(
        a.run(["recall", "failover", "--read", "any"])
            .ok()
            .stdout()
            .contains("lost by")
    );
    let keys = a.keys();
    let again = Place::bare();
    let join = ["reach", "join", &url, "--keys", keys.to_str().unwrap()];
    again.run(join).code(4);
    let decided = Place::bare();
    decided.run(join.iter().chain(&["--accept-ground"])).ok();
    decided.run(["remember", "said again"]).ok();
    decided.run(["check", "--deep"]).ok();
    a.run(["remember", "no second history"]).code(4);
}
