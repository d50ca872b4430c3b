//! `verify-belief`: what `counterfoil-verify belief` does, for those who have the whole program. It opens no store (M-4).

use counterfoil_verify::belief::{BeliefArgs, review_belief};
use counterfoil_verify::{Form, Verdict};

use crate::context::Context;
use crate::failure::{ErrorKind, Failure};

pub(crate) fn run(context: &Context, args: &BeliefArgs) -> Result<(), Failure> {
    let report =
        review_belief(args).map_err(|error| Failure::new(ErrorKind::Input, error.to_string()))?;
    let text = match context.out.form() {
        Form::Json => report
            .to_json()
            .map_err(|error| Failure::new(ErrorKind::Input, error.to_string()))?,
        Form::Human => report.render(),
    };
    context.out.text(&text)?;
    match report.verdict() {
        Verdict::Approved => Ok(()),
        verdict => Err(Failure::NotApproved(verdict)),
    }
}
