//! `verify`: what `counterfoil-verify` does, for those who have the whole program. It opens no
//! store (M-4).

use counterfoil_verify::{Form, Verdict, VerifyArgs, render, review, to_json};

use crate::context::Context;
use crate::failure::{ErrorKind, Failure};

pub(crate) fn run(context: &Context, args: &VerifyArgs) -> Result<(), Failure> {
    let report = review(args).map_err(|error| Failure::new(ErrorKind::Input, error.to_string()))?;
    let text = match context.out.form() {
        Form::Json => {
            to_json(&report).map_err(|error| Failure::new(ErrorKind::Input, error.to_string()))?
        }
        Form::Human => render(&report),
    };
    context.out.text(&text)?;
    match report.decision().verdict() {
        Verdict::Approved => Ok(()),
        verdict => Err(Failure::NotApproved(verdict)),
    }
}
