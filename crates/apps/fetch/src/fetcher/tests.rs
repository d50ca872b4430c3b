//! Against a server with TLS on this machine, which stands behind public addresses.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use counterfoil_exchange::documents::{DocumentHash, Text};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::*;
use crate::client::Resolve;

const PUBLIC: &str = "93.184.215.14";
const BODY: &[u8] = b"what the memory says";

/// Answers each name with the next list of addresses, the last one again and again.
struct Scripted {
    answers: Mutex<HashMap<&'static str, Vec<Vec<&'static str>>>>,
    asked: AtomicUsize,
}

#[async_trait]
impl Resolve for Arc<Scripted> {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let mut answers = self.answers.lock().unwrap();
        let list = answers
            .get_mut(host)
            .ok_or_else(|| io::Error::other("no such host"))?;
        let next = if list.len() > 1 {
            list.remove(0)
        } else {
            list[0].clone()
        };
        Ok(next.iter().map(|text| text.parse().unwrap()).collect())
    }
}

struct Rig {
    fetcher: Fetcher,
    resolver: Arc<Scripted>,
    connections: Arc<AtomicUsize>,
}

impl Rig {
    /// A server that answers each path with what `script` has for it; names resolve as `names` says.
    async fn new(
        names: &[(&'static str, &[&[&'static str]])],
        script: fn(&str, usize) -> Vec<u8>,
        limits: FetchLimits,
    ) -> Self {
        let hosts: Vec<String> = names.iter().map(|(name, _)| (*name).to_owned()).collect();
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(hosts).unwrap();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
        let _ = rustls::crypto::ring::default_provider().install_default();
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let local = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        let acceptor = TlsAcceptor::from(Arc::new(config));
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let number = count.fetch_add(1, Ordering::Relaxed);
                let Ok(mut tls) = acceptor.accept(socket).await else {
                    continue;
                };
                let mut request = vec![0; 4096];
                let read = tls.read(&mut request).await.unwrap_or(0);
                let text = String::from_utf8_lossy(&request[..read]).into_owned();
                let lower = text.to_lowercase();
                assert!(
                    !lower.contains("cookie:")
                        && !lower.contains("referer:")
                        && !lower.contains("authorization:")
                );
                let path = text.split(' ').nth(1).unwrap_or("/").to_owned();
                let _ = tls.write_all(&script(&path, number)).await;
                let _ = tls.shutdown().await;
            }
        });
        let answers = names
            .iter()
            .map(|(name, lists)| (*name, lists.iter().map(|list| list.to_vec()).collect()))
            .collect();
        let resolver = Arc::new(Scripted {
            answers: Mutex::new(answers),
            asked: AtomicUsize::new(0),
        });
        let client = PublicClient {
            resolver: Box::new(Arc::clone(&resolver)),
            web: Some(WebClient::new(vec![cert.der().clone()]).unwrap()),
            instead: everywhere(local),
        };
        Self {
            fetcher: Fetcher::new(client, limits),
            resolver,
            connections,
        }
    }

    async fn look(&self, urls: &[(&str, Option<&[u8]>)]) -> Vec<CheckResult> {
        let evidence: Vec<EvidenceLink> = urls
            .iter()
            .map(|(url, body)| evidence(url, *body))
            .collect();
        let each: Vec<&[EvidenceLink]> = evidence.chunks(1).collect();
        self.fetcher.look(&each, Level::Identified).await
    }

    fn packets(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

/// Both the public address and the private ones that a test might wrongly dial stand for the server: a wrong dial shows.
fn everywhere(local: SocketAddr) -> HashMap<IpAddr, SocketAddr> {
    [
        PUBLIC,
        "127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "::1",
        "fd00::1",
    ]
    .map(|text| (text.parse().unwrap(), local))
    .into()
}

fn evidence(url: &str, body: Option<&[u8]>) -> EvidenceLink {
    EvidenceLink {
        url: Text::new(url).unwrap(),
        media_type: None,
        hash: body.map(DocumentHash::of),
    }
}

fn ok(body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

fn status(line: &str) -> Vec<u8> {
    format!("HTTP/1.1 {line}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").into_bytes()
}

fn quick() -> FetchLimits {
    FetchLimits {
        per_host: 100,
        time: std::time::Duration::from_secs(3),
        ..FetchLimits::default()
    }
}

/// Adversarial case H110 (MRP-23): alive and unchanged, changed, a portal without a hash to compare with, gone.
#[tokio::test]
async fn only_what_has_the_hash_fits() {
    let script = |path: &str, _| match path {
        "/same" | "/weak" => ok(BODY),
        "/changed" => ok(b"<html>sign in to the network</html>"),
        "/packed" => {
            b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 1\r\n\r\nx".to_vec()
        }
        "/500" => status("500 Oops"),
        "/410" => status("410 Gone"),
        _ => status("404 Not Found"),
    };
    let rig = Rig::new(&[("a.com", &[&[PUBLIC]])], script, quick()).await;
    let found = rig
        .look(&[
            ("https://a.com/same", Some(BODY)),
            ("https://a.com/weak", None),
            ("https://a.com/changed", Some(BODY)),
            ("https://a.com/packed", Some(BODY)),
            ("https://a.com/500", Some(BODY)),
            ("https://a.com/410", Some(BODY)),
            ("https://a.com/404", None),
        ])
        .await;
    use CheckResult::{Fail, Pass, Skip};
    assert_eq!(
        found,
        [
            Pass,
            Skip(SkipReason::Weak),
            Fail(FailCode::Mismatch),
            CheckResult::UNREACHABLE,
            CheckResult::UNREACHABLE,
            Fail(FailCode::Dead),
            Fail(FailCode::Dead),
        ]
    );
}

/// Adversarial case H107: nothing is sent, and nobody is asked for a name, for what is not public.
#[tokio::test]
async fn forbidden_targets_cost_no_packet() {
    let rig = Rig::new(&[("a.com", &[&[PUBLIC]])], |_, _| ok(BODY), quick()).await;
    for url in [
        "https://127.1/",
        "https://localhost./",
        "https://[::ffff:7f00:1]/",
        "file:///etc/passwd",
        "https://a.com:22/",
    ] {
        assert_eq!(
            rig.look(&[(url, None)]).await,
            [CheckResult::NOT_FETCHED],
            "{url}"
        );
    }
    assert_eq!(
        (rig.packets(), rig.resolver.asked.load(Ordering::Relaxed)),
        (0, 0)
    );
}

/// Adversarial case H108: a private address among the answers, or in the second answer, is never dialled: each answer is
/// tested whole, and the connection goes to the tested addresses without asking again.
#[tokio::test]
async fn rebinding_reaches_nothing_private() {
    let names: &[(&str, &[&[&str]])] = &[
        ("mixed.com", &[&[PUBLIC, "10.0.0.1"]]),
        ("six.com", &[&[PUBLIC, "fd00::1"]]),
        ("near.com", &[&["127.0.0.1"]]),
        ("none.com", &[&[]]),
    ];
    let rig = Rig::new(names, |_, _| ok(BODY), quick()).await;
    for (name, _) in names {
        let found = rig.look(&[(&format!("https://{name}/"), Some(BODY))]).await;
        assert_ne!(found, [CheckResult::Pass], "{name}");
    }
    assert_eq!(rig.packets(), 0);

    let turning: &[(&str, &[&[&str]])] = &[("turn.com", &[&[PUBLIC], &["127.0.0.1"]])];
    let rig = Rig::new(turning, |_, _| ok(BODY), quick()).await;
    assert_eq!(
        rig.look(&[("https://turn.com/a", Some(BODY))]).await,
        [CheckResult::Pass]
    );
    assert_eq!(
        rig.resolver.asked.load(Ordering::Relaxed),
        1,
        "the connection asked the resolver again"
    );
    assert_eq!(
        rig.look(&[("https://turn.com/b", Some(BODY))]).await,
        [CheckResult::NOT_FETCHED]
    );
    assert_eq!(rig.packets(), 1);
}

/// Adversarial case H109: to a metadata service, in a loop, down to http.
#[tokio::test]
async fn redirects_are_judged_and_end() {
    let script = |path: &str, _| match path {
        "/metadata" => {
            b"HTTP/1.1 302 F\r\nlocation: https://169.254.169.254/\r\ncontent-length: 0\r\n\r\n"
                .to_vec()
        }
        "/plain" => {
            b"HTTP/1.1 302 F\r\nlocation: http://a.com/same\r\ncontent-length: 0\r\n\r\n".to_vec()
        }
        "/loop" => b"HTTP/1.1 302 F\r\nlocation: /loop\r\ncontent-length: 0\r\n\r\n".to_vec(),
        "/once" => b"HTTP/1.1 307 F\r\nlocation: /same\r\ncontent-length: 0\r\n\r\n".to_vec(),
        "/away" => {
            b"HTTP/1.1 302 F\r\nlocation: https://near.com/\r\ncontent-length: 0\r\n\r\n".to_vec()
        }
        _ => ok(BODY),
    };
    let names: &[(&str, &[&[&str]])] = &[("a.com", &[&[PUBLIC]]), ("near.com", &[&["10.0.0.1"]])];
    let rig = Rig::new(names, script, quick()).await;
    assert_eq!(
        rig.look(&[("https://a.com/once", Some(BODY))]).await,
        [CheckResult::Pass]
    );
    assert_eq!(rig.packets(), 2);
    for (path, packets) in [("metadata", 1), ("plain", 1), ("away", 1), ("loop", 4)] {
        let before = rig.packets();
        let found = rig
            .look(&[(&format!("https://a.com/{path}"), Some(BODY))])
            .await;
        assert_ne!(found, [CheckResult::Pass], "{path}");
        assert_eq!(rig.packets() - before, packets, "{path}");
    }
}

/// Adversarial case H111: a thousand URLs at one host.
#[tokio::test]
async fn a_host_is_not_flooded_through_us() {
    let rig = Rig::new(
        &[("victim.com", &[&[PUBLIC]])],
        |_, _| ok(BODY),
        FetchLimits::default(),
    )
    .await;
    let urls: Vec<String> = (0..1000)
        .map(|n| format!("https://victim.com/{n}"))
        .collect();
    let asked: Vec<(&str, Option<&[u8]>)> = urls.iter().map(|url| (url.as_str(), None)).collect();
    let found = rig.look(&asked).await;
    assert_eq!(found.len(), 1000);
    assert!(rig.packets() <= 2, "{}", rig.packets());
    assert!(
        found
            .iter()
            .skip(10)
            .all(|finding| *finding == CheckResult::NOT_FETCHED)
    );
}

/// Adversarial case H112: for whoever proves nothing, nothing is fetched, so a URL tells nobody that it was read.
#[tokio::test]
async fn a_beacon_of_somebody_unknown_stays_dark() {
    let rig = Rig::new(&[("a.com", &[&[PUBLIC]])], |_, _| ok(BODY), quick()).await;
    let evidence = [evidence("https://a.com/pixel", None)];
    let found = rig.fetcher.look(&[&evidence], Level::Anonymous).await;
    assert_eq!((found, rig.packets()), (vec![CheckResult::NOT_FETCHED], 0));
    let Rig { mut fetcher, .. } = rig;
    fetcher = fetcher.dangerously_for_anyone();
    let found = fetcher.look(&[&evidence], Level::Anonymous).await;
    assert_eq!(found, [CheckResult::Skip(SkipReason::Weak)]);
}

#[tokio::test]
async fn what_is_too_long_or_too_slow_is_unreachable() {
    let script = |path: &str, _| match path {
        "/long" => ok(&vec![b'x'; 70_000]),
        _ => b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\nx".to_vec(),
    };
    let limits = FetchLimits {
        bytes: 65_536,
        ..quick()
    };
    let rig = Rig::new(&[("a.com", &[&[PUBLIC]])], script, limits).await;
    let found = rig
        .look(&[("https://a.com/long", None), ("https://a.com/cut", None)])
        .await;
    assert_eq!(found, [CheckResult::UNREACHABLE; 2]);
}

/// What was found is not asked for again within a day; another expected hash is another question.
#[tokio::test]
async fn a_finding_is_held() {
    let rig = Rig::new(&[("a.com", &[&[PUBLIC]])], |_, _| ok(BODY), quick()).await;
    for _ in 0..3 {
        assert_eq!(
            rig.look(&[("https://a.com/x", Some(BODY))]).await,
            [CheckResult::Pass]
        );
    }
    assert_eq!(rig.packets(), 1);
    assert_eq!(
        rig.look(&[("https://a.com/x", Some(b"other"))]).await,
        [CheckResult::Fail(FailCode::Mismatch)]
    );
}
