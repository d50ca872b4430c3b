//! Words of dates, and contractions.

/// Numbers in words.
pub const NUMBERS: &[&str] = &[
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

/// Months, in the order of the year.
pub const MONTHS: [&str; 12] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
];

/// Days of the week, from Monday.
pub const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Days of a month in words.
pub(crate) const ORDINALS: &[&str] = &[
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth",
];

/// Words after "since" that begin a time which is not exact.
pub(crate) const SOME_TIME: &[&str] = &["i", "we", "my", "childhood", "then", "high", "college", "school", "day"];

/// Contractions and their words.
pub(crate) const CONTRACTIONS: &[(&str, &str)] = &[
    ("i'm", "i am"), ("im", "i am"), ("i've", "i have"), ("we're", "we are"), ("we've", "we have"),
    ("i'd", "i would"), ("i'll", "i will"), ("we'd", "we would"), ("we'll", "we will"), ("he'd", "he would"),
    ("she'd", "she would"), ("he's", "he is"), ("she's", "she is"), ("there's", "there is"), ("you'd", "you would"), ("you'll", "you will"), ("he'll", "he will"), ("she'll", "she will"), ("it'd", "it would"),
    ("it'll", "it will"), ("they'd", "they would"), ("they'll", "they will"), ("don't", "do not"),
    ("doesn't", "does not"), ("didn't", "did not"), ("isn't", "is not"), ("aren't", "are not"),
    ("wasn't", "was not"), ("weren't", "were not"), ("haven't", "have not"), ("hasn't", "has not"),
    ("won't", "will not"), ("can't", "can not"), ("couldn't", "could not"), ("wouldn't", "would not"),
];

/// Seasons of the year.
pub const SEASONS: [&str; 5] = ["spring", "summer", "autumn", "fall", "winter"];
