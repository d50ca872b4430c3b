//! Vocabulary of the rules: words of slots, and words that exclude a sentence.

/// Words that make a sentence uncertain.
pub(super) const UNCERTAIN: &[&str] = &[
    "if", "unless", "whether", "wish", "wished", "maybe", "perhaps", "imagine", "imagining", "suppose", "supposing",
    "pretend", "pretending", "joking", "kidding", "probably", "possibly", "apparently", "supposedly", "allegedly",
    "almost", "hypothetically", "guess", "dreamed", "dreamt", "though",
];

/// Words before a pattern that deny it, put it off, or attribute it to another person.
pub(super) const UNSAID: &[&str] = &[
    "not", "never", "nor", "neither", "hardly", "would", "could", "should", "might", "will", "shall", "can",
    "gonna", "want", "wants", "wanted", "wanna", "hope", "hoping", "hopefully", "plan", "planning", "going",
    "dream", "think", "thinking", "thought", "believe", "believed", "said", "says", "say", "saying", "told",
    "tells", "asked", "asks", "claims", "claimed", "like", "as", "when", "whenever", "once", "before", "until",
    "till", "why", "how", "what", "where", "who", "did", "do", "does", "were", "rather", "instead", "unlike",
    "fake", "act", "seems",
];

/// Words before a pattern without a meaning of their own.
pub(super) const FILLERS: &[&str] = &[
    "yeah", "yes", "yep", "yup", "well", "so", "and", "but", "also", "oh", "wow", "hey", "hi", "hello", "thanks",
    "honestly", "btw", "actually", "currently", "now", "anyway", "okay", "ok", "sure", "haha", "lol", "cool",
    "great", "because", "cause", "plus", "fyi", "right", "hmm", "ah", "aww", "really", "nowadays", "absolutely",
    "definitely", "totally", "personally", "basically", "recently", "finally", "luckily", "fortunately", "sadly",
    "unfortunately", "since", "after", "while", "previously", "lately",
];

/// Words inside a pattern that do not change its meaning.
pub(super) const ADVERBS: &[&str] = &[
    "currently", "now", "still", "actually", "really", "also", "recently", "just", "finally", "officially", "both",
    "happily", "already", "fluently", "all", "originally", "even", "definitely", "totally",
];

/// Words that may follow a value; after any other the sentence is not understood.
pub(super) const CONTINUATIONS: &[&str] = &[
    "and", "but", "because", "with", "so", "now", "right", "these", "currently", "which", "where", "who", "too",
    "since", "while", "for", "as", "at", "in", "on", "until", "till", "from", "though", "along", "again",
    "together", "after", "when", "near", "by", "during", "full-time", "part-time", "to", "fluently", "well",
    "nowadays", "today", "yesterday", "last", "this", "between", "next", "every", "back", "of", "about", "lately",
];

/// Words that end a phrase.
pub(super) const PHRASE_ENDS: &[&str] = &[
    "because", "since", "so", "which", "who", "that", "where", "when", "while", "but", "by", "with", "though",
    "although", "cause", "right", "these", "now", "as", "too", "lately", "nowadays", "from", "for", "at", "in",
    "on", "into", "about", "last", "next", "yesterday", "today", "tonight", "during", "after", "before", "recently",
    "whenever", "together", "again", "this", "every",
];

/// Words that no phrase has: they refer elsewhere, or begin a clause.
pub(super) const NO_PHRASE: &[&str] = &[
    "it", "this", "that", "these", "those", "them", "him", "her", "one", "ones", "is", "are", "was", "when", "how",
    "what", "to", "always", "not", "being", "having", "the", "my", "your", "our", "their", "his", "me", "you", "i",
    "we", "they", "he", "she", "there", "here", "something", "someone", "anything", "everything", "all", "both",
    "still", "gone", "getting", "coming", "just", "definitely", "probably", "also", "such", "so", "really",
    "pretty", "about", "over", "back", "hard", "great", "awesome", "amazing", "fun", "good", "nice", "very", "too",
    "up", "out", "off", "down", "no", "yes", "own", "lot", "bit", "tons", "like", "than", "more", "few", "myself",
    "a", "an", "guys", "ever", "project", "plans", "professionally",
];

