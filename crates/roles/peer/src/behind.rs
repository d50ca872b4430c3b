//! Attestation behind a claim of another agent: it is in the stored exchange in which the claim came.

use counterfoil_claims::{ProvenanceClass, Unit};
use counterfoil_exchange::documents::{Attestation, RequestId, Response};
use counterfoil_exchange::machine::fold;
use counterfoil_store::{ExchangeStore, StoreError};

/// Prefix of the idempotency keys of received claims.
const PREFIX: &str = "exchange";

/// Idempotency key of a claim: the exchange, and its place in the answer.
pub(crate) fn key(exchange: &RequestId, number: u32) -> String {
    format!("{PREFIX}:{exchange}:{number}")
}

/// Returns the attestation with which a claim of another agent came, as it came; `None` for other claims, and where the answer is
/// there no more, as when one of its memories was erased.
///
/// # Errors
/// [`StoreError`].
pub async fn attestation_behind(
    store: &dyn ExchangeStore,
    unit: &Unit,
) -> Result<Option<Attestation>, StoreError> {
    let is_peers = matches!(unit.provenance().class(), ProvenanceClass::Peer { .. });
    let Some((exchange, number)) = unit.key().filter(|_| is_peers).and_then(parse) else {
        return Ok(None);
    };
    let Some(stored) = store.exchange(&exchange).await? else {
        return Ok(None);
    };
    let Some(hash) = fold(&stored.transitions)
        .ok()
        .and_then(|folded| folded.answer().copied())
    else {
        return Ok(None);
    };
    let bytes = store.answer(&exchange, &hash).await?;
    let response = bytes.and_then(|bytes| Response::parse(&bytes).ok());
    let result = response.and_then(|response| response.parts().results.get(number).cloned());
    Ok(result.map(|result| result.attestation))
}

fn parse(key: &str) -> Option<(RequestId, usize)> {
    let (exchange, number) = key
        .strip_prefix(PREFIX)?
        .strip_prefix(':')?
        .split_once(':')?;
    Some((exchange.parse().ok()?, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_its_exchange_and_its_place() {
        let exchange = RequestId::from_bytes([7; 16]);
        assert_eq!(parse(&key(&exchange, 12)), Some((exchange.clone(), 12)));
        for other in ["", "exchange", "exchange:x:1", "exchanges:x:1"] {
            assert_eq!(parse(other), None, "{other}");
        }
        assert_eq!(parse(&format!("exchange:{exchange}:-1")), None);
    }
}
