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

/// Words of a report or a condition.
pub(super) const REPORTED: &[&str] = &[
    "said", "says", "say", "saying", "told", "tells", "asked", "asks", "claims", "claimed", "think", "thought", "believe", "believed", "as",
    "when", "whenever", "once", "before", "until", "till", "like", "would", "could", "should", "might", "did",
];

/// Words before a pattern without a meaning of their own.
pub(super) const FILLERS: &[&str] = &[
    "yeah", "yes", "yep", "yup", "well", "so", "and", "but", "also", "oh", "wow", "hey", "hi", "hello", "thanks",
    "honestly", "btw", "actually", "currently", "now", "anyway", "okay", "ok", "sure", "haha", "lol", "cool",
    "great", "because", "cause", "plus", "fyi", "woah", "whoa", "yay", "ooh", "awesome", "nice", "thank", "gosh", "omg", "man", "right", "hmm", "ah", "aww", "really", "nowadays", "absolutely",
    "definitely", "totally", "personally", "basically", "recently", "finally", "luckily", "fortunately", "sadly",
    "unfortunately", "since", "after", "while", "previously", "lately",
];

/// Words inside a pattern that do not change its meaning.
pub(super) const ADVERBS: &[&str] = &[
    "currently", "now", "still", "actually", "really", "also", "recently", "just", "finally", "officially", "both",
    "happily", "already", "fluently", "all", "originally", "even", "definitely", "totally", "always", "absolutely",
    "usually", "mostly", "mainly", "often", "sometimes", "lately", "so", "very", "super", "pretty", "quite", "truly",
    "especially", "generally", "regularly", "occasionally", "frequently", "only", "simply", "genuinely", "kinda",
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

/// Words before kin.
pub(super) const KIN_QUALITIES: &[&str] = &["older", "younger", "little", "big", "elder", "best", "good", "twin", "late"];

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
    "stuff", "things", "thing", "lots", "spending", "making", "being", "trying", "doing", "helping",
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
    "one", "covid", "life", "nature", "time", "experience", "practice", "failure",
];

/// Words in the middle of a name of several words.
pub(super) const NAME_JOINTS: &[&str] = &[
    "of", "the", "de", "la", "del", "van", "von", "upon", "du", "da", "der", "den",
];

/// Days on which something is open again and again.
pub(super) const WEEKENDS: &[&str] = &[
    "mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays", "weekdays", "weekends",
];

/// Words for a price, and its name.
pub(super) const CHARGES: &[(&str, &str)] = &[
    ("price", "price"), ("cost", "price"), ("quote", "price"), ("bill", "price"), ("invoice", "price"), ("rent", "rent"), ("fee", "fee"),
    ("salary", "salary"), ("wage", "wage"), ("deposit", "deposit"),
];

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
    "meditating", "meditation", "blogging", "streaming", "sketching", "boxing", "kickboxing", "coding", "programming", "journaling", "pottery",
    "woodworking", "crocheting", "quilting", "birdwatching", "stargazing", "snowboarding", "skateboarding", "kayaking", "canoeing", "biking",
    "diving", "snorkeling", "paragliding", "archery", "fencing", "karate", "judo", "taekwondo", "pilates", "weightlifting", "bouldering",
    "backpacking", "foraging", "karaoke", "origami", "calligraphy", "teaching", "coaching", "composing", "rehearsing", "studying",
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

/// Nouns in `-ing`.
pub(super) const NO_DOING: &[&str] = &[
    "wedding", "meeting", "evening", "morning", "clothing", "ceiling", "earring", "string", "spring", "thing", "something",
    "anything", "everything", "nothing", "during",
];

/// Verbs after "want to" that say too little.
pub(super) const NO_AIM: &[&str] = &[
    "hear", "know", "be", "think", "say", "talk", "chat", "help", "share", "hang", "catch", "have", "make", "do", "keep", "come", "use",
    "give", "show", "tell", "stay", "live", "put", "turn", "feel", "remain", "become", "thank", "check", "ask", "congratulate", "mention", "get", "see",
];

