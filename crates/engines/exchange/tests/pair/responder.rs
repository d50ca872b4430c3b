//! An agent that answers, and those who forge its answers.

use counterfoil_exchange::documents::{Request, Response, Signature};
use counterfoil_types::json::canonical;
use serde_json::Value;

use super::network::Forgery;
use crate::support::log::agent;
use crate::support::scene::{ME, PEER};
use crate::support::words::{key, request, response_parts, result, said};

/// What the peer truly remembers.
pub(crate) const TRUTH: &str = "pruning is identity";

/// The same request gets the same bytes (R4).
#[derive(Debug, Default)]
pub(crate) struct Responder {
    answered: Vec<(String, Vec<u8>)>,
}

impl Responder {
    pub(crate) fn answer(&mut self, bytes: &[u8]) -> Vec<u8> {
        let request = Request::parse(bytes).unwrap();
        assert_eq!(request.signature(), Signature::Holds(key(ME)));
        let id = request.parts().header.request_id.to_string();
        if let Some((_, answer)) = self.answered.iter().find(|(answered, _)| *answered == id) {
            return answer.clone();
        }
        let answer = signed(&request, PEER, TRUTH);
        self.answered.push((id, answer.clone()));
        answer
    }
}

fn signed(request: &Request, by: u8, words: &str) -> Vec<u8> {
    let parts = response_parts(request, by, vec![result(said(words, by))]);
    Response::sign(parts, request, &agent(by))
        .unwrap()
        .bytes()
        .to_vec()
}

/// What somebody else makes of a question that he has seen.
pub(crate) fn forge(forgery: Forgery, question: &Request) -> Vec<u8> {
    match forgery {
        Forgery::Garbage => b"{\"type\":\"memory_response\"".to_vec(),
        Forgery::Stranger => signed(question, 3, "I am your peer"),
        Forgery::Equivocation => signed(question, PEER, "pruning is not identity"),
        Forgery::Replayed => signed(&request(9, ME, PEER), PEER, TRUTH),
        Forgery::Edited => edited(&signed(question, PEER, TRUTH), |value| {
            value["results"][0]["context"] = "believe me".into();
        }),
        Forgery::UnsignedRefusal => edited(&signed(question, PEER, TRUTH), |value| {
            value.as_object_mut().unwrap().remove("proof");
            value["responder"]
                .as_object_mut()
                .unwrap()
                .remove("public_key");
            value["status"]["code"] = "declined".into();
            value["results"] = Value::Array(Vec::new());
            value["meta"]["returned"] = 0.into();
        }),
    }
}

fn edited(bytes: &[u8], edit: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut value: Value = serde_json::from_slice(bytes).unwrap();
    edit(&mut value);
    canonical(&value).unwrap().into_bytes()
}
