//! Endpoints on this machine: good ones, and ones that answer what they should not.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use counterfoil_encoder::{EncoderError, HttpEncoder};
use counterfoil_store::vectors::{Embedder, EncoderEndpoint, TextSide};
use serde_json::{Value, json};

/// Head and body of a request.
type Asked = (String, Value);

/// Gives one reply to each connection; the requests arrive at the receiver.
fn serve(replies: Vec<(u16, String)>) -> (String, Receiver<Asked>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for (status, body) in replies {
            let (stream, _) = listener.accept().unwrap();
            let _ = sender.send(read(&stream));
            let length = body.len();
            let head = format!("HTTP/1.1 {status} X\r\nconnection: close\r\nretry-after: 0\r\n");
            // A client that has read enough is gone.
            let _ = write!(&stream, "{head}content-length: {length}\r\n\r\n{body}");
        }
    });
    (base, receiver)
}

fn read(stream: &TcpStream) -> Asked {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        reader.read_line(&mut head).unwrap();
    }
    let head = head.to_lowercase();
    let length = head.split_once("content-length: ").unwrap().1;
    let length = length.split_once('\r').unwrap().0.parse().unwrap();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (head, serde_json::from_slice(&body).unwrap())
}

fn config(url: &str) -> EncoderEndpoint {
    EncoderEndpoint {
        url: url.to_owned(),
        model: "m".into(),
        dimensions: Some(2),
        memory_prefix: "p: ".into(),
        ..EncoderEndpoint::default()
    }
}

fn data(items: &Value) -> (u16, String) {
    (200, json!({"object": "list", "data": items}).to_string())
}

fn embed(replies: Vec<(u16, String)>, texts: &[&str]) -> Result<Vec<Vec<f32>>, String> {
    let (base, _requests) = serve(replies);
    let key = Some("sk-secret".to_owned().into());
    let encoder = HttpEncoder::open(config(&base), key).unwrap();
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    encoder
        .embed(&texts, TextSide::Memory)
        .map_err(|error| error.to_string())
}

#[test]
fn vectors_come_in_the_order_of_the_texts_and_of_unit_length() {
    let answer = json!([{"index": 1, "embedding": [0, -2.5]}, {"index": 0, "embedding": [3, 4]}]);
    let (base, requests) = serve(vec![data(&answer)]);
    let encoder = HttpEncoder::open(config(&base), Some("sk-secret".to_owned().into())).unwrap();
    let long = "x".repeat(10_000);
    let vectors = encoder
        .embed(&[long, String::new()], TextSide::Memory)
        .unwrap();
    assert_eq!(vectors, [[0.6, 0.8], [0.0, -1.0]]);
    let (head, body) = requests.recv().unwrap();
    assert!(
        head.starts_with("post /v1/embeddings ")
            && head.contains("authorization: bearer sk-secret")
    );
    assert_eq!(
        (&body["model"], &body["input"][1]),
        (&json!("m"), &json!("p: "))
    );
    assert_eq!(body["input"][0].as_str().unwrap().len(), 6_000);
    assert_eq!(
        encoder.embed(&[], TextSide::Question).unwrap(),
        Vec::<Vec<f32>>::new()
    );
}

#[test]
fn dimensions_are_asked_for_if_they_are_not_given() {
    let (base, requests) = serve(vec![data(&json!([{"index": 0, "embedding": [1, 2, 2]}]))]);
    let open = |config| HttpEncoder::open(config, None).unwrap().model().clone();
    let model = open(EncoderEndpoint {
        dimensions: None,
        ..config(&base)
    });
    assert_eq!(model.dimensions, 3);
    assert!(!requests.recv().unwrap().0.contains("authorization"));
    let given = EncoderEndpoint {
        dimensions: Some(3),
        ..config(&base)
    };
    assert_eq!(open(given.clone()), model);
    let host = base.trim_start_matches("http://").trim_end_matches("/v1");
    let named = format!("m@{host}:");
    assert!(model.fingerprint.starts_with(&named), "{model:?}");
    for other in [
        EncoderEndpoint {
            dimensions: Some(4),
            ..given.clone()
        },
        EncoderEndpoint {
            model: "n".into(),
            ..given.clone()
        },
        EncoderEndpoint {
            url: "https://example.org".into(),
            ..given.clone()
        },
        EncoderEndpoint {
            question_prefix: "q: ".into(),
            ..given
        },
    ] {
        assert_ne!(open(other).fingerprint, model.fingerprint);
    }
}

