//! Slots of a pattern, and the readers that fill them.

use counterfoil_dates::{Kind, NUMBERS, SEASONS, Token, WEEKDAYS, calendar, day_of_year};

use super::phrases::{self, Of, is_doing, joined};
use super::verbs::Aspect;
use super::vocabulary::{
    ACTIVITIES, AWARDS, BELONGINGS, BODY, CHARGES, CLASSES, CLAUSE_STARTS, CLOSED, CLUBS,
    CONDITIONS, CONTRACTS, COUNTED, DEGREES, EXAMS, FAMILY, FANS, FIELDS, FILLERS, GATHERINGS,
    INSTRUMENTS, JOBS, KIN, KIN_QUALITIES, LANGUAGES, NAME_JOINTS, NO_FAVOURITE, NO_NAME,
    NO_PHRASE, PETS, PHRASE_ENDS, SCENES, SPORTS, STATUSES, TIME_UNITS, TRIPS, UNSAID, WEEKENDS,
};

/// Most words of a name.
const NAME_WORDS: usize = 5;
/// Most words of a phrase.
const PHRASE_WORDS: usize = 5;
/// Most members of a list.
const MEMBERS: usize = 16;

/// Words that begin the next member of a list, of which the first alone is read.
const ARTICLES: &[&str] = &["some", "a", "an", "the", "my", "even", "more", "just"];

/// Value of a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Read {
    /// One text.
    Text(String),
    /// A number.
    Number(u32),
    /// Several texts.
    List(Vec<String>),
    /// Aspect of a verb group.
    Aspect(Aspect),
}

