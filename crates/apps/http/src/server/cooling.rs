//! Keys that have asked too often, refused before anything is verified until they may ask again (case 84).
//!
//! To look at each signature of a flood would be work that a flood can order. What is remembered is the address together with
//! the key that a request names: whoever names another's key harms nobody who does not share the address and its limits.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many keys are remembered. Others are refused after their signature was looked at.
const MOST: usize = 4096;
/// The longest that a key is refused unseen.
const LONGEST: Duration = Duration::from_secs(10);
/// How a canonical document names the key of who asks. Inside of a text the quotes would be escaped.
const MARK: &[u8] = b"\"public_key\":\"did:key:z6Mk";
/// The length of what follows: 48 characters of a did:key of Ed25519, without `z6Mk` 44.
const REST: usize = 44;

/// The name of a key as it stands in a document.
pub(super) type Named = [u8; REST];
/// Who named it: an address as it is counted, and the key.
pub(super) type Namer = (IpAddr, Named);

/// Keys that have asked too often.
#[derive(Default)]
pub(super) struct Cooling(Mutex<HashMap<Namer, Instant>>);

impl Cooling {
    /// For how long requests of this address that name this key are refused.
    pub(super) fn left(&self, key: &Namer) -> Option<Duration> {
        let mut until = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let left = until.get(key)?.checked_duration_since(Instant::now());
        if left.is_none() {
            until.remove(key);
        }
        left
    }

    /// The responder has refused this key as too many.
    pub(super) fn refused(&self, key: Namer, retry_after_s: u32) {
        let wait = Duration::from_secs(retry_after_s.into()).min(LONGEST);
        let now = Instant::now();
        let mut until = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if until.len() >= MOST {
            until.retain(|_, until| *until > now);
        }
        if until.len() < MOST {
            until.insert(key, now + wait);
        }
    }
}

/// The key that a request names, without reading it; `None` where it names none in the canonical way.
pub(super) fn named(request: &[u8]) -> Option<Named> {
    let at = request
        .windows(MARK.len())
        .rposition(|window| window == MARK)?;
    let rest = request.get(at + MARK.len()..)?;
    let key = rest.get(..REST)?.try_into().ok()?;
    (rest.get(REST) == Some(&b'"')).then_some(key)
}

#[cfg(test)]
mod tests {
    use counterfoil_types::DidKey;

    use super::*;

    #[test]
    fn a_key_is_found_where_it_is_a_member_and_not_in_a_text() {
        let key = DidKey::from_public_key([7; 32]).to_string();
        let request = format!(
            r#"{{"requester":{{"agent_id":"a","public_key":"{key}"}},"type":"memory_request"}}"#
        );
        assert_eq!(
            named(request.as_bytes()).unwrap(),
            key.as_bytes()[key.len() - REST..]
        );
        let text =
            serde_json::json!({ "natural": format!("\"public_key\":\"{key}\"") }).to_string();
        assert_eq!(named(text.as_bytes()), None);
        assert_eq!(named(b"{}"), None);
        assert_eq!(named(format!("\"public_key\":\"{key}").as_bytes()), None);
    }

    fn namer(n: u8) -> Namer {
        (IpAddr::from([127, 0, 0, 1]), [n; REST])
    }

    #[test]
    fn a_key_that_was_refused_waits_and_others_do_not() {
        let cooling = Cooling::default();
        assert_eq!(cooling.left(&namer(1)), None);
        cooling.refused(namer(1), 86_400);
        assert!(cooling.left(&namer(1)).is_some_and(|left| left <= LONGEST));
        assert_eq!(cooling.left(&namer(2)), None);
        let elsewhere = (IpAddr::from([192, 0, 2, 1]), namer(1).1);
        assert_eq!(
            cooling.left(&elsewhere),
            None,
            "the same key from another address"
        );
        cooling.refused(namer(3), 0);
        assert_eq!(cooling.left(&namer(3)), None);
    }

    #[test]
    fn so_many_keys_are_remembered_and_no_more() {
        let cooling = Cooling::default();
        for n in 0..MOST + 10 {
            let mut key = [0; REST];
            key[..8].copy_from_slice(&n.to_be_bytes());
            cooling.refused((IpAddr::from([127, 0, 0, 1]), key), 60);
        }
        assert_eq!(cooling.0.lock().unwrap().len(), MOST);
    }
}
