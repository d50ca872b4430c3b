//! Erasure, and roles that share a database.

use counterfoil_ground_tests::server;
use counterfoil_life::Life as _;
use counterfoil_life_tests::support::id;

use crate::rig::{Shared, agent, block_on};

/// RCH-7, RCH-8: an erasure takes the words out of the ground and of each node, and a copy of the ground from before does not
/// open with the keys that are left. The certificate names the node that has not come yet.
#[test]
fn an_erasure_reaches_the_ground_its_copies_and_each_node() {
    let Some(server) = server() else { return };
    let shared = Shared::with_keys_apart(server);
    let (a, b) = (shared.node("a"), shared.node("b"));
    a.append("secret", "the word is zanzibarin").unwrap();
    a.append("other", "nothing of it").unwrap();
    b.follow().unwrap();
    assert!(b.holds("zanzibarin"));
    let kept = shared.copied();
    let certificate = block_on(a.store.erase(agent(), &id("secret"), "asked to"))
        .unwrap()
        .unwrap();
    assert_eq!(certificate.not_scrubbed, None);
    let obstacles: Vec<_> = certificate
        .destinations
        .iter()
        .map(|it| (it.folder.as_str(), it.obstacle.is_some()))
        .collect();
    assert_eq!(obstacles.len(), 2, "{obstacles:?}");
    assert!(!obstacles[0].1, "the keys are apart: {obstacles:?}");
    assert_eq!(obstacles[1], ("node b", true));
    assert!(!a.holds("zanzibarin") && b.holds("zanzibarin"));
    b.follow().unwrap();
    assert!(!b.holds("zanzibarin"));
    let again = block_on(a.store.erase(agent(), &id("secret"), "asked to"))
        .unwrap()
        .unwrap();
    assert!(again.destinations.iter().all(|it| it.obstacle.is_none()));
    // Of the copy from before the headers are there, and of the word nothing.
    shared.restored(&kept);
    let late = shared.node("late");
    assert_eq!(late.follow().unwrap(), 2);
    assert!(late.text("other").is_some() && late.text("secret").is_none());
    assert!(!late.holds("zanzibarin"));
}

/// RCH-7: words in the ground are sealed, and their keys are wrapped: neither lies there in the clear.
#[test]
fn the_ground_holds_no_words() {
    let Some(shared) = Shared::new() else { return };
    shared
        .node("a")
        .append("secret", "the word is zanzibarin")
        .unwrap();
    for table in ["log", "commit", "entry", "beside", "node", "content_key"] {
        let rows = shared.sql(&format!(
            "SELECT count(*) FROM counterfoil.{table} t WHERE t::text LIKE '%zanzibarin%'"
        ));
        assert_eq!(rows, "0", "{table}");
    }
}

/// RCH-9: no statement under the role of another sees or changes a log, and nothing that proves something is changed or taken away
/// by its own role either.
#[test]
fn a_role_reaches_its_own_logs_alone() {
    let Some(shared) = Shared::new() else { return };
    let node = shared.node("a");
    node.append("first", "a memory").unwrap();
    let database = shared.database().to_owned();
    shared
        .server()
        .sql("postgres", &format!("CREATE ROLE {database}_other LOGIN"));
    shared.sql(&format!(
        "GRANT USAGE ON SCHEMA counterfoil TO {database}_other; GRANT ALL ON ALL TABLES IN SCHEMA counterfoil TO {database}_other"
    ));
    let as_other = |sql: &str| {
        shared
            .server()
            .try_sql(&format!("{database}_other"), &database, sql)
    };
    for table in [
        "log",
        "commit",
        "entry",
        "beside",
        "node",
        "condemned",
        "content_key",
    ] {
        let read = as_other(&format!("SELECT count(*) FROM counterfoil.{table}"));
        assert_eq!(read.as_deref(), Ok("0"), "{table}");
        let log = "(SELECT decode(repeat('00', 32), 'hex'))";
        let changed = as_other(&format!("UPDATE counterfoil.{table} SET log_id = {log}"));
        assert_eq!(changed.as_deref(), Ok(""), "{table}");
        let gone = as_other(&format!("DELETE FROM counterfoil.{table}"));
        assert_eq!(gone.as_deref(), Ok(""), "{table}");
    }
    let log = shared.sql("SELECT encode(log_id, 'hex') FROM counterfoil.log");
    for row in [
        format!("INSERT INTO counterfoil.entry VALUES ('\\x{log}', 7, 'x')"),
        format!(
            "INSERT INTO counterfoil.commit (log_id, number, id, size, root, node) VALUES ('\\x{log}', 9, 'x', 9, '\\x00', 'x')"
        ),
        format!("INSERT INTO counterfoil.beside VALUES ('\\x{log}', 'x', 'x', 9, 9, false, 'x')"),
        format!("INSERT INTO counterfoil.node VALUES ('\\x{log}', 'x', 9)"),
        format!("INSERT INTO counterfoil.condemned VALUES ('\\x{log}', 'entry/0')"),
        format!(
            "INSERT INTO counterfoil.content_key (log_id, root, slot, owner) VALUES ('\\x{log}', 'x', 'x', '{database}')"
        ),
    ] {
        assert!(as_other(&row).is_err(), "{row}");
    }
    for sql in [
        "DELETE FROM counterfoil.entry",
        "TRUNCATE counterfoil.entry",
        "UPDATE counterfoil.entry SET idx = 9",
        "DELETE FROM counterfoil.commit",
        "UPDATE counterfoil.commit SET id = 'x'",
        "TRUNCATE counterfoil.commit",
        "DELETE FROM counterfoil.log",
        "UPDATE counterfoil.log SET size = 0",
    ] {
        let own = shared.server().try_sql(&database, &database, sql);
        assert!(
            own.as_ref()
                .is_err_and(|error| error.contains("append-only")),
            "{sql}: {own:?}"
        );
    }
    node.append("second", "a memory").unwrap();
    node.is_clean();
}
