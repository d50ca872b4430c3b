//! What people write: questions, answers, and sentences that are neither. Written before the grammar was extended for them.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::conversation::{MessageProposal, interpret};
use crate::documents::Text;

/// Questions, each with words that its keywords must have, and the text that it begins with after what is said around it.
const QUESTIONS: [(&str, &str, &str); 35] = [
    (
        "What do you know about sourdough starters?",
        "sourdough starters",
        "What do",
    ),
    (
        "Hey Babel, do you remember where I parked the car?",
        "parked car",
        "do you",
    ),
    (
        "Do you know when the library closes on Fridays?",
        "library closes fridays",
        "Do you",
    ),
    (
        "Can you tell me what Tom's phone number is?",
        "tom's phone number",
        "Can you",
    ),
    (
        "Where did we put the spare key?",
        "put spare key",
        "Where did",
    ),
    (
        "Who is in charge of the staging server?",
        "charge staging server",
        "Who is",
    ),
    ("When is Mira's birthday?", "mira's birthday", "When is"),
    (
        "What's the wifi password at the cabin?",
        "wifi password cabin",
        "What's the",
    ),
    (
        "How do I reset the thermostat?",
        "reset thermostat",
        "How do",
    ),
    (
        "Have you heard anything about the new release?",
        "new release",
        "Have you",
    ),
    (
        "Any idea why the build broke yesterday?",
        "build broke yesterday",
        "Any idea",
    ),
    (
        "Remind me what we decided about the logo.",
        "decided logo",
        "Remind me",
    ),
    ("Does Anna eat fish?", "anna eat fish", "Does Anna"),
    (
        "Is the bakery open on Sundays?",
        "bakery open sundays",
        "Is the",
    ),
    (
        "Which train did Paul take to Lyon?",
        "train paul take lyon",
        "Which train",
    ),
    (
        "Tell me about the Henderson account.",
        "henderson account",
        "Tell me",
    ),
    (
        "hi there! what was the name of that restaurant in Porto?",
        "name restaurant porto",
        "what was",
    ),
    (
        "I was wondering if you know who maintains the parser.",
        "maintains parser",
        "I was",
    ),
    (
        "Could you check your notes for the Lisbon trip?",
        "lisbon trip",
        "Could you",
    ),
    (
        "What have you got on memory pruning?",
        "memory pruning",
        "What have",
    ),
    ("Anything on the Q3 budget?", "q3 budget", "Anything on"),
    (
        "@babel who owns the deploy key?",
        "owns deploy key",
        "who owns",
    ),
    (
        "Did the plumber ever call back?",
        "plumber call back",
        "Did the",
    ),
    (
        "Are there any allergies I should know about for Kit?",
        "allergies kit",
        "Are there",
    ),
    (
        "Babel, how many people are coming to the party?",
        "people coming party",
        "how many",
    ),
    (
        "What did Mira say about the contract?",
        "mira contract",
        "What did",
    ),
    (
        "Please look up the address of the dentist.",
        "address dentist",
        "Please look",
    ),
    ("Where does Sam work now?", "sam work", "Where does"),
    (
        "do u know what time the meeting starts",
        "time meeting starts",
        "do u",
    ),
    (
        "Has anyone told you about the move to Berlin?",
        "move berlin",
        "Has anyone",
    ),
    (
        "Sorry to bother you, but what is the door code for the garage?",
        "door code garage",
        "what is",
    ),
    (
        "Good morning! Would you happen to know which paint we used in the hallway?",
        "paint used hallway",
        "Would you",
    ),
    (
        "Remember what the vet said about Bella?",
        "vet bella",
        "Remember what",
    ),
    (
        "Do we have any information about the supplier in Graz?",
        "supplier graz",
        "Do we",
    ),
    (
        "I need to know how the invoice numbers are formed.",
        "invoice numbers formed",
        "I need",
    ),
];

/// Answers, each with its memory and its source; without a memory: that nothing is known, or nothing is told.
const ANSWERS: [(&str, &str, &str); 15] = [
    (
        "As far as I know, the library closes at six on Fridays.",
        "the library closes at six on Fridays.",
        "",
    ),
    (
        "Tom's number is 555-0134. Source: https://example.org/contacts",
        "Tom's number is 555-0134.",
        "https://example.org/contacts",
    ),
    (
        "Here's what I know: the spare key is under the blue pot.",
        "the spare key is under the blue pot.",
        "",
    ),
    (
        "I remember that Mira's birthday is on the third of May.",
        "Mira's birthday is on the third of May.",
        "",
    ),
    (
        "According to https://wiki.example.org/staging, Priya owns the staging server.",
        "Priya owns the staging server.",
        "https://wiki.example.org/staging",
    ),
    (
        "The build broke because of the new linker, see https://ci.example.org/runs/81.",
        "The build broke because of the new linker",
        "https://ci.example.org/runs/81",
    ),
    (
        "From my notes: we decided to keep the old logo.",
        "we decided to keep the old logo.",
        "",
    ),
    (
        "I think Anna doesn't eat fish, but I'm not sure.",
        "Anna doesn't eat fish, but I'm not sure.",
        "",
    ),
    (
        "Yes, the bakery is open on Sundays until noon.",
        "the bakery is open on Sundays until noon.",
        "",
    ),
    (
        "I've been researching this! Key insight: pruning is identity. Here's my note: https://example.org/pruning",
        "pruning is identity.",
        "https://example.org/pruning",
    ),
    (
        "No, the plumber never called back.",
        "the plumber never called back.",
        "",
    ),
    (
        "Sure! Kit is allergic to sesame.",
        "Kit is allergic to sesame.",
        "",
    ),
    ("Sorry, I don't know anything about that.", "", ""),
    ("I'd rather not say.", "", ""),
    (
        "We used Ocean Mist in the hallway. I noted it on 3 March (https://example.org/paint#hall).",
        "We used Ocean Mist in the hallway. I noted it on 3 March",
        "https://example.org/paint#hall",
    ),
];

