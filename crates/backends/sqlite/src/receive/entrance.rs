//! The entrance: lines of exported capsules, some hundred in one transaction.

use counterfoil_store::StoreError;
use counterfoil_types::DidKey;

use super::batch::{ExportLine, ReceiveReport};
use super::receiver::{ReceiveContext, Receiver};
use crate::SqliteStore;

impl SqliteStore {
    /// Takes capsules that were sealed elsewhere, in one transaction. `detector` is who notices
    /// contradictions; `source` names where they come from.
    ///
    /// The answer says what became of each. To take the same lines again changes nothing.
    ///
    /// # Errors
    /// When the store cannot be written. A bad line is no error.
    pub async fn import_capsules(
        &self,
        detector: DidKey,
        source: &str,
        lines: Vec<ExportLine>,
    ) -> Result<ReceiveReport, StoreError> {
        let receiving = ReceiveContext::from(detector, source);
        self.unit(move |unit| {
            let mut receiver = Receiver::new(unit, receiving)?;
            for line in &lines {
                receiver.take(line)?;
            }
            Ok(receiver.finish())
        })
        .await
    }

    /// Judges again what waits, where that may come out otherwise by now. To be repeated while the
    /// answer says that there is more.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn settle(
        &self,
        detector: DidKey,
        source: &str,
    ) -> Result<ReceiveReport, StoreError> {
        let receiving = ReceiveContext::from(detector, source);
        self.unit(move |unit| {
            let mut receiver = Receiver::new(unit, receiving)?;
            receiver.settle()?;
            Ok(receiver.finish())
        })
        .await
    }
}
