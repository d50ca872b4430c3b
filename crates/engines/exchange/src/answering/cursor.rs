//! Cursors: the end of a partial answer, bound to asker, question and expiry (R22; case 82).

use alloc::vec::Vec;
use core::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use counterfoil_capsule::Timestamp;
use counterfoil_types::DidKey;
use counterfoil_types::json::canonical;
use serde_json::json;

use super::Refusal;
use crate::documents::{MemoryQuery, Text};

/// Prefix of the bytes under the code.
const CONTEXT: &[u8] = b"counterfoil/exchange/v1 cursor\n";

/// Secret of a responder for its cursors.
#[derive(Clone)]
pub struct CursorKey([u8; 32]);

impl CursorKey {
    /// A secret of 32 random bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Writes a cursor that expires at `expires_us`, in microseconds since 1970: offset, size and expiry in big endian, and the
    /// keyed BLAKE3 hash of these with asker and question.
    ///
    /// `offset`: number of memories in earlier answers. `log_size`: size of the log at the first answer; later memories are on
    /// no page.
    pub fn write(
        &self,
        (offset, log_size): (u32, u64),
        asker: Option<DidKey>,
        query: &MemoryQuery,
        expires_us: u64,
    ) -> Option<Text<1024>> {
        let mut bytes = Vec::new();
        bytes.extend(offset.to_be_bytes());
        bytes.extend(log_size.to_be_bytes());
        bytes.extend(expires_us.to_be_bytes());
        let code = self.code(&bytes, asker, query);
        bytes.extend(code.as_bytes());
        Text::new(URL_SAFE_NO_PAD.encode(bytes)).ok()
    }

    /// Reads offset and log size of a cursor of this key, until the instant at which it expires.
    ///
    /// # Errors
    /// [`Refusal::BadCursor`].
    pub fn read(
        &self,
        cursor: &Text<1024>,
        asker: Option<DidKey>,
        query: &MemoryQuery,
        now_us: u64,
    ) -> Result<(u32, u64), Refusal> {
        let page = |bytes: Vec<u8>| {
            let (signed, code) = bytes.split_last_chunk::<32>()?;
            let (offset, rest) = signed.split_first_chunk()?;
            let (log_size, rest) = rest.split_first_chunk()?;
            let expires: [u8; 8] = rest.try_into().ok()?;
            // Compared in constant time.
            let is_own = self.code(signed, asker, query) == blake3::Hash::from_bytes(*code);
            let is_current = now_us <= u64::from_be_bytes(expires);
            (is_own && is_current)
                .then(|| (u32::from_be_bytes(*offset), u64::from_be_bytes(*log_size)))
        };
        let bytes = URL_SAFE_NO_PAD.decode(cursor.as_str()).ok();
        bytes.and_then(page).ok_or(Refusal::BadCursor)
    }

    /// The code over asker and question as canonical JSON: equal only for equal ones.
    fn code(&self, signed: &[u8], asker: Option<DidKey>, query: &MemoryQuery) -> blake3::Hash {
        // As text: a number may be too large for JSON.
        let time = |at: Option<Timestamp>| at.map(|at| alloc::format!("{}", at.micros()));
        let range = query
            .time_range
            .map(|(from, until)| [time(from), time(until)]);
        let filters = query.filters;
        let question = json!([
            asker,
            query.natural,
            query.domain,
            query.keywords,
            range,
            [
                json!(filters.min_trust_level),
                json!(filters.require_evidence),
                json!(filters.require_vouches),
            ],
        ]);
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(CONTEXT);
        hasher.update(signed);
        hasher.update(canonical(&question).unwrap_or_default().as_bytes());
        hasher.finalize()
    }
}

/// The secret stays out of log lines.
impl fmt::Debug for CursorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CursorKey")
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};

    use counterfoil_capsule::{AgentSigner, SecretKey, Signer, Timestamp};
    use proptest::prelude::*;

    use super::*;

    const EXPIRES: u64 = 1_000_000;

    fn query(natural: &str) -> MemoryQuery {
        MemoryQuery::new(Text::new(natural).unwrap())
    }

    fn asker(seed: u8) -> Option<DidKey> {
        Some(AgentSigner::new(SecretKey::from_seed([seed; 32])).agent())
    }

    fn key() -> CursorKey {
        CursorKey::from_bytes([7; 32])
    }

    const PAGE: (u32, u64) = (5, u64::MAX);

    fn written() -> Text<1024> {
        key().write(PAGE, asker(1), &query("tea"), EXPIRES).unwrap()
    }

    /// Adversarial case F82: of another requester, of another question, expired, under another secret.
    #[test]
    fn a_cursor_is_of_one_asker_and_one_question_and_expires() {
        let read = |key: u8, asker, query: &MemoryQuery, now| {
            CursorKey::from_bytes([key; 32]).read(&written(), asker, query, now)
        };
        let tea = query("tea");
        for now in [0, EXPIRES] {
            assert_eq!(read(7, asker(1), &tea, now), Ok(PAGE));
        }
        let edits: [fn(&mut MemoryQuery); 5] = [
            |query| query.natural = Text::new("Tea").unwrap(),
            |query| query.keywords = [Text::new("tea").unwrap()].into(),
            |query| query.domain = "tea".parse().ok(),
            |query| query.filters.require_vouches = true,
            |query| {
                query.time_range = Some((Timestamp::from_micros(1_700_000_000_000_000).ok(), None))
            },
        ];
        for edit in edits {
            let mut other = tea.clone();
            edit(&mut other);
            assert_eq!(read(7, asker(1), &other, 0), Err(Refusal::BadCursor));
        }
        for (key, asker, now) in [
            (7, asker(2), 0),
            (7, None, 0),
            (7, asker(1), EXPIRES + 1),
            (8, asker(1), 0),
        ] {
            assert_eq!(read(key, asker, &tea, now), Err(Refusal::BadCursor));
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
