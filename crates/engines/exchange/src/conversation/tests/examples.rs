//! What people say to each other, and what it means.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use crate::conversation::{
    MessageProposal, ModelProposal, ProposalBody, ProposalSource, ProposedRequest,
    ProposedResponse, ProposedResult, interpret,
};
use crate::documents::{Domain, Text};

fn vocabulary() -> [(String, Domain); 1] {
    [("agent memory".into(), "memory-systems".parse().unwrap())]
}

fn heard(message: &str) -> Vec<MessageProposal> {
    interpret(message, &vocabulary())
}

fn question(message: &str) -> (ProposalSource, Option<String>, ProposedRequest) {
    let [proposal] = heard(message).try_into().unwrap();
    let ProposalBody::Question(question) = proposal.body else {
        panic!("{message}")
    };
    (proposal.source, proposal.addressee, question)
}

fn answer(message: &str) -> ProposedResponse {
    let [proposal] = heard(message).try_into().unwrap();
    let ProposalBody::Answer(answer) = proposal.body else {
        panic!("{message}")
    };
    answer
}

fn keywords(question: &ProposedRequest) -> Vec<&str> {
    question.keywords.iter().map(Text::as_str).collect()
}

/// MRP-33, MRP-35: the request of the notes, with its domain in the table.
#[test]
fn the_question_of_the_notes_is_mapped_as_they_map_it() {
    let (found, addressee, question) =
        question("Hey Babel, what do you know about pruning strategies for agent memory?");
    assert_eq!(
        (found, addressee.as_deref()),
        (ProposalSource::Template, Some("Babel"))
    );
    assert_eq!(
        question.natural.as_str(),
        "what do you know about pruning strategies for agent memory?"
    );
    assert_eq!(question.domain.as_ref().unwrap().as_str(), "memory-systems");
    assert_eq!(keywords(&question), ["pruning", "strategies"]);
}

/// Without the entry in the table there is no domain, and its words are words like any.
#[test]
fn a_domain_is_only_what_the_table_says() {
    let asked = "what do you know about pruning strategies for agent memory?";
    let found = interpret(asked, &[]);
    let [
        MessageProposal {
            body: ProposalBody::Question(question),
            ..
        },
    ] = found.as_slice()
    else {
        panic!()
    };
    assert_eq!(question.domain, None);
    assert_eq!(
        keywords(question),
        ["pruning", "strategies", "agent", "memory"]
    );
}

const ANSWER: &str = "I've been researching this! Key insight: pruning is identity. What you choose to forget defines who \
    you become. Here's my note: https://example.org/pruning. I wrote it after discussing with djclawd who mentioned \
    'trajectory over snapshots.'";

/// MRP-33, MRP-35: the response of the notes, word for word; to put it into other words takes a model.
#[test]
fn the_answer_of_the_notes_is_a_memory_with_its_source_and_context() {
    let answer = answer(ANSWER);
    assert_eq!(answer.text.as_str(), "I've been researching this!");
    let [result] = answer.results.try_into().unwrap();
    let claim = "pruning is identity. What you choose to forget defines who you become.";
    assert_eq!(result.claim.as_str(), claim);
    assert_eq!(
        result.sources,
        [Text::new("https://example.org/pruning").unwrap()]
    );
    let context =
        "I wrote it after discussing with djclawd who mentioned 'trajectory over snapshots.'";
    assert_eq!(result.context.unwrap().as_str(), context);
}

/// MRP-36: the simplest answer of the notes.
#[test]
fn the_simplest_answer_is_heard() {
    let answer = answer("Here's what I know: old memories fade. Source: [link].");
    let [result] = answer.results.try_into().unwrap();
    assert_eq!(
        (result.claim.as_str(), result.sources[0].as_str()),
        ("old memories fade.", "[link]")
    );
    assert_eq!(result.context, None);
}

/// MRP-51, MRP-35: the notes' own words for that answer, from a model; they stay a draft until somebody confirms them.
#[test]
fn what_a_model_says_is_a_draft_until_it_is_confirmed() {
    let answer = ProposedResponse {
        text: Text::new("I've been researching this!").unwrap(),
        results: vec![ProposedResult {
            relevance: None,
            claim: Text::new("pruning is identity — what you forget defines who you become")
                .unwrap(),
            context: Some(Text::new("From my discussion with djclawd").unwrap()),
            sources: vec![Text::new("https://example.org/pruning").unwrap()],
            vouches: vec![],
            id: None,
        }],
    };
    let draft = ModelProposal::answer(None, answer);
    let ProposalBody::Answer(shown) = draft.draft().clone() else {
        panic!()
    };
    let proposal = draft.confirm();
    assert_eq!(proposal.source, ProposalSource::Model);
    assert_eq!(proposal.body, ProposalBody::Answer(shown));
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
        let (found, addressee, question) = question(message);
        assert_eq!(
            (found, addressee.as_deref()),
            (ProposalSource::Template, name),
            "{message}"
        );
        assert_eq!(question.natural.as_str(), natural, "{message}");
    }
}

#[test]
fn what_asks_nobody_for_a_memory_is_no_message() {
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
    ] {
        assert_eq!(heard(message), [], "{message}");
    }
}

#[test]
fn keywords_are_lower_case_each_once_and_at_most_16() {
    let (.., question) =
        question("What do you know about the Fork, forks and the FORK, or don't-care's?");
    assert_eq!(keywords(&question), ["fork", "forks", "don't-care's"]);
    let many: Vec<String> = (0..40).map(|number| alloc::format!("w{number}")).collect();
    let (.., question) =
        self::question(&alloc::format!("what do you know about {}", many.join(" ")));
    assert_eq!(question.keywords.len(), 16);
    assert_eq!(question.keywords[15].as_str(), "w15");
}

#[test]
fn the_grammar_of_a_question_is_read() {
    let message = "Listen:\n@Babel memory_request: What of forks?\r\ndomain: memory-systems/forks\nkeywords: forks,  the rule\nmax: 7\nThanks!";
    let (found, addressee, question) = question(message);
    assert_eq!(
        (found, addressee.as_deref()),
        (ProposalSource::Grammar, Some("Babel"))
    );
    assert_eq!(question.natural.as_str(), "What of forks?");
    assert_eq!(
        question.domain.as_ref().unwrap().as_str(),
        "memory-systems/forks"
    );
    assert_eq!(
        (keywords(&question), question.max_results),
        (vec!["forks", "the rule"], Some(7))
    );
}

#[test]
fn the_grammar_of_an_answer_is_read() {
    let message = "@Ann memory_response: Two things.\n1. [0.85] Forks are kept.\nSource: https://example.org/a\nVouch: Kim\n\
        Id: cap:1\n2. [1] Forks are shown.\nAnd that is all.";
    let answer = answer(message);
    assert_eq!(answer.text.as_str(), "Two things.");
    let [first, second] = answer.results.try_into().unwrap();
    assert_eq!(
        (first.relevance, first.claim.as_str()),
        (Some(0.85), "Forks are kept.")
    );
    assert_eq!(first.id.unwrap().to_string(), "cap:1");
    assert_eq!((first.sources.len(), first.vouches.len()), (1, 1));
    assert_eq!(
        (second.relevance, second.claim.as_str()),
        (Some(1.0), "Forks are shown.")
    );
}

/// R20: what begins in the grammar and goes on wrongly is not guessed at.
#[test]
fn what_breaks_the_grammar_says_nothing() {
    for message in [
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
