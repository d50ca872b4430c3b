//! Document of a policy: a preset and overrides, unknown keys refused (MR-01).

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use counterfoil_trace::MAX_SELECTED;
use counterfoil_trace::types::{Confidence, VerificationMethod};
use counterfoil_verifier::Strength;
use counterfoil_verifier::envelope::is_audience;
use counterfoil_verifier::field::is_pointer;
use serde::de::{Deserialize, Deserializer, Error, Unexpected};

use super::belief::{BeliefDocument, not_zero};
use super::{AuthorRule, ForgottenRule, Policy, PolicyError, Preset, UnprovenRule};

/// A policy as written. Keys that are absent keep the preset's value.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    preset: Option<Preset>,
    /// At the top only.
    #[serde(default, deserialize_with = "name")]
    name: Option<String>,
    require_signed: Option<bool>,
    require_trace: Option<bool>,
    no_memory: Option<UnprovenRule>,
    #[serde(default, deserialize_with = "strength")]
    minimum_method: Option<Strength>,
    #[serde(default, deserialize_with = "fields")]
    require_disclosed: Option<Vec<String>>,
    require_author: Option<AuthorRule>,
    require_standing: Option<bool>,
    require_current: Option<bool>,
    refuse_forked: Option<bool>,
    refuse_compromised: Option<bool>,
    refuse_erased: Option<bool>,
    refuse_forgotten: Option<ForgottenRule>,
    refuse_contested: Option<bool>,
    unproven: Option<UnprovenRule>,
    #[serde(default, deserialize_with = "confidence")]
    minimum_confidence: Option<Confidence>,
    #[serde(default, deserialize_with = "memories::<_, 0>")]
    minimum_memories: Option<usize>,
    #[serde(default, deserialize_with = "memories::<_, 1>")]
    maximum_memories: Option<usize>,
    #[serde(default, deserialize_with = "not_zero")]
    maximum_age_ms: Option<u64>,
    allowed_skew_ms: Option<u64>,
    #[serde(default, deserialize_with = "not_empty")]
    allowed_selectors: Option<Vec<String>>,
    #[serde(default, deserialize_with = "not_empty")]
    allowed_methods: Option<Vec<VerificationMethod>>,
    #[serde(default, deserialize_with = "custom")]
    trusted_methods: Option<Vec<VerificationMethod>>,
    verifier_ranks: Option<BTreeMap<VerificationMethod, Strength>>,
    require_at_base_world: Option<bool>,
    require_same_actor: Option<bool>,
    selectors: Option<Vec<String>>,
    require_time_order: Option<bool>,
    refuse_duplicates: Option<bool>,
    refuse_claimed_unverified: Option<bool>,
    /// At the top only.
    belief: Option<BeliefDocument>,
    /// Within `high_risk` only.
    intents: Option<Vec<String>>,
    /// At the top only.
    high_risk: Option<Box<Document>>,
}

impl TryFrom<Document> for Policy {
    type Error = PolicyError;

    /// # Errors
    /// [`PolicyError`] naming the key that is out of place, or the intent type that cannot be named.
    fn try_from(mut document: Document) -> Result<Self, PolicyError> {
        let misplaced = |detail: &str| PolicyError::Document {
            detail: detail.into(),
        };
        if document.intents.is_some() {
            return Err(misplaced(
                "intents stands at the top; it belongs within high_risk",
            ));
        }
        let Some(mut stricter) = document.high_risk.take() else {
            return Ok(document.over(Preset::Standard));
        };
        if stricter.belief.is_some() {
            return Err(misplaced(
                "belief stands within high_risk; it belongs at the top",
            ));
        }
        if stricter.name.is_some() {
            return Err(misplaced(
                "name stands within high_risk; it belongs at the top",
            ));
        }
        if stricter.high_risk.is_some() {
            return Err(misplaced(
                "high_risk stands within high_risk; there is one level",
            ));
        }
        let intents = stricter.intents.take().unwrap_or_default();
        let stricter = stricter.over(Preset::HighRisk);
        document
            .over(Preset::Standard)
            .with_high_risk(intents, stricter)
    }
}

