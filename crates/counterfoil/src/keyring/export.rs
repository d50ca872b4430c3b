//! The public history of the agent's keys, one capsule a line, for whoever checks what it signs.

use counterfoil_capsule::{CapsuleDocument, SaltedBody};
use counterfoil_store::{Body, StoredCapsule};

use crate::error::Error;
use crate::memory::Memory;
use crate::rotation::chain_of;

impl Memory {
    /// The public history of the agent's keys, one capsule a line, and the number of lines.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when the agent has committed to no next key.
    pub async fn export_keys(&self) -> Result<(String, usize), Error> {
        let chain = chain_of(self.reader()?.as_ref(), self.home().agent_public()?).await?;
        Ok((
            chain.records.iter().map(line).collect(),
            chain.records.len(),
        ))
    }
}

/// A capsule as it travels, on one line.
fn line(record: &StoredCapsule) -> String {
    let body = |body: &Body| SaltedBody {
        text: body.text.clone(),
        salt: body.salt,
    };
    let document = CapsuleDocument::new(
        record.header.clone(),
        record.signature,
        (record.entry.field_root(), record.entry.field_count()),
        record.payload.as_ref().map(body),
        record.delta.as_ref().map(body),
    );
    format!("{}\n", document.to_text())
}
