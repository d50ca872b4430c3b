//! TLS with a certificate that was made here.

use counterfoil_http::client::{Client, ClientSettings};
use counterfoil_http::server::server_config;
use counterfoil_peer::{PeerError, Transport};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Duration, timeout};

use crate::rig::{ANSWER, Rig, Scripted};

fn made() -> (String, String) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    (made.cert.pem(), made.signing_key.serialize_pem())
}

async fn serving(cert: &str, key: &str) -> (Rig, String) {
    let tls = server_config(cert.as_bytes(), key.as_bytes()).unwrap();
    let rig = Rig::with(Scripted::always(), |settings| {
        settings.tls = Some(tls);
        settings.head = Duration::from_millis(500);
    })
    .await;
    let url = format!("https://localhost:{}", rig.address.port());
    (rig, url)
}

async fn asked(url: &str, ca: Option<&str>) -> Result<Vec<u8>, PeerError> {
    let settings = ClientSettings {
        extra_ca_pem: ca.map(|pem| pem.into()),
        ..ClientSettings::default()
    };
    let mut transport = Client::new(url, &settings).unwrap().transport();
    transport.send(b"{}").await?;
    transport.receive().await
}

#[tokio::test]
async fn a_certificate_of_ones_own_is_trusted_by_who_was_given_it() {
    let (cert, key) = made();
    let (_rig, url) = serving(&cert, &key).await;
    assert_eq!(asked(&url, Some(&cert)).await.unwrap(), ANSWER.as_bytes());
}

#[tokio::test]
async fn another_certificate_or_another_name_is_not() {
    let ((cert, key), (other, _)) = (made(), made());
    let (_rig, url) = serving(&cert, &key).await;
    for (url, ca) in [
        (url.clone(), Some(&other)),
        (url.clone(), None),
        (url.replace("localhost", "127.0.0.1"), Some(&cert)),
    ] {
        let said = asked(&url, ca.map(String::as_str)).await;
        assert!(
            matches!(said, Err(PeerError::Failed { .. })),
            "{url}: {said:?}"
        );
    }
}

/// Who does not speak TLS is not waited for.
#[tokio::test]
async fn a_handshake_has_its_time() {
    let (cert, key) = made();
    let (rig, _) = serving(&cert, &key).await;
    let mut stream = rig.connect().await;
    let mut read = Vec::new();
    let _ = timeout(Duration::from_secs(20), stream.read_to_end(&mut read))
        .await
        .unwrap();
    let mut stream = rig.connect().await;
    stream
        .write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
        .await
        .unwrap();
    let _ = timeout(Duration::from_secs(20), stream.read_to_end(&mut read))
        .await
        .unwrap();
    assert!(!read.starts_with(b"HTTP"));
}
