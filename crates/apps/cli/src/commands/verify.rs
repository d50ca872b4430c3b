//! `verify`: what `counterfoil-verify` does, for those who have the whole program. It opens no
//! store (M-4).

use counterfoil_verify::{Output, VerifyArgs, render, review, to_json};

use crate::context::Context;
use crate::failure::Failure;

const REJECTED: u8 = 1;
const INDETERMINATE: u8 = 2;

pub(crate) fn run(context: &Context, args: &VerifyArgs) -> Result<(), Failure> {
    let report = review(args).map_err(|error| Failure::Input(error.to_string()))?;
    let form = if context.out.is_json() {
        Output::Json
    } else {
        Output::Human
    };
    let text = match form {
        Output::Json => to_json(&report).map_err(|error| Failure::Input(error.to_string()))?,
        Output::Human => render(&report),
    };
    context.out.text(&text)?;
    match report.decision().verdict().name() {
        "approved" => Ok(()),
        "indeterminate" => Err(Failure::Verdict(INDETERMINATE)),
        _ => Err(Failure::Verdict(REJECTED)),
    }
}
