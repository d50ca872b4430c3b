//! Client of a witness (C2SP tlog-witness): sends one checkpoint, and reads no more than the answer may have.

use std::time::Duration;

use counterfoil_web::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderValue};
use counterfoil_web::{Request, StatusCode, WebResponse};
use tokio::time::timeout;

use super::Client;
use crate::HttpError;
use crate::problem::is_media_type;
use crate::witness::{AddCheckpoint, SIZE_TYPE, WitnessAnswer, decimal};

/// Time limit of one request and its answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Largest answer, in bytes.
const MAX_ANSWER: usize = 16 << 10;

impl Client {
    /// Sends a checkpoint to the witness below this address. What is cosigned is not verified.
    ///
    /// # Errors
    /// [`HttpError::Unreachable`] if there is no answer within 10 s, or none that a witness gives: a redirect, an encoding, more
    /// than 16 KiB, or a status that has no meaning here.
    pub async fn add_checkpoint(
        &self,
        request: &AddCheckpoint,
    ) -> Result<WitnessAnswer, HttpError> {
        let failed = |cause: &dyn core::fmt::Display| {
            HttpError::Unreachable(format!(
                "the witness gives no answer ({cause}); check its address and that it runs"
            ))
        };
        let body = request.to_text().into_bytes();
        let mut request = Request::post("/")
            .body(body.into())
            .map_err(|error| failed(&error))?;
        let plain = HeaderValue::from_static("text/plain; charset=utf-8");
        request.headers_mut().insert(CONTENT_TYPE, plain);
        let exchange = async {
            let response = self.send("add-checkpoint", request).await;
            read(response.map_err(|error| failed(&error))?).await
        };
        timeout(PATIENCE, exchange)
            .await
            .unwrap_or_else(|_| Err(failed(&"operation timed out")))
    }
}

async fn read(mut response: WebResponse) -> Result<WitnessAnswer, HttpError> {
    let status = response.status;
    let no_witness = |what: &dyn core::fmt::Display| {
        HttpError::Unreachable(format!(
            "what answers is no witness ({what}); ask its operator for the address"
        ))
    };
    match status {
        StatusCode::UNPROCESSABLE_ENTITY => return Ok(WitnessAnswer::Inconsistent),
        StatusCode::NOT_FOUND => return Ok(WitnessAnswer::UnknownLog),
        StatusCode::FORBIDDEN => return Ok(WitnessAnswer::NotSigned),
        StatusCode::BAD_REQUEST => return Ok(WitnessAnswer::Malformed),
        StatusCode::OK | StatusCode::CONFLICT => {}
        _ => return Err(no_witness(&format_args!("status {}", status.as_u16()))),
    }
    if response.headers.contains_key(CONTENT_ENCODING) {
        return Err(no_witness(&"its answer is encoded"));
    }
    let body = response.body(MAX_ANSWER).await;
    let body = body.map_err(|error| no_witness(&error))?;
    let body = body.ok_or_else(|| no_witness(&"its answer is above 16 KiB"))?;
    let text = String::from_utf8(body).map_err(|_| no_witness(&"its answer is no text"))?;
    if status == StatusCode::OK {
        return Ok(WitnessAnswer::Cosigned(text));
    }
    let media_type = response.headers.get(CONTENT_TYPE);
    let media_type = media_type.and_then(|value| value.to_str().ok());
    let is_size = media_type.is_some_and(|it| is_media_type(it, SIZE_TYPE));
    let size = text.strip_suffix('\n').and_then(decimal);
    Ok(WitnessAnswer::Conflict(size.filter(|_| is_size)))
}
