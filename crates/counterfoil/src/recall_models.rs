//! Models of recall: each is an option of the caller, or what `DIR/recall.toml` names: a folder, or for vectors an endpoint.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use counterfoil_store::Reranker;
use counterfoil_store::vectors::{Embedder, EncoderEndpoint};
use counterfoil_types::BoxError;
use serde::Deserialize;
use tokio::task::spawn_blocking;
use toml::Value;
use zeroize::Zeroizing;

use crate::endpoint_key::EndpointKey;
use crate::error::{Error, ErrorKind};
use crate::settings_file::{self, Wrong};

/// The name of the settings file.
pub(crate) const FILE: &str = "recall.toml";

/// Number of memories that a reranker puts in order, by default and at most.
const RERANKED: usize = 30;
const MAX_RERANKED: usize = 200;

/// Names of the models for people.
pub(crate) const ENCODER: &str = "sentence encoder";
const RERANKER: &str = "reranker";

/// Opens the model in a folder.
pub(crate) type OpenModel<M> = fn(&Path) -> Result<Arc<M>, BoxError>;

/// Opens the encoder behind an endpoint, which may need a key.
pub(crate) type OpenEndpoint =
    fn(EncoderEndpoint, Option<Zeroizing<String>>) -> Result<Arc<dyn Embedder>, BoxError>;

/// Opens a model, where blocking is allowed.
type Opening<M> = Box<dyn FnOnce() -> Result<Arc<M>, BoxError> + Send>;

/// Models of a memory; clones share those that were opened.
#[derive(Clone)]
pub(crate) struct RecallModels {
    pub(crate) encoder: ModelSource<dyn Embedder>,
    pub(crate) open_endpoint: Option<OpenEndpoint>,
    pub(crate) reranker: ModelSource<dyn Reranker>,
    /// True after the first notice that vectors are missing or unused.
    noticed: Arc<AtomicBool>,
}

/// A model, and the way to it.
pub(crate) struct ModelSource<M: ?Sized> {
    /// Its setting, and its name for people.
    names: [&'static str; 2],
    pub(crate) open: Option<OpenModel<M>>,
    /// Folder in place of the one in the settings.
    pub(crate) folder: Option<PathBuf>,
    opened: Arc<Mutex<Option<Arc<M>>>>,
}

/// Settings of `recall.toml`.
#[derive(Default)]
struct RecallSettings {
    encoder: Option<EncoderPlace>,
    reranker: Option<PathBuf>,
    best: Option<usize>,
}

/// Place of an encoder.
enum EncoderPlace {
    Folder(PathBuf),
    Endpoint(EncoderEndpoint, Option<EndpointKey>),
}

/// Table `[encoder]` of an endpoint.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct EndpointTable {
    url: String,
    model: String,
    key_env: Option<String>,
    key_file: Option<PathBuf>,
    dimensions: Option<usize>,
    #[serde(default)]
    memory_prefix: String,
    #[serde(default)]
    question_prefix: String,
}

impl RecallModels {
    pub(crate) fn new() -> Self {
        Self {
            encoder: ModelSource::new(["encoder", ENCODER]),
            open_endpoint: None,
            reranker: ModelSource::new(["reranker", RERANKER]),
            noticed: Arc::default(),
        }
    }

    /// The encoder, opened by the first call that needs it; `None` where none is set.
    /// `dir` is the folder of the memory.
    pub(crate) async fn encoder(&self, dir: &Path) -> Result<Option<Arc<dyn Embedder>>, Error> {
        let source = &self.encoder;
        let opening = || {
            let place = match &source.folder {
                Some(folder) => Some(EncoderPlace::Folder(folder.clone())),
                None => settings(dir)?.encoder,
            };
            match place {
                None => Ok(None),
                Some(EncoderPlace::Folder(folder)) => source.opening(folder).map(Some),
                Some(EncoderPlace::Endpoint(endpoint, key)) => {
                    let open = self.open_endpoint;
                    let open =
                        open.ok_or_else(|| source.not_built("features `encoder` and `endpoint`"))?;
                    let key = key.map(|key| key.read(FILE)).transpose()?;
                    let opening: Opening<dyn Embedder> = Box::new(move || open(endpoint, key));
                    Ok(Some(opening))
                }
            }
        };
        source.model(opening).await
    }

    /// The reranker, as the encoder, and the number of memories that it puts in order.
    pub(crate) async fn reranker(
        &self,
        dir: &Path,
    ) -> Result<Option<(Arc<dyn Reranker>, usize)>, Error> {
        let RecallSettings { reranker, best, .. } = settings(dir)?;
        let source = &self.reranker;
        let folder = source.folder.clone().or(reranker);
        let opening = || folder.map(|folder| source.opening(folder)).transpose();
        let reranker = source.model(opening).await?;
        Ok(reranker.map(|reranker| (reranker, best.unwrap_or(RERANKED))))
    }

    /// Returns true at the first call.
    pub(crate) fn is_first_notice(&self) -> bool {
        !self.noticed.swap(true, Ordering::Relaxed)
    }
}