impl Document {
    /// Overrides of the preset named, or else of `default`.
    fn over(self, default: Preset) -> Policy {
        let base = self.preset.unwrap_or(default).policy();
        let base = match self.belief {
            Some(rules) => rules.over(base),
            None => base,
        };
        Policy {
            name: self.name.unwrap_or(base.name),
            require_signed: self.require_signed.unwrap_or(base.require_signed),
            require_trace: self.require_trace.unwrap_or(base.require_trace),
            no_memory: self.no_memory.unwrap_or(base.no_memory),
            minimum_method: self.minimum_method.unwrap_or(base.minimum_method),
            require_disclosed: self.require_disclosed.unwrap_or(base.require_disclosed),
            require_author: self.require_author.unwrap_or(base.require_author),
            require_standing: self.require_standing.unwrap_or(base.require_standing),
            require_current: self.require_current.unwrap_or(base.require_current),
            refuse_forked: self.refuse_forked.unwrap_or(base.refuse_forked),
            refuse_compromised: self.refuse_compromised.unwrap_or(base.refuse_compromised),
            refuse_erased: self.refuse_erased.unwrap_or(base.refuse_erased),
            refuse_forgotten: self.refuse_forgotten.unwrap_or(base.refuse_forgotten),
            refuse_contested: self.refuse_contested.unwrap_or(base.refuse_contested),
            unproven: self.unproven.unwrap_or(base.unproven),
            minimum_confidence: self.minimum_confidence.unwrap_or(base.minimum_confidence),
            minimum_memories: self.minimum_memories.unwrap_or(base.minimum_memories),
            maximum_memories: self.maximum_memories.unwrap_or(base.maximum_memories),
            maximum_age_ms: self.maximum_age_ms.or(base.maximum_age_ms),
            allowed_skew_ms: self.allowed_skew_ms.unwrap_or(base.allowed_skew_ms),
            allowed_selectors: self.allowed_selectors.or(base.allowed_selectors),
            allowed_methods: self.allowed_methods.or(base.allowed_methods),
            trusted_methods: self.trusted_methods.unwrap_or(base.trusted_methods),
            verifier_ranks: self.verifier_ranks.unwrap_or(base.verifier_ranks),
            require_at_base_world: self
                .require_at_base_world
                .unwrap_or(base.require_at_base_world),
            require_same_actor: self.require_same_actor.unwrap_or(base.require_same_actor),
            selectors: self.selectors.unwrap_or(base.selectors),
            require_time_order: self.require_time_order.unwrap_or(base.require_time_order),
            refuse_duplicates: self.refuse_duplicates.unwrap_or(base.refuse_duplicates),
            refuse_claimed_unverified: self
                .refuse_claimed_unverified
                .unwrap_or(base.refuse_claimed_unverified),
            ..base
        }
    }
}

fn strength<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Strength>, D::Error> {
    match Strength::deserialize(from)? {
        Strength::None => Err(D::Error::invalid_value(
            Unexpected::Str(Strength::None.name()),
            &"existence, hash, signature or merkle",
        )),
        strength => Ok(Some(strength)),
    }
}

/// `"all"`, or the pointers of fields.
fn fields<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    enum Fields {
        Word(String),
        List(Vec<String>),
    }
    let must = "\"all\", or a list of JSON pointers such as /data/text";
    match Fields::deserialize(from)? {
        Fields::Word(word) if word == "all" => Ok(Some(vec![String::new()])),
        Fields::List(list) if list.iter().all(|path| is_pointer(path)) => Ok(Some(list)),
        _ => Err(D::Error::invalid_value(
            Unexpected::Other("another value"),
            &must,
        )),
    }
}

fn confidence<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Confidence>, D::Error> {
    let number = f64::deserialize(from)?;
    let must = "a number from 0 to 1";
    let refused = |_| D::Error::invalid_value(Unexpected::Float(number), &must);
    Confidence::new(number).map(Some).map_err(refused)
}

fn name<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let name = String::deserialize(from)?;
    if !is_audience(&name) {
        return Err(D::Error::invalid_value(
            Unexpected::Str(&name),
            &"1 to 256 bytes of printable ASCII without spaces",
        ));
    }
    Ok(Some(name))
}

fn memories<'de, D: Deserializer<'de>, const LEAST: usize>(
    from: D,
) -> Result<Option<usize>, D::Error> {
    let count = usize::deserialize(from)?;
    if !(LEAST..=MAX_SELECTED).contains(&count) {
        let must = format!("a whole number from {LEAST} to {MAX_SELECTED}");
        return Err(D::Error::invalid_value(
            Unexpected::Other("another number"),
            &must.as_str(),
        ));
    }
    Ok(Some(count))
}

fn not_empty<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<Vec<T>>, D::Error> {
    let list = Vec::deserialize(from)?;
    if list.is_empty() {
        return Err(D::Error::invalid_length(
            0,
            &"a list that is not empty; leave it out to allow all",
        ));
    }
    Ok(Some(list))
}

fn custom<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<VerificationMethod>>, D::Error> {
    let methods: Vec<VerificationMethod> = Vec::deserialize(from)?;
    let is_custom =
        |method: &VerificationMethod| matches!(method, VerificationMethod::Custom { .. });
    let built_in = methods.iter().find(|method| !is_custom(method));
    if let Some(method) = built_in {
        return Err(D::Error::invalid_value(
            Unexpected::Str(method.as_str()),
            &"the application's own methods; use minimum_method for one that is built in",
        ));
    }
    Ok(Some(methods))
}
