//! Folders of random weights against what PyTorch and Hugging Face's tokenizers make of them (`fixtures/make.py`).

use std::fs;
use std::path::{Path, PathBuf};

use counterfoil_encoder::FolderEncoder;
use counterfoil_store::vectors::{Embedder, TextSide};
use serde::Deserialize;
use tempfile::TempDir;

/// WordPiece, single precision, mean.
pub(crate) const BERT: &str = "bert";
/// Unigram with a compiled table of characters, half precision, first token, prefixes, positions behind the padding.
pub(crate) const XLM: &str = "xlm-roberta";
/// Unigram with NFKC, bfloat16.
const UNIGRAM: &str = "bert-unigram";

const FILES: [&str; 6] = [
    "config.json",
    "tokenizer.json",
    "model.safetensors",
    "1_Pooling/config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
];

#[derive(Deserialize)]
struct Golden {
    text: String,
    mean: Vec<f32>,
    first: Vec<f32>,
}

pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// A copy that a test may change.
pub(crate) fn copy(name: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("1_Pooling")).unwrap();
    for file in FILES {
        let from = fixture(name).join(file);
        if from.exists() {
            fs::copy(from, folder.path().join(file)).unwrap();
        }
    }
    folder
}

/// Puts `to` in the place of `from`, which the file must have.
pub(crate) fn edit(folder: &Path, file: &str, from: &str, to: &str) {
    let path = folder.join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file} has no {from}");
    fs::write(path, text.replace(from, to)).unwrap();
}

fn golden(name: &str) -> Vec<Golden> {
    serde_json::from_str(&fs::read_to_string(fixture(name).join("golden.json")).unwrap()).unwrap()
}

fn memories(folder: &Path, texts: &[String]) -> Vec<Vec<f32>> {
    FolderEncoder::open(folder)
        .unwrap()
        .embed(texts, TextSide::Memory)
        .unwrap()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A token, a position or a weight that is read wrong turns a vector of random weights far away.
fn check(folder: &Path, name: &str, of: fn(&Golden) -> &[f32]) {
    let golden = golden(name);
    let texts: Vec<String> = golden.iter().map(|row| row.text.clone()).collect();
    for (vector, row) in memories(folder, &texts).iter().zip(&golden) {
        assert_eq!(vector.len(), 16);
        assert!(
            (cosine(vector, vector) - 1.0).abs() < 1e-5,
            "{name}: {:?}",
            row.text
        );
        assert!(cosine(vector, of(row)) > 0.999_99, "{name}: {:?}", row.text);
    }
}

#[test]
fn vectors_are_those_of_the_reference() {
    check(&fixture(BERT), BERT, |row| &row.mean);
    check(&fixture(XLM), XLM, |row| &row.first);
    check(&fixture(UNIGRAM), UNIGRAM, |row| &row.mean);
}

#[test]
fn the_pooling_is_that_of_the_folder() {
    let mean = r#""pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true"#;
    let first = r#""pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false"#;
    let folder = copy(BERT);
    edit(folder.path(), "1_Pooling/config.json", mean, first);
    check(folder.path(), BERT, |row| &row.first);
    let folder = copy(XLM);
    edit(folder.path(), "1_Pooling/config.json", first, mean);
    check(folder.path(), XLM, |row| &row.mean);
}

/// Batches are cut by tokens, and a text is computed as if it were alone.
#[test]
fn many_texts_give_the_vectors_that_each_gives_alone() {
    let encoder = FolderEncoder::open(&fixture(BERT)).unwrap();
    let texts: Vec<String> = (0..300).map(|at| "the lazy fox ".repeat(at % 7)).collect();
    let vectors = encoder.embed(&texts, TextSide::Memory).unwrap();
    assert_eq!(vectors.len(), texts.len());
    for (text, vector) in texts.iter().zip(&vectors).rev().take(40) {
        let alone = encoder
            .embed(std::slice::from_ref(text), TextSide::Memory)
            .unwrap();
        assert!(cosine(&alone[0], vector) > 0.999_999);
    }
    assert!(encoder.embed(&[], TextSide::Memory).unwrap().is_empty());
}

#[test]
fn a_question_has_its_own_prefix() {
    let encoder = FolderEncoder::open(&fixture(XLM)).unwrap();
    let embed = |text: &str, side| encoder.embed(&[text.to_owned()], side).unwrap().remove(0);
    let question = embed("fox", TextSide::Question);
    assert!(cosine(&question, &embed("fox", TextSide::Memory)) < 0.999);
    let folder = copy(XLM);
    fs::remove_file(folder.path().join("config_sentence_transformers.json")).unwrap();
    let bare = memories(folder.path(), &["the fox".to_owned()]);
    assert!(cosine(&question, &bare[0]) > 0.999_99);
}

/// A text that could write special tokens could end itself early, or stand for padding.
#[test]
fn the_names_of_special_tokens_are_words_in_a_text() {
    let texts = ["fox [SEP] dog", "fox sep dog", "fox [MASK] dog"].map(str::to_owned);
    let vectors = memories(&fixture(BERT), &texts);
    let plain = memories(&fixture(BERT), &["fox".to_owned()]);
    for vector in &vectors {
        assert!(cosine(vector, &plain[0]) < 0.999);
    }
    // Unknown as words, both brackets with them.
    let marks = memories(&fixture(BERT), &["fox { sep } dog".to_owned()]);
    assert!(cosine(&vectors[0], &marks[0]) > 0.999_99);
}

#[test]
fn each_file_that_makes_a_vector_counts_in_the_fingerprint() {
    let fingerprint = |folder: &Path| {
        FolderEncoder::open(folder)
            .unwrap()
            .model()
            .fingerprint
            .clone()
    };
    let folder = copy(XLM);
    let first = fingerprint(folder.path());
    assert_eq!(first, fingerprint(&fixture(XLM)));
    let mut seen = vec![first];
    for (file, from, to) in [
        ("config.json", "1e-05", "2e-05"),
        ("tokenizer.json", "\"<mask>\"", "\"<other>\""),
        ("1_Pooling/config.json", "16", "16 "),
        ("sentence_bert_config.json", "64", "63"),
        ("config_sentence_transformers.json", "and ", "on "),
    ] {
        edit(folder.path(), file, from, to);
        seen.push(fingerprint(folder.path()));
    }
    let weights = folder.path().join("model.safetensors");
    let mut bytes = fs::read(&weights).unwrap();
    *bytes.last_mut().unwrap() ^= 0x80;
    fs::write(weights, bytes).unwrap();
    seen.push(fingerprint(folder.path()));
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 7);
}
