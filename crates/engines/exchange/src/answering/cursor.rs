//! Cursors: where an answer ended, bound to asker, question and expiry (R22; case 82).

use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use counterfoil_types::json::{Value, canonical};

use super::{Asker, Refusal};
use crate::documents::{Query, Text};

/// What the bytes under the code begin with.
const CONTEXT: &[u8] = b"counterfoil/exchange/v1 cursor\n";
/// Offset, size of the log, expiry, code.
const BYTES: usize = 4 + 8 + 8 + 32;

/// The responder's secret for cursors.
#[derive(Clone)]
pub struct CursorKey(pub(crate) [u8; 32]);

/// Where an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Page {
    /// How many memories were handed out before.
    pub offset: u32,
    /// At which size of the log it was asked first: what came later is not on later pages.
    pub log_size: u64,
}

impl CursorKey {
    /// A secret of 32 random bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Writes a cursor that expires at `expires_us`: page and expiry, and the keyed BLAKE3 hash of both with asker and question.
    #[must_use]
    pub fn write(
        &self,
        page: Page,
        asker: Asker,
        query: &Query,
        expires_us: u64,
    ) -> Option<Text<1024>> {
        let mut bytes = Vec::with_capacity(BYTES);
        bytes.extend(page.offset.to_be_bytes());
        bytes.extend(page.log_size.to_be_bytes());
        bytes.extend(expires_us.to_be_bytes());
        let code = self.code(&bytes, asker, query);
        bytes.extend(code.as_bytes());
        Text::new(URL_SAFE_NO_PAD.encode(bytes)).ok()
    }

    /// Reads one of its own, until the instant at which it expires.
    ///
    /// # Errors
    /// [`Refusal::BadCursor`].
    pub fn read(
        &self,
        cursor: &Text<1024>,
        asker: Asker,
        query: &Query,
        now_us: u64,
    ) -> Result<Page, Refusal> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor.as_str()).ok();
        let bytes: [u8; BYTES] = bytes
            .and_then(|bytes| bytes.try_into().ok())
            .ok_or(Refusal::BadCursor)?;
        let (said, code) = bytes.split_first_chunk::<20>().ok_or(Refusal::BadCursor)?;
        let code = <[u8; 32]>::try_from(code).map_err(|_| Refusal::BadCursor)?;
        // Compared in constant time.
        if self.code(said, asker, query) != blake3::Hash::from_bytes(code) {
            return Err(Refusal::BadCursor);
        }
        let [
            o0,
            o1,
            o2,
            o3,
            s0,
            s1,
            s2,
            s3,
            s4,
            s5,
            s6,
            s7,
            e0,
            e1,
            e2,
            e3,
            e4,
            e5,
            e6,
            e7,
        ] = *said;
        if now_us > u64::from_be_bytes([e0, e1, e2, e3, e4, e5, e6, e7]) {
            return Err(Refusal::BadCursor);
        }
        Ok(Page {
            offset: u32::from_be_bytes([o0, o1, o2, o3]),
            log_size: u64::from_be_bytes([s0, s1, s2, s3, s4, s5, s6, s7]),
        })
    }

    fn code(&self, said: &[u8], asker: Asker, query: &Query) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(CONTEXT);
        hasher.update(said);
        hasher.update(question(asker, query).as_bytes());
        hasher.finalize()
    }
}

/// Asker and question as canonical JSON: two differ iff these do.
fn question(asker: Asker, query: &Query) -> alloc::string::String {
    let text = |text: &str| Value::from(text);
    let time = |at: Option<counterfoil_capsule::Timestamp>| {
        // As text: a number may be too large for JSON.
        at.map_or(Value::Null, |at| {
            Value::from(alloc::format!("{}", at.micros()))
        })
    };
    let asker = match asker {
        Asker::Anonymous => Value::Null,
        Asker::Key(key) => Value::from(alloc::format!("{key}")),
    };
    let range = query.time_range.map_or(Value::Null, |range| {
        Value::Array([time(range.from), time(range.until)].into())
    });
    let filters = [
        query
            .filters
            .min_trust_level
            .map_or(Value::Null, Value::from),
        query.filters.require_evidence.into(),
        query.filters.require_vouches.into(),
    ];
    let all = Value::Array(Vec::from([
        asker,
        text(query.natural.as_str()),
        query
            .domain
            .as_ref()
            .map_or(Value::Null, |domain| text(domain.as_str())),
        Value::Array(
            query
                .keywords
                .iter()
                .map(|word| text(word.as_str()))
                .collect(),
        ),
        range,
        Value::Array(filters.into()),
    ]));
    canonical(&all).unwrap_or_default()
}

