//! Precision, recall and dates on labelled turns. Nothing of a turn's text is printed.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use counterfoil_bench_recall::corpus::Corpus;
use counterfoil_bench_recall::locomo;
use counterfoil_claims::ports::{ClaimProposal, Passage};
use counterfoil_extract::RuleExtractor;
use counterfoil_types::WorldId;

use crate::CONVERSATIONS;
use crate::labels::{self, Label};

/// Turns of a conversation that are labelled: its first.
const LABELLED: usize = 300;

#[derive(Default)]
struct Score {
    proposals: usize,
    right: usize,
    facts: usize,
    found: usize,
    /// Proposals of labelled facts; those whose date is right; the same of those whose turn gives a date.
    matched: usize,
    dates_right: usize,
    dated: usize,
    dated_right: usize,
}

pub(crate) fn measure(file: &Path, show: bool) -> Result<()> {
    let conversations = locomo::load(file)?;
    println!("Rules on the first {LABELLED} turns of each conversation");
    println!(
        "                     facts  recall  proposals  precision  dates right  where the turn has a date"
    );
    let mut tuned = Score::default();
    for (place, (name, text)) in CONVERSATIONS.into_iter().enumerate() {
        let found = conversations.iter().find(|one| one.name == name);
        let found = found.with_context(|| format!("{name} is not in the data"))?;
        let score = score(found, &labels::read(text)?, show)?;
        let held_out = place + 1 == CONVERSATIONS.len();
        score.print(&format!(
            "{name}{}",
            if held_out { " held out" } else { "" }
        ));
        if !held_out {
            tuned.add(&score);
        }
    }
    tuned.print("the first two");
    Ok(())
}

fn score(conversation: &Corpus, labels: &[Label], show: bool) -> Result<Score> {
    let rules = RuleExtractor::default();
    let name = conversation.name.as_str();
    let mut score = Score::default();
    let mut before: Option<(&str, Passage)> = None;
    // Labels of what each speaker has said so far.
    let mut told: BTreeMap<&str, Vec<&Label>> = BTreeMap::new();
    for turn in conversation.turns.iter().take(LABELLED) {
        let id = turn.id.strip_prefix('D').unwrap_or(&turn.id);
        let own: Vec<&Label> = labels.iter().filter(|label| label.turn == id).collect();
        let passage = Passage {
            world: WorldId::new("world-bench")?,
            speaker: Some(turn.speaker.clone()),
            text: turn.text.clone(),
            said_at_us: i64::try_from(turn.created_at.value())?.saturating_mul(1000),
        };
        let follows = before.filter(|(session, _)| *session == turn.session);
        let follows = follows.map(|(_, passage)| passage);
        let proposals = rules.extract_after(follows.as_ref(), &passage)?;
        let told = told.entry(turn.speaker.as_str()).or_default();
        score.turn(name, id, (&own, told), &proposals, show);
        told.extend(own);
        before = Some((turn.session.as_str(), passage));
    }
    Ok(score)
}

impl Score {
    fn turn(
        &mut self,
        name: &str,
        id: &str,
        (labels, told): (&[&Label], &[&Label]),
        proposals: &[ClaimProposal],
        show: bool,
    ) {
        for proposal in proposals {
            self.proposals += 1;
            let label = labels.iter().find(|label| label.is_met(name, proposal));
            let Some(label) = label else {
                // What the speaker has said before is a repetition.
                if told.iter().any(|label| label.is_met(name, proposal)) {
                    self.right += 1;
                } else if show {
                    println!("  wrong  {name} {id} {}", proposal.predicate);
                }
                continue;
            };
            self.right += 1;
            self.matched += 1;
            let (is_right, is_dated) = label.is_dated_right(proposal);
            self.dates_right += usize::from(is_right);
            self.dated += usize::from(is_dated);
            self.dated_right += usize::from(is_right && is_dated);
            if show && !is_right {
                println!("  date   {name} {id} {}", proposal.predicate);
            }
        }
        for label in labels.iter().filter(|label| !label.is_optional) {
            self.facts += 1;
            let met = |proposal: &ClaimProposal| label.is_met(name, proposal);
            let found = proposals.iter().any(met);
            self.found += usize::from(found);
            if show && !found {
                println!("  missed {name} {id} {}", label.class());
            }
        }
    }

    const fn add(&mut self, other: &Self) {
        self.proposals += other.proposals;
        self.right += other.right;
        self.facts += other.facts;
        self.found += other.found;
        self.matched += other.matched;
        self.dates_right += other.dates_right;
        self.dated += other.dated;
        self.dated_right += other.dated_right;
    }

    fn print(&self, name: &str) {
        println!(
            "{name:<19}  {:>5}  {:>6}  {:>9}  {:>9}  {:>11}  {} of {}",
            self.facts,
            share(self.found, self.facts),
            self.proposals,
            share(self.right, self.proposals),
            share(self.dates_right, self.matched),
            self.dated_right,
            self.dated,
        );
    }
}

/// Share with two decimals.
pub(crate) fn share(part: usize, whole: usize) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    let percent = part.saturating_mul(1000) / whole;
    format!(".{percent:03}").replace(".1000", "1.00")
}