/// Favourites that are no facts about a person.
pub(super) const NO_FAVOURITE: &[&str] = &[
    "part", "thing", "things", "one", "ones", "way", "time", "moment", "memory", "bit", "aspect", "parts",
    "memories", "moments", "piece", "pic", "photo", "picture", "shot", "spot", "place", "places", "day", "painting",
];

/// Kin, partners and friends.
pub(super) const KIN: &[&str] = &[
    "sister", "brother", "mother", "father", "mom", "mum", "dad", "wife", "husband", "son", "daughter", "partner",
    "girlfriend", "boyfriend", "fiance", "fiancé", "fiancee", "fiancée", "grandmother", "grandfather", "grandma",
    "grandpa", "grandson", "granddaughter", "aunt", "uncle", "niece", "nephew", "cousin", "roommate", "flatmate",
    "friend", "boss", "colleague", "neighbour", "neighbor", "stepson", "stepdaughter", "stepmother", "stepfather",
];

/// Animals that people live with.
pub(super) const PETS: &[&str] = &[
    "dog", "cat", "puppy", "kitten", "rabbit", "bunny", "hamster", "parrot", "horse", "pony", "goldfish", "fish",
    "pup", "kitty", "pig", "turtle", "tortoise", "lizard", "snake", "gecko", "ferret", "parakeet", "budgie", "bird", "iguana",
];

/// Nouns that are counted.
pub(super) const COUNTED: &[&str] = &[
    "kids", "children", "sons", "daughters", "brothers", "sisters", "siblings", "grandchildren", "grandkids",
    "dogs", "cats", "puppies", "kittens", "rabbits", "hamsters", "turtles", "snakes", "horses", "pets", "nieces",
    "nephews", "cousins",
];

