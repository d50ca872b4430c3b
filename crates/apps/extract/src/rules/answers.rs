//! Fragments that answer a question: "Where do you live?" "In Porto." is read as `I live in Porto`.

use counterfoil_dates::{Kind, Sentence, Token, sentences};

use super::matching::is_uncertain;
use super::vocabulary::{ADVERBS, CLOSED, COUNTED, FILLERS, PETS, UNSAID, YES};

/// Most words of a question or of its answer.
const MAX_WORDS: usize = 30;
/// Sentences at the beginning of a turn that may hold the answer.
const ANSWERS: usize = 3;

/// The question, as a statement with a gap for the answer.
struct Question<'t> {
    /// Words before the answer.
    stated: Vec<Token<'t>>,
    /// Words for the place of the answer, unless it begins with a preposition.
    joint: &'static str,
    /// True where "yes" affirms the statement.
    polar: bool,
    /// True where a yes needs a value with it: "Do you have any pets?"
    open: bool,
}

/// The statements that the first sentences make as answers to the last question of the text before.
pub(super) fn statements<'t>(
    before: &'t str,
    asker: Option<&str>,
    said: &[Sentence<'t>],
) -> Vec<Vec<Token<'t>>> {
    let mut found = Vec::new();
    let asked = sentences(before);
    let Some(asked) = asked.iter().rev().take(2).find(|sentence| sentence.asks) else {
        return found;
    };
    let Some(question) = names(&asked.tokens, before).or_else(|| question(&asked.tokens)) else {
        return found;
    };
    for sentence in said.iter().take(ANSWERS) {
        if sentence.asks || is_uncertain(sentence) {
            break;
        }
        let Some(answered) = answered(&question, asker, &sentence.tokens) else {
            continue;
        };
        found.extend(answered);
        break;
    }
    found
}

/// The statement with the answer in its gap; `None` if the sentence is no answer yet, as "Thanks!".
fn answered<'t>(
    question: &Question<'t>,
    asker: Option<&str>,
    tokens: &[Token<'t>],
) -> Option<Option<Vec<Token<'t>>>> {
    // "Thanks, Ada", "Hey Ade": a name or its beginning.
    let calls = |token: &Token<'_>| {
        let name = asker.filter(|_| token.text.len() > 2);
        name.is_some_and(|name| name.starts_with(token.text))
    };
    let opens = |token: &&Token<'_>| {
        token.kind == Kind::Mark
            || token.is_any(FILLERS)
            || token.is_any(YES)
            || token.is_any(ADVERBS)
            || calls(token)
    };
    let skipped = tokens.iter().take_while(opens).count();
    let yes = tokens.iter().take(skipped).any(|token| token.is_any(YES));
    let rest = tokens.get(skipped..)?;
    let mut stated = question.stated.clone();
    let first = rest.first();
    let denied = rest
        .iter()
        .take(MAX_WORDS)
        .any(|token| token.is_any(UNSAID));
    if question.polar && !question.open {
        return yes.then(|| (!denied).then_some(stated));
    }
    let first = first?;
    let preposition = first.is_any(&["in", "at", "on", "near", "since", "for", "from", "to", "by"]);
    let determined = first.is_any(&[
        "a", "an", "the", "my", "our", "some", "just", "mostly", "about", "all", "two", "three",
    ]);
    // "Do you have any pets?" "Sounds great": without a yes, an article or a number it is no answer.
    if question.polar && !yes && !determined {
        return Some(None);
    }
    if denied || (first.is_any(CLOSED) && !preposition && !determined) {
        return Some(None);
    }
    let joined = preposition || (question.joint == "a" && determined);
    if !joined && !question.joint.is_empty() {
        stated.push(word(question.joint));
    }
    stated.extend(rest.iter().take(MAX_WORDS).cloned());
    Some(Some(stated))
}

/// Turns a question to the listener into the listener's statement.
fn question<'t>(tokens: &[Token<'t>]) -> Option<Question<'t>> {
    let last = tokens.iter().rposition(|token| {
        token.is_any(&[
            "what", "what's", "which", "where", "who", "who's", "how", "when",
        ])
    });
    let asks = choice(tokens).or_else(|| last.and_then(|at| wh(tokens.get(at..)?)));
    asks.or_else(|| {
        let polar = |at: usize| polar(tokens.get(at..)?);
        (0..tokens.len().min(MAX_WORDS)).find_map(polar)
    })
}

/// `any venue in mind`: the answer is the choice.
fn choice<'t>(tokens: &[Token<'t>]) -> Option<Question<'t>> {
    let [.., any, what, within, mind] = tokens else {
        return None;
    };
    (any.is("any") && within.is("in") && mind.is("mind")).then(|| Question {
        stated: vec![word("the"), what.clone(), word("is"), word("now")],
        joint: "",
        polar: false,
        open: true,
    })
}

