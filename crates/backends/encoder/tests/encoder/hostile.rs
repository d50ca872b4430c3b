//! Folders that are damaged, unknown or made to do harm: an error says what to do, and nothing panics.

use std::fs;
use std::path::Path;

use counterfoil_encoder::{EncoderError, FolderEncoder, FolderReranker};
use counterfoil_store::Reranker;
use counterfoil_store::vectors::{Embedder, TextSide};
use proptest::prelude::*;

use crate::folder::{BERT, XLM, copy, edit};
use crate::reranker::{CROSS_BERT, CROSS_XLM};

fn refused(folder: &Path) -> String {
    FolderEncoder::open(folder)
        .err()
        .expect("it is opened")
        .to_string()
}

/// Opens the folder and runs it; an error is as good as a vector or a score.
fn run(folder: &Path) {
    let texts = ["the quick fox\u{301} \u{4f60}".to_owned(), String::new()];
    if let Ok(encoder) = FolderEncoder::open(folder) {
        let _ = encoder.embed(&texts, TextSide::Memory);
    }
    if let Ok(reranker) = FolderReranker::open(folder) {
        let _ = reranker.score("the dog \u{597d}", &texts);
    }
}

#[test]
fn what_is_not_supported_is_named() {
    for (file, from, to, named) in [
        (
            "config.json",
            "\"bert\"",
            "\"mpnet\"",
            "model_type \"mpnet\"",
        ),
        (
            "config.json",
            "\"gelu\"",
            "\"gelu_new\"",
            "hidden_act \"gelu_new\"",
        ),
        (
            "config.json",
            "{",
            "{\"position_embedding_type\": \"relative_key\", ",
            "position_embedding_type",
        ),
        (
            "1_Pooling/config.json",
            "{",
            "{\"pooling_mode_max_tokens\": true, ",
            "pooling",
        ),
        (
            "1_Pooling/config.json",
            "{",
            "{\"include_prompt\": false, ",
            "pooling",
        ),
        (
            "sentence_bert_config.json",
            "false",
            "true",
            "do_lower_case",
        ),
        ("tokenizer.json", "\"WordPiece\"", "\"BPE\"", "\"BPE\""),
        (
            "tokenizer.json",
            "\"BertPreTokenizer\"",
            "\"ByteLevel\"",
            "ByteLevel",
        ),
        (
            "tokenizer.json",
            "\"BertNormalizer\"",
            "\"Prepend\"",
            "Prepend",
        ),
        (
            "tokenizer.json",
            "\"special\": true",
            "\"special\": false",
            "special",
        ),
    ] {
        let folder = copy(BERT);
        edit(folder.path(), file, from, to);
        let error = refused(folder.path());
        assert!(error.contains(named) && error.contains(file), "{error}");
    }
}

#[test]
fn patterns_and_further_layers_are_not_supported() {
    let folder = copy(XLM);
    edit(
        folder.path(),
        "tokenizer.json",
        "\"Regex\": \" {2,}\"",
        "\"Regex\": \"a*\"",
    );
    assert!(refused(folder.path()).contains("{2,}"));
    let folder = copy(BERT);
    let dense = r#"[{"path": "", "type": "a.Transformer"}, {"path": "1_Pooling", "type": "a.Pooling"}, {"path": "2_Dense", "type": "a.Dense"}]"#;
    fs::write(folder.path().join("modules.json"), dense).unwrap();
    assert!(refused(folder.path()).contains("2_Dense"));
    fs::write(
        folder.path().join("modules.json"),
        dense.replace("Dense", "Normalize"),
    )
    .unwrap();
    assert!(FolderEncoder::open(folder.path()).is_ok());
}

#[test]
fn a_missing_file_is_named() {
    for file in [
        "config.json",
        "tokenizer.json",
        "model.safetensors",
        "1_Pooling/config.json",
    ] {
        let folder = copy(BERT);
        fs::remove_file(folder.path().join(file)).unwrap();
        assert!(refused(folder.path()).starts_with(file));
    }
}

