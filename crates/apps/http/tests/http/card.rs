//! The agent card: what of A2A is in it, and that its capability is checked.

use std::sync::Arc;

use counterfoil_capsule::Signer;
use counterfoil_exchange::documents::Capability;
use counterfoil_http::HttpError;
use counterfoil_http::client::{Client, ClientSettings};

use crate::rig::{Rig, Scripted, signer};
use crate::scripted::{Answer, Peer};

async fn agent_card(url: &str) -> Result<Capability, HttpError> {
    let client = Client::new(url, &ClientSettings::default()).unwrap();
    client.agent_card().await
}

#[tokio::test]
async fn a_card_has_the_names_of_a2a_and_our_extension() {
    let scripted = Scripted::always();
    let rig = Rig::with(Arc::clone(&scripted), |settings| {
        settings.url = Some("https://ann.example".into())
    })
    .await;
    let reply = rig.get("/.well-known/agent-card.json").await;
    let card: serde_json::Value = serde_json::from_slice(&reply.body).unwrap();
    assert_eq!(card["protocolVersion"], "0.3.0");
    assert_eq!(
        (&card["name"], &card["url"]),
        (&"ann".into(), &"https://ann.example".into())
    );
    let extension = &card["capabilities"]["extensions"][0];
    assert_eq!(extension["uri"], "https://counterfoil.dev/mrp/v1");
    assert_eq!(extension["params"]["endpoint"], "https://ann.example");
    assert_eq!(card["skills"][0]["tags"][0], "gardens/roses");
    rig.get("/.well-known/agent-card.json").await;
    assert_eq!(scripted.count(), 1, "it is kept for a while");
}

#[tokio::test]
async fn what_an_agent_says_of_itself_is_read_back() {
    let rig = Rig::new(Scripted::always()).await;
    let capability = agent_card(&rig.url()).await.unwrap();
    assert_eq!(capability.parts().agent.public_key, signer(1).agent());
    assert_eq!(
        capability.parts().endpoint.as_ref().unwrap().as_str(),
        rig.url()
    );
}

#[tokio::test]
async fn a_card_that_was_changed_is_none() {
    let rig = Rig::new(Scripted::always()).await;
    let card = rig.get("/.well-known/agent-card.json").await;
    let changed = card.text().replace("gardens/roses", "gardens/tulips");
    for body in [
        changed.as_str(),
        "{}",
        "<html>",
        "[]",
        r#"{"capabilities":{"extensions":[{"uri":"https://counterfoil.dev/mrp/v1"}]}}"#,
    ] {
        let peer = Peer::answering(vec![Answer::json(200, body)]).await;
        let refused = agent_card(&peer.url()).await;
        assert!(
            matches!(refused, Err(HttpError::NoCard { .. })),
            "{body}: {refused:?}"
        );
    }
}
