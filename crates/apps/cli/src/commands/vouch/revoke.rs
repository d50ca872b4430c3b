//! `vouch revoke`: takes a vouch of this agent back, and hands out the revocation.

use counterfoil_exchange::documents::{Agent, RequestId, Revocation, RevocationParts, Text, Vouch};
use counterfoil_exchange::trust::{LocalRecord, Record, RecordBody};

use super::hand_out;
use crate::args::VouchRevokeArgs;
use crate::claims::telling;
use crate::context::Context;
use crate::exchange::peers::Desk;
use crate::exchange::{host, settings};
use crate::failure::Failure;
use crate::when;

pub(super) async fn run(context: &Context, args: VouchRevokeArgs) -> Result<(), Failure> {
    let id: RequestId = args.id.parse().map_err(|error| {
        Failure::input(
            format_args!("{} is no id of a vouch ({error})", telling::typed(&args.id)),
            "see `counterfoil vouch list`",
        )
    })?;
    let name = host::name(&context.home, &settings::read(&context.home)?)?;
    let mut desk = Desk::open(&context.home).await?;
    let Some(vouch) = issued(&desk, &id) else {
        return Err(Failure::input(
            format_args!("this agent has issued no vouch {id}"),
            "see `counterfoil vouch list`",
        ));
    };
    // Asked again, it is the same revocation: whoever has it need not get another.
    if let Some(document) = revoked(&desk, &id) {
        return hand_out(context, &document, args.output.as_deref());
    }
    let voucher = vouch.parts().voucher.public_key;
    if voucher != desk.signer.key() {
        let to = desk.signer.key();
        desk.keep(LocalRecord::Succession { from: voucher, to })
            .await?;
    }
    let now = when::stamp()?;
    let reason = args.reason.map(Text::new).transpose().map_err(|error| {
        Failure::input(format_args!("--reason: {error}"), "say it in other words")
    })?;
    let parts = RevocationParts {
        id: RequestId::from_bytes(uuid::Uuid::now_v7().into_bytes()),
        created_at: now,
        vouch_id: id,
        vouch_hash: vouch.hash(),
        voucher: Agent {
            agent_id: name,
            public_key: desk.signer.key(),
        },
        reason,
        effective_from: None,
    };
    let revocation = Revocation::sign(parts, desk.signer.as_ref())
        .map_err(|error| Failure::input(error, "leave out what it names"))?;
    let record = Record::receive(revocation.bytes(), &desk.own, now.micros())?;
    desk.take(vec![record]).await?;
    hand_out(context, revocation.bytes(), args.output.as_deref())
}

/// A vouch of this agent.
fn issued(desk: &Desk, id: &RequestId) -> Option<Vouch> {
    let mut vouches = desk
        .records
        .iter()
        .filter_map(|record| match record.body() {
            RecordBody::Vouch(vouch) => Some(vouch),
            _ => None,
        });
    let is_ours = |vouch: &&Vouch| {
        vouch.parts().id == *id && desk.own.contains(&vouch.parts().voucher.public_key)
    };
    vouches.find(is_ours).cloned()
}

fn revoked(desk: &Desk, id: &RequestId) -> Option<Vec<u8>> {
    let mut found = desk
        .records
        .iter()
        .filter_map(|record| match record.body() {
            RecordBody::Revocation(revocation) => Some(revocation),
            _ => None,
        });
    let found = found.find(|revocation| {
        let parts = revocation.parts();
        parts.vouch_id == *id && desk.own.contains(&parts.voucher.public_key)
    });
    found.map(|revocation| revocation.bytes().to_vec())
}
