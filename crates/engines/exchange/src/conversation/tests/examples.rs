//! Messages in words, and their meaning.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};

use crate::conversation::{
    MessageProposal, ProposalSource, ProposedResult, answer_draft, interpret,
};
use crate::documents::{Domain, MemoryQuery, RequestId, Text};

fn heard(message: &str) -> Vec<MessageProposal> {
    let vocabulary: [(String, Domain); 1] =
        [("agent memory".into(), "memory-systems".parse().unwrap())];
    interpret(message, &vocabulary)
}

/// The only proposal: its reader, its addressee, its question, and the most memories.
fn question(message: &str) -> (ProposalSource, Option<String>, MemoryQuery, Option<u8>) {
    match <[_; 1]>::try_from(heard(message)) {
        Ok(
            [
                MessageProposal::Question {
                    source,
                    addressee,
                    query,
                    max_results,
                },
            ],
        ) => (source, addressee, query, max_results),
        other => panic!("{message}: {other:?}"),
    }
}

/// The only proposal: the sentence and the list of its answer.
fn answer(message: &str) -> (String, Vec<ProposedResult>) {
    match <[_; 1]>::try_from(heard(message)) {
        Ok([MessageProposal::Answer { text, results, .. }]) => (text.to_string(), results),
        other => panic!("{message}: {other:?}"),
    }
}

fn keywords(query: &MemoryQuery) -> Vec<&str> {
    query.keywords.iter().map(Text::as_str).collect()
}

fn text<const MAX: usize>(text: &str) -> Text<MAX> {
    Text::new(text).unwrap()
}

fn result(claim: &str) -> ProposedResult {
    ProposedResult {
        relevance: None,
        claim: text(claim),
        context: None,
        sources: vec![],
        vouches: vec![],
        id: None,
    }
}

/// MRP-33, MRP-35: the request of the notes, with its domain in the table; without the entry there is no domain, and its words are
/// words like any.
#[test]
fn the_question_of_the_notes_is_mapped_as_they_map_it() {
    let message = "Hey Babel, what do you know about pruning strategies for agent memory?";
    let (source, addressee, query, max_results) = question(message);
    assert_eq!(
        (source, addressee.as_deref()),
        (ProposalSource::Template, Some("Babel"))
    );
    let natural = "what do you know about pruning strategies for agent memory?";
    assert_eq!((query.natural.as_str(), max_results), (natural, None));
    assert_eq!(
        query.domain.as_ref().map(Domain::as_str),
        Some("memory-systems")
    );
    assert_eq!(keywords(&query), ["pruning", "strategies"]);
    let [MessageProposal::Question { query, .. }] = &interpret(natural, &[])[..] else {
        panic!()
    };
    assert_eq!(query.domain, None);
    assert_eq!(
        keywords(query),
        ["pruning", "strategies", "agent", "memory"]
    );
}

/// MRP-33, MRP-35, MRP-36: the response of the notes, word for word, as a memory with its source and context; to put it into other
/// words takes a model. And the simplest answer of the notes.
#[test]
fn the_answer_of_the_notes_is_a_memory_with_its_source_and_context() {
    let context =
        "I wrote it after discussing with djclawd who mentioned 'trajectory over snapshots.'";
    let claim = "pruning is identity. What you choose to forget defines who you become.";
    let message = format!(
        "I've been researching this! Key insight: {claim} Here's my note: https://example.org/pruning. {context}"
    );
    let whole = ProposedResult {
        sources: vec![text("https://example.org/pruning")],
        context: Some(text(context)),
        ..result(claim)
    };
    assert_eq!(
        answer(&message),
        ("I've been researching this!".into(), vec![whole])
    );
    let simplest = ProposedResult {
        sources: vec![text("[link]")],
        ..result("old memories fade.")
    };
    let message = "Here's what I know: old memories fade. Source: [link].";
    assert_eq!(
        answer(message),
        ("Here's what I know:".into(), vec![simplest])
    );
}

/// MRP-51, MRP-35: an answer in words, as of a model, is judged as a draft: the same content, without key and proof.
#[test]
fn what_a_model_says_is_a_draft_until_it_is_confirmed() {
    let said = ProposedResult {
        relevance: Some(0.5),
        context: Some(text("From my discussion with djclawd")),
        sources: vec![text("https://example.org/a"), text("https://example.org/b")],
        id: Some(text("m1")),
        ..result("pruning is identity — what you forget defines who you become")
    };
    let proposal = MessageProposal::Answer {
        source: ProposalSource::Model,
        addressee: None,
        text: text("I've been researching this!"),
        results: vec![said.clone()],
    };
    assert_eq!(proposal.source(), ProposalSource::Model);
    let (id, at) = (
        RequestId::from_bytes([5; 16]),
        "2026-02-10T00:00:00.000000Z",
    );
    let draft = |results: &[ProposedResult]| {
        answer_draft(
            &text("I've been researching this!"),
            results,
            &id,
            &text("Babel"),
            at.parse().unwrap(),
        )
        .unwrap()
    };
    let draft = draft(core::slice::from_ref(&said));
    let parts = draft.parts();
    assert_eq!((draft.is_draft(), parts.responder.public_key), (true, None));
    assert_eq!(
        (&parts.header.request_id, parts.status.code.name()),
        (&id, "success")
    );
    let [result] = parts.results.as_slice() else {
        panic!()
    };
    assert_eq!(
        (result.relevance, &result.context),
        (said.relevance, &said.context)
    );
    let memory = result.attestation.parts();
    assert_eq!(
        (&memory.claim.content, &memory.id),
        (&said.claim, &said.id.unwrap())
    );
    let urls = memory.evidence.iter().map(|evidence| evidence.url.clone());
    assert_eq!(urls.collect::<Vec<_>>(), said.sources);
}

