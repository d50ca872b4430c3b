//! The log as files, counts, health and the description.

use counterfoil_http::server::PublicTiles;

use crate::rig::{Rig, Scripted};

/// Rig of a server that publishes these tiles.
async fn publishing(tiles: PublicTiles) -> Rig {
    Rig::with(Scripted::always(), |settings| settings.tiles = tiles).await
}

/// Tiles are published by decision alone: an entry names a World and tells the length of its content, private or not.
#[tokio::test]
async fn only_published_tiles_are_served() {
    for (tiles, hashes, entries) in [
        (PublicTiles::Off, 404, 404),
        (PublicTiles::Hashes, 200, 404),
        (PublicTiles::All, 200, 200),
    ] {
        let rig = publishing(tiles).await;
        for (path, status) in [("0/000", hashes), ("entries/000", entries)] {
            let reply = rig.get(&format!("/log/tile/{path}")).await;
            assert_eq!(reply.status, status, "{tiles:?} {path}");
            if status == 404 {
                let problem = reply.is_problem("not-found");
                assert!(problem["detail"].as_str().unwrap().contains("[log]"));
            }
        }
        assert_eq!(rig.get("/log/checkpoint").await.status, 200);
    }
}

#[tokio::test]
async fn tiles_are_there_for_good_and_the_checkpoint_is_not() {
    let rig = publishing(PublicTiles::All).await;
    let checkpoint = rig.get("/log/checkpoint").await;
    assert!(checkpoint.text().starts_with("log\n300\n"));
    assert_eq!(
        checkpoint.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    assert_eq!(checkpoint.header("cache-control"), Some("no-cache"));
    for path in ["0/000", "0/001.p/44", "entries/000"] {
        let tile = rig.get(&format!("/log/tile/{path}")).await;
        assert_eq!((tile.status, tile.text()), (200, path));
        assert_eq!(
            tile.header("content-type"),
            Some("application/octet-stream")
        );
        assert!(tile.header("cache-control").unwrap().contains("immutable"));
    }
    for path in [
        "0/001",
        "0/000.p/256",
        "0/0",
        "../memory.db",
        "0/%2e%2e",
        "entries/001",
    ] {
        rig.get(&format!("/log/tile/{path}"))
            .await
            .is_problem("not-found");
    }
}

#[tokio::test]
async fn counts_hold_no_word_of_a_stranger() {
    let rig = Rig::new(Scripted::always()).await;
    rig.post("", br#"{"natural":"a secret"}"#).await;
    rig.get("/a-path-of-a-stranger").await;
    let reply = rig.get("/metrics").await;
    let text = reply.text();
    for line in [
        "counterfoil_http_requests_total{route=\"/mrp/v1/request\",status=\"200\"} 1",
        "counterfoil_http_requests_total{route=\"other\",status=\"404\"} 1",
        "counterfoil_http_exchanges_total{status=\"no_match\"} 1",
        "counterfoil_http_problems_total{problem=\"not-found\"} 1",
        "counterfoil_http_requests_in_flight 1",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(!text.contains("secret") && !text.contains("stranger"));
}

#[tokio::test]
async fn it_says_that_it_runs_and_what_it_offers() {
    let rig = Rig::new(Scripted::always()).await;
    assert_eq!(rig.get("/healthz").await.text(), r#"{"status":"ok"}"#);
    let described = rig.get("/openapi.json").await;
    let document: serde_json::Value = serde_json::from_slice(&described.body).unwrap();
    assert_eq!(document["openapi"], "3.1.0");
    assert!(document["paths"]["/mrp/v1/request"]["post"].is_object());
    assert_eq!(described.header("x-content-type-options"), Some("nosniff"));
    let head = rig
        .send(b"HEAD /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        .await;
    assert_eq!((head.status, head.body.len()), (200, 0));
}
