//! `rebuild`: derived state is thrown away and made again from the capsules; it must come out the
//! same.

use serde::Serialize;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{count, pairs};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Made {
    worlds: u64,
    before: Option<String>,
    after: String,
    identical: bool,
}

pub(crate) async fn run(context: &Context) -> Result<(), Failure> {
    let rebuilt = context.home.writer()?.rebuild().await?;
    let made = Made {
        worlds: rebuilt.worlds,
        identical: rebuilt.before == Some(rebuilt.after),
        before: rebuilt.before.map(|digest| digest.to_string()),
        after: rebuilt.after.to_string(),
    };
    context.out.answer(&made, |out| {
        let verdict = if made.identical {
            "as before"
        } else {
            "mended: it differed before"
        };
        pairs(
            out,
            &[
                ("rebuilt from", count(made.worlds, "capsule", "capsules")),
                ("digest", made.after.clone()),
                ("derived state", verdict.to_owned()),
            ],
        )
    })
}
