//! Claims of the host's own doors: of its user, and of programs that observe (I4). The door decides which, and no statement does.

use counterfoil_claims::{Channel, Channels};
use counterfoil_types::WorldId;
use counterfoil_types::json::Map;

use super::import::jsonl;
use crate::error::{Error, ErrorKind};
use crate::memory::Memory;
use crate::report::Report;

/// Member by which a statement could name a channel of its own.
const CHANNEL: &str = "channel";

impl Memory {
    /// Submits a claim that the user states: the members of a line of `docs/format/claim-import.md` without `channel`. The report is
    /// that of [`claim`](Self::claim).
    ///
    /// # Errors
    /// As [`claim`](Self::claim); [`ErrorKind::Input`] for a member that is none or does not fit.
    pub async fn claim_of_user(
        &self,
        stated: &Map,
        superseding: &[WorldId],
    ) -> Result<Report, Error> {
        let channel = Channels::of_host().user();
        self.claim_over(stated, superseding, &channel).await
    }

    /// Submits a claim of a program that observes, such as a sensor: the members of a line of `docs/format/claim-import.md` without
    /// `channel`. The report is that of [`claim`](Self::claim).
    ///
    /// # Errors
    /// As [`claim_of_user`](Self::claim_of_user).
    pub async fn claim_of_tool(
        &self,
        stated: &Map,
        superseding: &[WorldId],
    ) -> Result<Report, Error> {
        let channel = Channels::of_host().first_hand();
        self.claim_over(stated, superseding, &channel).await
    }

    async fn claim_over(
        &self,
        stated: &Map,
        superseding: &[WorldId],
        channel: &Channel,
    ) -> Result<Report, Error> {
        let refused = |why: String| match why.contains("; ") {
            true => Error::new(ErrorKind::Input, why),
            false => Error::input(why, "state it in another way"),
        };
        if stated.contains_key(CHANNEL) {
            return Err(refused(
                "the channel is not a part of what is stated; leave `channel` out".to_owned(),
            ));
        }
        let submission = jsonl::submission(stated, channel).map_err(refused)?;
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
    use serde_json::json;

    use super::*;
    use crate::BeliefQuery;

    #[tokio::test]
    async fn the_door_decides_whose_word_a_claim_is() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::create(folder.path().join("memory")).await.unwrap();
        let fact = |subject: &str| {
            let fact = json!({"subject": subject, "predicate": "lives_in", "value": "Porto"});
            fact.as_object().cloned().unwrap()
        };
        memory.claim_of_user(&fact("Kit"), &[]).await.unwrap();
        memory.claim_of_tool(&fact("Bo"), &[]).await.unwrap();
        for (subject, class) in [("Kit", "user_asserted"), ("Bo", "first_hand")] {
            let query = BeliefQuery::default();
            let belief = memory.believe(subject, "lives_in", &query).await.unwrap();
            let said: Vec<_> = belief.sides.iter().flat_map(|side| &side.claims).collect();
            assert_eq!(said.len(), 1);
            assert_eq!(said[0].provenance.class().name(), class);
        }
        let mut other = fact("Kit");
        other.insert("channel".to_owned(), "user".into());
        assert!(memory.claim_of_tool(&other, &[]).await.is_err());
    }
}
