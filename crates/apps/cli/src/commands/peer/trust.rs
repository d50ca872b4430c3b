//! `peer trust`: level 3, by this agent's own word.

use counterfoil_exchange::trust::LocalRecord;
use serde::Serialize;

use super::name;
use crate::args::PeerTrustArgs;
use crate::context::Context;
use crate::exchange::peers::{self, Desk, Standing, called, capped, in_domain};
use crate::exchange::settings;
use crate::failure::Failure;
use crate::output::notice;
use crate::output::pairs;

#[derive(Serialize)]
struct Trusted {
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    domain: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    #[serde(flatten)]
    standing: Standing,
}

pub(super) async fn run(context: &Context, args: PeerTrustArgs) -> Result<(), Failure> {
    let expires = args.until.as_deref().map(peers::until).transpose()?;
    let settings = settings::read(&context.home)?.trust;
    let mut desk = Desk::open(&context.home).await?;
    let known = desk.other(&args.agent)?;
    let (key, domain) = (known.key, args.domain);
    let record = LocalRecord::DirectTrust {
        key,
        domain: domain.clone(),
        expires,
    };
    let at = desk.keep(record).await?.received_us();
    let found = desk.records.level(&key, domain.as_ref(), at, &settings);
    let trusted = Trusted {
        key: key.to_string(),
        name: name(&known),
        domain: domain.as_ref().map(ToString::to_string),
        until: expires.as_ref().map(ToString::to_string),
        standing: Standing::of(&found),
    };
    context.out.answer(&trusted, |out| {
        let mut lines = vec![
            ("agent", called(&desk.records, &key)),
            ("key", trusted.key.clone()),
            ("trusted", in_domain(domain.as_ref())),
        ];
        lines.extend(trusted.until.iter().map(|until| ("until", until.clone())));
        lines.push(("level", trusted.standing.in_words()));
        pairs(out, &lines)
    })?;
    for cap in &found.caps {
        notice(format_args!("its level is {}", capped(&desk.records, cap)));
    }
    Ok(())
}
