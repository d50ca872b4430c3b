//! Vectors of meaning: the job that makes what is missing, and those of questions.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use counterfoil_sqlite::SqliteStore;
use counterfoil_store::StoreError;
use counterfoil_store::vectors::{Embedder, TextSide, VectorIndex as _};
use counterfoil_types::Query;
use serde::Serialize;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::error::{Error, ErrorKind};
use crate::memory::Memory;
use crate::recall_models::{ENCODER, failed};
use crate::report::Report;

/// Texts that are encoded and committed together.
const BATCH: usize = 64;
/// Time between two looks for memories that were added.
const PAUSE: Duration = Duration::from_secs(2);

/// Outcome of a run.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Embedded {
    model: String,
    dimensions: usize,
    /// Vectors that were made now.
    embedded: u64,
    /// Memories with a vector, or without text to make one of.
    done: u64,
    /// Versions of memories with content.
    memories: u64,
    interrupted: bool,
}

impl Memory {
    /// Makes the vectors that are missing with the encoder of this memory, in batches: committed vectors are kept, and the
    /// next call goes on. Calls [`progress`](crate::MemoryBuilder::progress) with the number of those that were made.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] without an encoder; [`StoreError::OtherModel`] when there are vectors of another model, which
    /// [`Memory::migrate_vectors`] replaces; [`ErrorKind::Place`] when the encoder fails.
    pub async fn embed(&self) -> Result<Report, Error> {
        self.must_be_unbound()?;
        let encoder = self.required_encoder().await?;
        let store = self.writer()?;
        self.embed_with(&store, encoder).await
    }

    /// Drops the vectors of another model, and makes those of this memory's encoder. Vectors of the same model stay.
    ///
    /// # Errors
    /// As [`Memory::embed`].
    pub async fn migrate_vectors(&self) -> Result<Report, Error> {
        self.must_be_unbound()?;
        let encoder = self.required_encoder().await?;
        let store = self.writer()?;
        if store.vector_model().await?.as_ref() != Some(encoder.model()) {
            store.migrate_vectors(encoder.model()).await?;
        }
        self.embed_with(&store, encoder).await
    }

    /// Makes vectors that are missing for as long as it is polled, beside other calls: at once, and within seconds after
    /// memories were added. Returns at once without an encoder.
    ///
    /// # Errors
    /// As [`Memory::embed`]: then nothing more is made, and what lacks a vector is found by words.
    pub async fn keep_embedding(&self) -> Result<(), Error> {
        let Some(encoder) = self.models().encoder(self.home().dir()).await? else {
            return Ok(());
        };
        let store = self.writer()?;
        let mut before = None;
        loop {
            let now = store.vectors_done().await?;
            // What is withheld has none, however often it is asked for.
            if now.0 < now.1 && before != Some(now) {
                self.embed_with(&store, Arc::clone(&encoder)).await?;
                before = Some(store.vectors_done().await?);
            }
            sleep(PAUSE).await;
        }
    }

    async fn embed_with(
        &self,
        store: &SqliteStore,
        encoder: Arc<dyn Embedder>,
    ) -> Result<Report, Error> {
        let model = encoder.model().clone();
        require_model(store, &*encoder).await?;
        let mut run = Embedded {
            model: model.fingerprint.clone(),
            dimensions: model.dimensions,
            ..Embedded::default()
        };
        let mut from = 0;
        loop {
            let page = store.without_vector(from, BATCH).await?;
            let Some((last, _)) = page.last() else {
                break;
            };
            run.interrupted = self.interruption().load(Ordering::Relaxed);
            if run.interrupted {
                break;
            }
            from = last.saturating_add(1);
            let (indexes, texts): (Vec<u64>, Vec<String>) = page.into_iter().unzip();
            let vectors = encode_all(Arc::clone(&encoder), texts).await?;
            let made = vectors.iter().filter(|vector| !vector.is_empty()).count();
            let vectors = indexes.into_iter().zip(vectors).collect();
            store.add_vectors(&model, vectors).await?;
            run.embedded += u64::try_from(made).unwrap_or(u64::MAX);
            if self.progress().is_some() {
                let part = store.vectors_done().await?;
                self.report_progress(run.embedded, Some(part));
            }
        }
        (run.done, run.memories) = store.vectors_done().await?;
        let kept = run.embedded;
        let stopped = run.interrupted.then(|| {
            let cure = "run `counterfoil embed` again to make the rest";
            let problem =
                format_args!("interrupted; {kept} vectors were made and are kept; {cure}");
            Error::new(ErrorKind::Interrupted, problem)
        });
        Ok(Report::new(&run)?.but(stopped))
    }

