//! How often, how much and for whom: rates and the level of nobody (R5, R15).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use counterfoil_capsule::Signer;
use counterfoil_exchange::answering::{Refusal, Share};
use counterfoil_exchange::documents::{Audience, Format, Request, StatusCode};
use counterfoil_exchange::trust::Level;
use counterfoil_peer::answering::AnsweringSettings;
use counterfoil_store::conformance::block_on;

use crate::support::{Rig, SECOND_US, agent, ann, names, rule, settings};

fn open_to_all(label: &str) -> Share {
    Share {
        level: Level::Anonymous,
        ..rule(label)
    }
}

/// An agent that shares one public memory, with other rates.
fn public(change: impl FnOnce(&mut AnsweringSettings)) -> Rig {
    let mut settings = settings(vec![open_to_all("public")]);
    change(&mut settings);
    let rig = Rig::new(settings);
    rig.remember_tea(&["a"], "public");
    rig
}

fn from(rig: &Rig, address: IpAddr) -> Result<(), Refusal> {
    let request = Request::anonymous(rig.parts()).unwrap();
    let answer = rig.answering.answer(request.bytes(), Some(address));
    block_on(answer).map(drop)
}

fn address(number: u32) -> IpAddr {
    Ipv4Addr::from_bits(number).into()
}

/// Adversarial case F84: from one address: 429 beyond the rate, and whoever else asks is answered.
#[test]
fn a_flood_from_one_address_is_refused_and_hinders_nobody() {
    let rig = public(|settings| settings.anonymous_per_minute = 30);
    let heard = (0..10_000).filter(|_| from(&rig, address(1)).is_ok());
    assert_eq!(heard.count(), 30);
    let refused = Err(Refusal::TooMany { retry_after_s: 2 });
    assert_eq!(from(&rig, address(1)), refused);
    assert_eq!(from(&rig, address(2)), Ok(()));
    assert_eq!(rig.told(&rig.request()), ["a"]);
    rig.timer.pass(2 * SECOND_US);
    assert_eq!(from(&rig, address(1)), Ok(()));
}

/// Adversarial case F84: from many addresses: all strangers together have a rate; who has a key is answered.
#[test]
fn a_flood_from_many_addresses_is_refused_and_hinders_no_key() {
    let rig = public(|settings| settings.anonymous_in_all = 100);
    let heard = (0..10_000).filter(|number| from(&rig, address(*number)).is_ok());
    assert_eq!(heard.count(), 100);
    assert_eq!(rig.told(&rig.request()), ["a"]);
}

/// Adversarial case F84: whoever has one address of IPv6 has many.
#[test]
fn addresses_of_one_subscriber_are_one() {
    let rig = public(|settings| settings.anonymous_per_minute = 30);
    let subscriber = 0x2001_0db8_0000_0001_u128 << 64;
    let heard =
        (0..1000).filter(|host| from(&rig, Ipv6Addr::from_bits(subscriber | host).into()).is_ok());
    assert_eq!(heard.count(), 30);
    // An IPv4 address is one by itself.
    for number in [1, 2] {
        let mapped = Ipv4Addr::from_bits(number).to_ipv6_mapped();
        assert_eq!(from(&rig, mapped.into()), Ok(()));
    }
}

/// R15: a key has its rate, and each rule has one for each key.
#[test]
fn a_key_has_a_rate_and_in_each_rule_one() {
    let limited = Share {
        per_minute: 3,
        ..rule("friends")
    };
    let rig = Rig::new(AnsweringSettings {
        per_minute: 5,
        ..settings(vec![limited])
    });
    rig.remember_tea(&["a"], "friends");
    let ask = |by: u8| {
        rig.try_answer(&Request::sign(rig.parts(), &agent(by)).unwrap())
            .is_ok()
    };
    assert_eq!(
        [0; 6].map(|_| ask(21)),
        [true, true, true, false, false, false]
    );
    assert!(ask(22));
    rig.timer.pass(20 * SECOND_US);
    assert!(ask(21));
}

