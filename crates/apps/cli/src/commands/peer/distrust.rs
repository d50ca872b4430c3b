//! `peer distrust`: level 0; or a mark, or another's dispute; or a mark that is taken back.

use counterfoil_exchange::documents::Text;
use counterfoil_exchange::trust::{KnownAgent, LocalRecord, Mark};
use serde::Serialize;

use super::name;
use crate::args::{MarkName, PeerDistrustArgs};
use crate::context::Context;
use crate::exchange::peers::{Desk, Standing, called, in_domain};
use crate::exchange::settings;
use crate::failure::Failure;
use crate::output::pairs;

#[derive(Serialize)]
struct Distrusted {
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// `distrust`, `dispute`, `mark` or `clear`.
    recorded: &'static str,
    domain: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(flatten)]
    standing: Standing,
}

pub(super) async fn run(context: &Context, args: PeerDistrustArgs) -> Result<(), Failure> {
    let settings = settings::read(&context.home)?.trust;
    let mut desk = Desk::open(&context.home).await?;
    let known = desk.other(&args.agent)?;
    let domain = args.domain.clone();
    let mark = args.mark.or(args.clear).map(mark);
    let (record, by) = record(&desk, &known, args)?;
    let recorded = record.name();
    let at = desk.keep(record).await?.received_us();
    let found = desk
        .records
        .level(&known.key, domain.as_ref(), at, &settings);
    let distrusted = Distrusted {
        key: known.key.to_string(),
        name: name(&known),
        recorded,
        domain: domain.as_ref().map(ToString::to_string),
        mark: mark.map(Mark::name),
        by: by.as_ref().map(|by| by.key.to_string()),
        standing: Standing::of(&found),
    };
    context.out.answer(&distrusted, |out| {
        let mut lines = vec![
            ("agent", called(&desk.records, &known.key)),
            ("key", distrusted.key.clone()),
            ("recorded", recorded.to_owned()),
        ];
        match distrusted.mark {
            Some(mark) => lines.push(("mark", mark.to_owned())),
            None => lines.push(("about", in_domain(domain.as_ref()))),
        }
        lines.extend(
            by.iter()
                .map(|by| ("said by", called(&desk.records, &by.key))),
        );
        lines.push(("level", distrusted.standing.in_words()));
        pairs(out, &lines)
    })
}

fn record(
    desk: &Desk,
    known: &KnownAgent,
    args: PeerDistrustArgs,
) -> Result<(LocalRecord, Option<KnownAgent>), Failure> {
    let (key, domain) = (known.key, args.domain);
    let reason = args.reason.map(Text::new).transpose().map_err(|error| {
        Failure::input(
            format_args!("--reason is too long ({error})"),
            "say it in fewer words",
        )
    })?;
    if let Some(seen) = args.mark {
        return Ok((
            LocalRecord::Mark {
                key,
                mark: mark(seen),
                evidence: None,
            },
            None,
        ));
    }
    if let Some(seen) = args.clear {
        return Ok((
            LocalRecord::Clear {
                key,
                mark: mark(seen),
            },
            None,
        ));
    }
    match args.by {
        Some(by) => {
            let by = desk.other(&by)?;
            Ok((
                LocalRecord::Dispute {
                    by: by.key,
                    key,
                    domain,
                    reason,
                },
                Some(by),
            ))
        }
        None => Ok((
            LocalRecord::Distrust {
                key,
                domain,
                reason,
            },
            None,
        )),
    }
}

const fn mark(name: MarkName) -> Mark {
    match name {
        MarkName::Equivocation => Mark::Equivocation,
        MarkName::Framing => Mark::Framing,
        MarkName::Compromise => Mark::Compromise,
    }
}
