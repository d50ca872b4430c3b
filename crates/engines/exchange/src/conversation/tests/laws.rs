//! What is rendered is read back the same (case 118).

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use counterfoil_capsule::{AgentSigner, SecretKey, Timestamp};
use proptest::collection::vec as several;
use proptest::option;
use proptest::prelude::*;

use crate::conversation::render::render_answer;
use crate::conversation::{
    MessageProposal, ProposalSource, ProposedResult, block, interpret, render_request,
    render_response,
};
use crate::documents::{
    Attestation, Audience, Claim, Domain, MemoryQuery, Meta, Nonce, Party, Preferences, Request,
    RequestHeader, RequestId, RequestParts, Response, ResponseHeader, ResponseParts, ResultParts,
    Status, StatusCode, Text,
};

fn signer() -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([7; 32]))
}

fn parts(natural: &str) -> RequestParts {
    let at = |micros| Timestamp::from_micros(micros).unwrap();
    let header = RequestHeader {
        request_id: RequestId::from_bytes([3; 16]),
        nonce: Some(Nonce::from_bytes([4; 16])),
        timestamp: at(1_770_681_600_000_000),
        expires: at(1_770_681_630_000_000),
    };
    RequestParts {
        header,
        requester: Party::named(Text::new("Ann").unwrap()),
        audience: Audience::Everyone,
        query: MemoryQuery::new(Text::new(natural).unwrap()),
        preferences: Preferences::default(),
    }
}

pub(super) fn request(natural: &str) -> Request {
    Request::anonymous(parts(natural)).unwrap()
}

pub(super) fn signed_request(natural: &str) -> Request {
    Request::sign(parts(natural), &signer()).unwrap()
}

fn heard(message: &str) -> Vec<MessageProposal> {
    interpret(message, &[])
}

/// A line as the grammar can hold it: neither a line feed nor space around it.
fn line(max: usize) -> impl Strategy<Value = String> {
    "[^\\n\\r\\x00\\s]([^\\n\\r\\x00]{0,40}[^\\n\\r\\x00\\s])?"
        .prop_filter("fits", move |text| text.len() <= max && text.trim() == text)
}

fn text<const MAX: usize>() -> impl Strategy<Value = Text<MAX>> {
    line(MAX).prop_map(|line| Text::new(line).unwrap())
}

fn claim() -> impl Strategy<Value = Text<65536>> {
    text::<65536>().prop_filter("a claim in brackets is a number", |claim| {
        !claim.as_str().starts_with('[')
    })
}

fn keyword() -> impl Strategy<Value = Text<64>> {
    "[^,\\s\\x00]{1,12}( [^,\\s\\x00]{1,3})?".prop_map(|word| Text::new(word).unwrap())
}

fn name() -> impl Strategy<Value = String> {
    "[A-Za-z0-9:_.é-]{1,40}"
}

fn domain() -> impl Strategy<Value = Domain> {
    "[a-z0-9-]{1,8}(/[a-z0-9-]{1,8}){0,3}".prop_map(|domain| domain.parse().unwrap())
}

fn results() -> impl Strategy<Value = ProposedResult> {
    let relevance = option::of((0_u32..=1_000_000).prop_map(|ppm| f64::from(ppm) / 1_000_000.0));
    let below = (
        several(text(), 0..=3),
        several(text(), 0..=3),
        option::of(text()),
    );
    (relevance, claim(), below).prop_map(|(relevance, claim, (sources, vouches, id))| {
        ProposedResult {
            relevance,
            claim,
            context: None,
            sources,
            vouches,
            id,
        }
    })
}

