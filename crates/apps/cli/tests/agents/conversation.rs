//! A conversation from the first memory to a proof that an authority accepts.

use counterfoil_authority::types::{Proposal, UnixMillis};
use counterfoil_authority::verifier::{Anchors, VerifierSet};
use counterfoil_authority::{Authority, Policy, Preset, Verdict};
use rmcp::ClientLifecycleMode;
use serde_json::{Value, json};

use crate::client::{Agent, Asks, PROGRAM, place};

/// Runs the program, and gives what it wrote on standard output.
fn run(store: &std::path::Path, arguments: &[&str]) -> String {
    let mut command = std::process::Command::new(PROGRAM);
    let output = command
        .arg("--dir")
        .arg(store)
        .args(arguments)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn an_agent_remembers_recalls_corrects_and_proves() {
    let (_folder, store) = place();
    let agent = Agent::start(&store, Asks::Agrees, &[]).await;
    let made = agent
        .done("remember", json!({"text": "Kit is allergic to sesame"}))
        .await;
    assert_eq!(made["became"], "new");
    let id = text(&made, "id");
    let receipt = text(&made, "receipt");
    assert!(receipt.starts_with("rcpt_"), "{made}");

    let query = json!({"query": "Which allergy does Kit have?"});
    let found = agent.done("recall", query.clone()).await;
    assert_eq!(found["items"][0]["text"], "Kit is allergic to sesame");
    let (_, shown, _) = agent.call("recall", query).await;
    assert!(shown.contains("\"Kit is allergic to sesame\""), "{shown}");

    let patch =
        json!({"id": id, "text": "Kit is allergic to sesame and nuts", "reason": "Kit said so"});
    let corrected = agent.done("correct", patch).await;
    let newer = text(&corrected, "id");
    assert_ne!(newer, id);
    let why = agent.done("why", json!({"id": newer})).await;
    assert_eq!(why["versions"].as_array().map(Vec::len), Some(2));
    assert_eq!(why["data"]["channel"], "model");

    let ids = json!({"ids": [newer], "summary": "A cake without sesame"});
    let proof = agent.done("prove", ids).await;
    let uri = text(&proof, "proof");
    let proposal = agent.read(&uri).await;
    let checked = agent.done("check", json!({"proof": uri})).await;
    assert_eq!(checked["verdict"], "approved", "{checked}");
    assert_eq!(
        checked["memories"][0]["text"],
        "Kit is allergic to sesame and nuts"
    );
    let there = agent.done("check", json!({"ids": [id, newer]})).await;
    assert_eq!(there["verdict"], "approved");

    let hidden = agent
        .done(
            "forget",
            json!({"id": newer, "reason": "asked", "mode": "hide"}),
        )
        .await;
    assert_eq!(hidden["became"], "hidden");
    let found = agent
        .done("recall", json!({"query": "Kit allergy sesame"}))
        .await;
    assert_eq!(found["items"], json!([]));
    agent.end().await;

    // An authority has the proof and the anchors, and no store.
    let anchors = store.with_file_name("anchors.json");
    run(&store, &["anchors", "-o", anchors.to_str().unwrap()]);
    let trusted = Anchors::from_json(&std::fs::read(&anchors).unwrap()).unwrap();
    let authority = Authority::new(VerifierSet::new(trusted), Policy::preset(Preset::Standard));
    let proposal = Proposal::from_json(proposal.as_bytes()).unwrap();
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    let now = UnixMillis::new(u64::try_from(now.as_millis()).unwrap() + 1_000).unwrap();
    let report = authority.review(&proposal, now);
    assert_eq!(report.decision().verdict(), Verdict::Approved);
}

/// A model contradicts the user: its word is kept as a model's, and changes nothing.
#[tokio::test]
async fn a_models_word_stays_a_models() {
    let (_folder, store) = place();
    run(&store, &["init"]);
    run(
        &store,
        &[
            "claim", "add", "Kit", "lives_in", "Lisbon", "--from", "2020",
        ],
    );
    let turn = run(&store, &["remember", "Kit said: I live in Porto", "--json"]);
    let turn: Value = serde_json::from_str(&turn).unwrap();
    let turn = text(&turn, "id");
    let agent = Agent::start(&store, Asks::Never, &[]).await;
    let fact = json!({"subject": "Kit", "predicate": "lives_in", "value": "Porto", "from": "2020", "source": turn});
    let stated = agent.done("state_fact", fact).await;
    assert_eq!(stated["said_by"], "model_derived");
    assert_eq!(stated["became"], "committed_inferred", "{stated}");
    let believed = agent
        .done(
            "believe",
            json!({"subject": "Kit", "predicate": "lives_in"}),
        )
        .await;
    let belief = &believed["beliefs"][0];
    assert_eq!(belief["values"][0]["value"], "Lisbon");
    assert_eq!(belief["others"][0]["said_by"], json!(["model_derived"]));
    let why = agent
        .done("why", json!({"subject": "Kit", "predicate": "lives_in"}))
        .await;
    assert_eq!(why["belief"]["values"][0]["value"], "Lisbon");
    assert!(
        why["decided_by"]
            .as_array()
            .is_some_and(|it| !it.is_empty())
    );
    // Nor does a model take back what the user stated.
    let claim = &belief["values"][0]["claims"][0];
    let hide = json!({"id": claim, "reason": "I think otherwise", "mode": "hide"});
    assert_eq!(agent.refused("forget", hide).await, "refused");
    let proof = agent
        .done("prove", json!({"subject": "Kit", "predicate": "lives_in"}))
        .await;
    let checked = agent.done("check", json!({"proof": proof["proof"]})).await;
    assert_eq!(checked["report"]["type"], "counterfoil/belief-report");
    agent.end().await;
}

#[tokio::test]
async fn nothing_is_erased_without_the_users_consent() {
    for lifecycle in [None, Some(ClientLifecycleMode::Initialize)] {
        for (asks, became) in [
            (Asks::Never, None),
            (Asks::Declines, Some("kept")),
            (Asks::Agrees, Some("erased")),
        ] {
            let (_folder, store) = place();
            let agent = match lifecycle.clone() {
                None => Agent::start(&store, asks, &[]).await,
                Some(legacy) => Agent::start_as(&store, asks, &[], legacy).await,
            };
            let made = agent
                .done("remember", json!({"text": "The code is 1234"}))
                .await;
            let erase = json!({"id": made["id"], "reason": "asked", "mode": "erase"});
            match became {
                None => assert_eq!(agent.refused("forget", erase).await, "consent"),
                Some(became) => {
                    let done = agent.done("forget", erase).await;
                    assert_eq!(done["became"], became, "{asks:?}");
                }
            }
            assert_eq!(agent.asked().len(), usize::from(asks != Asks::Never));
            let found = agent.done("recall", json!({"query": "code"})).await;
            let left = found["items"].as_array().map(Vec::len);
            assert_eq!(
                left,
                Some(usize::from(became != Some("erased"))),
                "{asks:?}"
            );
            agent.end().await;
        }
    }
}

/// AGT-2; mutant `consent-to-the-named-version`: who agreed to a shopping list had erased what it had become, and a fact beside it.
#[tokio::test]
async fn the_user_is_asked_about_all_that_goes() {
    let (_folder, store) = place();
    let agent = Agent::start(&store, Asks::Declines, &[]).await;
    let made = agent
        .done("remember", json!({"text": "Shopping list"}))
        .await;
    let now = json!({"id": made["id"], "text": "The will is in the kettle", "reason": "found"});
    agent.done("correct", now).await;
    let fact =
        json!({"subject": "will", "predicate": "place", "value": "kettle", "source": made["id"]});
    agent.done("state_fact", fact).await;
    let erase = json!({"id": made["id"], "reason": "asked", "mode": "erase"});
    assert_eq!(agent.done("forget", erase).await["became"], "kept");
    let [question] = &*agent.asked() else {
        panic!("{:?}", agent.asked())
    };
    for part in [
        "The will is in the kettle",
        "All its 2 versions go",
        "goes as well",
        "will place",
    ] {
        assert!(question.contains(part), "{part}: {question}");
    }
    agent.end().await;
}

/// Every document that a tool gives is one that its output schema allows.
#[tokio::test]
async fn documents_are_as_the_schemas_of_the_tools_say() {
    let (_folder, store) = place();
    let agent = Agent::start(&store, Asks::Agrees, &[]).await;
    let tools = agent.service().list_all_tools().await.unwrap();
    assert_eq!(tools.len(), 9);
    let made = agent
        .done("remember", json!({"text": "Kit is allergic to sesame"}))
        .await;
    let id = made["id"].clone();
    let fact = json!({"subject": "Kit", "predicate": "likes", "value": {"tea": ["green"]}});
    agent.done("state_fact", fact.clone()).await;
    for (tool, arguments) in [
        ("remember", json!({"text": "Kit likes tea", "key": "k"})),
        ("recall", json!({"query": "Kit", "detail": "full"})),
        (
            "recall",
            json!({"query": "Kit", "detail": "index", "token_budget": 100}),
        ),
        ("believe", json!({"subject": "Kit"})),
        ("state_fact", fact),
        ("why", json!({"id": id})),
        ("why", json!({"subject": "Kit", "predicate": "likes"})),
        ("prove", json!({"ids": [id], "summary": "A cake"})),
        ("check", json!({"ids": [id]})),
        (
            "correct",
            json!({"id": id, "patch": {"text": "None"}, "reason": "wrong"}),
        ),
        (
            "forget",
            json!({"id": id, "reason": "asked", "mode": "hide"}),
        ),
    ] {
        let listed = tools.iter().find(|listed| listed.name == tool).unwrap();
        let input = Value::Object(listed.input_schema.as_ref().clone());
        jsonschema::validate(&input, &arguments).unwrap();
        let output = listed.output_schema.as_ref().unwrap();
        let output = Value::Object(output.as_ref().clone());
        let document = agent.done(tool, arguments).await;
        if let Err(error) = jsonschema::validate(&output, &document) {
            panic!("{tool}: {error}\n{document:#}");
        }
    }
    let hints = |name: &str| {
        let tool = tools.iter().find(|tool| tool.name == name).unwrap();
        let hints = tool.annotations.clone().unwrap();
        (hints.read_only_hint, hints.destructive_hint)
    };
    assert_eq!(hints("recall"), (Some(true), Some(false)));
    assert_eq!(hints("remember"), (Some(false), Some(false)));
    assert_eq!(hints("forget"), (Some(false), Some(true)));
    agent.end().await;
}

#[tokio::test]
async fn resources_list_what_is_recent_and_contested() {
    let (_folder, store) = place();
    let agent = Agent::start(&store, Asks::Never, &[]).await;
    assert!(
        agent
            .read("counterfoil://recent")
            .await
            .contains("no memories")
    );
    let made = agent
        .done("remember", json!({"text": "Kit likes tea"}))
        .await;
    assert!(
        agent
            .read("counterfoil://recent")
            .await
            .contains("\"Kit likes tea\"")
    );
    assert!(
        agent
            .read("counterfoil://contested")
            .await
            .contains("No belief")
    );
    let receipt = agent
        .read(&format!("counterfoil://receipt/{}", text(&made, "id")))
        .await;
    assert!(receipt.contains("tlogProof"), "{receipt}");
    let prompts = agent.service().list_all_prompts().await.unwrap();
    assert_eq!(prompts.len(), 1);
    agent.end().await;
}

#[tokio::test]
async fn the_configuration_of_the_host_limits_the_tools() {
    let (_folder, store) = place();
    run(&store, &["init"]);
    let agent = Agent::start(&store, Asks::Never, &["--read-only"]).await;
    let tools = agent.service().list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, ["recall", "believe", "why", "prove", "check"]);
    let params = rmcp::model::CallToolRequestParams::new("remember");
    assert!(agent.service().call_tool(params).await.is_err());
    agent.end().await;
    let agent = Agent::start(&store, Asks::Never, &["--tools", "remember,recall"]).await;
    assert_eq!(agent.service().list_all_tools().await.unwrap().len(), 2);
    agent.end().await;
}
