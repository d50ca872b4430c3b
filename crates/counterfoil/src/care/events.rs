//! Events: the contradictions that were seen here (capsules 4.8, C11).

use counterfoil_capsule::documents::ContradictionKind;
use counterfoil_sqlite::EventRow;
use serde::Serialize;
use serde_json::Value;

use crate::error::Error;
use crate::memory::Memory;
use crate::report::Report;

#[derive(Serialize)]
struct Listed {
    events: Vec<Shown>,
}

#[derive(Serialize)]
struct Shown {
    number: u64,
    count: u64,
    #[serde(flatten)]
    document: Value,
}

impl From<EventRow> for Shown {
    fn from(event: EventRow) -> Self {
        Self {
            number: event.number,
            count: event.count,
            document: event.document,
        }
    }
}

impl Memory {
    /// Contradictions that were seen here, after the one of this number: forgeries, forks, broken chains. The
    /// detail `lines` has each event as JSON on one line.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn events(
        &self,
        kind: Option<ContradictionKind>,
        after: u64,
    ) -> Result<Report, Error> {
        let store = self.reader()?;
        let mut after = after;
        let mut events: Vec<Shown> = Vec::new();
        loop {
            let more = store.events(after, kind).await?;
            let Some(last) = more.last() else { break };
            after = last.number;
            events.extend(more.into_iter().map(Shown::from));
        }
        let lines = events.iter().map(serde_json::to_string);
        let lines: Vec<_> = lines
            .collect::<Result<_, _>>()
            .map_err(|_| Error::bug("an event that is no JSON"))?;
        Ok(Report::new(&Listed { events })?.with("lines", lines))
    }
}
