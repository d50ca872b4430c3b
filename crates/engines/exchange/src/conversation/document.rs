//! From words to documents: what was heard is asked and judged like what came as a document, and is nobody's.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_capsule::Timestamp;
use counterfoil_types::json::{Map, Value, canonical};

use super::{ProposedRequest, ProposedResponse, ProposedResult};
use crate::documents::{
    Audience, DocumentError, Filters, Format, Party, Preferences, Query, RequestHeader, RequestId,
    RequestParts, Response, Text,
};

impl ProposedRequest {
    /// The question as whoever hears it takes it: raw memories are wanted, by somebody of whom nothing is known but a name.
    #[must_use]
    pub fn request_parts(&self, header: RequestHeader, from: Text<128>) -> RequestParts {
        let max_results = self
            .max_results
            .unwrap_or(Preferences::default().max_results);
        RequestParts {
            header,
            requester: Party {
                agent_id: from,
                public_key: None,
            },
            audience: Audience::Everyone,
            query: self.query(),
            preferences: Preferences {
                format: Format::Raw,
                max_results,
                ..Preferences::default()
            },
        }
    }

    /// What is asked.
    #[must_use]
    pub fn query(&self) -> Query {
        Query {
            natural: self.natural.clone(),
            domain: self.domain.clone(),
            keywords: self.keywords.clone(),
            time_range: None,
            filters: Filters::default(),
        }
    }
}

impl ProposedResponse {
    /// The answer as a draft of `from`, to the request `to`: unsigned testimony, which binds by that id alone.
    ///
    /// # Errors
    /// [`DocumentError`]: the answer is longer than a document.
    pub fn to_draft(
        &self,
        to: &RequestId,
        from: &Text<128>,
        at: Timestamp,
    ) -> Result<Response, DocumentError> {
        let status = if self.results.is_empty() {
            "no_match"
        } else {
            "success"
        };
        let memories: Vec<Value> = self.results.iter().map(ProposedResult::draft).collect();
        let responder = object([("agent_id", Value::from(from.as_str()))]);
        let draft = object([
            ("type", Value::from("memory_response")),
            ("version", Value::from("0.1")),
            ("request_id", Value::from(to.as_str())),
            ("timestamp", Value::from(at.to_string())),
            ("responder", responder),
            ("status", Value::from(status)),
            ("memories", Value::from(memories)),
        ]);
        Response::parse(canonical(&draft)?.as_bytes())
    }
}

impl ProposedResult {
    fn draft(&self) -> Value {
        let mut attestation = Map::new();
        attestation.insert("claim".into(), Value::from(self.claim.as_str()));
        if let Some(id) = &self.id {
            attestation.insert("id".into(), Value::from(id.as_str()));
        }
        if !self.sources.is_empty() {
            let urls = self
                .sources
                .iter()
                .map(|source| object([("url", Value::from(source.as_str()))]));
            attestation.insert("evidence".into(), urls.collect());
        }
        let mut memory = Map::new();
        memory.insert("attestation".into(), Value::Object(attestation));
        if let Some(relevance) = self.relevance {
            memory.insert("relevance".into(), Value::from(relevance));
        }
        if let Some(context) = &self.context {
            memory.insert("context".into(), Value::from(context.as_str()));
        }
        Value::Object(memory)
    }
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(
        members
            .into_iter()
            .map(|(name, value)| (String::from(name), value))
            .collect(),
    )
}
