//! Lets a record of keys in only where it extends its agent's key chain (capsules 4.7, B23-B25).

use counterfoil_capsule::keys::{KeyDocument, KeyError, KeyHistory};
use counterfoil_capsule::{Header, Kind, RecordKind};
use counterfoil_types::json::Value;

use super::AppendTxn;
use crate::{StoreError, Subject};

/// Returns whether the subject may change the key that signs.
pub(super) const fn is_about_keys(subject: &Subject) -> bool {
    match subject {
        Subject::Record { kind, .. } => is_of_keys(*kind),
        Subject::World(_) | Subject::Claim(_) => false,
    }
}

/// That only records of keys follow records of keys: anything else would end the key chain for good.
pub(super) fn may_follow(before: &Header, subject: &Subject) -> Result<(), StoreError> {
    let of_keys = match before.kind() {
        Kind::Record(kind) => is_of_keys(kind),
        _ => false,
    };
    match of_keys && !is_about_keys(subject) {
        true => Err(StoreError::KeyChain {
            agent: before.agent(),
            source: KeyError::Chain,
        }),
        false => Ok(()),
    }
}

const fn is_of_keys(kind: RecordKind) -> bool {
    matches!(
        kind,
        RecordKind::KeyInception | RecordKind::KeyRotation | RecordKind::KeyCompromise
    )
}

/// That the record of this header may stand in the key chain of its agent, if that is where records
/// of its kind stand.
pub(super) fn extends_the_key_chain(
    txn: &mut dyn AppendTxn,
    header: &Header,
    kind: RecordKind,
    document: &Value,
) -> Result<(), StoreError> {
    let Some(document) = KeyDocument::parse(kind, document) else {
        return Ok(());
    };
    let document = document.map_err(|error| StoreError::Seal {
        subject: format!("{kind} record"),
        source: error,
    })?;
    let agent = header.agent();
    match extended(txn.key_history(&agent)?, header, &document) {
        Ok(_) => Ok(()),
        Err(source) => Err(StoreError::KeyChain { agent, source }),
    }
}

/// A key chain with the record of this header at its end; `None` is one that begins with it.
pub(crate) fn extended(
    history: Option<KeyHistory>,
    header: &Header,
    document: &KeyDocument,
) -> Result<KeyHistory, KeyError> {
    match (history, document) {
        (None, KeyDocument::Inception(inception)) => KeyHistory::begin(header, inception),
        (None, _) => Err(KeyError::Inception),
        (Some(mut history), document) => {
            history.extend(header, document)?;
            Ok(history)
        }
    }
}
