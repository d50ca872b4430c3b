//! Rebuilding: derived state is thrown away and made again from the capsules; it must come out the
//! same.

use serde::Serialize;

use crate::error::Error;
use crate::memory::Memory;
use crate::report::Report;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Made {
    worlds: u64,
    before: Option<String>,
    after: String,
    identical: bool,
}

impl Memory {
    /// Throws derived state away and makes it again from the capsules.
    ///
    /// # Errors
    /// The store cannot be written.
    pub async fn rebuild(&self) -> Result<Report, Error> {
        let rebuilt = self.writer()?.rebuild().await?;
        Report::new(&Made {
            worlds: rebuilt.worlds,
            identical: rebuilt.before == Some(rebuilt.after),
            before: rebuilt.before.map(|digest| digest.to_string()),
            after: rebuilt.after.to_string(),
        })
    }
}
