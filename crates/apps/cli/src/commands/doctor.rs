//! `doctor`: whether the store is fit for use, each thing looked at by itself.

use counterfoil_types::json::Value;
use counterfoil_verify::terminal;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{items, text};

/// The most characters of a finding shown to a person.
const LIMIT: usize = 400;

pub(crate) async fn run(context: &Context) -> Result<(), Failure> {
    let diagnosis = context.memory.doctor().await?;
    context.out.report(&diagnosis, |out| {
        let checks = items(diagnosis.value(), "checks");
        let width = checks.iter().map(|check| text(check, "name").len()).max();
        let width = width.unwrap_or(0);
        checks.iter().try_for_each(|check| {
            let mark = match check.get("ok") {
                Some(Value::Bool(true)) => "ok",
                _ => "BAD",
            };
            let detail = terminal::plain(&text(check, "detail"), LIMIT);
            writeln!(out, "{mark:<3}  {:<width$}  {detail}", text(check, "name"))
        })
    })
}
