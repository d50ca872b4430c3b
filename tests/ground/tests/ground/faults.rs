//! Connections that end at every byte, servers and nodes that are killed: what was answered for is there, once, in one history.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use counterfoil_ground_tests::Server;
use counterfoil_store::{CapsuleLog as _, StoreError};

use crate::rig::{Node, Shared, block_on};

/// Number of cycles, unless the environment names another.
pub(crate) fn cycles() -> u32 {
    let named = std::env::var("COUNTERFOIL_GROUND_CYCLES");
    named.ok().and_then(|it| it.parse().ok()).unwrap_or(20)
}

/// A way to the server that ends after so many bytes of the client, or of the server, and swallows the rest.
struct Proxy {
    port: u16,
    /// Bytes that may pass in each direction.
    left: Arc<[AtomicI64; 2]>,
    /// True where no further connection passes either.
    lasts: Arc<AtomicBool>,
}

impl Proxy {
    fn to(port: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let own = listener.local_addr().unwrap().port();
        let left = Arc::new([AtomicI64::new(i64::MAX), AtomicI64::new(i64::MAX)]);
        let limits = Arc::clone(&left);
        let lasts = Arc::new(AtomicBool::new(false));
        let lasting = Arc::clone(&lasts);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else {
                    continue;
                };
                let ways = [(&client, &server), (&server, &client)]
                    .map(|(from, to)| (from.try_clone().unwrap(), to.try_clone().unwrap()));
                for (way, (from, to)) in ways.into_iter().enumerate() {
                    let (limits, lasting) = (Arc::clone(&limits), Arc::clone(&lasting));
                    thread::spawn(move || pass((from, to), &limits[way], &lasting));
                }
            }
        });
        Self {
            port: own,
            left,
            lasts,
        }
    }

    fn cut_after(&self, way: usize, bytes: i64, lasts: bool) {
        self.lasts.store(lasts, Ordering::SeqCst);
        self.left[way].store(bytes, Ordering::SeqCst);
    }

    fn heal(&self) {
        self.left
            .iter()
            .for_each(|left| left.store(i64::MAX, Ordering::SeqCst));
    }
}

fn pass((mut from, mut to): (TcpStream, TcpStream), left: &AtomicI64, lasts: &AtomicBool) {
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        let length = i64::try_from(read).unwrap();
        let before = left.fetch_sub(length, Ordering::SeqCst);
        let passed = before.clamp(0, length);
        if to
            .write_all(&buffer[..usize::try_from(passed).unwrap()])
            .is_err()
            || passed < length
        {
            if !lasts.load(Ordering::SeqCst) {
                left.store(i64::MAX, Ordering::SeqCst);
            }
            break;
        }
    }
    for side in [&from, &to] {
        drop(side.shutdown(Shutdown::Both));
    }
}

/// Counts of what a history has to keep.
#[derive(Default)]
pub(crate) struct Answered {
    pub(crate) ids: BTreeSet<String>,
    pub(crate) unanswered: u64,
}

impl Answered {
    pub(crate) fn append(&mut self, node: &Node, id: &str) {
        match node.append(id, "a memory") {
            Ok(_) => drop(self.ids.insert(id.to_owned())),
            Err(
                StoreError::Unavailable { .. }
                | StoreError::NotConfirmed { .. }
                | StoreError::OutcomeUnknown,
            ) => self.unanswered += 1,
            Err(other) => panic!("{id}: {other}"),
        }
    }
}

/// All nodes have one history with each answered memory once, and so has one that comes late.
pub(crate) fn is_one_history(shared: &Shared<'_>, nodes: &[Node], answered: &BTreeSet<String>) {
    let late = shared.node("late");
    let size = late.follow().unwrap();
    for id in answered {
        assert!(late.text(id).is_some(), "{id} was answered for and is lost");
    }
    let digest = late.digest();
    for node in nodes {
        assert_eq!(node.follow().unwrap(), size);
        assert_eq!(node.digest(), digest, "{}", node.name);
    }
    late.is_clean();
    let rows =
        shared.sql("SELECT count(*), count(DISTINCT idx), max(idx) + 1 FROM counterfoil.entry");
    assert_eq!(rows, format!("{size}|{size}|{size}"));
}