impl<M: ?Sized + Send + Sync + 'static> ModelSource<M> {
    fn new(names: [&'static str; 2]) -> Self {
        Self {
            names,
            open: None,
            folder: None,
            opened: Arc::default(),
        }
    }

    /// The model that was opened, or else by `opening`, if there is a way.
    async fn model(
        &self,
        opening: impl FnOnce() -> Result<Option<Opening<M>>, Error>,
    ) -> Result<Option<Arc<M>>, Error> {
        let opened = self.opened.lock();
        let opened = opened.unwrap_or_else(PoisonError::into_inner).clone();
        if opened.is_some() {
            return Ok(opened);
        }
        let Some(open) = opening()? else {
            return Ok(None);
        };
        let [_, name] = self.names;
        let opened = spawn_blocking(open).await;
        let model = opened.map_err(|_| Error::bug("a model panicked"))?;
        let model = model.map_err(failed(name))?;
        self.keep(Arc::clone(&model));
        Ok(Some(model))
    }

    fn opening(&self, folder: PathBuf) -> Result<Opening<M>, Error> {
        let open = self
            .open
            .ok_or_else(|| self.not_built("feature `encoder`"))?;
        Ok(Box::new(move || open(&folder)))
    }

    fn not_built(&self, features: &str) -> Error {
        let [setting, name] = self.names;
        Error::place(
            format_args!("this program was built without a {name} of this kind"),
            format_args!("build it with the {features}, or remove `{setting}` from recall.toml"),
        )
    }

    /// Keeps a model as the one that was opened.
    pub(crate) fn keep(&self, model: Arc<M>) {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        *opened = Some(model);
    }
}

impl<M: ?Sized> Clone for ModelSource<M> {
    fn clone(&self) -> Self {
        Self {
            names: self.names,
            open: self.open,
            folder: self.folder.clone(),
            opened: Arc::clone(&self.opened),
        }
    }
}

impl EncoderPlace {
    /// `dir` is the folder of the memory.
    fn of(value: &Value, dir: &Path) -> Result<Self, Wrong> {
        if !value.is_table() {
            return Ok(Self::Folder(folder("encoder", value, dir)?));
        }
        let wrong = |what| Wrong::new(what, "write it as docs/format/directory.md shows");
        let table: EndpointTable = value
            .clone()
            .try_into()
            .map_err(|error: toml::de::Error| wrong(format!("[encoder]: {}", error.message())))?;
        let key = match (table.key_env, table.key_file) {
            (None, None) => None,
            (Some(name), None) => Some(EndpointKey::Variable(name)),
            (None, Some(path)) => Some(EndpointKey::File(dir.join(path))),
            (Some(_), Some(_)) => {
                let both = "[encoder] has both `key-env` and `key-file`";
                return Err(Wrong::new(both, "keep one of them"));
            }
        };
        let endpoint = EncoderEndpoint {
            url: table.url,
            model: table.model,
            dimensions: table.dimensions,
            memory_prefix: table.memory_prefix,
            question_prefix: table.question_prefix,
        };
        Ok(Self::Endpoint(endpoint, key))
    }
}

fn settings(dir: &Path) -> Result<RecallSettings, Error> {
    let parse = |text: &_| {
        let mut settings = RecallSettings::default();
        for (name, value) in &settings_file::table(text)? {
            match name.as_str() {
                "encoder" => settings.encoder = Some(EncoderPlace::of(value, dir)?),
                "reranker" => settings.reranker = Some(folder(name, value, dir)?),
                "rerank-best" => {
                    let best = value.as_integer().and_then(|it| usize::try_from(it).ok());
                    let best = best.filter(|best| (1..=MAX_RERANKED).contains(best));
                    let best = best.ok_or_else(|| Wrong::must_be(name, "a number from 1 to 200"));
                    settings.best = Some(best?);
                }
                _ => {
                    let known = "there are encoder, reranker and rerank-best";
                    return Err(Wrong::unknown(name, known));
                }
            }
        }
        Ok(settings)
    };
    settings_file::read(&dir.join(FILE), parse)
}

fn folder(name: &str, value: &Value, dir: &Path) -> Result<PathBuf, Wrong> {
    let path = value.as_str().filter(|path| !path.is_empty());
    let path = path.ok_or_else(|| Wrong::must_be(name, "the path of a folder"));
    Ok(dir.join(path?))
}

/// The error for a model that cannot be used; that of the model says what to do.
pub(crate) fn failed(name: &str) -> impl Fn(BoxError) -> Error {
    move |error| Error::new(ErrorKind::Place, format_args!("the {name}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;
    use crate::recall::RecallOptions;

    /// Prefers short texts.
    struct Shortest;

    impl Reranker for Shortest {
        fn fingerprint(&self) -> &'static str {
            "shortest"
        }

        fn score(&self, _: &str, texts: &[String]) -> Result<Vec<f32>, BoxError> {
            let lengths = texts.iter().map(|text| u16::try_from(text.len()));
            lengths.map(|length| Ok(-f32::from(length?))).collect()
        }
    }

    /// Nothing is recalled in an order that was not asked for.
    #[tokio::test]
    async fn a_program_brings_its_own_reranker_or_a_way_to_open_one() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("memory");
        let memory = Memory::create(&dir).await.unwrap();
        let texts = ["the kite is red, red, red and red", "a red kite"];
        for text in texts {
            memory.remember(text).await.unwrap();
        }
        let builder = || Memory::builder(&dir);
        let first = async |memory: Memory| {
            let recalled = memory.recall("red", &RecallOptions::default()).await;
            recalled.map(|recalled| recalled.hits()[0].text.clone())
        };
        assert_eq!(first(builder().build()).await.unwrap(), texts[0]);
        let own = builder().reranker(Arc::new(Shortest)).build();
        assert_eq!(first(own).await.unwrap(), texts[1]);
        std::fs::write(dir.join(FILE), "reranker = \"model\"").unwrap();
        let error = first(builder().build()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Place);
        assert!(error.to_string().contains("remove `reranker`"), "{error}");
        let open: OpenModel<dyn Reranker> = |folder| {
            assert!(folder.ends_with("memory/model"));
            Ok(Arc::new(Shortest))
        };
        let opened = builder().open_rerankers_with(open).build();
        assert_eq!(first(opened).await.unwrap(), texts[1]);
    }
}