/// Surroundings that people love.
pub(super) const SCENES: &[&str] = &[
    "mountains", "sea", "ocean", "outdoors", "beach", "opera", "theatre", "theater", "countryside", "woods", "forest",
    "desert", "rain", "snow", "sun", "cold", "heat", "piano", "violin", "guitar",
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
    "library", "blog", "podcast", "website", "startup", "bowl", "necklace", "ring", "bracelet", "watch", "camera", "laptop",
    "computer", "phone", "tablet", "console", "bicycle", "motorcycle", "motorbike", "scooter", "truck", "camper", "cabin", "cottage",
    "greenhouse", "tent", "telescope", "violin", "cello", "drums", "keyboard", "kayak", "canoe", "surfboard", "skateboard", "kitchen",
    "balcony", "backyard", "workshop", "desk", "sofa", "bed", "mug", "vase", "jacket", "dress", "shoes", "boots",
    "sneakers", "jersey", "hoodie", "trophy", "medal", "trophies", "medals", "plants", "bookcase", "journal", "diary", "tv", "drone",
    "printer", "guitars", "bikes", "cameras", "synth", "synthesizer", "record player", "turntable", "aquarium", "terrarium",
];

/// Family that one goes out with.
pub(super) const FAMILY: &[&str] = &["kids", "children", "family", "fam", "son", "daughter", "wife", "husband", "partner", "parents"];

/// Verbs with a past or a participle of their own: verb, past, participles.
pub(super) const IRREGULAR: &[(&str, &str, &str)] = &[
    ("be", "was", "been"), ("become", "became", "become"), ("begin", "began", "begun"), ("break", "broke", "broken"), ("bring", "brought", "brought"),
    ("build", "built", "built"), ("buy", "bought", "bought"), ("catch", "caught", "caught"), ("choose", "chose", "chosen"),
    ("come", "came", "come"), ("cut", "cut", "cut"), ("do", "did", "done"), ("draw", "drew", "drawn"), ("drive", "drove", "driven"),
    ("eat", "ate", "eaten"), ("fall", "fell", "fallen"), ("find", "found", "found"), ("fly", "flew", "flown"), ("get", "got", "gotten|got"),
    ("give", "gave", "given"), ("go", "went", "gone"), ("grow", "grew", "grown"), ("have", "had", "had"), ("hold", "held", "held"),
    ("hurt", "hurt", "hurt"), ("keep", "kept", "kept"), ("know", "knew", "known"), ("leave", "left", "left"), ("lose", "lost", "lost"),
    ("make", "made", "made"), ("meet", "met", "met"), ("put", "put", "put"), ("quit", "quit", "quit"), ("read", "read", "read"),
    ("pay", "paid", "paid"), ("ride", "rode", "ridden"), ("ring", "rang", "rung"), ("say", "said", "said"), ("run", "ran", "run"), ("see", "saw", "seen"), ("sell", "sold", "sold"), ("set", "set", "set"),
    ("shut", "shut", "shut"), ("sing", "sang", "sung"), ("speak", "spoke", "spoken"), ("spend", "spent", "spent"),
    ("swim", "swam", "swum"), ("take", "took", "taken"), ("teach", "taught", "taught"), ("throw", "threw", "thrown"),
    ("win", "won", "won"), ("write", "wrote", "written"),
];

/// Words that stand before the nouns of a phrase.
pub(super) const DETERMINERS: &[&str] = &[
    "a", "an", "the", "my", "our", "some", "this", "these", "another", "all", "several", "few", "own",
];