#[test]
fn more_texts_than_a_batch_are_sent_in_several() {
    let items = |count: usize| {
        let items = (0..count).map(|index| json!({"index": index, "embedding": [1, 0]}));
        data(&items.collect())
    };
    assert_eq!(
        embed(vec![items(64), items(6)], &["a"; 70]).unwrap().len(),
        70
    );
}

#[test]
fn an_answer_that_is_not_the_asked_one_is_refused() {
    let first = json!({"index": 0, "embedding": [1, 0]});
    for (answer, named) in [
        (data(&json!([first])), "number of vectors"),
        (data(&json!([first, first])), "two for one"),
        (
            data(&json!([first, {"index": 2, "embedding": [1, 0]}])),
            "for no text",
        ),
        (
            data(&json!([first, {"index": 1, "embedding": [1, 0, 0]}])),
            "3 dimensions",
        ),
        (
            data(&json!([first, {"index": 1, "embedding": []}])),
            "direction",
        ),
        (
            data(&json!([first, {"index": 1, "embedding": [0, 0]}])),
            "direction",
        ),
        (
            data(&json!([first, {"index": 1, "embedding": [1e39, 0]}])),
            "protocol",
        ),
        (
            data(&json!([first, {"index": 1, "embedding": [1, null]}])),
            "protocol",
        ),
        (
            data(&json!([first, {"index": 1, "embedding": vec![1; 5_000]}])),
            "too many",
        ),
        ((200, "<html>".into()), "protocol"),
        ((200, " ".repeat(9 << 20)), "above 8388608 bytes"),
        ((301, String::new()), "elsewhere"),
        ((401, "no such key: sk-secret".into()), "401"),
    ] {
        let error = embed(vec![answer], &["a", "b"]).unwrap_err();
        assert!(
            error.contains(named) && !error.contains("sk-secret"),
            "{error}"
        );
    }
}

#[test]
fn a_busy_endpoint_is_asked_again() {
    let good = data(&json!([{"index": 0, "embedding": [1, 0]}]));
    let busy = || (429, String::new());
    assert!(embed(vec![busy(), (503, String::new()), good], &["a"]).is_ok());
    let error = embed(vec![busy(), busy(), busy(), busy()], &["a"]).unwrap_err();
    assert!(error.contains("429"), "{error}");
}

#[test]
fn what_would_send_texts_in_the_clear_or_elsewhere_is_refused() {
    let open = |change: fn(&mut EncoderEndpoint)| {
        let mut config = config("https://example.org/v1");
        change(&mut config);
        HttpEncoder::open(config, None).err()
    };
    assert!(open(|_| ()).is_none());
    assert!(open(|config| config.url = "http://localhost:1/v1".into()).is_none());
    let changes: [fn(&mut EncoderEndpoint); 9] = [
        |config| config.url = "http://example.org/v1".into(),
        |config| config.url = "ftp://example.org/v1".into(),
        |config| config.url = "https://a:b@example.org/v1".into(),
        |config| config.url = "https://example.org/v1?a=b".into(),
        |config| config.model = " ".into(),
        |config| config.model = "m\nn".into(),
        |config| config.dimensions = Some(0),
        |config| config.dimensions = Some(4_097),
        |config| config.memory_prefix = "x".repeat(2_000),
    ];
    for change in changes {
        assert!(matches!(open(change), Some(EncoderError::Config { .. })));
    }
}
