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
    /// Held, and does no longer: ends what is believed, with the day of the statement for a missing date.
    UsedTo,
    /// Ended: a date is its end, else the day of the statement.
    Ended,
    /// Happened, and stays true: a date is its time.
    Happened,
    /// Holds forever, without a date.
    Always,
}
use Tense::{Always, Began, Ended, Happened, Held, Holds, HoldsSince, UsedTo};

/// Value of an end of whatever the line holds.
pub(super) const ANY: &str = "*";

/// Line of the table: words to match; subject, predicate, value and cardinality of the proposal; tense.
pub(super) type Pattern = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    Cardinality,
    Tense,
);

/// Patterns, of which the first match counts, with the lines that follow it with the same words.
#[rustfmt::skip]
pub(super) const PATTERNS: &[Pattern] = &[
    // Where somebody lives.
    ("i|we live|reside in {place}",                    "{me}", "lives_in", "{place}", One, Holds),
    ("i|we am|are living in {place}",                  "{me}", "lives_in", "{place}", One, Holds),
    ("i|we am|are based in {place}",                   "{me}", "lives_in", "{place}", One, Holds),
    ("i|we have lived in {place}",                     "{me}", "lives_in", "{place}", One, HoldsSince),
    ("i|we have been living in {place}",               "{me}", "lives_in", "{place}", One, HoldsSince),
    ("i|we lived in {place}",                          "{me}", "lives_in", "{place}", One, Held),
    ("i|we used to live in {place}",                   "{me}", "lives_in", "{place}", One, UsedTo),
    ("i|we no longer live in {place}",                 "{me}", "lives_in", "{place}", One, Ended),
    ("i|we ?have moved ?back ?over to {place}",        "{me}", "lives_in", "{place}", One, Began),
    ("i|we ?have moved from {other_place} to {place}", "{me}", "lives_in", "{other_place}", One, Ended),
    ("i|we ?have moved from {other_place} to {place}", "{me}", "lives_in", "{place}", One, Began),
    ("i|we ?have relocated to {place}",                "{me}", "lives_in", "{place}", One, Began),
    ("i|we ?have moved away|out from|of {place}",      "{me}", "lives_in", "{place}", One, Ended),
    ("my {kin} lives in {place}",                      "{me}'s {kin}", "lives_in", "{place}", One, Holds),
    ("my {kin} {name} lives in {place}",               "{name}", "lives_in", "{place}", One, Holds),
    ("my {kin} moved to {place}",                      "{me}'s {kin}", "lives_in", "{place}", One, Began),
    ("{name} lives in {place}",                        "{name}", "lives_in", "{place}", One, Holds),
    ("{name} moved to {place}",                        "{name}", "lives_in", "{place}", One, Began),
    // What somebody does.
    ("i|we work as a|an|the {job}",                    "{me}", "occupation", "{job}", Unknown, Holds),
    ("i am working as a|an|the {job}",                 "{me}", "occupation", "{job}", Unknown, Holds),
    ("i have worked as a|an|the {job}",                "{me}", "occupation", "{job}", Unknown, HoldsSince),
    ("i have been working as a|an|the {job}",          "{me}", "occupation", "{job}", Unknown, HoldsSince),
    ("i worked|work as a|an|the {job}",                "{me}", "occupation", "{job}", Unknown, Held),
    ("i used to work as a|an|the {job}",               "{me}", "occupation", "{job}", Unknown, UsedTo),
    ("i am a|an {job}",                                "{me}", "occupation", "{job}", Unknown, Holds),
    ("i ?have became|become a|an {job}",               "{me}", "occupation", "{job}", Unknown, Began),
    ("i work at|for {org}",                            "{me}", "works_at", "{org}", One, Holds),
    ("i am working at|for {org}",                      "{me}", "works_at", "{org}", One, Holds),
    ("i have worked at|for {org}",                     "{me}", "works_at", "{org}", One, HoldsSince),
    ("i have been working at|for {org}",               "{me}", "works_at", "{org}", One, HoldsSince),
    ("i worked at|for {org}",                          "{me}", "works_at", "{org}", One, Held),
    ("i used to work at|for {org}",                    "{me}", "works_at", "{org}", One, UsedTo),
    ("i no longer work at|for {org}",                  "{me}", "works_at", "{org}", One, Ended),
    ("i started working|work at|for {org}",            "{me}", "works_at", "{org}", One, Began),
    ("i started my|a ?new job|position at|with {org}", "{me}", "works_at", "{org}", One, Began),
    ("i stopped working at|for {org}",                 "{me}", "works_at", "{org}", One, Ended),
    ("i quit|left my job at|with {org}",               "{me}", "works_at", "{org}", One, Ended),
    ("i ?have ?just|recently quit|left my ?old job",   "{me}", "works_at", ANY, One, Ended),
    ("i ?have ?just|recently lost my job",             "{me}", "works_at", ANY, One, Ended),
    ("i ?have ?just|recently lost my job",             "{me}", "lost", "job", Many, Happened),
    ("my {kin} works at|for {org}",                    "{me}'s {kin}", "works_at", "{org}", One, Holds),
    ("my {kin} works as a|an {job}",                   "{me}'s {kin}", "occupation", "{job}", Unknown, Holds),
    ("my {kin} is a|an {job}",                         "{me}'s {kin}", "occupation", "{job}", Unknown, Holds),
    ("{name} works at|for {org}",                      "{name}", "works_at", "{org}", One, Holds),
    ("{name} works as a|an {job}",                     "{name}", "occupation", "{job}", Unknown, Holds),
    ("i graduated from {org}",                         "{me}", "graduated_from", "{org}", Many, Began),
    ("i study at {org}",                               "{me}", "studies_at", "{org}", Unknown, Holds),
    // Where somebody comes from.
    ("i was born in {date}",                           "{me}", "born_on", "{date}", One, Always),
    ("i was born on {date}",                           "{me}", "born_on", "{date}", One, Always),
    ("i was born in {place} in|on {date}",             "{me}", "born_on", "{date}", One, Always),
    ("i was born in {place}",                          "{me}", "born_in", "{place}", One, Always),
    ("i was born and raised in {place}",               "{me}", "born_in", "{place}", One, Always),
    ("{name} was born in|on {date}",                   "{name}", "born_on", "{date}", One, Always),
    ("{name} was born in {place}",                     "{name}", "born_in", "{place}", One, Always),
    ("i grew up in {place}",                           "{me}", "grew_up_in", "{place}", Unknown, Always),
    ("i come|am ?originally from {place}",             "{me}", "comes_from", "{place}", One, Always),
    ("my birthday is ?on {day}",                       "{me}", "birthday", "{day}", One, Always),
    // Names, kin, partners, animals.
    ("my ?full|first name is {name}",                  "{me}", "name", "{name}", One, Always),
    ("my ?older|younger|little|big|best {kin_s} name is {name}", "{me}", "{kin_s}", "{name}", Many, Holds),
    ("my ?older|younger|little|big|best {kin} is named|called {name}", "{me}", "{kin}", "{name}", Many, Holds),
    ("i have a|an|one ?older|younger|little|big {kin} named|called {name}", "{me}", "{kin}", "{name}", Many, Holds),
    ("my {pet_s} name is {name}",                      "{me}", "{pet_s}", "{name}", Many, Holds),
    ("my {pet} is named|called {name}",                "{me}", "{pet}", "{name}", Many, Holds),
    ("i|we have ?got a|an|one|another {quality} {pet} named|called {name}", "{me}", "{pet}", "{name}", Many, Holds),
    ("i|we ?have adopted|got a|an|another {quality} {pet} named|called {name}", "{me}", "{pet}", "{name}", Many, Began),
    ("i am ?happily married to {name}",                "{me}", "married_to", "{name}", One, Holds),
    ("i have been married to {name}",                  "{me}", "married_to", "{name}", One, HoldsSince),
    ("i married {name}",                               "{me}", "married_to", "{name}", One, Began),
    ("{name} is ?happily married to {other}",          "{name}", "married_to", "{other}", One, Holds),
    ("i am engaged to {name}",                         "{me}", "engaged_to", "{name}", One, Holds),
    ("i|we have ?got {number} {counted}",              "{me}", "number_of_{counted}", "{number}", One, Holds),
    // What somebody can, may and likes.
    ("i|we speak {languages}",                         "{me}", "speaks", "{languages}", Many, Holds),
    ("i am ?also fluent in {languages}",               "{me}", "speaks", "{languages}", Many, Holds),
    ("{name} speaks {languages}",                      "{name}", "speaks", "{languages}", Many, Holds),
    ("my {kin} speaks {languages}",                    "{me}'s {kin}", "speaks", "{languages}", Many, Holds),
    ("i play ?the {instruments}",                      "{me}", "plays_instrument", "{instruments}", Many, Holds),
    ("i have been playing ?the {instruments}",         "{me}", "plays_instrument", "{instruments}", Many, Holds),
    ("i am ?a|an vegetarian",                          "{me}", "diet", "vegetarian", One, Holds),
    ("i am ?a|an vegan",                               "{me}", "diet", "vegan", One, Holds),
    ("i am allergic to {allergen}",                    "{me}", "allergic_to", "{allergen}", Many, Holds),
    ("i love|like|enjoy|adore ?doing {liked}",         "{me}", "likes", "{liked}", Many, Holds),
    ("i am ?such a ?big|huge|total|massive|real fan of {liked}", "{me}", "likes", "{liked}", Many, Holds),
    ("i am ?big|super|so into {liked}",                "{me}", "likes", "{liked}", Many, Holds),
    ("i am ?so|very|super passionate about {liked}",   "{me}", "likes", "{liked}", Many, Holds),
    ("i hate|dislike {liked}",                         "{me}", "dislikes", "{liked}", Many, Holds),
    ("i do not like|enjoy {liked}",                    "{me}", "dislikes", "{liked}", Many, Holds),
    ("i play {sports}",                                "{me}", "plays", "{sports}", Many, Holds),
    ("i have been playing {sports}",                   "{me}", "plays", "{sports}", Many, Holds),
    ("i|we have ?got a|an {quality} {pet}",            "{me}", "has_pet", "{pet}", Many, Holds),
    ("i|we ?have adopted|got a|an|another {quality} {pet}",    "{me}", "has_pet", "{pet}", Many, Began),
    ("i|we have been to {place}",                      "{me}", "visited", "{place}", Many, Happened),
    ("i|we visited {place}",                           "{me}", "visited", "{place}", Many, Happened),
    ("i|we ?just|recently went|traveled|travelled to {place}", "{me}", "visited", "{place}", Many, Happened),
    ("i am ?currently reading {title}",                "{me}", "read", "{title}", Many, Happened),
    ("i ?have ?just|recently read|reread|finished {title}", "{me}", "read", "{title}", Many, Happened),
    ("i ?have ?just|recently watched|saw|seen {title}", "{me}", "watched", "{title}", Many, Happened),
    ("i ?have ?just|recently joined a|an {thing}",     "{me}", "joined", "{thing}", Many, Happened),
    ("i ?have ?just|recently bought a|an ?brand ?new {thing}", "{me}", "bought", "{thing}", Many, Happened),
    ("i ?have ?just|recently opened a|an|my ?own {thing}", "{me}", "opened", "{thing}", Many, Happened),
    ("i ?have ?just|recently launched a|an|my ?own {thing}", "{me}", "launched", "{thing}", Many, Happened),
    ("i ?have ?just|recently started a|an ?new {thing}", "{me}", "started", "{thing}", Many, Happened),
    ("i ?have ?just|recently signed up for a|an {thing}", "{me}", "signed_up_for", "{thing}", Many, Happened),
    ("i|we ?have ?just|recently won a|an|the|my ?first {thing}", "{me}", "won", "{thing}", Many, Happened),
    ("i|we ?just|recently went {doing}",               "{me}", "went", "{doing}", Many, Happened),
    ("i have been into {liked}",                       "{me}", "likes", "{liked}", Many, HoldsSince),
    ("i have been {doing}",                            "{me}", "does", "{doing}", Many, HoldsSince),
    ("i ?have ?just|recently started {doing}",         "{me}", "does", "{doing}", Many, Began),
    ("i ?have ?just|recently took|taken up {doing}",   "{me}", "does", "{doing}", Many, Began),
    ("i am working on a|an|my ?own ?new|latest {thing}", "{me}", "works_on", "{thing}", Many, Holds),
    ("i am writing a|an|my ?own ?new {thing}",         "{me}", "writes", "{thing}", Many, Holds),
    ("i am learning ?the {languages}",                 "{me}", "learns", "{languages}", Many, Holds),
    ("i am learning ?to ?play ?the {instruments}",     "{me}", "learns", "{instruments}", Many, Holds),
    ("i volunteer at a|an|the ?local {thing}",         "{me}", "volunteers_at", "{thing}", Many, Holds),
    ("i collect {liked}",                              "{me}", "collects", "{liked}", Many, Holds),
    ("{liked} is|are my ?all-time favorite|favourite {kind}", "{me}", "favourite_{kind}", "{liked}", Unknown, Holds),
    ("i want|wanna to be|become a|an {job}",           "{me}", "wants_to_become", "{job}", Many, Holds),
    ("i am {status}",                                  "{me}", "relationship_status", "{status}", One, Holds),
    ("my ?all-time favorite|favourite {topic} is ?called {phrase}", "{me}", "favourite_{topic}", "{phrase}", Unknown, Holds),
    ("my ?all-time favorite|favourite {topic} are {phrase}", "{me}", "favourite_{topic}", "{phrase}", Unknown, Holds),
];
