//! Facts of the bundled record that change: what is believed at the end, and of the time before.

use std::path::Path;

use anyhow::Result;
use counterfoil::blocking::Memory;
use counterfoil::{BeliefQuery, ExtractOptions, ImportOptions};
use counterfoil_claims::time::Boundary;

use crate::turns::share;

/// A fact that changes: subject, predicate, earlier value with a time of it, and the value at the end of the record.
type Changing = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

/// Each fact of `samples/questions.jsonl` that changes, asked for under the name that a rule gives it.
const CHANGING: [Changing; 11] = [
    ("Priya", "lives_in", "Leeds", "2025-03-20", "Porto"),
    (
        "strong white supplier",
        "is",
        "Stowe Mill",
        "2025-03-01",
        "Bryn Mill",
    ),
    ("Delivery", "is", "12 May", "2025-04-15", "19 May"),
    ("Boris", "is", "80 %", "2025-03-01", "75 % hydration"),
    ("meeting", "is", "18 March", "2025-03-10", "26 March"),
    ("Kestrel", "price", "£14,850", "2025-03-01", "£16,320"),
    ("Nadia", "opens_on", "Sundays", "2025-05-01", "closed"),
    (
        "venue",
        "is",
        "Orchard Barn",
        "2025-03-01",
        "Pensford Memorial Hall",
    ),
    ("Joss", "starts_at", "04:30", "2025-03-03", "05:00"),
    ("Severn", "price", "£4.60", "2025-05-15", "£4.80"),
    ("Aldous Finch", "asks", "£18,500", "2025-03-10", "£16,200"),
];
/// Last day of the record.
const END: &str = "2025-06-30";

/// Imports the record, extracts, and asks.
pub(crate) fn measure() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let memory = Memory::create(folder.path().join("memory"))?;
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/record.jsonl");
    memory.import(&record, ImportOptions::default())?;
    memory.extract(None, &ExtractOptions::default())?;
    let (mut now, mut before, mut read) = (0, 0, 0);
    println!("\nFacts of the bundled record that change    now    before");
    for (subject, predicate, earlier, time, current) in CHANGING {
        let believed = |at: &str| {
            let at = Some(Boundary::parse(at)?.begin());
            let query = BeliefQuery {
                at,
                ..BeliefQuery::default()
            };
            let belief = memory.believe(subject, predicate, &query)?;
            let value = belief.primary().map(|value| value.to_json());
            let value = value.and_then(|value| value.as_str().map(str::to_owned));
            Ok::<_, anyhow::Error>(value)
        };
        let (at_end, at_time) = (believed(END)?, believed(time)?);
        read += usize::from(at_end.is_some() || at_time.is_some());
        let (is_now, was) = (
            at_end.as_deref() == Some(current),
            at_time.as_deref() == Some(earlier),
        );
        now += usize::from(is_now);
        before += usize::from(was);
        let mark = |right: bool| if right { "right" } else { "-" };
        println!(
            "{:<40}  {:<5}  {}",
            format!("{subject} {predicate}"),
            mark(is_now),
            mark(was)
        );
    }
    let all = CHANGING.len();
    println!(
        "of all {all}: now {}, before {}",
        share(now, all),
        share(before, all)
    );
    println!(
        "of the {read} that the rules read: now {}, before {}",
        share(now, read),
        share(before, read)
    );
    Ok(())
}
