//! `key-for`: keys of applications for the HTTP API.

use clap::Args;
use counterfoil::text::name;
use counterfoil_api::{ApiChannel, ApiKey, ApiKeys, KeyRequest, Lifetime, Right};
use serde_json::{Value, json};

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{members, pairs, rows};

#[derive(Debug, Args)]
pub(crate) struct KeyForArgs {
    /// Name of the application
    #[arg(required_unless_present_any = ["list", "revoke"], conflicts_with_all = ["list", "revoke"])]
    name: Option<String>,
    /// Rights, separated by commas: recall, remember, forget, erase, believe, state, prove, export, import, metrics
    #[arg(long, value_name = "LIST", value_delimiter = ',', required_unless_present_any = ["list", "revoke"])]
    can: Vec<Right>,
    /// Whose word is what it says: user, tool or model
    #[arg(long, value_name = "CHANNEL", default_value = "model")]
    channel: ApiChannel,
    /// Life of the key, in hours or days, such as 12h or 30d
    #[arg(long, value_name = "TIME", default_value = "30d")]
    expires: Lifetime,
    /// List the keys
    #[arg(long)]
    list: bool,
    /// Take a key away
    #[arg(long, value_name = "KEY", conflicts_with = "list")]
    revoke: Option<String>,
}

pub(crate) fn run(context: &Context, args: KeyForArgs) -> Result<(), Failure> {
    context.memory.must_exist()?;
    let keys = ApiKeys::in_folder(context.memory.dir());
    if args.list {
        return list(context, &keys.list()?);
    }
    if let Some(id) = &args.revoke {
        let revoked = document(&keys.revoke(id)?);
        return context.out.answer(&revoked, |out| {
            members(out, &revoked, &[("revoked", "{id}, {name}")])
        });
    }
    let (key, token) = keys.create(KeyRequest {
        name: args.name.unwrap_or_default(),
        scope: context.memory.scope().clone(),
        can: args.can,
        channel: args.channel,
        expires: args.expires,
    })?;
    let mut made = document(&key);
    if let Some(members) = made.as_object_mut() {
        members.insert("token".to_owned(), token.as_str().into());
    }
    context.out.answer(&made, |out| {
        let lines = [
            ("key", format!("{}, for {}", key.id(), name(key.name()))),
            ("scope", scope(&key)),
            ("may", rights(&key).join(", ")),
            ("says", format!("the word of a {}", key.channel())),
            ("expires", key.expires().to_owned()),
            ("token", token.clone()),
        ];
        pairs(out, &lines)?;
        writeln!(out, "\nThe token is not shown again, and kept nowhere.")
    })
}

fn list(context: &Context, keys: &[ApiKey]) -> Result<(), Failure> {
    let documents: Vec<Value> = keys.iter().map(document).collect();
    context.out.answer(&documents, |out| {
        if keys.is_empty() {
            return writeln!(out, "There are no keys.");
        }
        let cells = keys.iter().map(|key| {
            [
                key.id().to_owned(),
                name(key.name()),
                scope(key),
                rights(key).join(","),
                key.channel().to_string(),
                key.expires().to_owned(),
            ]
        });
        rows(
            out,
            &["key", "name", "scope", "can", "channel", "expires"],
            cells,
        )
    })
}

fn scope(key: &ApiKey) -> String {
    match key.scope().is_empty() {
        true => "the whole memory".to_owned(),
        false => key.scope().to_string(),
    }
}

fn rights(key: &ApiKey) -> Vec<String> {
    key.can().iter().map(ToString::to_string).collect()
}

/// A key without its hash.
fn document(key: &ApiKey) -> Value {
    json!({
        "id": key.id(),
        "name": key.name(),
        "scope": key.scope(),
        "can": rights(key),
        "channel": key.channel().name(),
        "expires": key.expires(),
    })
}
