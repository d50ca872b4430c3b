//! Standbys: what is not on them is not answered for, and what they lost is noticed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use counterfoil_ground_tests::Server;
use counterfoil_store::StoreError;

use crate::faults::{Answered, cycles, is_one_history};
use crate::rig::Shared;

/// RCH-4: a commit whose wait for the standby was cancelled is not answered for, and not forgotten: it is there once the standby is.
#[test]
fn a_cancelled_wait_for_the_standby_is_no_answer() {
    let Some(server) = Server::start(&["fsync=off"]) else {
        return;
    };
    let mut shared = Shared::of(&server);
    shared.settings.settle = Duration::from_secs(1);
    let (node, other) = (shared.node("a"), shared.node("b"));
    let mut answered = Answered::default();
    answered.append(&node, "before");
    let standbys = |names: &str| {
        server.sql(
            "postgres",
            &format!("ALTER SYSTEM SET synchronous_standby_names = '{names}'"),
        );
        server.sql("postgres", "SELECT pg_reload_conf()");
        thread::sleep(Duration::from_millis(300));
    };
    standbys("nobody");
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::SeqCst) {
                server.sql("postgres", "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
                thread::sleep(Duration::from_millis(50));
            }
        });
        let answered = node.append("unsure", "a memory");
        ended.store(true, Ordering::SeqCst);
        let refused = answered.unwrap_err();
        assert!(
            matches!(refused, StoreError::NotConfirmed { .. }),
            "{refused}"
        );
    });
    standbys("");
    // The same request again adds nothing twice.
    answered.append(&node, "unsure");
    answered.append(&other, "after");
    assert_eq!(answered.unanswered, 0);
    is_one_history(&shared, &[node, other], &answered.ids);
}

/// RCH-4: the primary is killed and its synchronous standby is promoted: nothing that was answered for is lost, and the nodes go
/// on there.
#[test]
fn a_failover_to_a_synchronous_standby_loses_nothing() {
    for cycle in 0..cycles() / 10 {
        let Some(primary) = Server::start(&["fsync=off"]) else {
            return;
        };
        let standby = primary.standby("kept", &["fsync=off"]);
        primary.sql(
            "postgres",
            "ALTER SYSTEM SET synchronous_standby_names = 'kept'",
        );
        primary.sql("postgres", "SELECT pg_reload_conf()");
        let mut shared = Shared::of(&primary);
        shared.settings.settle = Duration::from_secs(20);
        let own = format!("127.0.0.1:{}", primary.port());
        let both = format!("{own},127.0.0.1:{}", standby.port());
        shared.settings.url =
            shared.settings.url.replace(&own, &both) + "?target_session_attrs=read-write";
        let nodes = ["a", "b"].map(|name| shared.node(name));
        let ended = AtomicBool::new(false);
        let ids = thread::scope(|scope| {
            let writing: Vec<_> = nodes
                .iter()
                .map(|node| {
                    let ended = &ended;
                    scope.spawn(move || {
                        let mut answered = Answered::default();
                        let mut number = 0;
                        while !ended.load(Ordering::SeqCst) {
                            answered.append(node, &format!("{}-{cycle}-{number}", node.name));
                            number += 1;
                        }
                        answered.ids
                    })
                })
                .collect();
            thread::sleep(Duration::from_millis(400));
            let began = Instant::now();
            primary.kill();
            standby.promote();
            standby.sql(
                "postgres",
                "ALTER SYSTEM SET synchronous_standby_names = ''",
            );
            standby.sql("postgres", "SELECT pg_reload_conf()");
            println!(
                "failover {cycle}: writing again after {:?}",
                began.elapsed()
            );
            thread::sleep(Duration::from_secs(1));
            ended.store(true, Ordering::SeqCst);
            writing
                .into_iter()
                .flat_map(|it| it.join().unwrap())
                .collect()
        });
        is_one_history(&shared.on(&standby), &nodes, &ids);
    }
}
