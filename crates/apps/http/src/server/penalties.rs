//! Keys that send too many requests, refused before anything is verified until their wait is over (case 84).
//!
//! Verifying each signature of a flood is work that a flood can cause. A penalty is for an address together with the key that
//! a request names, so naming another agent's key harms only requests from the same address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Size of the table; requests of further keys are verified before they are refused.
const MOST: usize = 4096;
/// Longest penalty.
const LONGEST: Duration = Duration::from_secs(10);
/// Start of the requester's key in a canonical document. Inside a text the quotes would be escaped.
const MARK: &[u8] = b"\"public_key\":\"did:key:z6Mk";
/// Length of the rest of the key: an Ed25519 did:key has 48 characters, 44 without `z6Mk`.
const REST: usize = 44;

/// Characters of a key after `z6Mk`.
type Key = [u8; REST];
/// Party as addresses are counted, and the key that it named.
type Sender = (IpAddr, Key);

/// Ends of the penalties.
#[derive(Default)]
pub(super) struct Penalties(Mutex<HashMap<Sender, Instant>>);

impl Penalties {
    /// Returns the time that is left of a penalty.
    pub(super) fn left(&self, key: &Sender) -> Option<Duration> {
        let mut until = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let left = until.get(key)?.checked_duration_since(Instant::now());
        if left.is_none() {
            until.remove(key);
        }
        left
    }

    /// Refuses requests of this sender for so many seconds, at most 10.
    pub(super) fn add(&self, key: Sender, retry_after_s: u32) {
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

/// Returns the key that a request names, without parsing it; `None` if it names none in canonical form.
pub(super) fn key_of(request: &[u8]) -> Option<Key> {
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
            key_of(request.as_bytes()).unwrap(),
            key.as_bytes()[key.len() - REST..]
        );
        let text =
            serde_json::json!({ "natural": format!("\"public_key\":\"{key}\"") }).to_string();
        assert_eq!(key_of(text.as_bytes()), None);
        assert_eq!(key_of(b"{}"), None);
        assert_eq!(key_of(format!("\"public_key\":\"{key}").as_bytes()), None);
    }

    fn sender(n: u8) -> Sender {
        ([127, 0, 0, 1].into(), [n; REST])
    }

    #[test]
    fn a_key_that_was_refused_waits_and_others_do_not() {
        let penalties = Penalties::default();
        assert_eq!(penalties.left(&sender(1)), None);
        penalties.add(sender(1), 86_400);
        assert!(
            penalties
                .left(&sender(1))
                .is_some_and(|left| left <= LONGEST)
        );
        assert_eq!(penalties.left(&sender(2)), None);
        let elsewhere = ([127, 0, 0, 2].into(), sender(1).1);
        assert_eq!(
            penalties.left(&elsewhere),
            None,
            "the same key from elsewhere"
        );
        penalties.add(sender(3), 0);
        assert_eq!(penalties.left(&sender(3)), None);
    }

    #[test]
    fn so_many_keys_are_remembered_and_no_more() {
        let penalties = Penalties::default();
        for n in 0..MOST + 10 {
            let mut key = [0; REST];
            key[..8].copy_from_slice(&n.to_be_bytes());
            penalties.add((sender(0).0, key), 60);
        }
        assert_eq!(penalties.0.lock().unwrap().len(), MOST);
    }
}
