//! Table of public addresses (R11; docs/format/exchange.md §8.3).
//!
//! The predicates of the standard library accept addresses that are routed locally: shared address space, benchmarking, IPv4
//! inside IPv6. This table refuses the IANA special-purpose registry for IPv4; for IPv6 it accepts global unicast alone, less
//! the special-purpose networks in it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks that are not public: address and length of the prefix (IANA special-purpose registry, and multicast).
const SPECIAL_V4: [(Ipv4Addr, u32); 18] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 31, 196, 0), 24),
    (Ipv4Addr::new(192, 52, 193, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(192, 175, 48, 0), 24),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// Global unicast: `2000::/3`.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Special-purpose networks in it: protocol assignments (Teredo among them), documentation, 6to4, the delegations of AS112.
const SPECIAL_V6: [(Ipv6Addr, u32); 5] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0), 48),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Returns true for an address of the public network. An IPv4 address inside an IPv6 one is tested as itself.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => !SPECIAL_V4.iter().any(|(network, length)| {
            let rest = 32 - length;
            address.to_bits() >> rest == network.to_bits() >> rest
        }),
        IpAddr::V6(address) => {
            within_v6(address, GLOBAL_V6)
                && !SPECIAL_V6
                    .iter()
                    .any(|network| within_v6(address, *network))
        }
    }
}

fn within_v6(address: Ipv6Addr, (network, length): (Ipv6Addr, u32)) -> bool {
    let rest = 128 - length;
    address.to_bits() >> rest == network.to_bits() >> rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Adversarial case H107: the addresses that the standard library or `ip_network` take for public.
    #[test]
    fn what_is_near_or_special_is_not_public() {
        for text in [
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:7f00:1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            let address: IpAddr = text.parse().unwrap();
            assert!(!is_public(address), "{text}");
        }
    }

    #[test]
    fn what_is_routed_everywhere_is_public() {
        for text in [
            "1.1.1.1",
            "9.9.9.9",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2001:4860:4860::8888",
            "2606:4700:4700::1111",
            "2a00:1450:4001::1",
        ] {
            let address: IpAddr = text.parse().unwrap();
            assert!(is_public(address), "{text}");
        }
    }

    proptest! {
        /// The table never lets through what the standard library itself calls near.
        #[test]
        fn nothing_that_is_private_loopback_or_link_local_is_public(bits: u32) {
            let v4 = Ipv4Addr::from_bits(bits);
            let near = v4.is_private() || v4.is_loopback() || v4.is_link_local()
                || v4.is_multicast() || v4.is_broadcast() || v4.is_documentation() || v4.is_unspecified();
            prop_assert!(!(near && is_public(IpAddr::V4(v4))));
            prop_assert_eq!(is_public(IpAddr::V4(v4)), is_public(IpAddr::V6(v4.to_ipv6_mapped())));
        }

        #[test]
        fn no_ipv6_address_outside_of_global_unicast_is_public(bits: u128) {
            let v6 = Ipv6Addr::from_bits(bits);
            let mapped = v6.to_ipv4_mapped().is_some();
            prop_assert!(mapped || bits >> 125 == 1 || !is_public(IpAddr::V6(v6)));
        }
    }
}