/// `what are their names`, of the animals or people that the turn speaks of.
fn names<'t>(tokens: &[Token<'t>], before: &'t str) -> Option<Question<'t>> {
    let names = tokens.last()?.is_any(&["name", "names"]);
    let theirs = tokens
        .iter()
        .rev()
        .nth(1)?
        .is_any(&["their", "his", "her", "its"]);
    let spoken = sentences(before).into_iter();
    let mut spoken = spoken.flat_map(|sentence| sentence.tokens);
    let whose = spoken.rfind(|token| token.is_any(COUNTED) || token.is_any(PETS))?;
    let are = if whose.is_any(COUNTED) { "are" } else { "is" };
    (names && theirs).then(|| Question {
        stated: vec![word("my"), whose, word(are), word("named")],
        joint: "",
        polar: false,
        open: true,
    })
}

/// `do you play chess`, `are you married`, `have you been to Rome`.
fn polar<'t>(tokens: &[Token<'t>]) -> Option<Question<'t>> {
    let (first, second) = (tokens.first()?, tokens.get(1)?);
    let yours = second.is("your");
    (second.is("you") || yours).then_some(())?;
    let rest = tokens.get(2..)?.iter().take(MAX_WORDS);
    let rest = rest.filter(|token| !token.is_any(&["ever", "still"]));
    let any = rest.clone().position(|token| token.is("any"));
    let most = any.unwrap_or(MAX_WORDS);
    let mut stated = vec![word(if yours { "my" } else { "i" })];
    match first.lower.as_str() {
        "do" if !yours => {}
        "did" if !yours => stated.push(word("did")),
        "are" | "is" if yours => return None,
        "are" => stated.push(word("am")),
        "have" => stated.push(word("have")),
        _ => return None,
    }
    stated.extend(rest.take(most).map(mine));
    Some(Question {
        stated,
        joint: "",
        polar: true,
        open: any.is_some(),
    })
}

/// `where do you live`, `how long have you been married`.
fn wh<'t>(tokens: &[Token<'t>]) -> Option<Question<'t>> {
    let asks = tokens.first()?.lower.as_str();
    let (asks, short) = match asks.strip_suffix("'s") {
        Some(asks) => (asks, true),
        None => (asks, false),
    };
    let you = tokens
        .iter()
        .take(6)
        .position(|token| token.is_any(&["you", "your"]))?;
    let auxiliary = if short {
        "is"
    } else {
        tokens.get(you.checked_sub(1)?)?.lower.as_str()
    };
    let rest = tokens.get(you + 1..)?;
    let rest = rest.iter().take(MAX_WORDS);
    let rest = rest.take_while(|token| token.kind != Kind::Mark && !token.is("now"));
    let rest: Vec<Token<'t>> = rest.map(mine).collect();
    let is = |at: usize, words: &[&str]| rest.get(at).is_some_and(|token| token.is_any(words));
    let open = |stated, joint| {
        Some(Question {
            stated,
            joint,
            polar: false,
            open: true,
        })
    };
    let me = |verb: &[&'static str]| {
        let words = core::iter::once("i").chain(verb.iter().copied());
        words.map(word).collect::<Vec<Token<'t>>>()
    };
    if tokens.get(you)?.is("your") {
        let plain = matches!(asks, "what" | "who" | "which") && matches!(auxiliary, "is" | "are");
        let mut stated = vec![word("my")];
        stated.extend(rest);
        stated.push(word(if auxiliary == "are" { "are" } else { "is" }));
        return plain.then_some(stated).and_then(|stated| open(stated, ""));
    }
    let joint = match asks {
        "where" if is(0, &["go", "travel", "move", "fly"]) => "to",
        "where" if rest.last().is_some_and(|last| last.is("from")) => "",
        "where" => "in",
        "how" if tokens.get(1)?.is("long") => "for",
        "what" | "which" | "who" | "when" => "",
        _ => return None,
    };
    if matches!(asks, "what") && ["brings", "helps", "makes", "keeps", "calms"].contains(&auxiliary)
    {
        return open(me(&["enjoy"]), "");
    }
    let mut stated = match auxiliary {
        // "What do you do for fun?", and "for a living".
        "do" if asks == "what" && is(0, &["do"]) => {
            let work =
                is(1, &["for"]) && (is(2, &["work"]) || is(3, &["living"])) || rest.len() == 1;
            return match work {
                true => open(me(&["am"]), "a"),
                false => open(me(&["enjoy"]), ""),
            };
        }
        "do" if asks == "what" && is(0, &["like", "enjoy", "love"]) => {
            return open(me(&["like"]), "");
        }
        "do" => me(&[]),
        "did" => me(&["did"]),
        "are" => me(&["am"]),
        "have" => me(&["have"]),
        _ => return None,
    };
    stated.extend(rest);
    open(stated, joint)
}

/// The word as the listener says it.
fn mine<'t>(token: &Token<'t>) -> Token<'t> {
    match token.lower.as_str() {
        "you" => word("i"),
        "your" => word("my"),
        _ => token.clone(),
    }
}

fn word<'t>(lower: &'static str) -> Token<'t> {
    Token {
        text: lower,
        lower: lower.to_owned(),
        kind: Kind::Word,
    }
}
