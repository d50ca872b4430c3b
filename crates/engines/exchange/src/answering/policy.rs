//! Rules for handing memories to other agents (R14, R15; docs/format/exchange.md §10).

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_types::{DidKey, Scope};

use crate::documents::{Domain, Format};
use crate::trust::Level;

/// A rule for handing memories to other agents. Those that [apply](applying) decide together; without one nothing is shared.
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
    /// Predicates of the claims to which the rule is limited; empty: memories of all kinds.
    pub predicates: Vec<String>,
    /// Scope that a shared memory is in; empty: any.
    pub scope: Scope,
    /// Fullest form of the memories; a request for a fuller one gets this.
    pub format: Format,
    /// Most memories of an answer, 1 to 100.
    pub max: u8,
    /// Most answers per minute and key.
    pub per_minute: u32,
    /// Agents that get a memory by this rule may hand it on.
    pub pass_on: PassOn,
    /// The next rule that fits applies, too.
    pub continues: bool,
    /// Names other agents that may know of the topic, where the asker wants to know.
    pub refer: bool,
}

/// Permission for an agent that is given a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PassOn {
    /// It may not hand the memory on.
    #[default]
    Refused,
    /// It may.
    Allowed,
}

impl PassOn {
    /// Permission by a setting.
    pub const fn of(is_allowed: bool) -> Self {
        match is_allowed {
            true => Self::Allowed,
            false => Self::Refused,
        }
    }

    /// Is it allowed?
    pub const fn is_allowed(self) -> bool {
        matches!(self, Self::Allowed)
    }
}

/// Returns the rules that apply to a question: those that fit, up to the first that does not continue. A memory goes out if one
/// of them lets it out. The last one limits number and rate.
pub fn applying<'s>(
    shares: &'s [Share],
    asker: Option<DidKey>,
    level: Level,
    domain: Option<&Domain>,
) -> Vec<&'s Share> {
    let fit = shares
        .iter()
        .filter(|share| share.fits(asker, level, domain));
    let mut is_over = false;
    fit.take_while(|share| !core::mem::replace(&mut is_over, !share.continues))
        .collect()
}

impl Share {
    /// Is the rule for a question of `domain` by an `asker` of this level, `None` for an anonymous one? A rule for keys is for no anonymous asker.
    pub fn fits(&self, asker: Option<DidKey>, level: Level, domain: Option<&Domain>) -> bool {
        let to = self.to.as_ref();
        let named = to.is_none_or(|keys| asker.is_some_and(|asker| keys.contains(&asker)));
        let covers = |asked: &Domain| self.domains.iter().any(|domain| domain.covers(asked));
        named && level >= self.level && (self.domains.is_empty() || domain.is_some_and(covers))
    }

    /// Returns true if a memory with these labels in this scope is shared under this rule; `predicate` is that of a claim.
    pub fn lets_out(&self, labels: &[String], scope: &Scope, predicate: Option<&str>) -> bool {
        let is_limited = !self.predicates.is_empty();
        let names = |predicate: &str| self.predicates.iter().any(|own| own == predicate);
        self.labels.iter().any(|label| labels.contains(label))
            && scope.contains(&self.scope)
            && (!is_limited || predicate.is_some_and(names))
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
            predicates: Vec::new(),
            scope: Scope::new(),
            format: Format::Attestation,
            max: 5,
            per_minute: 60,
            pass_on: PassOn::Refused,
            continues: false,
            refer: false,
        }
    }

    fn key(seed: u8) -> DidKey {
        AgentSigner::new(SecretKey::from_seed([seed; 32])).agent()
    }

    /// R14: what no rule says is not shared.
    #[test]
    fn the_first_rule_that_fits_decides_and_without_one_nothing_is_shared() {
        let labels = |shares: &[Share], level| -> Vec<String> {
            let rules = applying(shares, None, level, None).into_iter();
            rules.map(|share| share.labels[0].clone()).collect()
        };
        assert!(labels(&[], Level::Direct).is_empty());
        let high = Share {
            level: Level::Vouched,
            ..share("a")
        };
        let mut rules = [high, share("b"), share("c")];
        assert_eq!(labels(&rules, Level::Vouched), ["a"]);
        assert_eq!(labels(&rules, Level::Identified), ["b"]);
        rules[0].continues = true;
        assert_eq!(labels(&rules, Level::Vouched), ["a", "b"]);
        assert_eq!(labels(&rules, Level::Identified), ["b"]);
        rules[1].continues = true;
        assert_eq!(labels(&rules, Level::Vouched), ["a", "b", "c"]);
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

    /// R14: a memory of another scope, of a wider one, or of none is not shared by a rule with a scope.
    #[test]
    fn a_rule_with_a_scope_lets_out_that_scope_alone() {
        let scope = |text: &str| text.parse::<Scope>().unwrap();
        let rule = Share {
            scope: scope("user=kit"),
            ..share("a")
        };
        let lets_out = |text: &str| rule.lets_out(&["a".into()], &scope(text), None);
        assert!(lets_out("user=kit") && lets_out("session=42,user=kit"));
        assert!(!lets_out("user=bo") && !lets_out("session=42"));
        assert!(!rule.lets_out(&["a".into()], &Scope::new(), None));
        assert!(share("a").lets_out(&["a".into()], &scope("user=bo"), None));
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
        let labels = |labels: &[&str]| -> Vec<String> {
            labels.iter().map(|label| (*label).into()).collect()
        };
        assert!(share("a").lets_out(&labels(&["b", "a"]), &Scope::new(), None));
        assert!(!share("a").lets_out(&labels(&["b"]), &Scope::new(), None));
        let none = Share {
            labels: vec![],
            ..share("a")
        };
        assert!(!none.lets_out(&labels(&["a", ""]), &Scope::new(), None));
    }

    #[test]
    fn a_rule_for_predicates_lets_out_no_other_claim_and_no_text() {
        let rule = Share {
            predicates: vec!["lives in".into()],
            ..share("a")
        };
        let lets_out =
            |label: &str, predicate| rule.lets_out(&[label.into()], &Scope::new(), predicate);
        assert!(lets_out("a", Some("lives in")));
        assert!(!lets_out("a", Some("works at")));
        assert!(!lets_out("a", None));
        assert!(!lets_out("b", Some("lives in")));
    }
}
