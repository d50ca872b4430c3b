//! Laws and examples of conversation: the two mappings of the notes, what is no message, and that what is said is heard.

mod everyday;
mod examples;
mod hostile;
mod laws;
