//! Vectors of an endpoint on this machine, which `recall.toml` names: it answers well, badly or not at all (MR-03).

use std::fs::write;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use crate::extract_endpoint::serving;
use crate::place::{Place, Ran};

const DIMENSIONS: usize = 64;
const KEY: &str = "sk-1234";

/// A server of vectors of hashed words, where a few words mean the same. It asks for the key; the texts that it was sent arrive at the
/// receiver.
fn vectors() -> (String, Receiver<String>) {
    let (sender, receiver) = channel();
    let url = serving(move |head, asked| {
        if !head.contains(&format!("authorization: bearer {KEY}\r\n")) {
            return (401, format!("no such key: {head}"));
        }
        assert!(head.starts_with("post /v1/embeddings "), "{head}");
        let texts = asked["input"].as_array().unwrap();
        let vector = |(index, text): (usize, &Value)| {
            let text = text.as_str().unwrap();
            sender.send(text.to_owned()).unwrap();
            json!({"index": index, "embedding": meaning(text)})
        };
        let data: Value = texts.iter().enumerate().map(vector).collect();
        (200, json!({"data": data}).to_string())
    });
    (url, receiver)
}

fn meaning(text: &str) -> Vec<u32> {
    let mut vector = vec![0; DIMENSIONS];
    for word in text.to_lowercase().split(|it: char| !it.is_alphanumeric()) {
        let concept = match word {
            "" => continue,
            "theme" | "mode" => "mode",
            "likes" | "prefers" => "prefers",
            word => word,
        };
        let mut hasher = DefaultHasher::new();
        concept.hash(&mut hasher);
        let at = hasher.finish() % u64::try_from(DIMENSIONS).unwrap();
        vector[usize::try_from(at).unwrap()] += 1;
    }
    vector
}

fn set(place: &Place, url: &str, more: &str) {
    let settings = format!("[encoder]\nurl = {url:?}\nkey-env = \"EMBED_KEY\"\n{more}");
    write(place.dir().join("recall.toml"), settings).unwrap();
}

fn run<const N: usize>(place: &Place, args: [&str; N]) -> Ran {
    let mut command = place.command();
    Ran(command.env("EMBED_KEY", KEY).args(args).output().unwrap())
}

fn with_texts() -> Place {
    let place = Place::new();
    for text in ["User prefers dark mode", "The boat shed is blue"] {
        place.run(["remember", text]).ok();
    }
    place
}

/// A question without a word of its answer finds it, memories and questions go to the endpoint with their prefixes, and each
/// memory once.
#[test]
fn an_endpoint_finds_what_words_do_not() {
    let place = with_texts();
    let question = ["recall", "which theme is it she likes?"];
    assert!(
        run(&place, question)
            .ok()
            .stdout()
            .contains("Nothing found")
    );
    let (url, sent) = vectors();
    let prefixes = "memory-prefix = \"passage: \"\nquestion-prefix = \"query: \"";
    let more = format!("model = \"bag\"\ndimensions = {DIMENSIONS}\n{prefixes}");
    set(&place, &url, &more);
    let made = run(&place, ["--json", "embed"]);
    let made = made.ok().json();
    assert_eq!((&made["embedded"], &made["done"]), (&json!(2), &json!(2)));
    let host = url.trim_start_matches("http://").trim_end_matches("/v1");
    let named = made["model"].as_str().unwrap();
    assert!(named.starts_with(&format!("bag@{host}:")), "{named}");
    let found = run(&place, question);
    let found = found.ok().stdout();
    assert!(found.contains("dark mode"), "{found}");
    let sent: Vec<String> = sent.try_iter().collect();
    let expected = [
        "passage: User prefers dark mode",
        "passage: The boat shed is blue",
        "query: which theme is it she likes?",
    ];
    assert_eq!(sent, expected);
}

/// Vectors of another model, or of another endpoint, are not compared with those that are kept, before they are made anew.
#[test]
fn another_model_is_refused_until_the_vectors_are_migrated() {
    let place = with_texts();
    let (url, _sent) = vectors();
    // Without its dimensions the endpoint is asked for them.
    set(&place, &url, "model = \"bag\"");
    run(&place, ["embed"]).ok();
    let (elsewhere, _sent) = vectors();
    for (url, model) in [(&url, "sack"), (&elsewhere, "bag")] {
        set(&place, url, &format!("model = \"{model}\""));
        for refused in [run(&place, ["embed"]), run(&place, ["recall", "boat"])] {
            refused.refused(3, "`counterfoil embed --migrate`");
            let host = url.trim_start_matches("http://").trim_end_matches("/v1");
            let named = format!("these of {model}@{host}:");
            assert!(refused.stderr().contains(&named), "{}", refused.stderr());
        }
    }
    let made = run(&place, ["--json", "embed", "--migrate"]);
    assert_eq!(made.ok().json()["embedded"], 2);
    run(&place, ["recall", "boat"]).ok();
}

/// Nothing is embedded or recalled with half an encoder, and no message has the key.
#[test]
fn what_is_wrong_with_an_endpoint_is_named() {
    let place = with_texts();
    let (url, _sent) = vectors();
    let refuses = |url: &str, more: &str, code, what: &str| {
        set(&place, url, more);
        let ran = run(&place, ["embed"]);
        ran.refused(code, what);
        assert!(!ran.stderr().contains(KEY), "{}", ran.stderr());
    };
    let model = "model = \"bag\"\n";
    for (more, what) in [
        ("", "missing field `model`"),
        ("model = \" \"", "`model` of the encoder's endpoint must be"),
        ("model = \"bag\"\nkey = \"sk-1234\"", "unknown field `key`"),
        ("model = \"bag\"\nkey-file = \"k\"", "keep one of them"),
        ("model = \"bag\"\ndimensions = 0", "must be 1 to 4096"),
        (
            "model = \"bag\"\ndimensions = 3",
            "a vector of 64 dimensions",
        ),
    ] {
        refuses(&url, more, 4, what);
    }
    refuses("http://10.0.0.1/v1", model, 4, "must be https");
    refuses(
        "http://127.0.0.1:1/v1",
        model,
        4,
        "check its url and that it runs",
    );
    set(&place, &url, model);
    place
        .run(["embed"])
        .refused(3, "`key-env` or `key-file` in recall.toml");
    let mut command = place.command();
    let wrong = command.env("EMBED_KEY", "sk-other").arg("embed");
    let wrong = Ran(wrong.output().unwrap());
    wrong.refused(4, "the endpoint answered 401");
    assert!(!wrong.stderr().contains("sk-other"), "{}", wrong.stderr());
    // A key in a file is as good, if nobody else may read it.
    let key = place.dir().join("embed.key");
    write(&key, format!("{KEY}\n")).unwrap();
    let settings = format!("[encoder]\nurl = {url:?}\nkey-file = \"embed.key\"\n{model}");
    write(place.dir().join("recall.toml"), settings).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |mode| std::fs::set_permissions(&key, PermissionsExt::from_mode(mode)).unwrap();
        mode(0o644);
        place.run(["embed"]).refused(4, "embed.key");
        mode(0o600);
    }
    place.run(["embed"]).ok();
}
