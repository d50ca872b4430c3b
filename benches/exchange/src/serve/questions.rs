//! What is remembered and what is asked, made of LoCoMo (Maharana et al. 2024), and who asks.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use anyhow::{Context, Result, anyhow, ensure};
use counterfoil_bench_recall::corpus::{Corpus, Turn};
use counterfoil_bench_recall::locomo;
use counterfoil_capsule::{AgentSigner, SecretKey, Timestamp, World};
use counterfoil_exchange::documents::{
    Audience, MemoryQuery, Nonce, Party, Preferences, Request, RequestHeader, RequestId,
    RequestParts, Text,
};
use counterfoil_selector::content_words;
use counterfoil_sqlite::System;
use counterfoil_store::Clock;
use counterfoil_types::{DidKey, WorldId};
use serde_json::json;

use super::wire::post;
use crate::answer::{MEMORIES, answerer};

/// How many memories the store holds.
pub(super) const WORLDS: usize = 10_000;
/// So many names they have.
const NAMES: usize = WORLDS / MEMORIES;
pub(super) const LABEL: &str = "friends";
/// So many turns of LoCoMo say a word that is asked for.
const FEW: RangeInclusive<usize> = 2..=4;
/// A request is good for so long.
const GOOD_US: u64 = 300_000_000;

/// What is asked.
#[derive(Clone)]
pub(super) struct Questions {
    /// For a name that as many notes have as are asked for.
    pub(super) of_one_name: Arc<[String]>,
    /// Two words of a turn that a few say.
    pub(super) of_two_words: Arc<[String]>,
    /// LoCoMo's, as people ask. Most name a speaker, and match a tenth of all Worlds.
    pub(super) of_people: Arc<[String]>,
}

/// What is asked; `None` where there is no LoCoMo.
pub(super) fn read() -> Result<Option<Questions>> {
    let file = file();
    if !file.is_file() {
        return Ok(None);
    }
    let conversations = locomo::load(&file)?;
    let of_two_words = of_two_words(&conversations)?;
    let of_people = conversations.into_iter().flat_map(|one| one.questions);
    Ok(Some(Questions {
        of_one_name: (0..NAMES)
            .map(|number| format!("What about {}?", name(number)))
            .collect(),
        of_two_words,
        of_people: of_people.map(|question| question.text).collect(),
    }))
}

fn of_two_words(conversations: &[Corpus]) -> Result<Arc<[String]>> {
    let turns = conversations.iter().flat_map(|one| &one.turns);
    let words = |turn: &Turn| content_words(&turn.text).unwrap_or_default();
    let turns: Vec<Vec<String>> = turns.map(words).collect();
    let mut said: HashMap<&str, usize> = HashMap::new();
    for word in turns.iter().flatten() {
        *said.entry(word).or_default() += 1;
    }
    let few = |word: &&String| {
        said.get(word.as_str())
            .is_some_and(|times| FEW.contains(times))
    };
    let questions: Arc<[String]> = turns
        .iter()
        .filter_map(|turn| {
            let mut words = turn.iter().filter(few);
            Some(format!("{} {}", words.next()?, words.next()?))
        })
        .collect();
    ensure!(!questions.is_empty(), "LoCoMo without words");
    Ok(questions)
}

/// So many notes of LoCoMo's turns, from the first again when there are no more.
pub(super) fn worlds() -> Result<Vec<World>> {
    let conversations = locomo::load(&file())?;
    let turns: Vec<&Turn> = conversations.iter().flat_map(|one| &one.turns).collect();
    let places = turns.iter().cycle().take(WORLDS).enumerate();
    places.map(|(place, turn)| world(place, turn)).collect()
}

fn world(place: usize, turn: &Turn) -> Result<World> {
    let text = format!(
        "{}: {} About {}.",
        turn.speaker,
        turn.text,
        name(place % NAMES)
    );
    let data = json!({"kind": "note", "text": text, "share": LABEL});
    let id = WorldId::new(format!("world-{place:032}"))?;
    Ok(counterfoil_capsule::remember(id, turn.created_at, data)?)
}

/// A name that is in no other.
fn name(number: usize) -> String {
    format!("matter{number:04}x")
}

/// `$COUNTERFOIL_DATA`, or the folder `shared/data` beside the repository.
fn file() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("COUNTERFOIL_DATA").map_or_else(beside, PathBuf::from);
    folder.join("locomo/locomo-dev.json")
}

/// The key that floods.
pub(super) fn flooder() -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([11; 32]))
}

/// The key that asks.
pub(super) fn other() -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([12; 32]))
}

/// Somebody who never asks under the same id twice.
pub(super) struct Asker {
    signer: AgentSigner,
    asked: DidKey,
    questions: Arc<[String]>,
    number: AtomicU64,
}

impl Asker {
    pub(super) fn new(signer: AgentSigner, questions: Arc<[String]>) -> Self {
        use counterfoil_capsule::Signer as _;
        Self {
            signer,
            asked: answerer().agent(),
            questions,
            number: AtomicU64::new(System.now_micros()),
        }
    }

    /// The next so many, ready to be sent.
    pub(super) fn signed(&self, count: usize) -> Result<Vec<Vec<u8>>> {
        let threads = thread::available_parallelism()?.get();
        let each = count.div_ceil(threads);
        thread::scope(|scope| {
            let sign = || (0..each).map(|_| Ok(post(self.next()?.bytes()))).collect();
            let parts: Vec<_> = (0..threads).map(|_| scope.spawn(sign)).collect();
            let mut all = Vec::new();
            for part in parts {
                let part: Result<Vec<_>> = part.join().map_err(|_| anyhow!("a signer's thread"))?;
                all.extend(part?);
            }
            Ok(all)
        })
    }

    /// The next request, signed now.
    pub(super) fn next(&self) -> Result<Request> {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let mut drawn = [0; 16];
        drawn
            .get_mut(..8)
            .context("eight bytes")?
            .copy_from_slice(&number.to_be_bytes());
        let at = usize::try_from(number)? % self.questions.len();
        let now = System.now_micros();
        let parts = RequestParts {
            header: RequestHeader {
                request_id: RequestId::from_bytes(drawn),
                nonce: Some(Nonce::from_bytes(drawn)),
                timestamp: Timestamp::from_micros(now)?,
                expires: Timestamp::from_micros(now + GOOD_US)?,
            },
            requester: Party::named(Text::new("asker")?),
            audience: Audience::One(self.asked),
            query: MemoryQuery::new(Text::new(self.questions.get(at).context("a question")?)?),
            preferences: Preferences::default(),
        };
        Ok(Request::sign(parts, &self.signer)?)
    }
}