/// The sizes of `config.json` allocate nothing that the weights do not cover.
#[test]
fn sizes_must_be_those_of_the_weights() {
    for (from, to) in [
        ("\"vocab_size\": 7", "\"vocab_size\": 107"),
        ("\"hidden_size\": 16", "\"hidden_size\": 18"),
        ("\"intermediate_size\": 24", "\"intermediate_size\": 16000"),
        ("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 64"),
        (
            "\"max_position_embeddings\": 20",
            "\"max_position_embeddings\": 21",
        ),
        ("\"type_vocab_size\": 2", "\"type_vocab_size\": 1"),
    ] {
        let folder = copy(BERT);
        edit(folder.path(), "config.json", from, to);
        let error = FolderEncoder::open(folder.path()).err().unwrap();
        assert!(
            matches!(error, EncoderError::Tensor { .. }),
            "{from}: {error}"
        );
    }
    for (from, to) in [
        ("\"hidden_size\": 16", "\"hidden_size\": 0"),
        ("\"hidden_size\": 16", "\"hidden_size\": 1000000000000"),
        ("\"num_attention_heads\": 2", "\"num_attention_heads\": 3"),
        ("\"num_attention_heads\": 2", "\"num_attention_heads\": 0"),
        ("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1000"),
        ("\"layer_norm_eps\": 1e-12", "\"layer_norm_eps\": -1"),
        ("\"vocab_size\": 7", "\"vocab_size\": 1"),
    ] {
        let folder = copy(BERT);
        edit(folder.path(), "config.json", from, to);
        let error = FolderEncoder::open(folder.path()).err().unwrap();
        assert!(
            matches!(error, EncoderError::Malformed { .. }),
            "{to}: {error}"
        );
    }
    let folder = copy(BERT);
    edit(folder.path(), "sentence_bert_config.json", "16", "2");
    assert!(refused(folder.path()).contains("no room"));
}

#[test]
fn a_token_beyond_the_table_is_refused() {
    let folder = copy(BERT);
    edit(
        folder.path(),
        "tokenizer.json",
        "\"ids\": [2]",
        "\"ids\": [90]",
    );
    assert!(refused(folder.path()).contains("vocab_size"));
    let folder = copy(BERT);
    edit(
        folder.path(),
        "tokenizer.json",
        "\"fox\": 8",
        "\"fox\": 4000000000",
    );
    assert!(refused(folder.path()).contains("vocab_size"));
}

#[test]
fn weights_that_are_no_numbers_are_refused() {
    for name in [BERT, XLM] {
        let folder = copy(name);
        let path = folder.path().join("model.safetensors");
        let mut bytes = fs::read(&path).unwrap();
        let end = bytes.len();
        bytes[end - 2..].copy_from_slice(&[0xff, 0x7f]);
        fs::write(path, bytes).unwrap();
        assert!(refused(folder.path()).contains("finite"), "{name}");
    }
}

#[test]
fn a_cut_or_longer_file_is_refused() {
    let folder = copy(BERT);
    let path = folder.path().join("model.safetensors");
    let bytes = fs::read(&path).unwrap();
    for length in [0, 7, 8, 100, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&path, &bytes[..length]).unwrap();
        assert!(
            refused(folder.path()).starts_with("model.safetensors"),
            "{length}"
        );
    }
    fs::write(&path, [&bytes[..], &[0]].concat()).unwrap();
    assert!(refused(folder.path()).starts_with("model.safetensors"));
    fs::write(&path, [&u64::MAX.to_le_bytes()[..], &bytes[8..]].concat()).unwrap();
    assert!(refused(folder.path()).contains("header is too long"));
}

/// Bytes on which a parser might trip, and any others.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![
        Just(0),
        Just(0xff),
        Just(b'"'),
        Just(b'9'),
        Just(b'-'),
        any::<u8>()
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_folder_leads_to_a_panic(
        name in prop::sample::select(&[BERT, XLM, CROSS_BERT, CROSS_XLM][..]),
        file in prop::sample::select(&["config.json", "tokenizer.json", "model.safetensors"][..]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), byte()), 0..4),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let folder = copy(name);
        let path = folder.path().join(file);
        let mut bytes = fs::read(&path).unwrap();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        fs::write(path, bytes).unwrap();
        run(folder.path());
    }

    /// The table of characters is a program of sorts, which base64 would hide from the changes above.
    #[test]
    fn no_table_of_characters_leads_to_a_panic(bytes in prop::collection::vec(byte(), 0..400), length in 0_u32..400) {
        use base64::Engine;
        let table = [&length.to_le_bytes()[..], &bytes].concat();
        let table = base64::engine::general_purpose::STANDARD.encode(table);
        let folder = copy(XLM);
        let path = folder.path().join("tokenizer.json");
        let text = fs::read_to_string(&path).unwrap();
        let (before, rest) = text.split_once("\"precompiled_charsmap\": \"").unwrap();
        let (_, after) = rest.split_once('"').unwrap();
        fs::write(path, format!("{before}\"precompiled_charsmap\": \"{table}\"{after}")).unwrap();
        run(folder.path());
    }

    #[test]
    fn no_text_leads_to_a_panic(text in any::<String>()) {
        for name in [BERT, XLM] {
            let encoder = FolderEncoder::open(&crate::folder::fixture(name)).unwrap();
            encoder.embed(std::slice::from_ref(&text), TextSide::Question).unwrap();
        }
    }
}
