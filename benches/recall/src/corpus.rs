//! Memories and labelled questions about them, as every data set is brought to.

use counterfoil_types::UnixMillis;

/// The memories of one store, with questions about them.
pub struct Corpus {
    /// Its name in the data set.
    pub name: String,
    /// Its memories, in order.
    pub turns: Vec<Turn>,
    /// Its questions.
    pub questions: Vec<Question>,
}

/// One memory: a turn of a conversation.
pub struct Turn {
    /// Name of its conversation.
    pub conversation: String,
    /// Name of its session.
    pub session: String,
    /// Place in its session, from 0.
    pub position: usize,
    /// The data set's own id.
    pub id: String,
    /// Speaker.
    pub speaker: String,
    /// Text.
    pub text: String,
    /// Description of an image that was shared with it.
    pub caption: Option<String>,
    /// Its time, as the data set writes it.
    pub time: String,
    /// The same time, read as UTC.
    pub created_at: UnixMillis,
}

/// One question.
pub struct Question {
    /// The question.
    pub text: String,
    /// Language of the question and of what answers it.
    pub language: String,
    /// Kind or category in the data set.
    pub kind: String,
    /// Places of the memories that answer it. An unanswerable question of LoCoMo has turns that it was made from.
    pub evidence: Vec<usize>,
    /// True if a memory answers it.
    pub answerable: bool,
}
