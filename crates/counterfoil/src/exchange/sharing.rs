//! `share`: rules of the share policy in `exchange.toml`, edited without touching anything else in the file.

mod policy;

use counterfoil_exchange::answering::{PassOn, Share};
use counterfoil_types::{DidKey, Scope};
use policy::{ALL, Policy, Rule, same};

use super::records::{called, known};
use super::settings::{self, FILE};
use crate::error::Error;
use crate::memory::Memory;
use crate::report::{Report, object, some};

/// Longest label or predicate, in bytes.
const MAX_TEXT: usize = 256;

impl Memory {
    /// Shares the memories with a label: writes a rule to the front of the share policy, which adds to those after it. `to` are
    /// names or keys, or `*` for all agents that sign their questions, as by default. With `predicates`, the rule is for claims
    /// with one of them that cite a memory with the label, and for no text. With `pass_on`, agents that get a memory by the rule may
    /// hand it on. In a scope, the rule is for the memories of that scope alone.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for an unknown agent and for a label or predicate that is empty or has more than 256 bytes;
    /// [`ErrorKind::Place`](crate::ErrorKind::Place) for a file that cannot be read or written, or would have too many rules.
    pub async fn share(
        &self,
        label: &str,
        to: &[String],
        predicates: &[String],
        pass_on: PassOn,
    ) -> Result<Report, Error> {
        let rule = Rule {
            pass_on,
            ..self.rule(label, to, predicates).await?
        };
        let mut policy = Policy::open(self.home().dir().join(FILE))?;
        let is_new = !policy.rules().iter().any(|one| rule.is_in(one));
        if is_new {
            policy.add(&rule);
            policy.save()?;
        }
        let shared = object()
            .with("label", label)
            .with("to", addressees(rule.to.as_deref()))
            .with_some("predicates", some(predicates))
            .with_some("scope", some_scope(&rule.scope))
            .with_some("passOn", rule.pass_on.is_allowed().then_some(true))
            .with("new", is_new);
        Report::new(&shared)
    }

    /// Lists the rules of the share policy in their order; in a scope, those for memories of that scope.
    ///
    /// # Errors
    /// The settings or the store cannot be read.
    pub async fn shares(&self) -> Result<Report, Error> {
        self.must_exist()?;
        let records = self.whole().trust_records().await?;
        let settings = settings::read(self.home())?.answering;
        let rules = settings.shares.iter();
        let rules = rules.filter(|rule| rule.scope.contains(self.scope()));
        let rules = rules.map(|rule| {
            let keys = rule.to.as_deref();
            let names = keys.map(|keys| keys.iter().map(|key| called(&records, key)).collect());
            object()
                .with("to", addressees(keys))
                .with("with", names.unwrap_or_else(|| addressees(None)))
                .with("level", rule.level.number())
                .with("domains", &rule.domains)
                .with("labels", &rule.labels)
                .with("predicates", &rule.predicates)
                .with_some("scope", some_scope(&rule.scope))
                .with("format", rule.format.name())
                .with("max", rule.max)
                .with("perMinute", rule.per_minute)
                .with("passOn", rule.pass_on.is_allowed())
                .with("continues", rule.continues)
                .with("refer", rule.refer)
        });
        let rules: Vec<_> = rules.collect();
        // Facts with a scope are never shared.
        let predicates = match self.scope().is_empty() {
            true => settings.shared_predicates.as_slice(),
            false => &[],
        };
        let list = object()
            .with("rules", rules)
            .with("sharedPredicates", predicates);
        Report::new(&list)
    }

    /// Takes a label out of the rules of the share policy, all of them or those that are for exactly these agents and
    /// predicates. A rule without a label is removed. In a scope, only rules for exactly that scope are changed.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) if no rule shares the label, or if without one that decides alone the rules after it would apply in
    /// its place; [`ErrorKind::Place`](crate::ErrorKind::Place) for a file that cannot be read or written.
    pub async fn unshare(
        &self,
        label: &str,
        to: &[String],
        predicates: &[String],
    ) -> Result<Report, Error> {
        let rule = self.rule(label, to, predicates).await?;
        let mut policy = Policy::open(self.home().dir().join(FILE))?;
        let meant = |one: &Share| {
            one.labels.contains(&rule.label)
                && (rule.scope.is_empty() || rule.scope == one.scope)
                && (to.is_empty() || rule.is_for(one))
                && (predicates.is_empty() || same(&rule.predicates, &one.predicates))
        };
        let found: Vec<usize> = (0..)
            .zip(policy.rules())
            .filter(|(_, one)| meant(one))
            .map(|(at, _)| at)
            .collect();
        if found.is_empty() {
            return Err(Error::input(
                format_args!("no such rule shares {label:?}"),
                "`counterfoil share list` lists the rules",
            ));
        }
        for at in found.iter().rev() {
            policy.remove(*at, label)?;
        }
        policy.save()?;
        let rest = policy
            .rules()
            .iter()
            .filter(|one| one.labels.contains(&rule.label) && one.scope.contains(&rule.scope));
        let rest: Vec<_> = rest.map(|one| addressees(one.to.as_deref())).collect();
        let removed = object()
            .with("label", label)
            .with("rules", found.len())
            .with_some("stillSharedWith", some(&rest));
        Report::new(&removed)
    }

    /// Resolves the agents of a rule, and checks its texts.
    async fn rule(&self, label: &str, to: &[String], predicates: &[String]) -> Result<Rule, Error> {
        self.must_exist()?;
        for text in predicates.iter().map(String::as_str).chain([label]) {
            if text.is_empty() || text.len() > MAX_TEXT {
                return Err(Error::input(
                    format_args!("a label and a predicate have 1 to {MAX_TEXT} bytes"),
                    "give the label as `remember --share` has it",
                ));
            }
        }
        let keys = match to.iter().any(|agent| agent == ALL) || to.is_empty() {
            true => None,
            false => {
                let records = self.whole().trust_records().await?;
                let keys = to.iter().map(|agent| Ok(known(&records, agent)?.key));
                Some(keys.collect::<Result<Vec<DidKey>, Error>>()?)
            }
        };
        Ok(Rule {
            label: label.to_owned(),
            to: keys,
            predicates: predicates.to_vec(),
            scope: self.scope().clone(),
            pass_on: PassOn::Refused,
        })
    }
}

/// The scope of a rule that has one.
fn some_scope(scope: &Scope) -> Option<String> {
    (!scope.is_empty()).then(|| scope.to_string())
}

/// `*`, or the keys.
fn addressees(keys: Option<&[DidKey]>) -> Vec<String> {
    match keys {
        None => vec![ALL.to_owned()],
        Some(keys) => keys.iter().map(ToString::to_string).collect(),
    }
}
