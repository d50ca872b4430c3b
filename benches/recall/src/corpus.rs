//! Memories and labelled questions about them, as every data set is brought to.

use std::collections::BTreeMap;

use counterfoil_types::UnixMillis;

/// The memories of one store, with questions about them.
#[derive(Clone)]
pub struct Corpus {
    /// Its name in the data set.
    pub name: String,
    /// Its memories, in order.
    pub turns: Vec<Turn>,
    /// Its questions.
    pub questions: Vec<Question>,
}

/// One memory: a turn of a conversation.
#[derive(Clone)]
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
#[derive(Clone)]
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

impl Corpus {
    /// Every `of`th session, the first after `from`, with all questions: most of them have lost what answers them.
    #[must_use]
    pub fn thinned(&self, of: usize, from: usize) -> Self {
        let mut sessions: Vec<(&str, &str)> = Vec::new();
        let mut kept = BTreeMap::new();
        let mut turns = Vec::new();
        for (place, turn) in self.turns.iter().enumerate() {
            let session = (turn.conversation.as_str(), turn.session.as_str());
            if sessions.last() != Some(&session) {
                sessions.push(session);
            }
            if sessions.len() % of == from {
                kept.insert(place, turns.len());
                turns.push(turn.clone());
            }
        }
        let mut questions = self.questions.clone();
        for question in &mut questions {
            let evidence = question.evidence.iter();
            question.evidence = evidence
                .filter_map(|place| kept.get(place).copied())
                .collect();
            question.answerable &= !question.evidence.is_empty();
        }
        Self {
            name: format!("{}, thinned", self.name),
            turns,
            questions,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thinned_corpus_knows_which_questions_have_lost_their_answer() {
        let corpus = crate::labelled::load().unwrap();
        let thinned = corpus.thinned(3, 1);
        assert!(thinned.turns.len() * 2 < corpus.turns.len());
        let pairs = corpus.questions.iter().zip(&thinned.questions);
        let (mut lost, mut kept) = (0, 0);
        for (whole, part) in pairs {
            assert_eq!(whole.text, part.text);
            let texts = |corpus: &Corpus, question: &Question| -> Vec<String> {
                let places = question.evidence.iter();
                places
                    .map(|place| corpus.turns[*place].text.clone())
                    .collect()
            };
            let whole_texts = texts(&corpus, whole);
            assert!(
                texts(&thinned, part)
                    .iter()
                    .all(|text| whole_texts.contains(text))
            );
            kept += usize::from(part.answerable);
            lost += usize::from(whole.answerable && !part.answerable);
        }
        assert!(lost > 50 && kept > 20, "{lost} lost, {kept} kept");
    }
}