/// Sentences that ask for no memory and tell none.
const NEITHER: [&str; 18] = [
    "I had pasta for lunch.",
    "The weather is nice today.",
    "lol",
    "See you tomorrow!",
    "Thanks, that helps!",
    "Please remember to buy milk.",
    "Don't forget the meeting at 3.",
    "What a beautiful day!",
    "How are you?",
    "Can you send me the file?",
    "Who cares?",
    "I know, right?",
    "Let me know when you arrive.",
    "Do you want to grab lunch?",
    "I'll ask Tom about the budget.",
    "Could you pass the salt?",
    "What are you doing?",
    "How about a coffee?",
];

/// Sentences that came to mind after the grammar was extended.
const NEITHER_EITHER: [&str; 30] = [
    "Remind me to buy milk.",
    "Tell me when you're done.",
    "What's up?",
    "How's it going?",
    "Is it raining?",
    "Are you coming tonight?",
    "Why not?",
    "Yes, please!",
    "Sure, see you then!",
    "I think so too.",
    "No worries, take care!",
    "I don't know about you, but I'm hungry.",
    "No idea what to cook tonight.",
    "What time is it?",
    "Could you call me back?",
    "I think I'll go to bed.",
    "Yes, that works for me.",
    "Are we there yet?",
    "Do we need to leave?",
    "Something about this bothers me.",
    "I told Anna where the key is.",
    "He asked what the code is.",
    "Where are you?",
    "What do you think?",
    "Look at this: https://example.org/cat.png",
    "Have you seen https://example.org/cat.png?",
    "No, thank you!",
    "I'd rather not go out today.",
    "Sorry, I don't know if I can come tomorrow.",
    "She said that they never lock the door.",
];

/// Returns the begin and the keywords of the only question.
fn question(message: &str) -> Option<(String, Vec<String>)> {
    match &interpret(message, &[])[..] {
        [MessageProposal::Question { query, .. }] => Some((
            query.natural.to_string(),
            query.keywords.iter().map(Text::to_string).collect(),
        )),
        _ => None,
    }
}

/// Returns the memory and the source of the only answer.
fn answer(message: &str) -> Option<(String, String)> {
    let proposals = interpret(message, &[]);
    let [MessageProposal::Answer { results, .. }] = &proposals[..] else {
        return None;
    };
    let claims: Vec<&str> = results.iter().map(|result| result.claim.as_str()).collect();
    let sources = results.iter().flat_map(|result| &result.sources);
    let sources: Vec<&str> = sources.map(Text::as_str).collect();
    Some((claims.join("|"), sources.join("|")))
}

/// At least 40 of the 50 are understood, and what is neither is read as neither.
#[test]
fn what_people_write_is_understood() {
    let mut wrong: Vec<(&str, String)> = Vec::new();
    for (message, words, begin) in QUESTIONS {
        let read = question(message);
        let is_right = read.as_ref().is_some_and(|(natural, keywords)| {
            natural.starts_with(begin)
                && words
                    .split(' ')
                    .all(|word| keywords.iter().any(|own| own == word))
                && keywords.len() <= words.split(' ').count() + 2
        });
        if !is_right {
            wrong.push((message, alloc::format!("{read:?}")));
        }
    }
    for (message, memory, source) in ANSWERS {
        let read = answer(message);
        if read != Some((memory.to_string(), source.to_string())) {
            wrong.push((message, alloc::format!("{read:?}")));
        }
    }
    let neither = NEITHER.iter().chain(&NEITHER_EITHER);
    let false_readings: Vec<_> = neither
        .map(|message| (*message, interpret(message, &[])))
        .collect();
    let is_read = |(message, read): &(&'static str, Vec<_>)| (!read.is_empty()).then_some(*message);
    let false_readings: Vec<&str> = false_readings.iter().filter_map(is_read).collect();
    let understood = QUESTIONS.len() + ANSWERS.len() - wrong.len();
    let report =
        alloc::format!("{understood} of 50 are understood; {wrong:#?}; {false_readings:?}");
    assert!(understood >= 40 && false_readings.is_empty(), "{report}");
}