/// The request of a question in words, and its meaning where the text form has it all.
fn asked(query: MemoryQuery, to: &str, max_results: Option<u8>) -> (Request, MessageProposal) {
    let mut parts = parts("x");
    parts.query = query.clone();
    parts.preferences.max_results = max_results.unwrap_or(parts.preferences.max_results);
    let meant = MessageProposal::Question {
        source: ProposalSource::Grammar,
        addressee: Some(to.into()),
        query,
        max_results,
    };
    (Request::anonymous(parts).unwrap(), meant)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    /// Adversarial case H118: what the grammar can say is said, and read back the same.
    #[test]
    fn a_question_in_words_is_read_back_the_same(
        to in name(), natural in text(), domain in option::of(domain()), keywords in several(keyword(), 0..=16), max in 1_u8..=100,
    ) {
        let query = MemoryQuery { domain, keywords, ..MemoryQuery::new(natural) };
        let (request, meant) = asked(query, &to, (max != 5).then_some(max));
        let message = render_request(&to, &request).expect("each of these can be said");
        prop_assert_eq!(heard(&message), [meant]);
    }

    /// Adversarial case H118: what the grammar can say is said, and read back the same.
    #[test]
    fn an_answer_in_words_is_read_back_the_same(to in name(), text in text(), results in several(results(), 0..=5)) {
        let message = render_answer(&to, text.clone(), results.clone()).expect("each of these can be said");
        let meant = MessageProposal::Answer { source: ProposalSource::Grammar, addressee: Some(to), text, results };
        prop_assert_eq!(heard(&message), [meant]);
    }

    /// Adversarial case H118: what was never meant for the grammar is either not said, or read back the same.
    #[test]
    fn nothing_is_said_that_would_be_heard_otherwise(to in any::<String>(), natural in any::<String>(), words in several(any::<String>(), 0..4)) {
        let keywords = words.into_iter().filter_map(|word| Text::new(word).ok()).collect();
        let natural = Text::new(natural);
        prop_assume!(natural.is_ok());
        let query = MemoryQuery { keywords, ..MemoryQuery::new(natural.unwrap()) };
        let (request, meant) = asked(query, &to, None);
        if let Some(message) = render_request(&to, &request) {
            prop_assert_eq!(heard(&message), [meant]);
        }
    }

    /// Adversarial case H118: a question as a document is read back byte for byte, whatever stands in it.
    #[test]
    fn a_question_as_a_document_is_read_back_the_same(natural in "[^\\x00]{1,80}", domain in option::of(domain()), max in 1_u8..=100) {
        let mut parts = parts(&natural);
        parts.query.domain = domain;
        parts.preferences.max_results = max;
        let request = Request::anonymous(parts).unwrap();
        let proposals = heard(&block(request.bytes()).unwrap());
        prop_assert_eq!(proposals[0].source(), ProposalSource::Document);
        prop_assert_eq!(proposals, [MessageProposal::Request(request)]);
    }

    /// Whatever stands in a message, it is read without a panic and gives at most 8 proposals.
    #[test]
    fn any_message_is_read(message in "(@A memory_(request|response): |[a-z ]{0,8}|1\\. |\\[|\\]|```|json|\n|> |do you remember |Source: |\\PC){0,60}") {
        prop_assert!(heard(&message).len() <= 8);
    }

    /// Adversarial case H118: an answer as a document is read back byte for byte, its proof included.
    #[test]
    fn an_answer_as_a_document_is_read_back_the_same(natural in "[^\\x00]{1,80}", contents in several("[^\\x00]{1,80}", 1..4)) {
        let asked = request(&natural);
        let response = Response::sign(response(&asked, &contents), &asked, &signer()).unwrap();
        let proposals = heard(&block(response.bytes()).unwrap());
        prop_assert_eq!(proposals, [MessageProposal::Response(response)]);
    }
}

fn response(request: &Request, contents: &[String]) -> ResponseParts {
    let result = |content: &String| {
        let claim = Claim::of_text(Text::new(content.as_str()).unwrap());
        ResultParts {
            memory_id: Text::new("cap:1").unwrap(),
            attestation: Attestation::raw(Text::new("cap:1").unwrap(), claim, Vec::new()).unwrap(),
            relevance: Some(0.5),
            context: None,
            receipt: None,
            vouches: vec![],
        }
    };
    ResponseParts {
        header: ResponseHeader {
            request_id: request.parts().header.request_id.clone(),
            response_id: Some(RequestId::from_bytes([9; 16])),
            timestamp: request.parts().header.timestamp,
        },
        in_response_to: Some(request.hash()),
        audience: request
            .parts()
            .requester
            .public_key
            .map_or(Audience::Everyone, Audience::One),
        responder: Party::named(Text::new("Babel").unwrap()),
        status: Status::of(StatusCode::Success),
        results: contents.iter().map(result).collect(),
        meta: Meta::default(),
        referrals: Vec::new(),
    }
}

/// What text can say of a document is said, and what it cannot is not left out silently.
#[test]
fn a_document_is_told_in_words_where_words_are_enough() {
    let asked = request("What of forks?");
    assert_eq!(
        render_request("Babel", &asked).unwrap(),
        "@Babel memory_request: What of forks?\n"
    );
    let mut narrow = parts("What of forks?");
    narrow.query.filters.require_evidence = true;
    assert_eq!(
        render_request("Babel", &Request::anonymous(narrow).unwrap()),
        None
    );

    let answer = |content: &str| {
        let parts = response(&asked, &[content.into()]);
        Response::sign(parts, &asked, &signer()).unwrap()
    };
    let told = "@Ann memory_response: This is what I know.\n1. [0.5] Forks are kept.\nId: cap:1\n";
    assert_eq!(
        render_response("Ann", &answer("Forks are kept.")).as_deref(),
        Some(told)
    );
    assert_eq!(render_response("Ann", &answer("Forks\nare kept.")), None);
}