/// Words of which no noun phrase is made: pronouns, prepositions, auxiliaries, conjunctions, and adverbs.
pub(super) const CLOSED: &[&str] = &[
    "i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "you", "your", "yours", "he", "him", "his", "she", "her", "it",
    "its", "they", "them", "their", "this", "that", "these", "those", "who", "which", "what", "where", "when", "why", "how",
    "someone", "something", "anyone", "anything", "everyone", "everything", "nothing", "a", "an", "the", "some", "any", "each",
    "every", "all", "both", "and", "or", "but", "so", "because", "'cause", "cause", "cuz", "if", "than", "though", "although", "while",
    "since", "until", "till", "before", "after", "as", "in", "on", "at", "by", "with", "without", "for", "from", "to", "of", "about",
    "into", "onto", "over", "under", "through", "during", "between", "around", "near", "across", "along", "like", "am", "is", "are",
    "was", "were", "be", "been", "being", "have", "has", "had", "do", "does", "did", "will", "would", "can", "could", "should",
    "may", "might", "must", "not", "too", "also", "just", "really", "very", "pretty", "even", "still", "already", "now", "then",
    "here", "there", "again", "together", "coming", "lately", "recently", "currently", "nowadays", "today", "tonight", "yesterday",
    "tomorrow", "last", "next", "ago", "always", "often", "sometimes", "usually", "never", "ever", "yet", "back", "up", "down",
    "out", "off", "away", "more", "most", "much", "lot", "lots", "bit", "tons", "kinda", "well", "btw", "anymore", "it's", "that's",
    "there's", "he's", "she's", "they're", "you're", "what's", "let's", "especially", "plus", "once", "twice", "whenever", "later", "em", "'em", "ya", "u",
    "except", "such", "other", "others", "everywhere", "yourself", "themselves", "ourselves", "himself", "herself", "right", "anywhere", "somewhere", "nowhere", "home", "soon", "earlier", "outside", "inside", "everyday", "daily", "weekly", "whenever", "thanks",
];

/// Verbs after which what stood before was a subject.
pub(super) const FINITE: &[&str] = &[
    "is", "are", "was", "were", "am", "has", "have", "had", "can", "could", "will", "would", "should", "may", "might", "do", "does",
    "did", "makes", "make", "made", "helps", "help", "helped", "gives", "give", "gave", "keeps", "keep", "brings", "bring",
    "feels", "feel", "looks", "sounds", "seems", "means", "takes",
];

/// Nouns that say too little of what they name.
pub(super) const VAGUE: &[&str] = &[
    "thing", "things", "stuff", "lot", "lots", "bit", "time", "times", "way", "ways", "fun", "day", "days", "part", "parts",
    "moment", "moments", "idea", "ideas", "one", "ones", "kind", "kinds", "sort", "sorts", "type", "types", "place", "places",
    "reason", "reasons", "point", "side", "side", "sense", "feeling", "feelings", "difference", "impact", "progress", "mistake",
    "mistakes", "decision", "decisions", "choice", "choices", "chance", "chances", "opportunity", "opportunities", "effort", "money",
    "step", "steps", "memories", "memory", "connection", "connections", "experience", "experiences", "change", "changes",
    "blast", "deal", "sure", "people", "person", "guy", "guys", "man", "friend", "friends", "couple", "week", "weeks", "weekend", "month",
    "months", "year", "years", "morning", "evening", "night", "afternoon", "hour", "hours", "minute", "minutes", "couple",
    "advice", "support", "help", "words", "word", "vibe", "vibes", "energy", "look", "looks", "news", "update", "updates", "photo",
    "photos", "pic", "pics", "picture", "pictures", "shot", "view", "life", "world", "love", "everything", "something", "break",
    "new", "good", "great", "amazing", "awesome", "nice", "cool", "best", "better", "different", "same", "first", "fine", "okay", "ok", "alright", "research", "homework", "work", "stuff",
    "attitude", "conversation", "chat", "talk", "level", "journey", "adventure", "adventures", "rest", "care", "advantage",
    "goal", "goals", "dream", "dreams", "challenge", "challenges", "incident", "sound", "result", "results", "effect", "end",
    "beginning", "top", "bottom", "middle", "half", "number", "amount", "plenty", "hand", "risk", "risks", "heart", "mind", "eye", "eyes",
    "sec", "second", "ton", "addition", "offer", "offers", "promotion", "promotions", "others", "wishes", "wish", "question", "questions", "answer", "answers", "problem", "problems", "issue", "issues", "spot", "spots", "situation", "trouble", "mood",
];

/// Courses and lessons.
pub(super) const CLASSES: &[&str] = &[
    "class", "classes", "course", "courses", "lesson", "lessons", "workshop", "workshops", "training", "seminar", "retreat",
    "tour", "cruise", "hike", "exam", "exams", "test",
];