/// Numbers in words.
pub(super) const NUMBERS: &[&str] = &[
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

/// Languages.
pub(super) const LANGUAGES: &[&str] = &[
    "arabic", "bengali", "bulgarian", "cantonese", "catalan", "chinese", "croatian", "czech", "danish", "dutch",
    "english", "esperanto", "estonian", "farsi", "finnish", "flemish", "french", "gaelic", "georgian", "german",
    "greek", "gujarati", "hebrew", "hindi", "hungarian", "icelandic", "indonesian", "irish", "italian", "japanese",
    "korean", "latin", "latvian", "lithuanian", "malay", "mandarin", "marathi", "norwegian", "persian", "polish",
    "portuguese", "punjabi", "romanian", "russian", "serbian", "slovak", "slovenian", "somali", "spanish",
    "swahili", "swedish", "tagalog", "tamil", "telugu", "thai", "tibetan", "turkish", "ukrainian", "urdu",
    "vietnamese", "welsh", "yiddish", "zulu",
];

/// Sports and games that are played.
pub(super) const SPORTS: &[&str] = &[
    "badminton", "baseball", "basketball", "bridge", "chess", "cricket", "football", "golf", "handball", "hockey",
    "lacrosse", "netball", "poker", "rugby", "soccer", "softball", "squash", "tennis", "volleyball",
];

/// Marital status.
pub(super) const STATUSES: &[&str] = &[
    "single", "divorced", "widowed", "married", "engaged",
];

/// Objects of "love" in mere comments.
pub(super) const NO_LIKING: &[&str] = &[
    "seeing", "hearing", "knowing", "having", "getting", "sharing", "feeling", "thinking", "talking", "chatting",
    "stuff", "things", "thing", "lots", "spending", "making", "being", "trying", "doing", "exploring", "helping",
    "taking", "giving", "using", "putting", "going", "working", "when", "where", "anything", "someone", "more",
    "most", "some", "each", "every", "any", "dreaming", "wanting", "wondering", "waiting", "hoping", "planning", "meaning", "struggling", "hearing", "catching", "finding", "looking", "a", "an", "u", "ya", "life",
    "life's", "im",
];

/// Instruments.
pub(super) const INSTRUMENTS: &[&str] = &[
    "piano", "guitar", "violin", "viola", "cello", "flute", "clarinet", "saxophone", "trumpet", "trombone", "drums",
    "bass", "harp", "ukulele", "banjo", "accordion", "oboe", "keyboard", "harmonica", "organ", "mandolin",
];

/// Trades, by their last word.
pub(super) const JOBS: &[&str] = &[
    "accountant", "actor", "actress", "analyst", "architect", "artist", "attorney", "baker", "barber", "barista",
    "bartender", "biologist", "bookkeeper", "builder", "butcher", "carpenter", "cashier", "chef", "chemist",
    "clerk", "coach", "composer", "consultant", "cook", "counselor", "counsellor", "dancer", "dentist", "designer",
    "detective", "developer", "director", "doctor", "driver", "economist", "editor", "electrician", "engineer",
    "farmer", "firefighter", "florist", "gardener", "geologist", "graphic designer", "hairdresser", "historian",
    "illustrator", "interpreter", "janitor", "journalist", "judge", "lawyer", "lecturer", "librarian", "manager",
    "mathematician", "mechanic", "midwife", "model", "musician", "nanny", "nurse", "optician", "painter",
    "paramedic", "pharmacist", "photographer", "physicist", "physiotherapist", "pilot", "plumber", "politician",
    "postman", "producer", "professor", "programmer", "psychiatrist", "psychologist", "receptionist", "reporter",
    "researcher", "sailor", "scientist", "sculptor", "secretary", "singer", "soldier", "statistician", "surgeon",
    "surveyor", "tailor", "teacher", "technician", "therapist", "translator", "tutor", "veterinarian", "vet",
    "waiter", "waitress", "welder", "writer", "student", "administrator", "animator", "assistant", "athlete", "author",
    "banker", "blogger", "broker", "cleaner", "comedian", "conductor", "contractor", "coordinator", "courier",
    "entrepreneur", "filmmaker", "freelancer", "guard", "influencer", "instructor", "intern", "inspector", "landscaper",
    "locksmith", "officer", "planner", "player", "poet", "potter", "promoter", "realtor", "recruiter", "salesman",
    "screenwriter", "stylist", "supervisor", "trainer", "zookeeper",
];

/// Words with a capital letter that are no names.
pub(super) const NO_NAME: &[&str] = &[
    "i", "a", "an", "the", "my", "our", "your", "his", "her", "their", "we", "you", "he", "she", "it", "they",
    "this", "that", "there", "here", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    "january", "february", "march", "april", "june", "july", "august", "september", "october", "november",
    "december", "what", "who", "when", "where", "how", "why", "thanks", "wow", "hey", "hi", "yes", "no", "yeah",
    "everyone", "nobody", "somebody", "someone", "everybody", "mom", "dad", "mum", "god", "christmas", "easter",
    "english", "so", "and", "but", "or", "if", "in", "on", "at", "as", "is", "nothing", "everything", "something",
    "one", "covid",
];

/// Words in the middle of a name of several words.
pub(super) const NAME_JOINTS: &[&str] = &[
    "of", "the", "de", "la", "del", "van", "von", "upon", "du", "da", "der", "den",
];

/// Months, in the order of the year.
pub(super) const MONTHS: [&str; 12] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
];

/// Days of the week, from Monday.
pub(super) const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Words after "since" that begin a time which is not exact.
pub(super) const SOME_TIME: &[&str] = &["i", "we", "my", "childhood", "then", "high", "college", "school", "day"];

/// Words that begin a clause.
pub(super) const CLAUSE_STARTS: &[&str] = &[
    "and", "but", "so", "because", "it", "it's", "i", "which", "what", "they", "that", "you", "how",
];

/// Words that lead from a statement to a date further on: "a race for charity last Saturday".
pub(super) const TO_DATE: &[&str] = &["as", "for", "with", "in", "at", "to", "about", "of", "on", "by", "near", "together"];

