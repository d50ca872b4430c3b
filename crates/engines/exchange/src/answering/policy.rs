//! Rules for handing memories to other agents (R14, R15; docs/format/exchange.md §10).

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_types::DidKey;

use crate::documents::{Domain, Format};
use crate::trust::Level;

/// A rule for handing memories to other agents. The first rule that fits decides; without one nothing is shared.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    /// Keys that the rule is for; `None`: all agents.
    pub to: Option<Vec<DidKey>>,
    /// Minimum level of the asker.
    pub level: Level,
    /// Domains of questions that the rule is for; empty: all questions, those without a domain too.
    pub domains: Vec<Domain>,
    /// Labels of which a shared memory bears one. Empty: no memory is shared.
    pub labels: Vec<String>,
    /// Fullest form of the memories; a request for a fuller one gets this.
    pub format: Format,
    /// Most memories of an answer, 1 to 100.
    pub max: u8,
    /// Most answers per minute and key.
    pub per_minute: u32,
}

impl Share {
    /// Is the rule for a question of `domain` by an `asker` of this level, `None` for an anonymous one? A rule for keys is for no anonymous asker.
    pub fn fits(&self, asker: Option<DidKey>, level: Level, domain: Option<&Domain>) -> bool {
        let to = self.to.as_ref();
        let named = to.is_none_or(|keys| asker.is_some_and(|asker| keys.contains(&asker)));
        let covers = |asked: &Domain| self.domains.iter().any(|domain| domain.covers(asked));
        named && level >= self.level && (self.domains.is_empty() || domain.is_some_and(covers))
    }

    /// Is a memory with these labels shared under this rule?
    pub fn lets_out(&self, labels: &[&str]) -> bool {
        let mut own = self.labels.iter();
        own.any(|label| labels.contains(&label.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use counterfoil_capsule::{AgentSigner, SecretKey, Signer};

    use super::*;

    fn share(label: &str) -> Share {
        Share {
            to: None,
            level: Level::Anonymous,
            domains: Vec::new(),
            labels: vec![label.into()],
            format: Format::Attestation,
            max: 5,
            per_minute: 60,
        }
    }

    fn key(seed: u8) -> DidKey {
        AgentSigner::new(SecretKey::from_seed([seed; 32])).agent()
    }

    /// R14: what no rule says is not shared.
    #[test]
    fn the_first_rule_that_fits_decides_and_without_one_nothing_is_shared() {
        let label = |shares: &[Share], level| {
            let mut fitting = shares.iter().filter(|share| share.fits(None, level, None));
            fitting.next().map(|share| share.labels[0].clone())
        };
        assert_eq!(label(&[], Level::Direct), None);
        let high = Share {
            level: Level::Vouched,
            ..share("a")
        };
        let rules = [high, share("b")];
        assert_eq!(label(&rules, Level::Vouched).as_deref(), Some("a"));
        assert_eq!(label(&rules, Level::Identified).as_deref(), Some("b"));
    }

    #[test]
    fn a_rule_for_keys_is_for_nobody_else() {
        let rule = Share {
            to: Some(vec![key(1)]),
            ..share("a")
        };
        for (asker, fits) in [(Some(key(1)), true), (Some(key(2)), false), (None, false)] {
            assert_eq!(rule.fits(asker, Level::Direct, None), fits, "{asker:?}");
        }
    }

    /// A prefix of a word is no domain, and a question without a domain is of none.
    #[test]
    fn a_rule_for_a_domain_is_for_that_domain() {
        let rule = Share {
            domains: vec!["a/b".parse().unwrap()],
            ..share("x")
        };
        for (asked, fits) in [
            ("a/b", true),
            ("a/b/c", true),
            ("a", false),
            ("a/bc", false),
        ] {
            let domain = asked.parse().unwrap();
            assert_eq!(
                rule.fits(None, Level::Anonymous, Some(&domain)),
                fits,
                "{asked}"
            );
        }
        assert!(!rule.fits(None, Level::Direct, None));
    }

    #[test]
    fn a_rule_without_labels_lets_nothing_out() {
        assert!(share("a").lets_out(&["b", "a"]));
        assert!(!share("a").lets_out(&["b"]));
        let none = Share {
            labels: vec![],
            ..share("a")
        };
        assert!(!none.lets_out(&["a", ""]));
    }
}
