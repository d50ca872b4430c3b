//! Table of the rules. A line is a sentence pattern and its proposal.
//!
//! A pattern is words in lower case, with `a|b` for alternatives, `?a|b` for optional words, and `{slot}` for a value, and
//! begins where a clause begins. `slots.rs` lists the slots. In `subject`, `predicate` and `value`, a slot is replaced by its
//! value, `{me}` by the speaker, `{it}` by the thing that was spoken of last, and `{of_it}` by what of it; `_` joins the words of a
//! predicate. `<verb|verb>` is one of the verbs in any form, with its auxiliaries.

use counterfoil_claims::Cardinality::{self, Many, One, Unknown};

/// Tense of a pattern, which decides on the use of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tense {
    /// Holds now: `since` and `until` date it.
    Holds,
    /// Holds now only with `since` or `for`: "I have lived in Ghent" alone may be over.
    HoldsSince,
    /// Holds over a time, and is proposed only with it.
    Spell,
    /// Held: proposed only with its end.
    Held,
    /// Began: a date is its beginning.
    Began,
    /// Held, and does no longer: ends the belief, with the day of the statement for a missing date.
    UsedTo,
    /// Begins at a date to come, and is proposed only with it.
    Begins,
    /// Begins at a date to come, or on the day of the statement.
    Changes,
    /// Ended: a date is its end, else the day of the statement.
    Ended,
    /// Ends at a date to come, and is proposed only with it.
    Ends,
    /// Happened, and stays true: a date is its time.
    Happened,
    /// Happened: proposed only with its date.
    HappenedOn,
    /// Is to happen: a date is its time.
    Planned,
    /// Is to happen: proposed only with its date, as a plan.
    Plans,
    /// Holds forever, without a date.
    Always,
    /// As the aspect of the verb says: what holds, and may have ended.
    State,
    /// As [`Tense::State`], but what has held may be over, unless it says since when.
    Stay,
    /// As the aspect of the verb says: began, or begins at a date.
    Turn,
    /// As the aspect of the verb says: ended, or ends at a date.
    Leave,
    /// As the aspect of the verb says: what happened, or is to happen on a date.
    Event,
    /// As the aspect of the verb says: what happened on a date, or is to happen on one.
    Outing,
    /// As the aspect of the verb says: done, or, under the second predicate, under way.
    Work,
    /// As the aspect of the verb says: done once, or again and again.
    Habit,
    /// As the aspect of the verb says: what goes on, or went on again and again.
    Doing,
}
use Tense::{
    Always, Began, Changes, Doing, Ended, Event, Habit, Happened, HappenedOn, Holds, HoldsSince,
    Leave, Outing, Planned, Plans, Spell, State, Stay, Turn, Work,
};

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
    ("{one} <live|reside> in {place}",                 "{one}", "lives_in", "{place}", One, Stay),
    ("{one} am|are|is based in {place}",               "{one}", "lives_in", "{place}", One, Holds),
    ("{one} <move|relocate> ?back ?over to {place}",            "{one}", "lives_in", "{place}", One, Turn),
    ("{one} <move> from {other_place} to {place}",     "{one}", "lives_in", "{other_place}", One, Leave),
    ("{one} <move> from {other_place} to {place}",     "{one}", "lives_in", "{place}", One, Turn),
    ("{one} <move> away|out from|of {place}",          "{one}", "lives_in", "{place}", One, Leave),
    // What somebody does.
    ("{one} <work> as a|an|the {job}",                 "{one}", "occupation", "{job}", Unknown, Stay),
    ("{one} <be> a|an|the {job}",                      "{one}", "occupation", "{job}", Unknown, Stay),
    ("{one} ?have|has ?just|recently got|was promoted to {job}", "{one}", "occupation", "{job}", Unknown, Began),
    ("{one} <become> a|an {job}",                      "{one}", "occupation", "{job}", Unknown, Turn),
    ("{one} <get|land|accept|start> a|my|her|his ?new job|position|role at|with {org}", "{one}", "works_at", "{org}", One, Turn),
    ("{one} <get|land|accept|start> a|my|her|his ?new job|position|role as a|an {job}", "{one}", "occupation", "{job}", Unknown, Turn),
    ("{one} <sign> ?a|an ?new ?contract|deal ?up with {org}", "{one}", "works_at", "{org}", One, Turn),
    ("{one} <join> {org}",                             "{one}", "works_at", "{org}", One, Turn),
    ("{one} <play> for {org}",                         "{one}", "works_at", "{org}", One, Stay),
    ("{one} <retire>",                                 "{one}", "works_at", ANY, One, Leave),
    ("{one} <retire>",                                 "{one}", "occupation", "retired", Unknown, Turn),
    ("{one} <work> at|for {org}",                      "{one}", "works_at", "{org}", One, Stay),
    ("{one} <quit|leave> {org}",                       "{one}", "works_at", "{org}", One, Leave),
    ("{one} <quit|leave> my|his|her job at|with {org}", "{one}", "works_at", "{org}", One, Leave),
    ("{one} <lose> my|his|her job at|with {org}",      "{one}", "works_at", "{org}", One, Leave),
    ("{one} <lose> my|his|her job at|with {org}",      "{one}", "lost", "job", Many, Event),
    ("{one} <lose> my|his|her job as a|an {job}",      "{one}", "occupation", "{job}", Unknown, Leave),
    ("{one} <lose> my|his|her job as a|an {job}",      "{one}", "lost", "job", Many, Event),
    ("{one} <quit|leave> my|his|her ?old job",         "{one}", "works_at", ANY, One, Leave),
    ("{one} <lose> my|his|her job",                    "{one}", "works_at", ANY, One, Leave),
    ("{one} <lose> my|his|her job",                    "{one}", "lost", "job", Many, Event),
    ("{one} <work> at|for a|an|the ?small|large|big|local {nouns}", "{one}", "works_at", "{nouns}", One, Stay),
    ("i|we <switch|change> from {other_thing} to {phrase}", "{me}", "uses", "{other_thing}", One, Leave),
    ("i|we <switch|change> from {other_thing} to {phrase}", "{me}", "uses", "{phrase}", One, Turn),
    ("?the {changing} ?has changed|moved|switched|went from {other_thing} to {phrase}", "{changing}", "is", "{other_thing}", One, Ended),
    ("?the {changing} ?has changed|moved|switched|went from {other_thing} to {phrase}", "{changing}", "is", "{phrase}", One, Began),
    ("?the {changing} changes|moves|switches|goes from {other_thing} to {phrase}", "{changing}", "is", "{other_thing}", One, Ended),
    ("?the {changing} changes|moves|switches|goes from {other_thing} to {phrase}", "{changing}", "is", "{phrase}", One, Changes),
    ("?the {topic} is|are now {phrase}",               "{topic}", "is", "{phrase}", One, Began),
    ("{one} am|are|is studying|majoring ?in {likes}",  "{one}", "studies", "{likes}", Many, Holds),
    ("i|we study {likes}",                             "{me}", "studies", "{likes}", Many, Holds),
    ("{one} <study> at {org}",                         "{one}", "studies_at", "{org}", Unknown, Stay),
    // Where somebody comes from.
    ("{one} was born in|on {date}",                    "{one}", "born_on", "{date}", One, Always),
    ("{one} was born in {place} in|on {date}",         "{one}", "born_on", "{date}", One, Always),
    ("{one} was born ?and ?raised in {place}",         "{one}", "born_in", "{place}", One, Always),
    ("{one} grew up in {place}",                       "{one}", "grew_up_in", "{place}", Unknown, Always),
    ("{one} come|comes|am|is ?originally from {place}", "{one}", "comes_from", "{place}", One, Always),
    ("my birthday is ?on {day}",                       "{me}", "birthday", "{day}", One, Always),
    // Names, kin, partners, animals.
    ("my ?full|first name is {name}",                  "{me}", "name", "{name}", One, Always),
    ("my ?older|younger|little|big|best {kin_s} name is {name}", "{me}", "{kin_s}", "{name}", Many, Holds),
    ("my ?older|younger|little|big|best {kin} is named|called {name}", "{me}", "{kin}", "{name}", Many, Holds),
    ("i have a|an|one ?older|younger|little|big {kin} named|called {name}", "{me}", "{kin}", "{name}", Many, Holds),
    ("my {pet_s} name is {name}",                      "{me}", "{pet_s}", "{name}", Many, Holds),
    ("my {pet} is named|called {name}",                "{me}", "{pet}", "{name}", Many, Holds),
    ("i|we <have> ?got a|an|one|another {quality} {pet} named|called {name}", "{me}", "{pet}", "{name}", Many, State),
    ("i|we <adopt|get> a|an|another|this|our {quality} {pet} named|called {name}", "{me}", "{pet}", "{name}", Many, Turn),
    ("{one} <be> ?happily married to {name}",          "{one}", "married_to", "{name}", One, Stay),
    ("{one} <marry> {name}",                           "{one}", "married_to", "{name}", One, Turn),
    ("{one} <get> married to {name}",                  "{one}", "married_to", "{name}", One, Turn),
    ("{one} <get> {status}",                           "{one}", "relationship_status", "{status}", One, Turn),
    ("i|we ?have ?just|recently broke|split up",       "{me}", "relationship_status", "single", One, Began),
    ("{one} <be> engaged to {name}",                   "{one}", "engaged_to", "{name}", One, Stay),
    ("{one} <be> {status}",                            "{one}", "relationship_status", "{status}", One, Stay),
    ("i|we <have> ?got {number} {counted}",            "{me}", "number_of_{counted}", "{number}", One, State),
    // What somebody can, may and likes.
    ("{one} <speak> {languages}",                      "{one}", "speaks", "{languages}", Many, State),
    ("{one} <be> ?also fluent in {languages}",         "{one}", "speaks", "{languages}", Many, State),
    ("{one} <have> ?got {condition}",                  "{one}", "has_condition", "{condition}", Many, State),
    ("{one} ?was|have|has ?been diagnosed with {condition}", "{one}", "has_condition", "{condition}", Many, Began),
    ("{one} <be> {allergen} intolerant",               "{one}", "allergic_to", "{allergen}", Many, State),
    ("{one} <be> allergic to {allergen}",              "{one}", "allergic_to", "{allergen}", Many, State),
    ("i|we have a|an|one {child}",                     "{me}", "has_child", "{child}", Many, Holds),
    ("{one} <be> ?a|an {diet}",                        "{one}", "diet", "{diet}", One, State),
    ("{one} <live> with my|his|her {kin}",             "{one}", "lives_with", "{kin}", Many, Stay),
    ("i ?really can not stand {likes}",                "{me}", "dislikes", "{likes}", Many, Holds),
    ("i|we <hate|dislike> {likes}",                    "{me}", "dislikes", "{likes}", Many, State),
    ("i|we do not like|enjoy {likes}",                 "{me}", "dislikes", "{likes}", Many, Holds),
    ("i|we <have> ?got a|an {quality} {pet} and a|an {other_pet}", "{me}", "has_pet", "{pet}", Many, State),
    ("i|we <have> ?got a|an {quality} {pet} and a|an {other_pet}", "{me}", "has_pet", "{other_pet}", Many, State),
    ("i|we <have> ?got a|an {quality} {pet}",          "{me}", "has_pet", "{pet}", Many, State),
    ("i|we <adopt|get> a|an|another|this|our {quality} {pet}", "{me}", "has_pet", "{pet}", Many, Turn),
    ("i|we have ?only been ?only to {places}",          "{me}", "visited", "{places}", Many, Happened),
    ("been ?only to {places}",                          "{me}", "visited", "{places}", Many, Happened),
    ("i|we <get|come> back from {places}",              "{me}", "visited", "{places}", Many, Event),
    ("i|we was|were in {places}",                        "{me}", "visited", "{places}", Many, HappenedOn),
    ("i ?really loved|enjoyed|liked ?reading {title}", "{me}", "read", "{title}", Many, Happened),
    ("i|we <get|acquire|buy> some|a|an ?brand new {nouns}", "{me}", "bought", "{nouns}", Many, Event),
    ("i|we <run|manage> a|an|my|our ?own {belonging}", "{me}", "owns", "{belonging}", Many, State),
    ("i|we <own|have|keep> a|an|my|our ?own {belonging}",   "{me}", "owns", "{belonging}", Many, State),
    ("i|we <apply> to|for {nouns}",                    "{me}", "applied_to", "{nouns}", Many, Event),
    ("i|we ?have ?just|recently got|been|was accepted for|into|to {nouns}", "{me}", "accepted_for", "{nouns}", Many, Happened),
    ("i|we ?have ?had ?to shut|closed ?down my|our {nouns}", "{me}", "closed", "{nouns}", Many, Happened),
    ("i|we <take> my|the|our {family} to {nouns}",     "{me}", "attended", "{nouns}", Many, Outing),
    ("i|we <take> my|the|our {family} {doings}",        "{me}", "went", "{doings}", Many, Outing),
    ("i|we am|are going to {nouns}",                   "{me}", "plans", "{nouns}", Many, Plans),
    ("i|we am|are planning a|our trip to {nouns}",     "{me}", "plans", "{nouns}", Many, Planned),
    ("i|we ?have been ?busy {activity}",               "{me}", "does", "{activity}", Many, Holds),
    ("i|we love|like {title}",                         "{me}", "likes", "{title}", Many, Holds),
    ("{hobby_s} my fave|favorite|favourite",           "{me}", "likes", "{hobby_s}", Many, Holds),
    ("{pastimes} is|are my ?all-time favorite|favourite {kind}", "{me}", "favourite_{kind}", "{pastimes}", Unknown, Holds),
    ("my ?all-time favorite|favourite {topic} is|are ?called {phrase}", "{me}", "favourite_{topic}", "{phrase}", Unknown, Holds),
    // Corrections: "Tom starts at 05:00, not 04:30".
    ("?the {who} starts at {hour} not ?at {other_hour}", "{who}", "starts_at", "{other_hour}", One, Ended),
    ("?the {who} starts at {hour} not ?at {other_hour}", "{who}", "starts_at", "{hour}", One, Began),
    ("?the {topic} is {amount} not {other_amount}",    "{topic}", "is", "{other_amount}", One, Ended),
    ("?the {topic} is {amount} not {other_amount}",    "{topic}", "is", "{amount}", One, Began),
    // Prices; "it" and "they" go with what was spoken of.
    ("your|the|our|my ?new|first|last|current {charge} for|of {item} is {amount}", "{item}", "{charge}", "{amount}", One, Holds),
    ("?the {costing} cost|costs {amount}",             "{costing}", "price", "{amount}", One, Holds),
    ("my|our|the {charge} was|is|has ?been raised|increased|lowered|reduced|cut to {amount}", "{charge}", "is", "{amount}", One, Began),
    ("it's|they|it ?is|want|ask|charge|costs {amount} not {other_amount}", "{it}", "{of_it}", "{other_amount}", One, Ended),
    ("it's|they|it ?is|want|ask|charge|costs {amount} not {other_amount}", "{it}", "{of_it}", "{amount}", One, Began),
    ("it's|they|it ?is|want|ask|charge|costs {amount}", "{it}", "{of_it}", "{amount}", One, Holds),
    ("{amount}",                                       "{it}", "{of_it}", "{amount}", One, Spell),
    ("{one} asks|wants|charges|says|quotes|quoted {amount}", "{one}", "asks", "{amount}", One, Holds),
    ("{one} <pay> {amount}",                           "{one}", "pays", "{amount}", One, State),
    // Appointments, and days of opening.
    ("{one} <move|postpone|reschedule|shift|push> the|our|my {engagement} ?again ?back|forward {appointment}", "{engagement}", "is", "{appointment}", One, Turn),
    ("{one} want|wants|would ?like to meet ?you|us|me {appointment}", "meeting", "is", "{appointment}", One, Holds),
    ("{one} <open> on {days}",                         "{one}", "opens_on", "{days}", One, State),
    ("{one} am|are|is closed",                         "{one}", "opens_on", "closed", One, HoldsSince),
    // By the verb.
    // What somebody intends.
    ("i|we am|are planning|hoping|aiming|intending|saving to {aims}", "{me}", "plans", "{aims}", Many, Planned),
    ("i|we plan|hope|intend|aim to {aims}",             "{me}", "plans", "{aims}", Many, Planned),
    ("i|we am|are thinking|dreaming of|about {doings}", "{me}", "plans", "{doings}", Many, Planned),
    ("i|we am|are considering|contemplating|planning ?on {doings}", "{me}", "plans", "{doings}", Many, Planned),
    ("my ?main|big|biggest|next|ultimate|new goal|plan|hope|ambition|resolution|step is to {aims}", "{me}", "plans", "{aims}", Many, Planned),
    ("i|we am|are getting ready|psyched|geared ?up for {nouns}", "{me}", "plans", "{nouns}", Many, Planned),
    ("i|we am|are looking into {doings}",               "{me}", "plans", "{doings}", Many, Planned),
    ("i|we am|are ?also ?currently planning|organizing|organising|saving ?up ?for {nouns}", "{me}", "plans", "{nouns}", Many, Planned),
    // What somebody is fond of, in other words.
    ("{pastimes} has|have|is|are ?been ?become a|an ?huge|big|major|important|integral|essential part of my life|routine", "{me}", "likes", "{pastimes}", Many, Holds),
    ("my ?absolute|all-time ?other favorite|favourite|fave|favorites|favourites|faves ?one is|are|include {fancies}", "{me}", "likes", "{fancies}", Many, Holds),
    // What somebody has learned, joined, seen.
    ("i|we <finish|complete|get|earn> my|a|an {degree}", "{me}", "graduated_from", "{degree}", Many, Event),
    ("{one} was|got ?just hired by|at {org}",           "{one}", "works_at", "{org}", One, Began),
    ("i|we <score> {nouns}",                            "{me}", "scored", "{nouns}", Many, Outing),
    ("i|we <have|own> ?got ?a lots|tons|lot|bunch|ton of {nouns}", "{me}", "owns", "{nouns}", Many, State),
    ("i|we <graduate> from {nouns}",                   "{me}", "graduated_from", "{nouns}", Many, Event),
    ("i|we <graduate>",                                 "{me}", "education", "graduated", Many, Event),
    ("i|we <pass|fail|ace|retake> {exam}",              "{me}", "took_exam", "{exam}", Many, Event),
    ("{one} ?have|has ?just got|was|been promoted",     "{one}", "promoted", "yes", Many, Happened),
    ("i|we <be> ?a|an|proud ?part|member of|in|on {club}", "{me}", "joined", "{club}", Many, State),
    ("i|we <help> out at|with {nouns}",                 "{me}", "volunteers_at", "{nouns}", Many, Doing),
    ("i|we <get|land|secure|accept> {contract}",        "{me}", "accepted_for", "{contract}", Many, Event),
    ("i|we am|are ?here in {places}",                    "{me}", "visited", "{places}", Many, Holds),
    ("{one} <give|buy> me a|an|this|some|these {nouns}", "{me}", "owns", "{nouns}", Many, Event),
    ("my|our {brood} are named|called {names}",         "{me}", "{brood}", "{names}", Many, Holds),
    ("i|we <love|like|enjoy|adore> the {scene}",        "{me}", "likes", "{scene}", Many, State),
    ("i|we <like|love> to collect {nouns}",             "{me}", "collects", "{nouns}", Many, State),
    ("i|we <love|like|enjoy|adore|prefer> to {acts}",  "{me}", "likes", "{acts}", Many, State),
    ("i|we <love|like|enjoy|adore|prefer|dig> ?doing {likes}", "{me}", "likes", "{likes}", Many, State),
    ("i|we am|are|have ?always ?been ?a ?such ?a ?big|huge|massive|real|avid fan|fans of {fancies}", "{me}", "likes", "{fancies}", Many, Holds),
    ("i|we am|have ?always ?been ?more ?big into {fancies}", "{me}", "likes", "{fancies}", Many, Holds),
    ("i|we am|have ?always ?been passionate|crazy|enthusiastic|nuts about {fancies}", "{me}", "likes", "{fancies}", Many, Holds),
    ("i|we am|have ?always ?been interested|fascinated|hooked|obsessed|keen in|by|on|with {fancies}", "{me}", "likes", "{fancies}", Many, Holds),
    ("i|we <have> a|an ?huge|big|deep|great|real|strong|soft passion|love|weakness|thing|spot for {likes}", "{me}", "likes", "{likes}", Many, State),
    ("i|we <get> into {org}",                           "{me}", "accepted_for", "{org}", Many, Event),
    ("i|we <get> ?back into {likes}",                   "{me}", "likes", "{likes}", Many, Event),
    ("i|we am|are drawn|attracted|addicted|devoted to {fancies}", "{me}", "likes", "{fancies}", Many, Holds),
    ("i|we am|are a|an ?such ?a ?huge|big|massive|real|total|avid|true|lifelong {fandom}", "{me}", "likes", "{fandom}", Many, Holds),
    ("i can not get enough of {likes}",                 "{me}", "likes", "{likes}", Many, Holds),
    ("{pastimes} is|are|have|has ?been ?always ?been ?one|some ?of my ?own ?biggest|true|top|main|other|favorite|favourite|great|number ?one ?great passion|passions|hobbies|faves|favorites|favourites|hobby|escape|outlet|go-to|favorite|favourite|fave|pick|thing|pastime|pastimes|sport|activity|jam|love|therapy|release|comfort|happy", "{me}", "likes", "{pastimes}", Many, Holds),
    ("{pastimes} is|are|has ?been ?always ?been ?one|some ?of my ?absolute|all-time favorite|favourite|favorites|favourites|fave|faves", "{me}", "likes", "{pastimes}", Many, Holds),
    ("{pastimes} is|are ?such ?a ?my great|good|perfect|best|nice|favorite|favourite way to relax|unwind|destress|de-stress|escape|recharge|disconnect|clear", "{me}", "likes", "{pastimes}", Many, Holds),
    ("{pastimes} makes|make me ?feel ?so|very|really happy|alive|calm|relaxed|free|good|better", "{me}", "likes", "{pastimes}", Many, Holds),
    ("{pastimes} gives|give|brings|bring me ?so ?a ?lot ?of ?much ?sense ?of joy|freedom|peace|happiness|comfort|energy|calm", "{me}", "likes", "{pastimes}", Many, Holds),
    ("{pastimes} helps|help|lets|let me ?to relax|unwind|destress|de-stress|escape|recharge|cope|focus|calm|express|stay|clear", "{me}", "likes", "{pastimes}", Many, Holds),
    ("{pastimes} keeps|keep me sane|calm|grounded|going|busy|happy|fit|healthy|motivated|active|in", "{me}", "likes", "{pastimes}", Many, Holds),
    ("i|we am|are all about {likes}",                   "{me}", "likes", "{likes}", Many, Holds),
    ("my ?main ?new|favorite|favourite|biggest ?other hobbies|hobby|interests|passions|passion are|is|include {likes}", "{me}", "likes", "{likes}", Many, Holds),
    ("i|we <practice|practise|do> ?a|some ?lot|bit ?of {activities}", "{me}", "does", "{activities}", Many, Doing),
    ("i|we am|are|have ?been doing ?some {likes}",      "{me}", "does", "{likes}", Many, Holds),
    ("i|we <listen> to {likes}",                        "{me}", "likes", "{likes}", Many, Doing),
    ("i|we <read|reread|watch|rewatch|binge|finish> ?reading|watching ?a|the|this ?book|movie|film|show|series ?called {title}", "{me}", "read", "{title}", Many, Habit),
    ("i|we <read|reread|watch|rewatch|binge|finish> ?reading|watching {place} ?movie|film|series|book|books|novel|show|trilogy", "{me}", "read", "{place}", Many, Habit),
    ("i|we <read|watch> lots|tons|plenty of {likes}", "{me}", "likes", "{likes}", Many, Habit),
    ("i|we <go> {doings}",                              "{me}", "went", "{doings}", Many, Event),
    ("i|we <play> ?the {instruments}",                  "{me}", "plays_instrument", "{instruments}", Many, Doing),
    ("{one} <play> {sports}",                            "{one}", "plays", "{sports}", Many, Doing),
    ("i|we <collect> {nouns}",                          "{me}", "collects", "{nouns}", Many, State),
    ("i|we <work> ?hard on {nouns}",                    "{me}", "works_on", "{nouns}", Many, Habit),
    ("i|we <work|team|partner|collaborate> ?up ?closely with {nouns}", "{me}", "works_with", "{nouns}", Many, Habit),
    ("i|we <work> ?hard on {doings}",                   "{me}", "works_on", "{doings}", Many, Habit),
    ("i|we <train|prepare|prep|study> for {nouns}",     "{me}", "works_on", "{nouns}", Many, Habit),
    ("i|we <learn> ?how ?to ?play ?the {instruments}",  "{me}", "learns", "{instruments}", Many, Habit),
    ("i|we <learn> ?about|some {nouns}",                "{me}", "learns", "{nouns}", Many, Habit),
    ("i|we <learn> ?how to {acts}",                     "{me}", "learns", "{acts}", Many, Habit),
    ("i|we <start|begin> {doings}",                     "{me}", "does", "{doings}", Many, Event),
    ("i|we ?have ?just stopped|quit {doings}",          "{me}", "does", "{doings}", Many, Ended),
    ("i|we am|are|have ?been busy with {nouns}",        "{me}", "works_on", "{nouns}", Many, Holds),
    ("i|we <take> up {likes}",                          "{me}", "does", "{likes}", Many, Work),
    ("i|we <try> ?out ?my ?hand ?at {nouns}",           "{me}", "tried", "{nouns}", Many, Event),
    ("i|we <start|launch|open|found|create|build|develop|design|establish|form> ?up {nouns}", "{me}", "started|works_on", "{nouns}", Many, Work),
    ("i|we <offer> {nouns}",                          "{me}", "offers", "{nouns}", Many, Doing),
    ("i|we <wrap|set|finish> up {nouns}",               "{me}", "made|works_on", "{nouns}", Many, Work),
    ("i|we <make|paint|write|finish|bake|cook|record|publish|compose|knit|sew|carve|sculpt|film|draw> {nouns}", "{me}", "made|works_on", "{nouns}", Many, Work),
    ("i|we <teach|mentor|coach|tutor> {nouns}",         "{me}", "mentors", "{nouns}", Many, Habit),
    ("i|we <buy|purchase|order> ?myself ?me {nouns}",   "{me}", "bought", "{nouns}", Many, Event),
    ("i|we <get|pick> ?up ?myself a|an|my|some ?brand new {nouns}", "{me}", "bought", "{nouns}", Many, Event),
    ("i|we <join> {nouns}",                             "{me}", "joined", "{nouns}", Many, Event),
    ("i|we <sign|enroll|enrol|register> ?up for|in {nouns}", "{me}", "joined", "{nouns}", Many, Event),
    ("i|we <volunteer> at|with|for|as {nouns}",         "{me}", "volunteers_at", "{nouns}", Many, Habit),
    ("i|we <attend|host|organize|organise|celebrate> {nouns}", "{me}", "attended", "{nouns}", Many, Event),
    ("i|we <participate|compete|perform> in|at {nouns}", "{me}", "attended|attends", "{nouns}", Many, Habit),
    ("i|we <take> ?up {class}",                         "{me}", "attended|attends", "{class}", Many, Work),
    ("i|we <visit> {nouns}",                    "{me}", "visited", "{nouns}", Many, Event),
    ("i|we <go|travel|fly|drive|sail> ?back|over to {places}",      "{me}", "visited", "{places}", Many, Event),
    ("i|we <go> ?back|over|down|up to {nouns}",         "{me}", "attended", "{nouns}", Many, Outing),
    ("i|we have ?got {nouns} ?coming ?up",              "{me}", "plans", "{nouns}", Many, Plans),
    ("there is ?a|an {nouns} ?coming ?up",              "{me}", "plans", "{nouns}", Many, Plans),
    ("i|we can not wait for {nouns}",                   "{me}", "plans", "{nouns}", Many, Plans),
    ("i|we am|are excited|stoked|pumped|thrilled about|for {nouns}", "{me}", "plans", "{nouns}", Many, Plans),
    ("i|we am|are looking forward to {nouns}",          "{me}", "plans", "{nouns}", Many, Plans),
    ("i|we am|are heading|headed|off|flying|traveling|travelling|driving ?over|back|down|up|out to {nouns}", "{me}", "plans", "{nouns}", Many, Plans),
    ("i|we <take|go|have> ?on {trip} ?back to|in|through|around|across {places}", "{me}", "visited", "{places}", Many, Event),
    ("i|we <spend> {span} in {places}",                  "{me}", "visited", "{places}", Many, Event),
    ("i|we <stay|study|travel|vacation|arrive|land|stop|walk|camp|shop|eat|perform|play|compete|train> ?abroad ?over in|around|through|across {places}",                          "{me}", "visited", "{places}", Many, Event),
    ("i|we <meet> ?up ?with {nouns}",                   "{me}", "met", "{nouns}", Many, Outing),
    ("i|we <do|give> {nouns}",                          "{me}", "attended", "{nouns}", Many, Outing),
    ("i|we <see> ?a|the|this ?movie|film|show|play ?called {title}", "{me}", "watched", "{title}", Many, Event),
    ("i|we <see|watch|catch> {nouns}",                  "{me}", "watched", "{nouns}", Many, Outing),
    ("{pastimes} ?has|have ?is ?always ?been a ?huge ?big favorite|favourite|fave|passion|hobby of mine", "{me}", "likes", "{pastimes}", Many, Holds),
    ("i|we <have> a|an|our|my ?little|small|big|great|nice|fun {gathering}", "{me}", "attended", "{gathering}", Many, Event),
    ("i|we <run|race|complete> ?in ?a|an|the|my ?first {gathering}", "{me}", "attended", "{gathering}", Many, Outing),
    ("i|we <have> a|an|such ?a ?really ?super great|good|nice|fun|wonderful|lovely|amazing|fantastic time|blast|day|evening|night at {nouns}", "{me}", "attended", "{nouns}", Many, Outing),
    ("my|our|the {topic} is|are ?coming ?up",           "{me}", "plans", "{topic}", Many, Plans),
    ("my|our team|crew|band|side|squad|group won {nouns}", "{me}", "won", "{nouns}", Many, Happened),
    ("my|our team|crew|band|side|squad|group won",      "{me}", "won", "game", Many, Happened),
    ("i|we <win> {nouns}",                              "{me}", "won", "{nouns}", Many, Event),
    ("i|we <win|get|receive|earn> ?a|an|the|my ?first {award}", "{me}", "won", "{award}", Many, Event),
    ("i|we <break|sprain|injure|hurt|twist|fracture> my|an|a {body}", "{me}", "injured", "{body}", Many, Event),
    ("i|we <lose> my|our {nouns}",                      "{me}", "lost", "{nouns}", Many, Event),
    ("my {kin} ?just ?recently died|passed ?away",            "{me}", "lost", "{kin}", Many, Happened),
    ("my|our {pet} died|passed ?away",                  "{me}", "lost", "{pet}", Many, Happened),
    ("i|we <whip|cook> up {nouns}",                     "{me}", "made", "{nouns}", Many, Event),
    ("i|we work|am ?working in {field}",                "{me}", "occupation", "{field}", Unknown, Holds),
    ("i|we <have> a|an {nouns}",                        "{me}", "attended", "{nouns}", Many, Outing),
    ("i|we am|are {doings}",                            "{me}", "plans", "{doings}", Many, Plans),
];

