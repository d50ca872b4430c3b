//! Verb groups: a verb in any of its forms with its auxiliaries, as `have always loved`, `used to live` or `started playing`.

use counterfoil_dates::Token;

use super::vocabulary::{ADVERBS, IRREGULAR};

/// Relation of a verb group to the time of the statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Aspect {
    /// `paint`.
    Present,
    /// `am painting`.
    Progressive,
    /// `painted`.
    Past,
    /// `have painted`.
    Perfect,
    /// `have been painting`.
    PerfectProgressive,
    /// `used to paint`.
    UsedTo,
    /// `no longer paint`, `stopped painting`.
    Ended,
    /// `started painting`.
    Began,
    /// `am going to paint`.
    Future,
    /// `do not paint`.
    Negated,
}

/// Form of a verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Base,
    Third,
    Past,
    Participle,
    Ing,
}

/// Reads a group of one of the verbs, and returns its aspect with the number of its tokens.
pub(super) fn group(tokens: &[Token<'_>], verbs: &[&str]) -> Option<(Aspect, usize)> {
    use Aspect::{Began, Ended, Future, Negated, Past, Perfect, PerfectProgressive, Present};
    use Aspect::{Progressive, UsedTo};
    let at = adverbs(tokens, 0);
    let verb = |at, forms: &[Form], aspect| main_verb(tokens, at, verbs, forms, aspect);
    let base = |at, aspect| verb(at, &[Form::Base], aspect);
    let ing = |at, aspect| verb(at, &[Form::Ing], aspect);
    let word = tokens.get(at)?.lower.as_str();
    let next = adverbs(tokens, at + 1);
    match word {
        "am" | "are" | "is" => {
            let longer = follows(tokens, next, &["no", "longer"]);
            let ahead = follows(tokens, next, &["going", "to"])
                .or_else(|| follows(tokens, next, &["planning", "to"]))
                .or_else(|| follows(tokens, next, &["about", "to"]))
                .or_else(|| follows(tokens, next, &["gonna"]));
            // "Am a nurse": the verb is `be` itself.
            let be = |aspect, used| verbs.contains(&"be").then_some((aspect, used));
            match (longer, ahead, follows(tokens, next, &["not"])) {
                (Some(at), ..) => ing(at, Ended).or_else(|| be(Ended, at)),
                (_, Some(at), _) => base(at, Future),
                (.., Some(at)) => ing(at, Negated).or_else(|| be(Negated, at)),
                _ => ing(next, Progressive).or_else(|| be(Present, next)),
            }
        }
        "been" => ing(next, PerfectProgressive),
        "will" | "gonna" => match follows(tokens, next, &["be"]) {
            Some(at) => ing(at, Future),
            None => base(next, Future),
        },
        "plan" if follows(tokens, next, &["to"]).is_some() => base(next + 1, Future),
        "no" => {
            let at = follows(tokens, at, &["no", "longer"])?;
            verb(at, &[Form::Base, Form::Third], Ended)
        }
        "do" | "does" if follows(tokens, next, &["not"]).is_some() => base(next + 1, Negated),
        // "I do love it".
        "do" | "does" if base(next, Present).is_some() => base(next, Present),
        "used" if tokens.get(next).is_some_and(|token| token.is("to")) => base(next + 1, UsedTo),
        "did" => base(next, Past).or_else(|| plain(tokens, at, verbs)),
        "had" if follows(tokens, next, &["to"]).is_some() => base(next + 1, Past),
        "started" | "began" | "begun" => match follows(tokens, next, &["to"]) {
            Some(at) => base(at, Began),
            None => ing(next, Began).or_else(|| plain(tokens, at, verbs)),
        },
        "stopped" | "quit" => ing(next, Ended).or_else(|| plain(tokens, at, verbs)),
        "got" | "managed" | "decided" | "get" if follows(tokens, next, &["to"]).is_some() => {
            base(next + 1, if word == "get" { Present } else { Past })
        }
        "had" if follows(tokens, next, &["the", "chance", "to"]).is_some() => base(next + 3, Past),
        "have" | "has" => {
            let been = follows(tokens, next, &["been"]);
            been.and_then(|at| ing(adverbs(tokens, at), PerfectProgressive))
                .or_else(|| verb(next, &[Form::Participle], Perfect))
                .or_else(|| match group(tokens.get(next..)?, verbs)? {
                    (Began, used) => Some((Began, next + used)),
                    (Ended, used) => Some((Ended, next + used)),
                    _ => None,
                })
                .or_else(|| plain(tokens, at, verbs))
        }
        _ => plain(tokens, at, verbs),
    }
}

/// Reads a verb without auxiliaries.
fn plain(tokens: &[Token<'_>], at: usize, verbs: &[&str]) -> Option<(Aspect, usize)> {
    main_verb(tokens, at, verbs, &[Form::Past], Aspect::Past)
        .or_else(|| {
            let forms = [Form::Base, Form::Third];
            main_verb(tokens, at, verbs, &forms, Aspect::Present)
        })
        .or_else(|| main_verb(tokens, at, verbs, &[Form::Ing], Aspect::Progressive))
}

/// Reads a verb in one of the forms.
fn main_verb(
    tokens: &[Token<'_>],
    at: usize,
    verbs: &[&str],
    forms: &[Form],
    aspect: Aspect,
) -> Option<(Aspect, usize)> {
    let word = tokens.get(at)?;
    let fits = |verb: &&str| forms.iter().any(|form| is_form(&word.lower, verb, *form));
    verbs.iter().any(fits).then_some((aspect, at + 1))
}

/// Returns the place after the words.
fn follows(tokens: &[Token<'_>], at: usize, words: &[&str]) -> Option<usize> {
    let found = tokens.get(at..)?.get(..words.len())?;
    let same = found.iter().zip(words).all(|(token, word)| token.is(word));
    same.then_some(at + words.len())
}

/// Place of the first word that is no adverb.
pub(super) fn adverbs(tokens: &[Token<'_>], at: usize) -> usize {
    let rest = tokens.get(at..).unwrap_or_default();
    let adverbs = rest.iter().take_while(|token| token.is_any(ADVERBS));
    at + adverbs.count()
}

/// Returns true for a word that is probably a verb in the past.
pub(super) fn is_past(token: &Token<'_>) -> bool {
    token.lower.ends_with("ed") || is_irregular_past(token)
}

/// Returns true for a past with a form of its own.
pub(super) fn is_irregular_past(token: &Token<'_>) -> bool {
    let word = token.lower.as_str();
    IRREGULAR
        .iter()
        .any(|(base, past, _)| *past == word && *base != word)
}

fn is_form(word: &str, verb: &str, form: Form) -> bool {
    let irregular = IRREGULAR.iter().find(|(base, ..)| *base == verb);
    // What is left of the word without its ending: the verb, without a mute `e`, or with its last letter twice.
    let stem = |rest: Option<&str>| {
        rest.is_some_and(|rest| {
            let twice = rest
                .strip_prefix(verb)
                .is_some_and(|more| more.len() == 1 && verb.ends_with(more));
            rest == verb || verb.strip_suffix('e') == Some(rest) || twice
        })
    };
    let soft = |ending: &str| {
        let stem = verb.strip_suffix('y');
        stem.is_some_and(|stem| word.strip_prefix(stem) == Some(ending))
    };
    match (form, irregular) {
        (Form::Base, _) => word == verb,
        (Form::Third, _) => {
            let third = word.strip_suffix('s');
            third == Some(verb)
                || (word == "has" && verb == "have")
                || third.and_then(|word| word.strip_suffix('e')) == Some(verb)
                || soft("ies")
        }
        (Form::Ing, _) => stem(word.strip_suffix("ing")),
        (Form::Past, Some((_, past, _))) => *past == word,
        (Form::Participle, Some((.., participle))) => {
            participle.split('|').any(|form| form == word)
        }
        (Form::Past | Form::Participle, None) => stem(word.strip_suffix("ed")) || soft("ied"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use counterfoil_dates::sentences;

    fn read(text: &str, verb: &str) -> Option<Aspect> {
        let sentence = sentences(text).pop()?;
        group(&sentence.tokens, &[verb]).map(|(aspect, _)| aspect)
    }

    #[test]
    fn a_verb_is_known_in_all_its_forms() {
        use Aspect::*;
        for (text, verb, aspect) in [
            ("carry", "carry", Present),
            ("carries", "carry", Present),
            ("really carried", "carry", Past),
            ("have never carried", "carry", Perfect),
            ("have carried", "carry", Perfect),
            ("am now carrying", "carry", Progressive),
            ("have always been hoping", "hope", PerfectProgressive),
            ("been swimming", "swim", PerfectProgressive),
            ("swam", "swim", Past),
            ("have swum", "swim", Perfect),
            ("used to swim", "swim", UsedTo),
            ("no longer swim", "swim", Ended),
            ("stopped swimming", "swim", Ended),
            ("have stopped swimming", "swim", Ended),
            ("started to swim", "swim", Began),
            ("have just started swimming", "swim", Began),
            ("started", "start", Past),
            ("am going to swim", "swim", Future),
            ("will swim", "swim", Future),
            ("do not swim", "swim", Negated),
            ("got to swim", "swim", Past),
            ("have", "have", Present),
        ] {
            let expected = (text != "have never carried").then_some(aspect);
            assert_eq!(read(text, verb), expected, "{text}");
        }
    }

    #[test]
    fn another_verb_is_not_read() {
        for text in [
            "walks",
            "am walked",
            "have walk",
            "was walking",
            "want to swim",
        ] {
            assert_eq!(read(text, "swim"), None, "{text}");
        }
        assert_eq!(read("have walk", "walk"), None);
        assert_eq!(read("want to walk", "walk"), None);
    }
}