/// Occasions for which people gather.
pub(super) const GATHERINGS: &[&str] = &[
    "party", "barbecue", "bbq", "picnic", "dinner", "brunch", "lunch", "wedding", "reunion", "concert", "gig", "audition", "interview",
    "photoshoot", "workshop", "recital", "performance", "exhibition", "fundraiser", "tournament", "match", "race", "competition",
    "marathon", "half-marathon", "5k", "10k", "triathlon", "talk", "speech", "presentation", "lecture", "game", "recording", "date", "meeting", "ceremony", "sleepover", "playdate", "celebration", "festival", "meetup", "appointment", "surgery", "checkup", "accident",
];

/// Answers that affirm.
pub(super) const YES: &[&str] = &["yes", "yeah", "yep", "yup", "absolutely", "definitely", "totally", "indeed"];

/// Verbs of wishes and plans.
pub(super) const TO_COME: &[&str] = &[
    "open", "opening", "start", "starting", "launch", "launching", "buy", "buying", "want", "wanting", "wanted", "wanna", "get",
    "getting", "need", "looking", "dream", "dreaming", "dreamed", "building", "sell", "sold", "selling", "hope", "hoping", "wish",
    "find", "finding", "without", "lost", "plan", "planning", "would", "could", "future", "imagine", "searching", "donated", "gave", "ideal", "perfect", "hunt",
];

/// Verbs that at the beginning of a sentence are said to the listener.
pub(super) const ORDERS: &[&str] = &[
    "enjoy", "take", "keep", "make", "try", "start", "join", "get", "go", "read", "watch", "see", "find", "visit", "play", "learn",
    "teach", "write", "spend", "practice", "do", "draw", "finish", "bake", "cook", "begin", "build", "work", "train", "prepare",
];

/// Words with which a question begins.
pub(super) const QUESTIONS: &[&str] = &[
    "do", "does", "did", "are", "is", "was", "were", "have", "has", "had", "can", "could", "will", "would", "should", "what",
    "what's", "where", "where's", "who", "who's", "which", "when", "why", "how", "how's", "any", "is", "isn't", "ever", "got", "don't",
    "not", "know",
];

/// People who love the thing named before.
pub(super) const FANS: &[&str] = &[
    "fan", "lover", "enthusiast", "buff", "addict", "nerd", "geek", "junkie", "fanatic", "aficionado", "collector", "person", "guy",
    "girl",
];

/// Things won or given for merit.
pub(super) const AWARDS: &[&str] = &[
    "award", "awards", "scholarship", "medal", "trophy", "prize", "championship", "title", "certificate", "grant", "cup", "competition",
    "contest", "tournament", "promotion",
];

/// Degrees.
pub(super) const DEGREES: &[&str] = &[
    "degree", "bachelor", "bachelor's", "master", "master's", "masters", "phd", "doctorate", "mba", "diploma", "certification",
    "certificate", "license", "licence",
];

/// Things that one passes or fails.
pub(super) const EXAMS: &[&str] = &["exam", "exams", "test", "tests", "course", "finals", "final", "audition", "interview", "inspection"];

/// Parts of the body.
pub(super) const BODY: &[&str] = &[
    "ankle", "arm", "back", "elbow", "finger", "foot", "hand", "head", "hip", "knee", "leg", "neck", "nose", "rib", "shoulder", "thumb",
    "toe", "tooth", "wrist",
];

/// Fields of work.
pub(super) const FIELDS: &[&str] = &[
    "accounting", "advertising", "agriculture", "banking", "construction", "consulting", "design", "education", "engineering",
    "fashion", "finance", "healthcare", "hospitality", "hr", "insurance", "it", "journalism", "law", "logistics", "marketing", "media",
    "medicine", "nursing", "pharma", "publishing", "radio", "research", "retail", "sales", "tech", "tourism",
];

/// Travels.
pub(super) const TRIPS: &[&str] = &[
    "trip", "vacation", "holiday", "tour", "cruise", "journey", "getaway", "honeymoon", "pilgrimage", "excursion", "flight",
];

/// Kinds of employment.
pub(super) const CONTRACTS: &[&str] = &[
    "deal", "contract", "sponsorship", "endorsement", "internship", "gig", "position", "role", "job", "offer", "apprenticeship",
];

/// Groups that have members.
pub(super) const CLUBS: &[&str] = &[
    "team", "club", "group", "forum", "band", "choir", "orchestra", "league", "program", "programme", "committee", "council", "board",
    "association", "society", "union", "squad", "crew", "gym", "church",
];
