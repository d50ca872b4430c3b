//! Table of the rules. A line is a sentence pattern and its proposal.
//!
//! A pattern is words in lower case, with `a|b` for alternatives, `?a|b` for optional words, and `{slot}` for a value, and
//! begins where a clause begins. `slots.rs` lists the slots. In `subject`, `predicate` and `value`, a slot is replaced by its
//! value, and `{me}` by the speaker; `_` joins the words of a predicate.

use counterfoil_claims::Cardinality::{self, Many, One, Unknown};

/// Tense of a pattern, which decides on the use of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tense {
    /// Holds now: `since` and `until` date it.
    Holds,
    /// Holds now only with `since` or `for`: "I have lived in Ghent" alone may be over.
    HoldsSince,
    /// Held: proposed only with its end.
    Held,
    /// Began: a date is its beginning.
    Began,
    /// Ended: proposed only with a date.
    Ended,
    /// Happened, and stays true: a date is its time.
    Happened,
    /// Holds forever, without a date.
    Always,
}
use Tense::{Always, Began, Ended, Happened, Held, Holds, HoldsSince};

/// Line of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pattern {
    pub(super) reads: &'static str,
    pub(super) subject: &'static str,
    pub(super) predicate: &'static str,
    pub(super) value: &'static str,
    pub(super) cardinality: Cardinality,
    pub(super) tense: Tense,
}

const fn of(
    reads: &'static str,
    subject: &'static str,
    predicate: &'static str,
    value: &'static str,
    cardinality: Cardinality,
    tense: Tense,
) -> Pattern {
    Pattern {
        reads,
        subject,
        predicate,
        value,
        cardinality,
        tense,
    }
}

