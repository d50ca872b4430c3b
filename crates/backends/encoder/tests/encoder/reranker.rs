//! Cross-encoders of random weights against what PyTorch and Hugging Face's transformers make of them (`fixtures/make.py`).

use std::fs;
use std::path::Path;

use counterfoil_encoder::{EncoderError, FolderReranker};
use counterfoil_store::Reranker;
use serde::Deserialize;

use crate::folder::{BERT, XLM, copy, edit, fixture};

/// Pooler and classifier, single precision, a type of its own for the second text.
pub(crate) const CROSS_BERT: &str = "reranker-bert";
/// Classification head, half precision, one type.
pub(crate) const CROSS_XLM: &str = "reranker-xlm-roberta";

#[derive(Deserialize)]
struct Golden {
    question: String,
    text: String,
    score: f32,
}

fn golden(name: &str) -> Vec<Golden> {
    serde_json::from_str(&fs::read_to_string(fixture(name).join("golden.json")).unwrap()).unwrap()
}

fn open(folder: &Path) -> FolderReranker {
    FolderReranker::open(folder).unwrap()
}

/// A type, a place in the pair or a layer that is read wrong changes each score of random weights by more. The pairs hold
/// texts and questions that are too long, each and both.
#[test]
fn scores_are_those_of_the_reference() {
    for name in [CROSS_BERT, CROSS_XLM] {
        let reranker = open(&fixture(name));
        for row in golden(name) {
            let scores = reranker.score(&row.question, std::slice::from_ref(&row.text));
            let difference = (scores.unwrap()[0] - row.score).abs();
            assert!(difference < 1e-4, "{name}: {difference} {:?}", row.text);
        }
    }
}

/// Batches are cut by tokens, and a pair is computed as if it were alone.
#[test]
fn many_texts_give_the_scores_that_each_gives_alone() {
    let reranker = open(&fixture(CROSS_BERT));
    let texts: Vec<String> = (0..90).map(|at| "the lazy fox ".repeat(at % 7)).collect();
    let scores = reranker.score("quick dog", &texts).unwrap();
    assert_eq!(scores.len(), texts.len());
    for (text, score) in texts.iter().zip(&scores).rev().take(20) {
        let alone = reranker.score("quick dog", std::slice::from_ref(text));
        assert!((alone.unwrap()[0] - score).abs() < 1e-5);
    }
    assert!(reranker.score("quick dog", &[]).unwrap().is_empty());
}

#[test]
fn a_folder_of_something_else_is_refused() {
    for name in [BERT, XLM] {
        let error = FolderReranker::open(&fixture(name)).err().unwrap();
        assert!(matches!(error, EncoderError::NoReranker), "{error}");
    }
    for (from, to) in [
        ("BertForSequence", "BertForToken"),
        ("{\"0\": \"LABEL_0\"}", "{\"0\": \"no\", \"1\": \"yes\"}"),
        ("id2label", "other"),
        ("\"bert\"", "\"xlm-roberta\""),
    ] {
        let folder = copy(CROSS_BERT);
        edit(folder.path(), "config.json", from, to);
        edit(
            folder.path(),
            "config.json",
            "\"pad_token_id\": 0",
            "\"pad_token_id\": 1",
        );
        let error = FolderReranker::open(folder.path()).err().unwrap();
        assert!(matches!(error, EncoderError::NoReranker), "{from}: {error}");
    }
    for (file, from, to, named) in [
        ("tokenizer.json", "\"pair\"", "\"other\"", "pairs"),
        ("tokenizer.json", "\"id\": \"B\"", "\"id\": \"A\"", "pairs"),
        (
            "tokenizer.json",
            "\"type_id\": 1",
            "\"type_id\": 2",
            "pairs",
        ),
        (
            "config.json",
            "\"type_vocab_size\": 2",
            "\"type_vocab_size\": 1",
            "type_vocab_size",
        ),
        (
            "config.json",
            "embeddings\": 32",
            "embeddings\": 4",
            "no room",
        ),
    ] {
        let folder = copy(CROSS_BERT);
        edit(folder.path(), file, from, to);
        let error = FolderReranker::open(folder.path())
            .err()
            .unwrap()
            .to_string();
        assert!(error.contains(named) && error.starts_with(file), "{error}");
    }
}

#[test]
fn each_file_that_makes_a_score_counts_in_the_fingerprint() {
    let folder = copy(CROSS_XLM);
    let first = open(folder.path()).fingerprint().to_owned();
    assert_eq!(first, open(&fixture(CROSS_XLM)).fingerprint());
    let mut seen = vec![first];
    for (file, from, to) in [
        ("config.json", "1e-05", "2e-05"),
        ("tokenizer.json", "\"<mask>\"", "\"<other>\""),
    ] {
        edit(folder.path(), file, from, to);
        seen.push(open(folder.path()).fingerprint().to_owned());
    }
    let weights = folder.path().join("model.safetensors");
    let mut bytes = fs::read(&weights).unwrap();
    *bytes.last_mut().unwrap() ^= 0x80;
    fs::write(weights, bytes).unwrap();
    seen.push(open(folder.path()).fingerprint().to_owned());
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 4);
}
