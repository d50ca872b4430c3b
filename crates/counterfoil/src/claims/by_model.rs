//! Claims of models: a model states them itself, as with a tool, and so they have the provenance of a model (I4, I5).

use counterfoil_claims::Channels;
use counterfoil_types::WorldId;
use counterfoil_types::json::Map;

use super::import::jsonl;
use crate::error::Error;
use crate::memory::Memory;
use crate::report::Report;

/// Member by which a statement could name a channel of its own.
const CHANNEL: &str = "channel";

impl Memory {
    /// Submits a claim that a model states: the members of a line of `docs/format/claim-import.md` without `channel`. Its provenance is
    /// that of a model, whatever it cites, so it takes the place of nothing that others said. The report is that of
    /// [`claim`](Self::claim).
    ///
    /// # Errors
    /// As [`claim`](Self::claim); [`ErrorKind::Input`](crate::ErrorKind::Input) for a member that is none or does not fit.
    pub async fn claim_of_model(
        &self,
        stated: &Map,
        superseding: &[WorldId],
    ) -> Result<Report, Error> {
        let refused = |why: String| match why.contains("; ") {
            true => Error::new(crate::ErrorKind::Input, why),
            false => Error::input(why, "state it in another way"),
        };
        if stated.contains_key(CHANNEL) {
            return Err(refused(
                "a model cannot choose its channel; leave `channel` out".to_owned(),
            ));
        }
        let channel = Channels::of_host().model();
        let submission = jsonl::submission(stated, &channel).map_err(refused)?;
        let submission = submission.superseding(superseding.to_vec())?;
        let submission = match jsonl::key_of(stated).map_err(refused)? {
            Some(key) => submission.keyed(key)?,
            None => submission,
        };
        self.claim(submission, superseding).await
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{BeliefQuery, ErrorKind};

    fn stated(value: Value) -> Map {
        value.as_object().cloned().unwrap()
    }

    /// AGT-1; mutant `model-channel`: a model's claim was entered as the user's.
    #[tokio::test]
    async fn a_models_claim_stays_a_models_whatever_it_cites() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::create(folder.path().join("memory")).await.unwrap();
        let turn = memory.remember("Kit said: I live in Porto").await.unwrap();
        let fact = json!({
            "subject": "Kit", "predicate": "lives_in", "value": "Porto", "source": turn.id.to_string(),
        });
        let made = memory.claim_of_model(&stated(fact), &[]).await.unwrap();
        assert_eq!(made.text("/disposition"), Some("committed_inferred"));
        let query = BeliefQuery::default();
        let belief = memory.believe("Kit", "lives_in", &query).await.unwrap();
        let said = belief.sides.iter().chain(&belief.alternatives);
        let names: Vec<_> = said
            .flat_map(|side| &side.claims)
            .map(|claim| claim.provenance.class().name())
            .collect();
        assert_eq!(names, ["model_derived"]);
    }

    #[tokio::test]
    async fn a_model_chooses_no_channel_and_no_other_member() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::create(folder.path().join("memory")).await.unwrap();
        for (name, value) in [("channel", json!("user")), ("provenance", json!("user"))] {
            let mut fact = stated(json!({"subject": "Kit", "predicate": "lives_in", "value": 1}));
            fact.insert(name.to_owned(), value);
            let error = memory.claim_of_model(&fact, &[]).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Input, "{name}");
        }
    }

    /// The answer of a request may be lost, and a model asks again.
    #[tokio::test]
    async fn a_claim_under_a_key_is_written_once() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::create(folder.path().join("memory")).await.unwrap();
        let fact =
            stated(json!({"subject": "Kit", "predicate": "lives_in", "value": 1, "key": "k"}));
        let first = memory.claim_of_model(&fact, &[]).await.unwrap();
        let again = memory.claim_of_model(&fact, &[]).await.unwrap();
        assert_eq!(first.value(), again.value());
    }
}
