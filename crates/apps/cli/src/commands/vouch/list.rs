//! `vouch list`: the vouches that are known here.

use counterfoil_exchange::documents::{Vouch, VouchConfidence};
use counterfoil_exchange::trust::{Record, RecordBody, Records};
use serde::Serialize;

use super::issue::word;
use crate::args::VouchListArgs;
use crate::claims::{dates, telling};
use crate::context::Context;
use crate::exchange::peers::{self, called};
use crate::failure::Failure;
use crate::output::{table, write_table};

#[derive(Serialize)]
struct Listed {
    vouches: Vec<Shown>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    id: String,
    hash: String,
    voucher: Party,
    subject: Party,
    domain: String,
    level: &'static str,
    confidence: &'static str,
    statement: String,
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_until: Option<String>,
    received_at: String,
    /// Time at which the revocation was received.
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked_at: Option<String>,
}

#[derive(Serialize)]
struct Party {
    key: String,
    /// Name here, or else the key, shortened: the name that an agent gives itself is not trusted.
    called: String,
}

pub(super) async fn run(context: &Context, args: VouchListArgs) -> Result<(), Failure> {
    let store = context.home.reader()?;
    let records = peers::records(&context.home, &store).await?;
    let of = args
        .of
        .map(|agent| peers::known(&records, &agent))
        .transpose()?;
    let wanted = |vouch: &Vouch| {
        let subject = vouch.parts().subject.public_key;
        let is_of = of
            .as_ref()
            .is_none_or(|of| of.key == subject || of.same_agent.contains(&subject));
        is_of
            && args
                .by
                .is_none_or(|by| by == vouch.parts().voucher.public_key)
    };
    let vouches = records.iter().filter_map(|record| match record.body() {
        RecordBody::Vouch(vouch) if wanted(vouch) => Some(shown(&records, record, vouch)),
        _ => None,
    });
    let listed = Listed {
        vouches: vouches.collect(),
    };
    context.out.answer(&listed, |out| {
        if listed.vouches.is_empty() {
            return writeln!(
                out,
                "No vouch is known here; `counterfoil vouch import FILE` takes some in."
            );
        }
        let mut rows = table(&["voucher", "for", "domain", "level", "confidence", "", "id"]);
        for vouch in &listed.vouches {
            rows.add_row(vec![
                vouch.voucher.called.clone(),
                vouch.subject.called.clone(),
                telling::name(&vouch.domain),
                vouch.level.to_owned(),
                vouch.confidence.to_owned(),
                if vouch.revoked_at.is_some() {
                    "taken back"
                } else {
                    ""
                }
                .to_owned(),
                vouch.id.clone(),
            ]);
        }
        write_table(out, &rows)
    })
}

fn shown(records: &Records, record: &Record, vouch: &Vouch) -> Shown {
    let parts = vouch.parts();
    let scope = parts.scope.as_ref();
    let valid_until = scope.and_then(|scope| scope.valid_until);
    let party = |key| Party {
        key: format!("{key}"),
        called: called(records, &key),
    };
    Shown {
        id: parts.id.to_string(),
        hash: vouch.hash().to_string(),
        voucher: party(parts.voucher.public_key),
        subject: party(parts.subject.public_key),
        domain: parts.claim.domain.to_string(),
        level: word(parts.claim.level),
        confidence: match parts.confidence.level {
            VouchConfidence::High => "high",
            VouchConfidence::Medium => "medium",
            VouchConfidence::Low => "low",
        },
        statement: parts.claim.statement.to_string(),
        created_at: parts.created_at.to_string(),
        valid_until: valid_until.map(|until| until.to_string()),
        received_at: dates::rfc3339(record.received_us()),
        revoked_at: records.revoked_us(vouch).map(dates::rfc3339),
    }
}