/// RCH-4, RCH-5: a connection that ends at any byte of a commit, in either direction, loses nothing that was answered for and
/// keeps nothing twice; the next write goes on.
#[test]
fn a_connection_that_ends_at_any_byte_loses_nothing() {
    let Some(shared) = Shared::new() else { return };
    let proxy = Proxy::to(shared.server().port());
    let mut through = shared.through(proxy.port);
    through.settings.settle = Duration::from_millis(600);
    through.settings.connect = Duration::from_millis(500);
    let (cut, other) = (through.node("cut"), shared.node("other"));
    let mut answered = Answered::default();
    answered.append(&cut, "begin");
    let mut unanswered = 0;
    for cycle in 0..cycles() {
        let bytes = i64::from(cycle) * 3571 % 5000;
        let way = usize::from(cycle % 2 == 1);
        let bytes = if way == 1 { bytes / 12 } else { bytes };
        proxy.cut_after(way, bytes, cycle % 4 > 1);
        answered.append(&cut, &format!("cut-{cycle}"));
        proxy.heal();
        // The same request again adds nothing twice.
        let before = answered.unanswered;
        answered.append(&cut, &format!("cut-{cycle}"));
        assert_eq!(answered.unanswered, before, "the next write goes on");
        answered.append(&other, &format!("other-{cycle}"));
        unanswered = answered.unanswered;
    }
    assert!(unanswered > 0, "no connection was cut");
    is_one_history(&shared, &[cut, other], &answered.ids);
}

/// RCH-5: two nodes write at once: neither waits for ever, and there is one history.
#[test]
fn nodes_that_write_at_once_have_one_history() {
    let Some(shared) = Shared::new() else { return };
    let nodes = ["a", "b"].map(|name| shared.node(name));
    let counts = [AtomicU64::new(0), AtomicU64::new(0)];
    let ended = AtomicBool::new(false);
    let answered: BTreeSet<String> = thread::scope(|scope| {
        let writing: Vec<_> = nodes
            .iter()
            .zip(&counts)
            .map(|(node, count)| {
                let ended = &ended;
                scope.spawn(move || {
                    let mut answered = Answered::default();
                    while !ended.load(Ordering::SeqCst) {
                        let number = count.fetch_add(1, Ordering::SeqCst);
                        answered.append(node, &format!("{}-{number}", node.name));
                    }
                    assert_eq!(answered.unanswered, 0);
                    answered.ids
                })
            })
            .collect();
        thread::sleep(Duration::from_secs(3));
        ended.store(true, Ordering::SeqCst);
        writing
            .into_iter()
            .flat_map(|it| it.join().unwrap())
            .collect()
    });
    let [a, b] = counts.map(AtomicU64::into_inner);
    println!("{a} and {b} appends");
    assert!(a.min(b) * 4 > a.max(b), "one node is starved: {a} and {b}");
    is_one_history(&shared, &nodes, &answered);
}

/// RCH-4: the server is killed while nodes write, and starts again: what was answered for is there.
#[test]
fn a_server_that_is_killed_loses_nothing() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let mut shared = Shared::of(&server);
    shared.settings.settle = Duration::from_secs(1);
    let nodes = ["a", "b"].map(|name| shared.node(name));
    let mut all = BTreeSet::new();
    for cycle in 0..cycles().div_ceil(4) {
        let ended = AtomicBool::new(false);
        thread::scope(|scope| {
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
            thread::sleep(Duration::from_millis(300));
            server.kill();
            ended.store(true, Ordering::SeqCst);
            for thread in writing {
                all.extend(thread.join().unwrap());
            }
        });
        server.resume();
    }
    assert!(all.len() > nodes.len());
    is_one_history(&shared, &nodes, &all);
}

/// RCH-6: a ground that went back, or that another history came into, is an alarm that names both checkpoints, and nothing is
/// written.
#[test]
fn a_ground_that_went_back_is_no_second_history() {
    let Some(shared) = Shared::new() else { return };
    let (a, b) = (shared.node("a"), shared.node("b"));
    a.append("first", "kept").unwrap();
    b.follow().unwrap();
    let dump = shared.copied();
    a.append(
        "lost",
        "answered for, and lost by a failover that did not wait",
    )
    .unwrap();
    b.follow().unwrap();
    shared.restored(&dump);
    for node in [&a, &b] {
        let refused = node.append("more", "must not be written").unwrap_err();
        let StoreError::GuardMismatch { detail } = &refused else {
            panic!("{refused}")
        };
        assert!(detail.contains("has gone back"), "{detail}");
        assert_eq!(
            detail.matches(" entries, root sha256:").count(),
            2,
            "{detail}"
        );
        assert!(matches!(
            node.follow(),
            Err(StoreError::GuardMismatch { .. })
        ));
        // What is here can be looked at.
        assert_eq!(block_on(node.store.size()).unwrap(), 2);
    }
    assert_eq!(shared.sql("SELECT size FROM counterfoil.log"), "1");
    // A node that knows nothing of it writes, and then the two are no one's history.
    let late = shared.node("late");
    late.append("other", "a second history").unwrap();
    let refused = a.append("more", "must not be written").unwrap_err();
    assert!(
        matches!(&refused, StoreError::GuardMismatch { detail } if detail.contains("another commit")),
        "{refused}"
    );
}
