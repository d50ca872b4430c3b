//! Connections and requests that one address may have (case 84).

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use counterfoil_peer::{RateTable, party};
use hyper::HeaderMap;

use super::ServerSettings;

/// Connections by party.
type Connections = Arc<Mutex<HashMap<IpAddr, usize>>>;

/// Counts of connections, and rates of requests, by address.
pub(super) struct Addresses {
    connections: Connections,
    most: usize,
    rates: RateTable<IpAddr>,
    /// Time of one request, and of a burst, in microseconds.
    rate: (u64, u64),
    began: Instant,
}

/// Counted connection; counted off when it is dropped.
pub(super) struct Slot {
    connections: Connections,
    address: IpAddr,
}

impl Addresses {
    pub(super) fn new(settings: &ServerSettings) -> Self {
        let each_us = 1_000_000 / u64::from(settings.requests_per_second.max(1));
        Self {
            connections: Arc::default(),
            most: settings.connections_per_address,
            rates: RateTable::default(),
            rate: (each_us, each_us * u64::from(settings.burst.max(1))),
            began: Instant::now(),
        }
    }

    /// Counts a connection of this address; `None` if it has the most already.
    pub(super) fn connect(&self, address: IpAddr) -> Option<Slot> {
        let address = party(address);
        let mut connections = self
            .connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let count = connections.entry(address).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        drop(connections);
        Some(Slot {
            connections: Arc::clone(&self.connections),
            address,
        })
    }

    /// Counts a request.
    ///
    /// # Errors
    /// Time that the address has to wait.
    pub(super) fn request(&self, address: IpAddr) -> Result<(), Duration> {
        let now_us = u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX);
        let taken = self.rates.take(party(address), self.rate, now_us);
        taken.map_err(Duration::from_micros)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut connections = self
            .connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = connections.get_mut(&self.address) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                connections.remove(&self.address);
            }
        }
    }
}

/// Returns the caller's address: the peer's, or the last one that a proxy on this machine names. Strangers wrote those before it.
pub(super) fn caller(peer: IpAddr, headers: &HeaderMap, behind_proxy: bool) -> IpAddr {
    if !behind_proxy || !peer.to_canonical().is_loopback() {
        return peer;
    }
    let last = headers.get_all("x-forwarded-for").iter().next_back();
    let named = last.and_then(|line| line.to_str().ok()?.rsplit(',').next()?.trim().parse().ok());
    named.unwrap_or(peer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited() -> Addresses {
        Addresses::new(&ServerSettings {
            connections_per_address: 2,
            requests_per_second: 1,
            burst: 3,
            ..ServerSettings::at("127.0.0.1:0".parse().unwrap())
        })
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn an_address_has_so_many_connections_and_gets_them_back() {
        let addresses = limited();
        let first = addresses.connect(ip("192.0.2.1")).unwrap();
        let _second = addresses.connect(ip("::ffff:192.0.2.1")).unwrap();
        assert!(addresses.connect(ip("192.0.2.1")).is_none());
        assert!(
            addresses.connect(ip("192.0.2.2")).is_some(),
            "another address is another party"
        );
        drop(first);
        assert!(addresses.connect(ip("192.0.2.1")).is_some());
    }

    /// Adversarial case F84: many addresses of one network are one party.
    #[test]
    fn a_network_of_ipv6_is_one_party() {
        let addresses = limited();
        let asked = (0..10)
            .filter(|n| addresses.request(ip(&format!("2001:db8::{n}"))).is_ok())
            .count();
        assert_eq!(asked, 3);
        assert!(addresses.request(ip("2001:db8:0:1::1")).is_ok());
        assert!(addresses.request(ip("2001:db8::1")).unwrap_err() <= Duration::from_secs(1));
    }

    #[test]
    fn only_a_proxy_on_this_machine_says_who_asks_and_only_its_last_word_counts() {
        let mut headers = HeaderMap::new();
        headers.append("x-forwarded-for", "203.0.113.9".parse().unwrap());
        headers.append(
            "x-forwarded-for",
            "198.51.100.1, 192.0.2.7".parse().unwrap(),
        );
        assert_eq!(caller(ip("127.0.0.1"), &headers, true), ip("192.0.2.7"));
        assert_eq!(caller(ip("127.0.0.1"), &headers, false), ip("127.0.0.1"));
        assert_eq!(caller(ip("203.0.113.1"), &headers, true), ip("203.0.113.1"));
        headers.insert("x-forwarded-for", "192.0.2.7, unknown".parse().unwrap());
        assert_eq!(caller(ip("::1"), &headers, true), ip("::1"));
    }
}
