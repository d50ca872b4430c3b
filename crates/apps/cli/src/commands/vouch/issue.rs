//! `vouch issue`: a signed vouch, for whoever it is shown to.

use counterfoil_exchange::documents::{
    Agent, Competence, RequestId, StatedConfidence, Text, Vouch, VouchClaim, VouchConfidence,
    VouchParts, VouchScope, VouchSubject,
};
use counterfoil_exchange::trust::Record;

use super::hand_out;
use crate::args::{CompetenceName, ConfidenceName, VouchIssueArgs};
use crate::context::Context;
use crate::exchange::peers::{self, Desk};
use crate::exchange::{host, settings};
use crate::failure::Failure;
use crate::when;

pub(super) async fn run(context: &Context, args: VouchIssueArgs) -> Result<(), Failure> {
    let valid_until = args.until.as_deref().map(peers::until).transpose()?;
    let name = host::name(&context.home, &settings::read(&context.home)?)?;
    let mut desk = Desk::open(&context.home).await?;
    let subject = desk.other(&args.agent)?;
    let now = when::stamp()?;
    let level = competence(args.level);
    let statement = args
        .statement
        .unwrap_or_else(|| format!("{} in {}", word(level), args.domain));
    let parts = VouchParts {
        id: RequestId::from_bytes(uuid::Uuid::now_v7().into_bytes()),
        created_at: now,
        voucher: Agent {
            agent_id: name,
            public_key: desk.signer.key(),
        },
        subject: VouchSubject {
            // As it is called here, or by its key.
            agent_id: match &subject.name {
                Some(name) => name.clone(),
                None => text("the key", subject.key.to_string())?,
            },
            public_key: subject.key,
            capability_id: None,
        },
        claim: VouchClaim {
            domain: args.domain,
            statement: text("--statement", statement)?,
            level,
        },
        evidence: None,
        confidence: StatedConfidence {
            level: confidence(args.confidence),
            reason: args
                .reason
                .map(|reason| text("--reason", reason))
                .transpose()?,
        },
        scope: valid_until.map(|until| VouchScope {
            valid_until: Some(until),
            conditions: None,
        }),
    };
    let vouch = Vouch::sign(parts, desk.signer.as_ref())
        .map_err(|error| Failure::input(error, "leave out what it names"))?;
    let record = Record::receive(vouch.bytes(), &desk.own, now.micros())?;
    desk.take(vec![record]).await?;
    hand_out(context, vouch.bytes(), args.output.as_deref())
}

fn text<const MAX: usize>(what: &str, text: String) -> Result<Text<MAX>, Failure> {
    Text::new(text)
        .map_err(|error| Failure::input(format_args!("{what}: {error}"), "say it in other words"))
}

const fn competence(name: CompetenceName) -> Competence {
    match name {
        CompetenceName::Learning => Competence::Learning,
        CompetenceName::Competent => Competence::Competent,
        CompetenceName::Expert => Competence::Expert,
        CompetenceName::Authority => Competence::Authority,
    }
}

/// Word of a level in documents.
pub(super) const fn word(level: Competence) -> &'static str {
    match level {
        Competence::Learning => "learning",
        Competence::Competent => "competent",
        Competence::Expert => "expert",
        Competence::Authority => "authority",
    }
}

const fn confidence(name: ConfidenceName) -> VouchConfidence {
    match name {
        ConfidenceName::High => VouchConfidence::High,
        ConfidenceName::Medium => VouchConfidence::Medium,
        ConfidenceName::Low => VouchConfidence::Low,
    }
}