/// R15: what is refused for its rate may be sent again as it is.
#[test]
fn what_came_too_early_is_answered_later() {
    let rig = Rig::new(settings(vec![Share {
        per_minute: 1,
        ..rule("friends")
    }]));
    rig.remember_tea(&["a"], "friends");
    rig.try_answer(&rig.request()).unwrap();
    let early = rig.request_with(|parts| {
        parts.header.expires = counterfoil_capsule::Timestamp::from_micros(
            parts.header.timestamp.micros() + 200 * SECOND_US,
        )
        .unwrap();
    });
    assert_eq!(
        rig.try_answer(&early),
        Err(Refusal::TooMany { retry_after_s: 60 })
    );
    rig.timer.pass(60 * SECOND_US);
    assert_eq!(rig.told(&early), ["a"]);
}

/// R3: whoever sends what another key has not signed uses up nothing of that key's.
#[test]
fn a_broken_proof_is_counted_where_it_came_from() {
    let rig = Rig::new(AnsweringSettings {
        per_minute: 2,
        anonymous_per_minute: 5,
        ..settings(vec![rule("friends")])
    });
    rig.remember_tea(&["a"], "friends");
    let forged = String::from_utf8(rig.request().bytes().to_vec()).unwrap();
    let forged = forged.replace("\"natural\":\"tea\"", "\"natural\":\"tee\"");
    let refused: Vec<&str> = (0..7)
        .map(|_| rig.try_bytes(forged.as_bytes()).unwrap_err().word())
        .collect();
    assert_eq!(refused[..5], ["bad-proof"; 5]);
    assert_eq!(refused[5..], ["too-many"; 2]);
    assert_eq!(rig.told(&rig.request()), ["a"]);
}

/// Adversarial case F81, R5: what is asked of everyone is asked by nobody: raw, three, no receipt, and nothing is written down.
#[test]
fn a_broadcast_is_answered_raw_and_leaves_nothing_behind() {
    let rig = Rig::new(settings(vec![open_to_all("public"), rule("friends")]));
    rig.remember_tea(&["a", "b", "c", "d"], "public");
    rig.remember_tea(&["e"], "friends");
    let mut parts = rig.parts();
    parts.audience = Audience::Everyone;
    parts.preferences.max_results = 100;
    parts.preferences.include_vouches = true;
    let signed = Request::sign(parts.clone(), &ann()).unwrap();
    for request in [&signed, &Request::anonymous(parts).unwrap()] {
        let response = rig.answer(request);
        assert_eq!(response.parts().status.code, StatusCode::Success);
        assert_eq!(names(&response).len(), 3);
        for result in &response.parts().results {
            assert!(result.receipt.is_none() && result.vouches.is_empty());
            assert!(result.attestation.parts().agent.is_none());
        }
        assert_eq!(response.parts().meta.total_matches, None);
        assert_eq!(response.parts().meta.cursor, None);
    }
    let again = rig.try_answer(&signed).unwrap();
    let once_more = rig.try_answer(&signed).unwrap();
    assert_ne!(again, once_more, "nobody's request is not remembered");
    let (key, id, hash) = (
        ann().agent(),
        &signed.parts().header.request_id,
        *signed.hash().digest(),
    );
    let seen = rig.store().seen(&key, id, &hash);
    assert_eq!(
        block_on(seen).unwrap(),
        counterfoil_store::RequestState::New
    );
}

/// R15: the rule says how much and in which form, whatever is asked for.
#[test]
fn a_rule_limits_number_and_form() {
    let rig = Rig::new(settings(vec![Share {
        max: 2,
        format: Format::Summary,
        ..rule("friends")
    }]));
    let long = format!("tea {}", "é".repeat(400));
    for name in ["a", "b", "c"] {
        rig.remember(name, serde_json::json!({"text": long, "share": "friends"}));
    }
    let response = rig.answer(&rig.request_with(|parts| parts.preferences.max_results = 50));
    assert_eq!(names(&response).len(), 2);
    for result in &response.parts().results {
        let claim = &result.attestation.parts().claim;
        assert!(claim.content.as_str().len() <= 283 && claim.content.as_str().ends_with('…'));
        assert!(result.receipt.is_none() && result.attestation.parts().agent.is_none());
    }
}