    /// Returns the vectors of questions by their texts, and the number of memories that lack theirs; `None` where there are no
    /// vectors to compare them with, or no encoder.
    ///
    /// # Errors
    /// [`StoreError::OtherModel`]; [`ErrorKind::Place`] when the encoder cannot be opened or fails.
    pub(crate) async fn question_vectors(
        &self,
        store: &SqliteStore,
        queries: &[Query],
    ) -> Result<Option<(BTreeMap<String, Vec<f32>>, u64)>, Error> {
        if store.vector_model().await?.is_none() {
            return Ok(None);
        }
        let Some(encoder) = self.models().encoder(self.home().dir()).await? else {
            self.notice_once(
                "the memories have vectors, and no encoder is set, so they are found by words alone; set `encoder` in \
                 recall.toml, or give --encoder FOLDER",
            );
            return Ok(None);
        };
        require_model(store, &*encoder).await?;
        let (done, memories) = store.vectors_done().await?;
        let missing = memories.saturating_sub(done);
        if missing > 0 {
            self.notice_once(format_args!(
                "{missing} of {memories} memories have no vector yet and are found by words alone; `counterfoil embed` makes them"
            ));
        }
        let texts: Vec<String> = queries.iter().map(|it| it.as_str().to_owned()).collect();
        let questions = texts.clone();
        let encoded = spawn_blocking(move || encoder.embed(&questions, TextSide::Question)).await;
        let vectors = encoded.map_err(|_| Error::bug("an encoder panicked"))?;
        let vectors = vectors.map_err(failed(ENCODER))?;
        Ok(Some((texts.into_iter().zip(vectors).collect(), missing)))
    }

    fn notice_once(&self, line: impl fmt::Display) {
        if self.models().is_first_notice() {
            self.home().notices().add(line);
        }
    }

    async fn required_encoder(&self) -> Result<Arc<dyn Embedder>, Error> {
        let none = || {
            Error::input(
                "no sentence encoder is set",
                "give --encoder FOLDER, or set `encoder` in recall.toml",
            )
        };
        self.models()
            .encoder(self.home().dir())
            .await?
            .ok_or_else(none)
    }
}

/// Checks that the vectors that are kept, if there are any, are of this encoder.
async fn require_model(store: &SqliteStore, encoder: &dyn Embedder) -> Result<(), Error> {
    match store.vector_model().await? {
        Some(kept) if kept != *encoder.model() => Err(StoreError::OtherModel {
            kept: kept.fingerprint,
            given: encoder.model().fingerprint.clone(),
        }
        .into()),
        _ => Ok(()),
    }
}