/// Patterns, of which the first match counts.
#[rustfmt::skip]
pub(super) const PATTERNS: &[Pattern] = &[
    // Where somebody lives.
    of("i|we live|reside in {place}",                    "{me}", "lives_in", "{place}", One, Holds),
    of("i|we am|are living in {place}",                  "{me}", "lives_in", "{place}", One, Holds),
    of("i|we am|are based in {place}",                   "{me}", "lives_in", "{place}", One, Holds),
    of("i|we have lived in {place}",                     "{me}", "lives_in", "{place}", One, HoldsSince),
    of("i|we have been living in {place}",               "{me}", "lives_in", "{place}", One, HoldsSince),
    of("i|we lived in {place}",                          "{me}", "lives_in", "{place}", One, Held),
    of("i|we used to live in {place}",                   "{me}", "lives_in", "{place}", One, Held),
    of("i|we no longer live in {place}",                 "{me}", "lives_in", "{place}", One, Ended),
    of("i|we ?have moved ?back ?over to {place}",        "{me}", "lives_in", "{place}", One, Began),
    of("i|we ?have moved from {other} to {place}",       "{me}", "lives_in", "{place}", One, Began),
    of("i|we ?have relocated to {place}",                "{me}", "lives_in", "{place}", One, Began),
    of("i|we ?have moved away|out from|of {place}",      "{me}", "lives_in", "{place}", One, Ended),
    of("my {kin} lives in {place}",                      "{me}'s {kin}", "lives_in", "{place}", One, Holds),
    of("my {kin} {name} lives in {place}",               "{name}", "lives_in", "{place}", One, Holds),
    of("my {kin} moved to {place}",                      "{me}'s {kin}", "lives_in", "{place}", One, Began),
    of("{name} lives in {place}",                        "{name}", "lives_in", "{place}", One, Holds),
    of("{name} moved to {place}",                        "{name}", "lives_in", "{place}", One, Began),
    // What somebody does.
    of("i|we work as a|an|the {job}",                    "{me}", "occupation", "{job}", Unknown, Holds),
    of("i am working as a|an|the {job}",                 "{me}", "occupation", "{job}", Unknown, Holds),
    of("i have worked as a|an|the {job}",                "{me}", "occupation", "{job}", Unknown, HoldsSince),
    of("i have been working as a|an|the {job}",          "{me}", "occupation", "{job}", Unknown, HoldsSince),
    of("i worked|work as a|an|the {job}",                "{me}", "occupation", "{job}", Unknown, Held),
    of("i used to work as a|an|the {job}",               "{me}", "occupation", "{job}", Unknown, Held),
    of("i am a|an {job}",                                "{me}", "occupation", "{job}", Unknown, Holds),
    of("i ?have became|become a|an {job}",               "{me}", "occupation", "{job}", Unknown, Began),
    of("i work at|for {org}",                            "{me}", "works_at", "{org}", Unknown, Holds),
    of("i am working at|for {org}",                      "{me}", "works_at", "{org}", Unknown, Holds),
    of("i have worked at|for {org}",                     "{me}", "works_at", "{org}", Unknown, HoldsSince),
    of("i have been working at|for {org}",               "{me}", "works_at", "{org}", Unknown, HoldsSince),
    of("i worked at|for {org}",                          "{me}", "works_at", "{org}", Unknown, Held),
    of("i used to work at|for {org}",                    "{me}", "works_at", "{org}", Unknown, Held),
    of("i no longer work at|for {org}",                  "{me}", "works_at", "{org}", Unknown, Ended),
    of("i started working|work at|for {org}",            "{me}", "works_at", "{org}", Unknown, Began),
    of("i started my|a ?new job|position at|with {org}", "{me}", "works_at", "{org}", Unknown, Began),
    of("i stopped working at|for {org}",                 "{me}", "works_at", "{org}", Unknown, Ended),
    of("i quit|left my job at|with {org}",               "{me}", "works_at", "{org}", Unknown, Ended),
    of("my {kin} works at|for {org}",                    "{me}'s {kin}", "works_at", "{org}", Unknown, Holds),
    of("my {kin} works as a|an {job}",                   "{me}'s {kin}", "occupation", "{job}", Unknown, Holds),
    of("my {kin} is a|an {job}",                         "{me}'s {kin}", "occupation", "{job}", Unknown, Holds),
    of("{name} works at|for {org}",                      "{name}", "works_at", "{org}", Unknown, Holds),
    of("{name} works as a|an {job}",                     "{name}", "occupation", "{job}", Unknown, Holds),
    of("i graduated from {org}",                         "{me}", "graduated_from", "{org}", Many, Began),
    of("i study at {org}",                               "{me}", "studies_at", "{org}", Unknown, Holds),
    // Where somebody comes from.
    of("i was born in {date}",                           "{me}", "born_on", "{date}", One, Always),
    of("i was born on {date}",                           "{me}", "born_on", "{date}", One, Always),
    of("i was born in {place} in|on {date}",             "{me}", "born_on", "{date}", One, Always),
    of("i was born in {place}",                          "{me}", "born_in", "{place}", One, Always),
    of("i was born and raised in {place}",               "{me}", "born_in", "{place}", One, Always),
    of("{name} was born in|on {date}",                   "{name}", "born_on", "{date}", One, Always),
    of("{name} was born in {place}",                     "{name}", "born_in", "{place}", One, Always),
    of("i grew up in {place}",                           "{me}", "grew_up_in", "{place}", Unknown, Always),
    of("i come|am ?originally from {place}",             "{me}", "comes_from", "{place}", One, Always),
    of("my birthday is ?on {day}",                       "{me}", "birthday", "{day}", One, Always),
    // Names, kin, partners, animals.
    of("my ?full|first name is {name}",                  "{me}", "name", "{name}", One, Always),
    of("my ?older|younger|little|big|best {kin_s} name is {name}", "{me}", "{kin_s}", "{name}", Many, Holds),
    of("my ?older|younger|little|big|best {kin} is named|called {name}", "{me}", "{kin}", "{name}", Many, Holds),
    of("i have a|an|one ?older|younger|little|big {kin} named|called {name}", "{me}", "{kin}", "{name}", Many, Holds),
    of("my {pet_s} name is {name}",                      "{me}", "{pet_s}", "{name}", Many, Holds),
    of("my {pet} is named|called {name}",                "{me}", "{pet}", "{name}", Many, Holds),
    of("i|we have ?got a|an|one|another {quality} {pet} named|called {name}", "{me}", "{pet}", "{name}", Many, Holds),
    of("i|we ?have adopted|got a|an|another {quality} {pet} named|called {name}", "{me}", "{pet}", "{name}", Many, Began),
    of("i am ?happily married to {name}",                "{me}", "married_to", "{name}", One, Holds),
    of("i have been married to {name}",                  "{me}", "married_to", "{name}", One, HoldsSince),
    of("i married {name}",                               "{me}", "married_to", "{name}", One, Began),
    of("{name} is ?happily married to {other}",          "{name}", "married_to", "{other}", One, Holds),
    of("i am engaged to {name}",                         "{me}", "engaged_to", "{name}", One, Holds),
    of("i|we have ?got {number} {counted}",              "{me}", "number_of_{counted}", "{number}", One, Holds),
    // What somebody can, may and likes.
    of("i|we speak {languages}",                         "{me}", "speaks", "{languages}", Many, Holds),
    of("i am ?also fluent in {languages}",               "{me}", "speaks", "{languages}", Many, Holds),
    of("{name} speaks {languages}",                      "{name}", "speaks", "{languages}", Many, Holds),
    of("my {kin} speaks {languages}",                    "{me}'s {kin}", "speaks", "{languages}", Many, Holds),
    of("i play ?the {instruments}",                      "{me}", "plays_instrument", "{instruments}", Many, Holds),
    of("i have been playing ?the {instruments}",         "{me}", "plays_instrument", "{instruments}", Many, Holds),
    of("i am ?a|an vegetarian",                          "{me}", "diet", "vegetarian", One, Holds),
    of("i am ?a|an vegan",                               "{me}", "diet", "vegan", One, Holds),
    of("i am allergic to {allergen}",                    "{me}", "allergic_to", "{allergen}", Many, Holds),
    of("i love|like|enjoy|adore ?doing {liked}",         "{me}", "likes", "{liked}", Many, Holds),
    of("i am ?such a ?big|huge|total|massive|real fan of {liked}", "{me}", "likes", "{liked}", Many, Holds),
    of("i am ?big|super|so into {liked}",                "{me}", "likes", "{liked}", Many, Holds),
    of("i am ?so|very|super passionate about {liked}",   "{me}", "likes", "{liked}", Many, Holds),
    of("i hate|dislike {liked}",                         "{me}", "dislikes", "{liked}", Many, Holds),
    of("i do not like|enjoy {liked}",                    "{me}", "dislikes", "{liked}", Many, Holds),
    of("i play {sports}",                                "{me}", "plays", "{sports}", Many, Holds),
    of("i have been playing {sports}",                   "{me}", "plays", "{sports}", Many, Holds),
    of("i|we have ?got a|an {quality} {pet}",            "{me}", "has_pet", "{pet}", Many, Holds),
    of("i|we ?have adopted|got a|an|another {quality} {pet}",    "{me}", "has_pet", "{pet}", Many, Began),
    of("i|we have been to {place}",                      "{me}", "visited", "{place}", Many, Happened),
    of("i|we visited {place}",                           "{me}", "visited", "{place}", Many, Happened),
    of("i|we ?just|recently went|traveled|travelled to {place}", "{me}", "visited", "{place}", Many, Happened),
    of("i am ?currently reading {title}",                "{me}", "read", "{title}", Many, Happened),
    of("i ?have ?just|recently read|reread|finished {title}", "{me}", "read", "{title}", Many, Happened),
    of("i ?have ?just|recently watched|saw|seen {title}", "{me}", "watched", "{title}", Many, Happened),
    of("i ?have ?just|recently joined a|an {thing}",     "{me}", "joined", "{thing}", Many, Happened),
    of("i ?have ?just|recently bought a|an ?brand ?new {thing}", "{me}", "bought", "{thing}", Many, Happened),
    of("i ?have ?just|recently opened a|an|my ?own {thing}", "{me}", "opened", "{thing}", Many, Happened),
    of("i ?have ?just|recently launched a|an|my ?own {thing}", "{me}", "launched", "{thing}", Many, Happened),
    of("i ?have ?just|recently started a|an ?new {thing}", "{me}", "started", "{thing}", Many, Happened),
    of("i ?have ?just|recently signed up for a|an {thing}", "{me}", "signed_up_for", "{thing}", Many, Happened),
    of("i|we ?have ?just|recently won a|an|the|my ?first {thing}", "{me}", "won", "{thing}", Many, Happened),
    of("i ?have ?just|recently lost my job",             "{me}", "lost", "job", Many, Happened),
    of("i|we ?just|recently went {doing}",               "{me}", "went", "{doing}", Many, Happened),
    of("i have been into {liked}",                       "{me}", "likes", "{liked}", Many, HoldsSince),
    of("i have been {doing}",                            "{me}", "does", "{doing}", Many, HoldsSince),
    of("i ?have ?just|recently started {doing}",         "{me}", "does", "{doing}", Many, Began),
    of("i ?have ?just|recently took|taken up {doing}",   "{me}", "does", "{doing}", Many, Began),
    of("i am working on a|an|my ?own ?new|latest {thing}", "{me}", "works_on", "{thing}", Many, Holds),
    of("i am writing a|an|my ?own ?new {thing}",         "{me}", "writes", "{thing}", Many, Holds),
    of("i am learning ?the {languages}",                 "{me}", "learns", "{languages}", Many, Holds),
    of("i am learning ?to ?play ?the {instruments}",     "{me}", "learns", "{instruments}", Many, Holds),
    of("i volunteer at a|an|the ?local {thing}",         "{me}", "volunteers_at", "{thing}", Many, Holds),
    of("i collect {liked}",                              "{me}", "collects", "{liked}", Many, Holds),
    of("{liked} is|are my ?all-time favorite|favourite {kind}", "{me}", "favourite_{kind}", "{liked}", Unknown, Holds),
    of("i want|wanna to be|become a|an {job}",           "{me}", "wants_to_become", "{job}", Many, Holds),
    of("i am {status}",                                  "{me}", "relationship_status", "{status}", One, Holds),
    of("my ?all-time favorite|favourite {topic} is ?called {phrase}", "{me}", "favourite_{topic}", "{phrase}", Unknown, Holds),
    of("my ?all-time favorite|favourite {topic} are {phrase}", "{me}", "favourite_{topic}", "{phrase}", Unknown, Holds),
];
