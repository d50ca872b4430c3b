//! `trust`: documents about other agents that the agent signed or accepted (docs/format/trust.md §1).

use alloc::vec::Vec;

use counterfoil_types::document::{Fault, List, Text};
use counterfoil_types::json::{Limits, Value, parse};
use serde::{Deserialize, Serialize};

use crate::document::Document;
use crate::error::CapsuleError;
use crate::record::RecordKind;
use crate::timestamp::Timestamp;

/// Limit on the bytes of one document.
const MAX_BYTES: usize = 1 << 16;
/// Limit on the documents of one record: as many as a content holds, whatever JSON escapes in them.
const MAX_DOCUMENTS: usize = 7;

/// Documents about other agents that count for the agent from this record on.
///
/// ```json
/// {"type":"trust","version":"1","documents":[{"document":"{…}","received":"2026-02-10T00:00:00.123456Z"}]}
/// ```
/// `received` is absent but for documents that were received before records of them existed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustRecord {
    documents: List<Received, 1, MAX_DOCUMENTS>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Received {
    document: Text<MAX_BYTES>,
    #[serde(skip_serializing_if = "Option::is_none")]
    received: Option<Timestamp>,
}

impl Document for TrustRecord {
    const TYPE: &'static str = RecordKind::Trust.name();
}

impl TrustRecord {
    /// Makes as many records of the documents as they need, in their order. A document that was received before its record is
    /// sealed has a time, in microseconds since 1970.
    ///
    /// # Errors
    /// [`CapsuleError`] for a document that is no text of 1 to 65,536 bytes, or a time that is none.
    pub fn of(documents: &[(&[u8], Option<u64>)]) -> Result<Vec<Self>, CapsuleError> {
        let received = documents.iter().map(|(bytes, received)| {
            let text = core::str::from_utf8(bytes).unwrap_or_default();
            let must = |_| CapsuleError::document(Self::TYPE, Fault::new("/documents", "texts"));
            Ok(Received {
                document: Text::new(text).map_err(must)?,
                received: received.map(Timestamp::from_micros).transpose()?,
            })
        });
        let received = received.collect::<Result<Vec<_>, CapsuleError>>()?;
        let records = received.chunks(MAX_DOCUMENTS);
        let records = records.filter_map(|documents| List::new(documents.to_vec()));
        Ok(records.map(|documents| Self { documents }).collect())
    }

    /// Returns true if all its documents say which names are one subject: no other agent needs them, and no proof holds them.
    pub fn is_of_names(&self) -> bool {
        self.documents.iter().all(|it| {
            let document = parse(it.document.as_str().as_bytes(), Limits::CONTENT).ok();
            document.is_some_and(|it| it.get("type").and_then(Value::as_str) == Some("alias"))
        })
    }

    /// Returns the documents, each with the time of its receipt if it was received before the record was sealed.
    pub fn documents(&self) -> impl DoubleEndedIterator<Item = (&[u8], Option<Timestamp>)> {
        let documents = self.documents.iter();
        documents.map(|it| (it.document.as_str().as_bytes(), it.received))
    }
}

#[cfg(test)]
mod tests {
    use counterfoil_types::json;
    use serde_json::json;

    use super::*;
    use crate::document::tests::is_closed;

    #[test]
    fn a_record_comes_back_as_it_was_written_and_nothing_else_does() {
        let largest = [b'\\'; MAX_BYTES];
        let good = TrustRecord::of(&[(&largest[..], Some(1)); 8]).unwrap();
        let sizes: Vec<_> = good.iter().map(|it| it.documents().count()).collect();
        assert_eq!(sizes, [7, 1]);
        assert!(json::canonical(&good[0].to_value()).unwrap().len() < 1 << 20);
        let wrong = [
            ("/documents", json!([])),
            ("/documents/0/document", json!({})),
            ("/documents/0/received", json!(1)),
            ("/documents/0/more", json!(1)),
            ("/more", json!(1)),
            ("/type", json!("distrust")),
            ("/version", json!("2")),
        ];
        is_closed(&good, &wrong);
        for wrong in [&b"\xff"[..], b"", &[b'x'; MAX_BYTES + 1]] {
            assert!(TrustRecord::of(&[(wrong, None)]).is_err());
        }
    }
}