/// Encodes texts of memories; an empty vector for an empty text.
async fn encode_all(
    encoder: Arc<dyn Embedder>,
    texts: Vec<String>,
) -> Result<Vec<Vec<f32>>, Error> {
    let has_text: Vec<bool> = texts.iter().map(|text| !text.trim().is_empty()).collect();
    let texts: Vec<String> = texts
        .into_iter()
        .filter(|text| !text.trim().is_empty())
        .collect();
    let asked = texts.len();
    let encoded = spawn_blocking(move || match texts.is_empty() {
        true => Ok(Vec::new()),
        false => encoder.embed(&texts, TextSide::Memory),
    });
    let vectors = encoded
        .await
        .map_err(|_| Error::bug("an encoder panicked"))?;
    let vectors = vectors.map_err(failed(ENCODER))?;
    if vectors.len() != asked {
        return Err(Error::bug("an encoder gave another number of vectors"));
    }
    let mut vectors = vectors.into_iter();
    let each = has_text.into_iter().map(|has_text| match has_text {
        true => vectors.next().unwrap_or_default(),
        false => Vec::new(),
    });
    Ok(each.collect())
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Mutex;
    use std::sync::atomic::AtomicBool;

    use counterfoil_store::conformance::TrigramEncoder;

    use super::*;
    use crate::recall::RecallOptions;
    use crate::recall_models::{FILE, OpenModel};

    fn memory(dir: &Path, encoder: Option<&str>) -> Memory {
        let mut builder = Memory::builder(dir);
        if let Some(name) = encoder {
            builder = builder.encoder(Arc::new(TrigramEncoder::new(name)));
        }
        builder.build()
    }

    async fn filled(dir: &Path, count: usize) -> Memory {
        drop(Memory::create(dir).await.unwrap());
        let memory = memory(dir, Some("one"));
        for number in 0..count {
            memory.remember(format!("sentence {number}")).await.unwrap();
        }
        memory
    }

    #[tokio::test]
    async fn what_is_missing_is_made_in_batches_and_each_batch_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("memory");
        let memory = filled(&dir, BATCH + 6).await;
        let flag = Arc::new(AtomicBool::new(false));
        let (seen, stop) = (Arc::new(Mutex::new(Vec::new())), Arc::clone(&flag));
        let shown = Arc::clone(&seen);
        let interrupted = Memory::builder(&dir)
            .encoder(Arc::new(TrigramEncoder::new("one")))
            .interruption(flag)
            .progress(move |made, _| {
                shown.lock().unwrap().push(made);
                stop.store(true, Ordering::Relaxed);
            })
            .build();
        let report = interrupted.embed().await.unwrap();
        let kind = report.problem().map(Error::kind);
        assert_eq!(kind, Some(ErrorKind::Interrupted));
        assert_eq!(*seen.lock().unwrap(), [64]);
        let options = RecallOptions::default();
        let recalled = memory.recall("sentence", &options).await.unwrap();
        assert_eq!(recalled.without_vector(), Some(6));
        let notices = memory.take_notices();
        let missing = |line: &String| line.contains("6 of 70 memories have no vector yet");
        assert!(notices.iter().any(missing), "{notices:?}");
        let report = memory.embed().await.unwrap();
        let numbers = ["embedded", "done", "memories", "dimensions"];
        let numbers = numbers.map(|name| report.number(&format!("/{name}")).unwrap());
        assert_eq!(
            (numbers, report.problem().is_none()),
            ([6, 70, 70, 64], true)
        );
        let recalled = memory.recall("sentence", &options).await.unwrap();
        assert_eq!(recalled.without_vector(), Some(0));
        assert!(memory.take_notices().is_empty(), "all have theirs");
    }

    #[tokio::test]
    async fn another_model_is_refused_until_the_vectors_are_migrated() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("memory");
        let one = filled(&dir, 3).await;
        let options = RecallOptions::default();
        one.embed().await.unwrap();
        let other = memory(&dir, Some("other"));
        for refused in [
            other.embed().await.unwrap_err().to_string(),
            other
                .recall("sentence", &options)
                .await
                .unwrap_err()
                .to_string(),
        ] {
            assert!(refused.contains("counterfoil embed --migrate"), "{refused}");
        }
        // Without an encoder words are enough, and a person is told once.
        let none = memory(&dir, None);
        for expected in [1, 0] {
            let found = none.recall("sentence", &options).await.unwrap();
            assert_eq!(
                (found.hits().len(), none.take_notices().len()),
                (3, expected)
            );
            assert_eq!(found.without_vector(), None);
        }
        assert!(
            none.embed()
                .await
                .unwrap_err()
                .to_string()
                .contains("--encoder FOLDER")
        );
        let migrated = other.migrate_vectors().await.unwrap();
        assert_eq!(migrated.number("/embedded"), Some(3));
        assert_eq!(migrated.text("/model"), Some("trigrams:other"));
        let again = other.migrate_vectors().await.unwrap();
        assert_eq!(again.number("/embedded"), Some(0), "the same model stays");
        assert!(one.recall("sentence", &options).await.is_err());
    }

    #[tokio::test]
    async fn memories_that_are_added_get_their_vectors_beside_other_calls() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("memory");
        let memory = filled(&dir, 2).await;
        let store = memory.writer().unwrap();
        let others = async {
            for count in [2, 3] {
                while store.vectors_done().await.unwrap() != (count, count) {
                    sleep(Duration::from_millis(20)).await;
                }
                memory.remember("more").await.unwrap();
            }
        };
        tokio::select! {
            ended = memory.keep_embedding() => panic!("{ended:?}"),
            () = others => {}
        }
        assert!(Memory::builder(&dir).build().keep_embedding().await.is_ok());
    }

    #[tokio::test]
    async fn the_encoder_is_a_setting() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("memory");
        drop(filled(&dir, 1).await);
        let open: OpenModel<dyn Embedder> = |folder| {
            assert!(folder.ends_with("memory/model"), "{}", folder.display());
            Ok(Arc::new(TrigramEncoder::new("set")))
        };
        let set = |text: &str| std::fs::write(dir.join(FILE), text).unwrap();
        let memory = || Memory::builder(&dir).open_encoders_with(open).build();
        assert!(memory().embed().await.is_err(), "none is set");
        set("encoder = \"model\"");
        assert_eq!(memory().embed().await.unwrap().number("/embedded"), Some(1));
        let without = Memory::builder(&dir).build().embed().await;
        assert!(
            without
                .unwrap_err()
                .to_string()
                .contains("feature `encoder`")
        );
        for (text, part) in [
            ("encoder = 3", "the path of a folder"),
            ("encoder = \"\"", "the path of a folder"),
            (
                "model = \"x\"",
                "there are encoder, reranker and rerank-best",
            ),
        ] {
            set(text);
            let refused = memory().embed().await.unwrap_err().to_string();
            assert!(refused.contains(part), "{refused}");
        }
    }
}
