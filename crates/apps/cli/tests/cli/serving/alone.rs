//! The server by itself: where it listens, how it ends, what it says when it cannot.

use std::net::TcpListener;

use super::server::Served;
use crate::place::Place;

#[cfg(unix)]
#[test]
fn it_ends_well_when_told_to() {
    for signal in ["-TERM", "-INT"] {
        let place = Place::with_memories();
        let mut served = Served::new(&place);
        assert!(
            served.address.starts_with("127.0.0.1:"),
            "{}",
            served.address
        );
        assert!(served.get("/healthz").starts_with("HTTP/1.1 200"));
        served.signal(signal);
        assert_eq!(served.ended().code(), Some(0), "{signal}");
        place.run(["check"]).ok();
    }
}

#[test]
fn its_log_is_the_one_of_the_store() {
    let place = Place::with_memories();
    let settings = place.dir().join("exchange.toml");
    std::fs::write(settings, "[log]\ntiles = \"all\"\n").unwrap();
    let served = Served::new(&place);
    let folder = place.folder().join("tiles");
    place.run(["log", "export", folder.to_str().unwrap()]).ok();
    let checkpoint = std::fs::read_to_string(folder.join("checkpoint")).unwrap();
    assert!(served.get("/log/checkpoint").ends_with(&checkpoint));
    let size = checkpoint.lines().nth(1).unwrap();
    let tile = served.get(&format!("/log/tile/entries/000.p/{size}"));
    let exported = std::fs::read(folder.join(format!("tile/entries/000.p/{size}"))).unwrap();
    assert!(tile.ends_with(&*String::from_utf8_lossy(&exported)));
}

/// R14: a caller sees no entry of a memory that is shared with none, unless the operator publishes the log.
#[test]
fn entries_of_memories_are_not_published_by_themselves() {
    let place = Place::with_memories();
    let served = Served::new(&place);
    let size = served.get("/log/checkpoint");
    assert!(size.starts_with("HTTP/1.1 200"), "{size}");
    for path in ["entries/000.p/1", "0/000.p/1"] {
        let tile = served.get(&format!("/log/tile/{path}"));
        assert!(tile.starts_with("HTTP/1.1 404"), "{tile}");
        assert!(tile.contains("exchange.toml") && !tile.contains("mem_"));
    }
}

#[test]
fn what_it_cannot_do_is_said_in_one_line() {
    let place = Place::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    place.refuses(
        ["serve", "--listen", &taken],
        3,
        "another port with --listen",
    );
    place.refuses(["serve", "--listen", "192.0.2.1:0"], 3, "of this machine");
    Place::bare()
        .run(["serve"])
        .refused(4, "there is no memory at");
}