#[test]
fn whoever_is_spoken_to_is_found_and_left_out_of_the_question() {
    for (message, name, natural) in [
        (
            "@Babel do you remember the first fork?",
            Some("Babel"),
            "do you remember the first fork?",
        ),
        (
            "hi Babel what do you know about forks",
            Some("Babel"),
            "what do you know about forks",
        ),
        (
            "Good morning, Agent A! Tell me about forks.",
            None,
            "Tell me about forks.",
        ),
        (
            "Agent A: have you ever read something about forks?",
            Some("Agent A"),
            "have you ever read something about forks?",
        ),
        (
            "So, what can you tell me about forks?",
            None,
            "what can you tell me about forks?",
        ),
        (
            "Could you please tell me what you know about forks?",
            None,
            "Could you please tell me what you know about forks?",
        ),
        (
            "It rains. **What do you know about forks?**",
            None,
            "What do you know about forks?**",
        ),
        (
            "what do you know\nabout forks?",
            None,
            "what do you know\nabout forks?",
        ),
    ] {
        let (source, addressee, query, _) = question(message);
        assert_eq!(
            (source, addressee.as_deref()),
            (ProposalSource::Template, name),
            "{message}"
        );
        assert_eq!(query.natural.as_str(), natural, "{message}");
    }
}

/// R20: a message that asks for no memory, and one that begins in the grammar and goes on wrongly, gives no proposal.
#[test]
fn what_breaks_the_grammar_says_nothing() {
    for message in [
        "",
        "What a day!",
        "I asked him what do you know about forks",
        "what do you know about?",
        "Do you like tea?",
        "Whatever do you know about forks",
        "@Babel memory_request:",
        "@Babel memory_requests: forks",
        "Babel memory_request: forks",
        "@A memory_request: q\ndomain: Not A Slug",
        "@A memory_request: q\nmax: 0",
        "@A memory_request: q\nmax: 101",
        "@A memory_request: q\nmax: 0007",
        "@A memory_request: q\nkeywords: a,,b",
        "@A memory_response: r\n1. [1.5] too much",
        "@A memory_response: r\n1. [NaN] none",
        "@A memory_response: r\n1. [-0.1] less",
        "@A memory_response: r\n1. [1e-1] notation",
        "@A memory_response: r\n1. [0.5] one\nId: a\nId: b",
        "@A memory_response: r\n1. [0.5]",
        " @A memory_request: not at the start of a line",
    ] {
        assert_eq!(heard(message), [], "{message}");
    }
}

#[test]
fn keywords_are_lower_case_each_once_and_at_most_16() {
    let (.., query, _) =
        question("What do you know about the Fork, forks and the FORK, or don't-care's?");
    assert_eq!(keywords(&query), ["fork", "forks", "don't-care's"]);
    let many: Vec<String> = (0..40).map(|number| format!("w{number}")).collect();
    let (.., query, _) = question(&format!("what do you know about {}", many.join(" ")));
    assert_eq!(keywords(&query), many[..16]);
}

#[test]
fn the_grammar_of_a_question_is_read() {
    let message = "Listen:\n@Babel memory_request: What of forks?\r\ndomain: memory-systems/forks\nkeywords: forks,  the rule\nmax: 7\nThanks!";
    let query = MemoryQuery {
        domain: "memory-systems/forks".parse().ok(),
        keywords: vec![text("forks"), text("the rule")],
        ..MemoryQuery::new(text("What of forks?"))
    };
    let meant = (
        ProposalSource::Grammar,
        Some("Babel".into()),
        query,
        Some(7),
    );
    assert_eq!(question(message), meant);
}

#[test]
fn the_grammar_of_an_answer_is_read() {
    let message = "@Ann memory_response: Two things.\n1. [0.85] Forks are kept.\nSource: https://example.org/a\nVouch: Kim\n\
        Id: cap:1\n2. [1] Forks are shown.\nAnd that is all.";
    let first = ProposedResult {
        relevance: Some(0.85),
        sources: vec![text("https://example.org/a")],
        vouches: vec![text("Kim")],
        id: Some(text("cap:1")),
        ..result("Forks are kept.")
    };
    let second = ProposedResult {
        relevance: Some(1.0),
        ..result("Forks are shown.")
    };
    assert_eq!(answer(message), ("Two things.".into(), vec![first, second]));
}
