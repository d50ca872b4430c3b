//! Connections over a network.

use std::time::Duration;

use counterfoil_ground_tests::Server;
use counterfoil_postgres::PostgresGround;
use counterfoil_store::StoreError;

use crate::rig::Shared;

/// RCH-7: over a network the server proves who it is, and a connection that is not encrypted is none; on the same machine the
/// address may do without.
#[test]
fn a_server_is_identified() {
    let Some(server) = Server::start(&["fsync=off"]) else {
        return;
    };
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let mut shared = Shared::of(&server);
    let url = shared.settings.url.clone();
    // A name of this machine that is not known to be one.
    let far = url.replace("127.0.0.1", "0.0.0.0");
    let asked = |shared: &Shared<'_>| {
        PostgresGround::new(shared.settings.clone())
            .unwrap()
            .durability()
    };
    assert!(asked(&shared).is_ok());
    shared.settings.url.clone_from(&far);
    assert!(
        matches!(asked(&shared), Err(StoreError::Unavailable { .. })),
        "nothing goes over a network in the clear"
    );
    shared.settings.url = format!("{far}?sslmode=disable");
    assert!(asked(&shared).is_ok(), "a person has said so");
    server.put("server.crt", &made.cert.pem());
    server.put("server.key", &made.signing_key.serialize_pem());
    server.sql("postgres", "ALTER SYSTEM SET ssl = on");
    server.sql("postgres", "SELECT pg_reload_conf()");
    std::thread::sleep(Duration::from_millis(300));
    shared.settings.url = url.replace("127.0.0.1", "localhost") + "?sslmode=require";
    assert!(
        matches!(asked(&shared), Err(StoreError::Unavailable { .. })),
        "nobody has signed for the server"
    );
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root.pem");
    std::fs::write(&root, made.cert.pem()).unwrap();
    shared.settings.root_certificate = Some(root);
    shared.node("a").append("first", "over TLS").unwrap();
    shared.settings.url = far;
    assert!(
        asked(&shared).is_err(),
        "the certificate is of another name"
    );
}