/// Reader of a slot: returns the value at the beginning of the tokens, and the number of its tokens.
pub(super) type Slot = fn(&[Token<'_>]) -> Option<(Read, usize)>;

/// Slots by their names in patterns.
const SLOTS: [(&str, Slot); 71] = [
    // Names with capital letters.
    ("place", |tokens| text(name(tokens, NAME_WORDS, true))),
    ("places", |tokens| names(tokens, NAME_WORDS, true)),
    ("other_place", |tokens| text(name(tokens, NAME_WORDS, true))),
    ("one", |tokens| text(one(tokens))),
    ("name", |tokens| text(name(tokens, 3, false))),
    ("org", |tokens| text(name(tokens, NAME_WORDS, true))),
    ("job", |tokens| text(job(tokens))),
    // `sister` and `sister's`, `dog` and `dog's`.
    ("kin", |tokens| one_of(tokens, KIN)),
    ("kin_s", |tokens| owner(tokens, KIN)),
    ("pet", |tokens| one_of(tokens, PETS)),
    ("pet_s", |tokens| owner(tokens, PETS)),
    // Up to two words before an animal, which are dropped.
    ("quality", |tokens| {
        let pet = tokens.iter().take(3).position(|token| token.is_any(PETS));
        Some((Read::Text(String::new()), pet.unwrap_or(0)))
    }),
    ("number", number),
    ("counted", |tokens| one_of(tokens, COUNTED)),
    ("languages", |tokens| list(tokens, LANGUAGES, true)),
    ("instruments", |tokens| list(tokens, INSTRUMENTS, false)),
    ("sports", |tokens| list(tokens, SPORTS, false)),
    ("status", |tokens| {
        let engages =
            tokens.first()?.is("engaged") && tokens.get(1).is_some_and(|next| next.is("in"));
        one_of(tokens, STATUSES).filter(|_| !engages)
    }),
    // One that is done again and again, as against "discussing".
    ("activity", |tokens| text(activity(tokens))),
    ("scene", |tokens| one_of(tokens, SCENES)),
    // Lists of phrases.
    ("nouns", |tokens| phrases_of(tokens, Of::Nouns)),
    ("likes", |tokens| phrases_of(tokens, Of::Liked)),
    ("doings", |tokens| phrases_of(tokens, Of::Doing)),
    ("acts", |tokens| phrases_of(tokens, Of::Acts)),
    ("aims", |tokens| phrases_of(tokens, Of::Aims)),
    ("activities", |tokens| list(tokens, ACTIVITIES, false)),
    ("brood", |tokens| {
        let first = tokens.first().filter(|token| token.is_any(COUNTED))?;
        let one = ["puppies", "puppy", "children", "child"]
            .windows(2)
            .step_by(2);
        let one = one.filter_map(|pair| Some((*pair.first()?, *pair.last()?)));
        let one = one.into_iter().find(|(many, _)| first.is(many));
        let one = one.map_or_else(|| first.lower.trim_end_matches('s'), |(_, one)| one);
        Some((Read::Text(one.to_owned()), 1))
    }),
    // "My horse painting" is no horse.
    ("own_pet", |tokens| {
        let head = tokens
            .get(1)
            .is_none_or(|next| next.kind != Kind::Word || next.is_any(CLOSED));
        one_of(tokens, PETS).filter(|_| head)
    }),
    ("herd", |tokens| {
        let many = |pet: &&str| {
            tokens
                .first()
                .is_some_and(|first| first.lower.strip_suffix('s') == Some(*pet))
        };
        let pet = PETS.iter().find(|pet| many(pet))?;
        Some((Read::Text((*pet).to_owned()), 1))
    }),
    ("names", |tokens| names(tokens, 2, false)),
    ("pastimes", pastimes),
    ("who", |tokens| text(before(tokens, &["starts", "opens"]))),
    ("hour", |tokens| text(corrected(tokens, clock(tokens)?))),
    ("other_hour", |tokens| text(clock(tokens))),
    ("amount", |tokens| text(corrected(tokens, amount(tokens)?))),
    ("other_amount", |tokens| text(amount(tokens))),
    ("charge", |tokens| {
        Some((Read::Text(charge(tokens.first()?)?.to_owned()), 1))
    }),
    ("item", |tokens| text(item(tokens))),
    ("costing", |tokens| {
        let (_, used) = before(tokens, &["cost", "costs"])?;
        text(item(tokens.get(..used)?).filter(|(_, read)| *read == used))
    }),
    ("days", |tokens| {
        let (Read::List(days), used) = list(tokens, WEEKENDS, true)? else {
            return None;
        };
        Some((Read::Text(days.join(" and ")), used))
    }),
    ("engagement", |tokens| one_of(tokens, GATHERINGS)),
    ("appointment", |tokens| text(appointment(tokens))),
    ("fancies", |tokens| phrases_of(tokens, Of::Fancied)),
    ("trip", |tokens| text(headed(tokens, TRIPS))),
    ("contract", |tokens| text(headed(tokens, CONTRACTS))),
    ("club", |tokens| text(headed(tokens, CLUBS))),
    ("span", |tokens| {
        let unit = |token: &Token<'_>| token.is_any(TIME_UNITS) || token.is_any(&SEASONS);
        let at = tokens.iter().take(5).position(unit)?;
        Some((Read::Text(joined(tokens.get(..=at)?)), at + 1))
    }),
    ("fandom", |tokens| text(phrases::before_head(tokens, FANS))),
    ("award", |tokens| text(headed(tokens, AWARDS))),
    ("degree", |tokens| text(headed(tokens, DEGREES))),
    ("exam", |tokens| text(headed(tokens, EXAMS))),
    ("body", |tokens| text(headed(tokens, BODY))),
    ("field", |tokens| one_of(tokens, FIELDS)),
    ("class", |tokens| text(headed(tokens, CLASSES))),
    ("gathering", |tokens| text(headed(tokens, GATHERINGS))),
    ("kind", |tokens| text(kind(tokens))),
    ("changing", |tokens| {
        text(before(
            tokens,
            &[
                "has", "changed", "moved", "switched", "went", "changes", "moves", "switches",
                "goes",
            ],
        ))
    }),
    ("other_thing", |tokens| text(before(tokens, &["to"]))),
    ("condition", |tokens| one_of(tokens, CONDITIONS)),
    ("diet", |tokens| one_of(tokens, &["vegan", "vegetarian"])),
    ("child", |tokens| {
        one_of(tokens, &["son", "daughter", "baby", "toddler"])
    }),
    ("hobby_s", |tokens| {
        let first = tokens.first()?;
        let named = first.owner().filter(|word| !NO_NAME.contains(word))?;
        Some((Read::Text(named.to_owned()), 1))
    }),
    ("belonging", |tokens| text(belonging(tokens))),
    ("other_pet", |tokens| one_of(tokens, PETS)),
    ("family", |tokens| one_of(tokens, FAMILY)),
    ("title", |tokens| text(title(tokens))),
    ("date", |tokens| text(calendar(tokens))),
    ("day", |tokens| text(day_of_year(tokens))),
    ("allergen", |tokens| text(allergen(tokens))),
    ("topic", |tokens| text(topic(tokens))),
    ("phrase", |tokens| text(phrase(tokens))),
];

/// Returns the slot of that name.
pub(super) fn slot(name: &str) -> Option<Slot> {
    let found = SLOTS.iter().find(|(known, _)| *known == name);
    found.map(|(_, slot)| *slot)
}

fn text(read: Option<(String, usize)>) -> Option<(Read, usize)> {
    read.map(|(text, used)| (Read::Text(text), used))
}

/// Reads what a sentence about joy is about, which is no "it" and no person.
fn pastimes(tokens: &[Token<'_>]) -> Option<(Read, usize)> {
    let first = tokens
        .first()
        .filter(|first| !first.is_any(NO_NAME) || first.is("english"))?;
    first.owner().is_none().then_some(())?;
    let (members, used) = phrases::list(tokens, Of::Subject).or_else(|| {
        first
            .is_capitalised()
            .then(|| (vec![first.lower.clone()], 1))
    })?;
    let members = members.into_iter().map(|member| member.to_lowercase());
    Some((Read::List(members.collect()), used))
}

/// Takes as well what follows the value up to what it is not: `05:00, not 04:30`, `£12 plus VAT, not £14`.
fn corrected(tokens: &[Token<'_>], (text, used): (String, usize)) -> Option<(String, usize)> {
    let rest = tokens.get(used..)?;
    let more = match rest {
        [plus, ..] if plus.is("plus") => 2,
        [a, unit, ..] if a.is_any(&["a", "per"]) && unit.kind == Kind::Word => 2,
        _ => 0,
    };
    let comma = rest.get(more).is_some_and(|next| next.text == ",");
    let not = rest.get(more + 1).is_some_and(|next| next.is("not"));
    Some((text, used + more + usize::from(comma && not)))
}

/// Name of the price of a thing; a quote or a bill is its price.
pub(super) fn charge(token: &Token<'_>) -> Option<&'static str> {
    let found = CHARGES.iter().find(|(name, _)| token.is(name))?;
    Some(found.1)
}

/// Reads what has a price: a noun phrase, known by the name in it: `the Kestrel oven` is the Kestrel.
pub(super) fn item(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let (words, used) = phrases::noun_phrase(tokens)?;
    let named = tokens.get(..used)?.iter();
    let named: Vec<&str> = named
        .filter(|token| token.is_capitalised() && !token.is("the"))
        .map(|token| token.text)
        .collect();
    let known = if named.is_empty() {
        words.to_lowercase()
    } else {
        named.join(" ")
    };
    Some((known, used))
}

/// Reads a day, `on Tuesday 18 March`, also after what it is not: `not today, but on 18 March`.
fn appointment(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let colon = usize::from(tokens.first()?.kind == Kind::Mark);
    let not = tokens.get(colon)?.is("not");
    let but = tokens.iter().take(8).position(|token| token.is("but"));
    let at = if not { but? + 1 } else { colon };
    let rest = tokens.get(at..)?;
    let skipped = rest
        .iter()
        .take(3)
        .take_while(|token| token.is_any(&["on", "to", "the"]) || token.is_any(&WEEKDAYS));
    let at = at + skipped.count();
    let (_, used) = day_of_year(tokens.get(at..)?)?;
    Some((joined(tokens.get(at..at + used)?), at + used))
}

/// Reads a time of the day, `05:00`, whose colon is a mark.
fn clock(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let part = |at: usize, most: u32| {
        let text = tokens.get(at)?.text;
        let number: u32 = (text.len() <= 2).then(|| text.parse().ok())??;
        (number < most).then_some(text)
    };
    let (hour, minute) = (part(0, 24)?, part(2, 60)?);
    (tokens.get(1)?.text == ":").then(|| (format!("{hour}:{minute}"), 3))
}

/// Reads a number with its sign: `£14`, `80 %`.
fn amount(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let first = tokens.first()?;
    let each = tokens.get(1).is_some_and(|next| next.is_any(&["a", "per"]))
        && tokens.get(2).is_some_and(|unit| unit.is_any(TIME_UNITS));
    let digits = first.text.starts_with(|first: char| first.is_ascii_digit());
    let number = first.text.starts_with(['£', '$', '€']) || (digits && each);
    let percent = tokens.get(1).is_some_and(|next| next.is("%"));
    match (number, digits && percent) {
        (true, _) => Some((first.text.to_owned(), 1)),
        (_, true) => Some((format!("{} %", first.text), 2)),
        _ => None,
    }
}

/// Reads `Ann`, or `Ann, Bo and Cy`.
fn names(tokens: &[Token<'_>], most: usize, article: bool) -> Option<(Read, usize)> {
    let mut members = Vec::new();
    let mut used = 0;
    while members.len() < MEMBERS {
        let rest = tokens.get(used..)?;
        let joints = rest.iter().take(2);
        let joint = |token: &&Token<'_>| token.text == "," || token.is_any(&["and"]);
        let skipped = if used > 0 {
            joints.take_while(joint).count()
        } else {
            0
        };
        let Some((member, taken)) = name(rest.get(skipped..)?, most, article) else {
            break;
        };
        if used > 0 && skipped == 0 {
            break;
        }
        members.push(member);
        used += skipped + taken;
    }
    (!members.is_empty()).then_some((Read::List(members), used))
}

/// Reads a noun phrase with one of those heads.
fn headed(tokens: &[Token<'_>], heads: &[&str]) -> Option<(String, usize)> {
    let (words, used) = phrases::noun_phrase(tokens)?;
    let read = tokens.get(..used)?;
    read.iter()
        .any(|token| token.is_any(heads))
        .then_some((words, used))
}

fn phrases_of(tokens: &[Token<'_>], of: Of) -> Option<(Read, usize)> {
    let (members, used) = phrases::list(tokens, of)?;
    Some((Read::List(members), used))
}

/// Reads words with capital letters; those inside a name may be small.
fn name(tokens: &[Token<'_>], most: usize, article: bool) -> Option<(String, usize)> {
    let skipped = usize::from(article && tokens.first()?.is("the"));
    let tokens = tokens.get(skipped..)?;
    let mut used = 0;
    for (at, token) in tokens.iter().enumerate().take(most) {
        // A word in capitals is a name up to six bytes, as `NASA`.
        let short = (2..=6).contains(&token.text.len());
        let shouted = !token.text.chars().any(char::is_lowercase);
        let named = token.is_capitalised() && !token.is_any(NO_NAME) && (short || !shouted);
        if named && (at > 0 || token.owner().is_none()) {
            used = at + 1;
        } else if !(at > 0 && token.is_any(NAME_JOINTS)) {
            break;
        }
    }
    let words = tokens.get(..used)?;
    let last = words.last()?;
    // "Anna's" is the owner of the next word, and not the subject.
    (last.owner().is_none()).then(|| (joined(words), used + skipped))
}

/// Reads who a statement is about: the speaker, "my sister", "my sister Anna", "Anna", and "who" after them; "he" and "she" are
/// whom the text named last.
pub(super) fn one(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let first = tokens.first()?;
    if first.is_any(&["i", "we"]) {
        return Some(("{me}".to_owned(), 1));
    }
    if first.is_any(&["he", "she"]) {
        return Some(("{they}".to_owned(), 1));
    }
    let (subject, used) = if first.is_any(&["my", "our"]) {
        let at = 1 + usize::from(tokens.get(1)?.is_any(KIN_QUALITIES));
        let kin = tokens.get(at).filter(|kin| kin.is_any(KIN))?;
        match tokens.get(at + 1..).and_then(|rest| name(rest, 2, false)) {
            Some((name, used)) => (name, at + 1 + used),
            None => (format!("{{me}}'s {}", kin.lower), at + 1),
        }
    } else {
        name(tokens, 3, false).filter(|_| !first.is_any(CLOSED) && !first.is_any(FILLERS))?
    };
    let comma = usize::from(tokens.get(used).is_some_and(|next| next.text == ","));
    let who = tokens.get(used + comma).is_some_and(|next| next.is("who"));
    Some((subject, used + if who { comma + 1 } else { 0 }))
}

/// Reads a trade with the words before it: `elementary school teacher`.
fn job(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let words = tokens
        .iter()
        .take(4)
        .take_while(|token| token.kind == Kind::Word);
    let at = words
        .enumerate()
        .take_while(|(_, token)| !token.is_any(PHRASE_ENDS) && token.owner().is_none())
        .filter(|(_, token)| token.is_any(JOBS))
        .map(|(at, _)| at)
        .last()?;
    Some((joined(tokens.get(..=at)?).to_lowercase(), at + 1))
}

fn one_of(tokens: &[Token<'_>], words: &[&str]) -> Option<(Read, usize)> {
    let first = tokens.first().filter(|token| token.is_any(words))?;
    Some((Read::Text(first.lower.clone()), 1))
}

fn owner(tokens: &[Token<'_>], words: &[&str]) -> Option<(Read, usize)> {
    let owner = tokens.first()?.owner()?;
    words
        .contains(&owner)
        .then(|| (Read::Text(owner.to_owned()), 1))
}

fn number(tokens: &[Token<'_>]) -> Option<(Read, usize)> {
    let first = tokens.first().filter(|token| token.kind == Kind::Word)?;
    let number = match NUMBERS.iter().position(|word| *word == first.lower) {
        Some(number) => u32::try_from(number).ok()?,
        None => first.text.parse().ok().filter(|number| *number < 100)?,
    };
    // "one" is as often a pronoun.
    (number != 1).then_some((Read::Number(number), 1))
}

/// Reads `A`, `A and B` or `A, B and C`, whose members are all in `words`.
fn list(tokens: &[Token<'_>], words: &[&str], capital: bool) -> Option<(Read, usize)> {
    let mut members: Vec<String> = Vec::new();
    let mut used = 0;
    let mut rest = tokens;
    while let Some(token) = rest.first().filter(|token| token.is_any(words)) {
        let mut letters = token.lower.chars();
        let member = match letters.next().filter(|_| capital) {
            Some(first) => first.to_uppercase().chain(letters).collect(),
            None => token.lower.clone(),
        };
        if !members.contains(&member) {
            members.push(member);
        }
        used = tokens.len() - rest.len() + 1;
        let joints = rest.iter().skip(1).take(3);
        let joint = |token: &&Token<'_>| {
            token.text == "," || token.is_any(&["and", "the", "some", "a", "little"])
        };
        let skipped = joints.take_while(joint).count();
        rest = rest.get(1 + skipped..).unwrap_or_default();
        if skipped == 0 || members.len() == MEMBERS {
            break;
        }
    }
    (!members.is_empty()).then_some((Read::List(members), used))
}

/// Reads one word, but none such as `most`.
fn allergen(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let first = tokens.first().filter(|token| token.kind == Kind::Word)?;
    let vague = [
        "most", "many", "some", "certain", "all", "any", "a", "the", "those", "this", "that", "it",
        "them",
    ];
    (!first.is_any(&vague) && first.owner().is_none()).then(|| (first.lower.clone(), 1))
}

/// Reads one to three words before `is` or `are`.
fn topic(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let verb = |token: &Token<'_>| token.is_any(&["is", "are"]);
    let at = tokens.iter().take(4).position(verb).filter(|at| *at > 0)?;
    let words = tokens.get(..at)?;
    let plain = words.iter().all(|token| {
        token.kind == Kind::Word && !token.is_any(NO_FAVOURITE) && !token.is_any(&["of", "to"])
    });
    plain.then(|| (joined(words).to_lowercase(), at))
}

/// Reads a quotation, but not a quoted pronoun, which is emphasis.
fn title(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let first = tokens.first().filter(|first| first.kind == Kind::Quoted)?;
    let title = (2..=100).contains(&first.text.len()) && !NO_PHRASE.contains(&first.lower.as_str());
    title.then(|| (first.text.to_owned(), 1))
}

/// Reads a quotation, or a few words.
fn phrase(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    if let Some(title) = title(tokens) {
        return Some(title);
    }
    let skipped = usize::from(tokens.first()?.is_any(&["the", "a", "an"]));
    let (words, used) = few(tokens.get(skipped..)?, PHRASE_WORDS)?;
    Some((words, used + skipped))
}

/// Reads at most so many words up to the end of the clause, but not the first member of a list, which would be cut in two:
/// "pizza and pasta", "a safe, quiet place".
fn few(tokens: &[Token<'_>], most: usize) -> Option<(String, usize)> {
    let ends = |token: &Token<'_>| {
        token.kind != Kind::Word || token.is_any(PHRASE_ENDS) || token.is_any(&["and", "or"])
    };
    // "Climbing two years ago": the number begins a date.
    let counts = |pair: &[Token<'_>]| match pair {
        [number, unit, ..] => (number.is_any(NUMBERS) || number.is("a")) && unit.is_any(TIME_UNITS),
        _ => false,
    };
    let word = |at: &usize| {
        let rest = tokens.get(*at..).unwrap_or_default();
        rest.first().is_some_and(|token| !ends(token)) && !counts(rest)
    };
    let used = (0..=most).take_while(word).count();
    let words = tokens.get(..used)?;
    let plain = words
        .iter()
        .all(|token| !token.is_any(NO_PHRASE) && !token.is_any(UNSAID));
    let after = tokens.get(used + 1);
    let goes_on = !after.is_some_and(|next| {
        let comma = tokens.get(used).is_some_and(|mark| mark.text == ",");
        next.is_any(CLAUSE_STARTS) || next.is_any(ARTICLES) || (comma && is_doing(next))
    });
    let cut = match tokens.get(used) {
        Some(next) if next.is("or") => true,
        Some(next) => goes_on && (next.is("and") || next.text == ","),
        None => false,
    };
    (used > 0 && used <= most && plain && !cut).then(|| (joined(words), used))
}

/// Reads one to three words before one of the verbs.
fn before(tokens: &[Token<'_>], verbs: &[&str]) -> Option<(String, usize)> {
    let verb = |token: &Token<'_>| token.is_any(verbs);
    let at = tokens.iter().take(4).position(verb).filter(|at| *at > 0)?;
    let words = tokens.get(..at)?;
    let plain = words
        .iter()
        .all(|token| token.kind == Kind::Word && !token.is_any(NO_PHRASE) && !token.is_any(UNSAID));
    plain.then(|| (joined(words), at))
}

/// Reads up to three words that end with a belonging.
fn belonging(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let words = tokens.iter().take(4);
    let words = words.take_while(|token| token.kind == Kind::Word && !token.is_any(PHRASE_ENDS));
    let at = words
        .enumerate()
        .filter(|(_, token)| token.is_any(BELONGINGS))
        .map(|(at, _)| at)
        .last()?;
    let words = tokens.get(..=at)?;
    let plain = words
        .iter()
        .all(|token| !token.is_any(NO_PHRASE) && token.owner().is_none());
    // "My blog posts" are no blog.
    let is_head = tokens
        .get(at + 1)
        .is_none_or(|next| next.kind != Kind::Word || next.is_any(CLOSED));
    (plain && is_head).then(|| (joined(words), at + 1))
}

/// Reads an activity that is done again and again, as against "discussing": `sailing`, `playing the cello`.
fn activity(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let first = tokens.first()?;
    let trains = first.is_any(&[
        "practicing",
        "practising",
        "playing",
        "training",
        "learning",
    ]);
    (trains || first.is_any(ACTIVITIES)).then_some(())?;
    let article = usize::from(
        tokens
            .get(1)
            .is_some_and(|next| next.is_any(&["the", "a", "my"])),
    );
    let (_, used) = match article {
        0 => few(tokens, 3)?,
        _ => few(tokens.get(2..)?, 2).map(|(words, used)| (words, used + 2))?,
    };
    // "Reading this book" is no habit, and "training for a race" is more than training.
    let next = tokens.get(1);
    let pointed = next.is_some_and(|next| next.is_any(&["this", "these", "that", "those"]));
    let cut = used == 1 && trains && next.is_some_and(|next| next.is_any(CLOSED));
    (!pointed && !cut).then_some(())?;
    Some((joined(tokens.get(..used)?), used))
}

/// Reads one or two words at the end of a clause.
fn kind(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let (words, used) = few(tokens, 2)?;
    let plain = tokens
        .iter()
        .take(used)
        .all(|token| !token.is_any(NO_FAVOURITE));
    let ends = tokens.get(used).is_none_or(|next| next.kind != Kind::Word);
    (plain && ends).then(|| (words.to_lowercase(), used))
}