/// Activities that are known without the place where they are done.
pub(super) const ACTIVITIES: &[&str] = &[
    "hiking", "running", "swimming", "painting", "reading", "cooking", "dancing", "surfing", "camping", "cycling",
    "climbing", "gardening", "fishing", "singing", "traveling", "travelling", "skiing", "writing", "drawing", "knitting",
    "baking", "gaming", "volunteering", "jogging", "sewing", "sailing", "skating", "rowing", "photography", "yoga",
];

/// Units of time that are counted back from now.
pub(super) const TIME_UNITS: &[&str] = &[
    "day", "days", "week", "weeks", "weekend", "weekends", "month", "months", "year", "years",
];

/// Verbs after "love to" in mere comments.
pub(super) const NO_ACT: &[&str] = &[
    "hear", "see", "know", "be", "think", "say", "talk", "chat", "help", "share", "hang", "catch", "have", "get", "go",
    "try", "take", "make", "do", "learn", "meet", "keep", "come", "join", "call", "use", "give", "add", "show", "tell",
];

/// Surroundings that people love.
pub(super) const SCENES: &[&str] = &[
    "mountains", "sea", "ocean", "outdoors", "beach", "opera", "theatre", "theater", "countryside", "woods", "forest",
    "desert", "rain", "snow", "sun", "cold", "heat", "piano", "violin", "guitar",
];

/// Partners.
pub(super) const PARTNERS: &[&str] = &[
    "wife", "husband", "partner", "girlfriend", "boyfriend", "fiance", "fiancé", "fiancee", "fiancée", "ex",
];

/// Lasting conditions of health.
pub(super) const CONDITIONS: &[&str] = &[
    "asthma", "diabetes", "arthritis", "epilepsy", "migraines", "anxiety", "depression", "insomnia", "adhd", "celiac",
    "coeliac", "eczema", "anemia", "anaemia", "hypertension", "cancer", "tinnitus", "sciatica", "allergies",
];

/// Belongings, by their last word.
pub(super) const BELONGINGS: &[&str] = &[
    "store", "shop", "business", "studio", "house", "flat", "apartment", "car", "bike", "boat", "van", "garden", "farm",
    "company", "restaurant", "cafe", "café", "bakery", "gallery", "guitar", "piano", "collection", "tattoo", "bookshelf",
    "library", "blog", "podcast", "website", "startup",
];

/// Objects of "make" that are no works.
pub(super) const NO_WORK: &[&str] = &[
    "mistake", "decision", "difference", "promise", "choice", "deal", "friend", "friends", "effort", "point", "wish",
    "blast", "day", "weekend", "feeling", "chat", "talk", "look", "idea", "dream", "baby", "laugh", "experience", "moment", "sense", "move", "change", "call", "list", "reservation", "joke", "progress", "sense", "money", "time", "way", "lot", "noise",
];

/// Family that one goes out with.
pub(super) const FAMILY: &[&str] = &["kids", "children", "family", "fam", "son", "daughter", "wife", "husband", "partner", "parents"];

/// Contractions and their words.
pub(super) const CONTRACTIONS: &[(&str, &str)] = &[
    ("i'm", "i am"), ("im", "i am"), ("i've", "i have"), ("we're", "we are"), ("we've", "we have"),
    ("i'd", "i would"), ("i'll", "i will"), ("we'd", "we would"), ("we'll", "we will"), ("he'd", "he would"),
    ("she'd", "she would"), ("he'll", "he will"), ("she'll", "she will"), ("it'd", "it would"),
    ("it'll", "it will"), ("they'd", "they would"), ("they'll", "they will"), ("don't", "do not"),
    ("doesn't", "does not"), ("didn't", "did not"), ("isn't", "is not"), ("aren't", "are not"),
    ("wasn't", "was not"), ("weren't", "were not"), ("haven't", "have not"), ("hasn't", "has not"),
    ("won't", "will not"), ("can't", "can not"), ("couldn't", "could not"), ("wouldn't", "would not"),
];