/// The secret stays out of log lines.
impl core::fmt::Debug for CursorKey {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("CursorKey")
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};

    use counterfoil_capsule::{AgentSigner, SecretKey, Signer, Timestamp};
    use proptest::prelude::*;

    use super::*;
    use crate::documents::{Filters, TimeWindow};

    const EXPIRES: u64 = 1_000_000;

    fn query(natural: &str) -> Query {
        Query {
            natural: Text::new(natural).unwrap(),
            domain: None,
            keywords: Vec::new(),
            time_range: None,
            filters: Filters::default(),
        }
    }

    fn asker(seed: u8) -> Asker {
        Asker::Key(AgentSigner::new(SecretKey::from_seed([seed; 32])).agent())
    }

    fn key() -> CursorKey {
        CursorKey::from_bytes([7; 32])
    }

    const PAGE: Page = Page {
        offset: 5,
        log_size: u64::MAX,
    };

    fn written() -> Text<1024> {
        key().write(PAGE, asker(1), &query("tea"), EXPIRES).unwrap()
    }

    #[test]
    fn a_cursor_is_read_by_whom_it_was_written_for_until_it_expires() {
        for now in [0, EXPIRES] {
            assert_eq!(
                key().read(&written(), asker(1), &query("tea"), now),
                Ok(PAGE)
            );
        }
    }

    /// Adversarial case F82: of another requester, of another question, expired, under another secret.
    #[test]
    fn a_cursor_is_of_one_asker_and_one_question_and_expires() {
        let read =
            |key: &CursorKey, asker, query: &Query, now| key.read(&written(), asker, query, now);
        let tea = query("tea");
        let other = [
            query("Tea"),
            Query {
                keywords: [Text::new("tea").unwrap()].into(),
                ..query("tea")
            },
            Query {
                domain: Some("tea".parse().unwrap()),
                ..query("tea")
            },
            Query {
                filters: Filters {
                    require_vouches: true,
                    ..Filters::default()
                },
                ..query("tea")
            },
            Query {
                time_range: Some(TimeWindow {
                    from: Timestamp::from_micros(1_700_000_000_000_000).ok(),
                    until: None,
                }),
                ..query("tea")
            },
        ];
        for query in &other {
            assert_eq!(read(&key(), asker(1), query, 0), Err(Refusal::BadCursor));
        }
        for (key, asker, now) in [
            (key(), asker(2), 0),
            (key(), Asker::Anonymous, 0),
            (key(), asker(1), EXPIRES + 1),
            (CursorKey::from_bytes([8; 32]), asker(1), 0),
        ] {
            assert_eq!(read(&key, asker, &tea, now), Err(Refusal::BadCursor));
        }
    }

    proptest! {
        /// Adversarial case F82: edited, wherever and however.
        #[test]
        fn an_edited_cursor_is_refused(at in any::<prop::sample::Index>(), letter in "[A-Za-z0-9_=+/ -]") {
            let sound = written().to_string();
            let at = at.index(sound.len());
            let edited: String = sound.char_indices()
                .map(|(place, old)| if place == at { letter.clone() } else { old.to_string() })
                .collect();
            prop_assume!(edited != sound);
            let cursor = Text::new(edited).unwrap();
            prop_assert_eq!(key().read(&cursor, asker(1), &query("tea"), 0), Err(Refusal::BadCursor));
        }

        #[test]
        fn whatever_comes_is_refused(text in "\\PC{1,200}") {
            let cursor = Text::new(text).unwrap();
            prop_assert_eq!(key().read(&cursor, asker(1), &query("tea"), 0), Err(Refusal::BadCursor));
        }
    }
}