/// Statements of a possessive, anywhere in a sentence.
#[rustfmt::skip]
pub(super) const MENTIONS: &[Pattern] = &[
    ("my love|passion|obsession|enthusiasm for|of|with {likes}", "{me}", "likes", "{likes}", Many, Holds),
    ("my|our {pet} {name}",                             "{me}", "{pet}", "{name}", Many, Holds),
    ("my ?older|younger|little|big {kin} {name}",       "{me}", "{kin}", "{name}", Many, Holds),
    ("my|our|from ?my ?our ?a ?an ?the {trip} ?back to|in|through {places}", "{me}", "visited", "{places}", Many, Happened),
    ("losing my job",                                   "{me}", "lost", "job", Many, Happened),
    ("when|while i|we was|were in {places}",             "{me}", "visited", "{places}", Many, Happened),
    ("as a|an single parent|mom|mum|dad|mother|father", "{me}", "relationship_status", "single", One, Holds),
    ("my wife|husband",                                 "{me}", "relationship_status", "married", One, Holds),
    ("my|our {herd}",                                   "{me}", "has_pet", "{herd}", Many, Holds),
    ("my|our {own_pet}",                                "{me}", "has_pet", "{own_pet}", Many, Holds),
    ("my|our business|company|startup",                 "", "", "", Many, Holds),
    ("my|our ideal|perfect|dream|future|next",          "", "", "", Many, Holds),
    ("my|our {belonging}",                              "{me}", "owns", "{belonging}", Many, Holds),
];
