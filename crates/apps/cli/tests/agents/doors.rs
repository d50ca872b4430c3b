//! Every door does the same: one list of operations, the table of them in the guide, and random scripts that all doors answer alike.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::Command;

use counterfoil::{
    BeliefQuery, DerivedPolicy, Detail, Edit, ErasureScope, ImportOptions, Memory, Note,
    RecallOptions,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};

use crate::api::{ALL, Answer, Api, MOST};
use crate::client::{Agent, Asks, PROGRAM};

/// Scripts that are tried, and operations of each.
const SCRIPTS: usize = 4;
const STEPS: usize = 24;
/// The memory of a step that names one which is not there.
const ABSENT: usize = 7;

/// One operation of an owner, as each door names it; empty where the door does not have it.
struct Row {
    what: &'static str,
    command: &'static str,
    library: &'static str,
    tool: &'static str,
    route: &'static str,
}

impl Row {
    const fn of(
        what: &'static str,
        command: &'static str,
        library: &'static str,
        tool: &'static str,
        route: &'static str,
    ) -> Self {
        Self {
            what,
            command,
            library,
            tool,
            route,
        }
    }
}

/// Names a function of the facade; a name that is none does not compile.
macro_rules! library {
    ($name:ident) => {{
        let _ = Memory::$name;
        stringify!($name)
    }};
    ($name:ident with $($argument:tt)*) => {{
        let _ = |memory: &Memory| drop(memory.$name($($argument)*));
        stringify!($name)
    }};
}

/// Operations on one memory after the other.
fn of_memories() -> Vec<Row> {
    vec![
        Row::of(
            "store a memory",
            "remember",
            library!(remember with "text"),
            "remember",
            "POST /v1/memories",
        ),
        Row::of(
            "find memories",
            "recall",
            library!(recall),
            "recall",
            "POST /v1/recall",
        ),
        Row::of(
            "find memories as they were",
            "as-of",
            library!(recall_as_of),
            "recall",
            "POST /v1/recall",
        ),
        Row::of(
            "list memories",
            "export",
            library!(as_of),
            "",
            "GET /v1/memories",
        ),
        Row::of(
            "show a memory",
            "show",
            library!(show),
            "why",
            "GET /v1/memories/{id}",
        ),
        Row::of(
            "write a new version",
            "update",
            library!(update),
            "correct",
            "PATCH /v1/memories/{id}",
        ),
        Row::of(
            "list its versions",
            "history",
            library!(history),
            "why",
            "GET /v1/memories/{id}/versions",
        ),
        Row::of(
            "list what used it",
            "why",
            library!(used),
            "why",
            "GET /v1/memories/{id}/uses",
        ),
        Row::of(
            "bring an old version back",
            "rollback",
            library!(rollback),
            "",
            "",
        ),
    ]
}

/// Operations that take memories away, and operations on facts.
fn of_facts() -> Vec<Row> {
    vec![
        Row::of(
            "hide a memory",
            "forget",
            library!(forget),
            "forget",
            "DELETE /v1/memories/{id}",
        ),
        Row::of(
            "erase a memory",
            "erase",
            library!(erase),
            "forget",
            "POST /v1/erasures",
        ),
        Row::of(
            "give a receipt",
            "show",
            library!(receipt),
            "recall",
            "GET /v1/memories/{id}/receipt",
        ),
        Row::of(
            "state a fact",
            "claim",
            library!(claim),
            "state_fact",
            "POST /v1/facts",
        ),
        Row::of(
            "what is believed",
            "believe",
            library!(believe),
            "believe",
            "GET /v1/beliefs/{subject}/{predicate}",
        ),
        Row::of(
            "explain a belief",
            "why",
            library!(why),
            "why",
            "GET /v1/beliefs/{subject}/{predicate}/why",
        ),
        Row::of(
            "list what was said of it",
            "history",
            library!(line_history),
            "",
            "GET /v1/beliefs/{subject}/{predicate}/history",
        ),
        Row::of(
            "list contested beliefs",
            "contested",
            library!(contested),
            "",
            "GET /v1/contested",
        ),
    ]
}

/// Operations on proofs, and on the store as a whole.
fn of_proofs() -> Vec<Row> {
    vec![
        Row::of(
            "prove a belief",
            "prove",
            library!(prove),
            "prove",
            "GET /v1/beliefs/{subject}/{predicate}/proof",
        ),
        Row::of(
            "propose an action with its memories",
            "propose",
            library!(propose with "summary", &["query"], None, None, &RecallOptions::default()),
            "prove",
            "POST /v1/proposals",
        ),
        Row::of(
            "check a proof",
            "verify",
            {
                let _ = counterfoil_authority::Authority::review;
                "Authority::review"
            },
            "check",
            "POST /v1/verify",
        ),
        Row::of(
            "record a decision",
            "decided",
            library!(record_decision),
            "",
            "",
        ),
        Row::of(
            "list decisions",
            "decided",
            library!(decisions),
            "",
            "GET /v1/decisions",
        ),
        Row::of(
            "give the head of the log",
            "log",
            library!(checkpoint),
            "",
            "GET /v1/head",
        ),
        Row::of(
            "give memories out",
            "export",
            library!(export),
            "",
            "GET /v1/export",
        ),
    ]
}

/// Imports, and what needs other agents.
fn of_others() -> Vec<Row> {
    vec![
        Row::of(
            "bring memories in",
            "import",
            library!(import),
            "",
            "POST /v1/imports",
        ),
        Row::of(
            "see how far an import is",
            "",
            library!(import_file with (tempfile::tempfile().unwrap(), ""), ImportOptions::default(), |_, _| ControlFlow::Break(())),
            "",
            "GET /v1/imports/{id}",
        ),
        Row::of(
            "follow an import",
            "",
            "import_file",
            "",
            "GET /v1/imports/{id}/events",
        ),
        Row::of(
            "end an import",
            "",
            "import_file",
            "",
            "DELETE /v1/imports/{id}",
        ),
        Row::of("ask another agent", "ask", library!(ask), "", ""),
    ]
}

/// The operations of an owner.
fn rows() -> Vec<Row> {
    [of_memories(), of_facts(), of_proofs(), of_others()]
        .into_iter()
        .flatten()
        .collect()
}

/// The table of the guide.
fn table() -> String {
    let mut table =
        "| operation | command | library | tool of MCP | HTTP |\n|---|---|---|---|---|\n"
            .to_owned();
    let shown = |name: &str| match name {
        "" => "—".to_owned(),
        name => format!("`{name}`"),
    };
    for row in rows() {
        let names = [row.command, row.library, row.tool, row.route].map(shown);
        writeln!(table, "| {} | {} |", row.what, names.join(" | ")).unwrap();
    }
    table
}

/// DOR-2: the guide has the table of this list, and the list has every tool, every route, and no command that is none.
#[tokio::test]
async fn the_table_of_doors_is_the_doors() {
    let repository = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let guide = std::fs::read_to_string(repository.join("docs/guide/doors.md")).unwrap();
    assert!(
        guide.contains(&table()),
        "docs/guide/doors.md lacks\n{}",
        table()
    );
    let description = std::fs::read(repository.join("docs/openapi-v1.json")).unwrap();
    let description: Value = serde_json::from_slice(&description).unwrap();
    let mut routes = Vec::new();
    for (path, methods) in description["paths"].as_object().unwrap() {
        let methods = methods.as_object().unwrap().keys();
        routes.extend(methods.map(|method| format!("{} {path}", method.to_uppercase())));
    }
    let about_itself = ["GET /v1/openapi.json", "GET /healthz", "GET /metrics"];
    routes.retain(|route| !about_itself.contains(&route.as_str()));
    let (_folder, store) = crate::client::place();
    let agent = Agent::start(&store, Asks::Never, &[]).await;
    let tools = agent.service().list_all_tools().await.unwrap();
    let tools: Vec<String> = tools
        .into_iter()
        .map(|tool| tool.name.into_owned())
        .collect();
    let rows = rows();
    let named = |of: fn(&Row) -> &'static str| -> Vec<&str> {
        let mut named: Vec<&str> = rows.iter().map(of).filter(|it| !it.is_empty()).collect();
        named.sort_unstable();
        named.dedup();
        named
    };
    let sorted = |mut names: Vec<String>| {
        names.sort_unstable();
        names
    };
    assert_eq!(named(|row| row.tool), sorted(tools));
    assert_eq!(named(|row| row.route), sorted(routes));
    for command in named(|row| row.command) {
        let help = Command::new(PROGRAM).args(["help", command]).output();
        assert!(help.unwrap().status.success(), "{command}");
    }
}

/// A step of a script. Memories are named by the order in which they were stored.
#[derive(Debug, Clone)]
enum Step {
    Remember {
        text: usize,
        who: Option<&'static str>,
    },
    Recall {
        word: &'static str,
    },
    Correct {
        memory: usize,
        text: usize,
    },
    Hide {
        memory: usize,
    },
    Erase {
        memory: usize,
    },
    Versions {
        memory: usize,
    },
    State {
        predicate: &'static str,
        value: &'static str,
        from: Option<&'static str>,
    },
    Believe {
        predicate: &'static str,
    },
}

/// Texts that are stored: each has a word of its own, and one that all have.
const TEXTS: [&str; 6] = [
    "The tea is green",
    "The tea is in the red tin",
    "A kettle for the tea stands on the shelf",
    "Tea is served at five",
    "Sam pours the tea",
    "  ",
];

fn step() -> impl Strategy<Value = Step> {
    let memory = 0..ABSENT + 1;
    let predicate = prop::sample::select(vec!["lives_in", "speaks", ""]);
    prop_oneof![
        4 => (0..TEXTS.len(), prop::sample::select(vec![None, Some("Kit"), Some("Bo")]))
            .prop_map(|(text, who)| Step::Remember { text, who }),
        3 => prop::sample::select(vec!["tea", "kettle", "\"red tin\"", "tea -green", "zebra", "?"])
            .prop_map(|word| Step::Recall { word }),
        2 => (memory.clone(), 0..TEXTS.len() - 1).prop_map(|(memory, text)| Step::Correct { memory, text }),
        1 => memory.clone().prop_map(|memory| Step::Hide { memory }),
        1 => memory.clone().prop_map(|memory| Step::Erase { memory }),
        1 => memory.prop_map(|memory| Step::Versions { memory }),
        2 => (predicate.clone(), prop::sample::select(vec!["Porto", "Faro"]), prop::sample::select(vec![None, Some("2022"), Some("soon")]))
            .prop_map(|(predicate, value, from)| Step::State { predicate, value, from }),
        2 => predicate.prop_map(|predicate| Step::Believe { predicate }),
    ]
}

/// A door to a store of its own.
enum Door {
    Library(Memory),
    Command(PathBuf),
    Tools(Box<Agent>),
    Http {
        api: Box<Api>,
        model: String,
        user: String,
    },
}

/// An answer of a door: its document, or the code of a refusal.
type Said = Result<Value, String>;

impl Door {
    /// Runs `counterfoil --json`.
    fn run(store: &PathBuf, arguments: &[&str]) -> Said {
        let mut command = Command::new(PROGRAM);
        let done = command
            .arg("--dir")
            .arg(store)
            .arg("--json")
            .args(arguments)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(if done.status.success() {
            &done.stdout
        } else {
            &done.stderr
        });
        let document: Value =
            serde_json::from_str(&text).unwrap_or_else(|_| panic!("{arguments:?}: {done:?}"));
        match done.status.success() {
            true => Ok(document),
            false => Err(document["code"].as_str().unwrap().to_owned()),
        }
    }

    /// Answer of a route. Over HTTP an absent memory is `not-found`; at the other doors its code is `input`.
    fn answered(answer: &Answer) -> Said {
        match answer.status {
            200 | 201 => Ok(answer.json()),
            _ if answer.code() == "not-found" => Err("input".to_owned()),
            _ => Err(answer.code()),
        }
    }

    async fn called(agent: &Agent, tool: &str, arguments: Value) -> Said {
        let (document, _, is_error) = agent.call(tool, arguments).await;
        match is_error {
            // Arguments that a tool refuses by itself are no other case.
            true => Err(document["code"]
                .as_str()
                .unwrap()
                .replace("arguments", "input")),
            false => Ok(document),
        }
    }

    async fn remember(&self, text: &str, who: Option<&str>) -> Said {
        let arguments = json!({"text": text, "who": who});
        match self {
            Self::Library(memory) => {
                let note = who
                    .iter()
                    .fold(Note::from(text), |note, who| note.who(*who));
                let made = memory
                    .remember(note)
                    .await
                    .map_err(|it| it.kind().code().to_owned())?;
                Ok(json!({"id": made.id, "became": made.became}))
            }
            Self::Command(store) => {
                let who = who.iter().flat_map(|who| ["--who", who]);
                let arguments: Vec<&str> = ["remember", text].into_iter().chain(who).collect();
                let made = Self::run(store, &arguments)?;
                Ok(json!({"id": made["id"], "became": made["became"]}))
            }
            Self::Tools(agent) => Self::called(agent, "remember", given(arguments)).await,
            Self::Http { api, model, .. } => {
                Self::answered(&api.post(model, "/v1/memories", &given(arguments)))
            }
        }
    }

    async fn recall(&self, query: &str) -> Said {
        let arguments = json!({"query": query, "max": 20});
        match self {
            Self::Library(memory) => {
                let options = RecallOptions {
                    max: 20,
                    ..RecallOptions::default()
                };
                let found = memory.recall(query, &options).await;
                let found = found.map_err(|it| it.kind().code().to_owned())?;
                Ok(json!(found.document(Detail::Text)))
            }
            Self::Command(store) => Self::run(store, &["recall", query, "--max", "20"]),
            Self::Tools(agent) => Self::called(agent, "recall", arguments).await,
            Self::Http { api, model, .. } => {
                Self::answered(&api.post(model, "/v1/recall", &arguments))
            }
        }
    }

    /// A new text; gives the id of the version.
    async fn correct(&self, id: &str, text: &str) -> Said {
        let arguments = json!({"id": id, "text": text, "reason": "said so"});
        match self {
            Self::Library(memory) => {
                let edit = Edit::patch(json!({"text": text}));
                let made = memory.update(id, &edit).await;
                let made = made.map_err(|it| it.kind().code().to_owned())?;
                Ok(json!({"id": made.value()["id"]}))
            }
            Self::Command(store) => {
                let set = format!("/text={}", json!(text));
                let made = Self::run(store, &["update", id, "--set", &set])?;
                Ok(json!({"id": made["id"]}))
            }
            Self::Tools(agent) => Self::called(agent, "correct", arguments).await,
            Self::Http { api, model, .. } => {
                let path = format!("/v1/memories/{id}");
                let shown = api.get(model, &path);
                Self::answered(&shown)?;
                let head = format!("if-match: {}\r\n", shown.header("etag").unwrap());
                let body = json!({"text": text, "reason": "said so"}).to_string();
                Self::answered(&api.send(model, &format!("PATCH {path}"), &head, &body))
            }
        }
    }

    async fn hide(&self, id: &str) -> Said {
        match self {
            Self::Library(memory) => {
                let done = memory.forget(id, "moved").await;
                done.map(|_| json!({}))
                    .map_err(|it| it.kind().code().to_owned())
            }
            Self::Command(store) => Self::run(store, &["forget", id, "--reason", "moved"]),
            Self::Tools(agent) => {
                let arguments = json!({"id": id, "mode": "hide", "reason": "moved"});
                Self::called(agent, "forget", arguments).await
            }
            Self::Http { api, model, .. } => {
                let line = format!("DELETE /v1/memories/{id}?reason=moved");
                Self::answered(&api.send(model, &line, "", ""))
            }
        }
        .map(|_| json!({}))
    }

    async fn erase(&self, id: &str) -> Said {
        match self {
            Self::Library(memory) => {
                let scope = ErasureScope {
                    all_versions: true,
                    derived: DerivedPolicy::Take,
                };
                let done = memory.erase(id, "asked", scope).await;
                done.map(|_| json!({}))
                    .map_err(|it| it.kind().code().to_owned())
            }
            Self::Command(store) => {
                let all = [
                    "erase",
                    id,
                    "--yes",
                    "--reason",
                    "asked",
                    "--all-versions",
                    "--derived",
                    "take",
                ];
                Self::run(store, &all)
            }
            Self::Tools(agent) => {
                let arguments = json!({"id": id, "mode": "erase", "reason": "asked"});
                Self::called(agent, "forget", arguments).await
            }
            Self::Http { api, user, .. } => {
                let body = json!({"id": id, "reason": "asked", "derived": "take"});
                Self::answered(&api.post(user, "/v1/erasures", &body))
            }
        }
        .map(|_| json!({}))
    }

    /// Number of versions.
    async fn versions(&self, id: &str) -> Said {
        let count = |document: Value| json!(document["versions"].as_array().map(Vec::len));
        match self {
            Self::Library(memory) => {
                let listed = memory.history(id, 50).await;
                listed
                    .map(|it| count(it.value().clone()))
                    .map_err(|it| it.kind().code().to_owned())
            }
            Self::Command(store) => Self::run(store, &["history", id]).map(count),
            Self::Tools(agent) => Self::called(agent, "why", json!({"id": id}))
                .await
                .map(count),
            Self::Http { api, model, .. } => {
                let answer =
                    Self::answered(&api.get(model, &format!("/v1/memories/{id}/versions")))?;
                Ok(json!(answer["items"].as_array().map(Vec::len)))
            }
        }
    }

    /// A fact of a model; gives what became of it.
    async fn state(&self, predicate: &str, value: &str, from: Option<&str>) -> Said {
        let fact = json!({"subject": "Kit", "predicate": predicate, "value": value, "from": from});
        let became = |document: &Value, name: &str| document[name].clone();
        match self {
            Self::Library(memory) => {
                let fact = given(fact);
                let stated: Map<String, Value> = fact.as_object().unwrap().clone();
                let report = memory.claim_of_model(&stated, &[]).await;
                let report = report.map_err(|it| it.kind().code().to_owned())?;
                Ok(became(report.value(), "disposition"))
            }
            Self::Command(store) => {
                let mut arguments = vec![
                    "claim",
                    "add",
                    "Kit",
                    predicate,
                    value,
                    "--channel",
                    "model",
                ];
                arguments.extend(from.iter().flat_map(|from| ["--from", from]));
                Self::run(store, &arguments).map(|it| became(&it, "disposition"))
            }
            Self::Tools(agent) => {
                let said = Self::called(agent, "state_fact", given(fact)).await;
                said.map(|it| became(&it, "became"))
            }
            Self::Http { api, model, .. } => {
                let answer = Self::answered(&api.post(model, "/v1/facts", &given(fact)));
                answer.map(|it| became(&it, "became"))
            }
        }
    }

    /// The status and the values that are believed.
    async fn believe(&self, predicate: &str) -> Said {
        let values = |belief: &Value| {
            let mut values: Vec<String> = ["beliefs", "sides"]
                .into_iter()
                .filter_map(|name| belief[name].as_array())
                .flatten()
                .map(|side| side["value"].to_string())
                .chain(belief.get("value").map(Value::to_string))
                .collect();
            values.sort();
            values.dedup();
            json!({"status": belief["status"], "values": values})
        };
        match self {
            Self::Library(memory) => {
                let belief = memory
                    .believe("Kit", predicate, &BeliefQuery::default())
                    .await;
                let belief = belief.map_err(|it| it.kind().code().to_owned())?;
                Ok(values(&belief.to_json()))
            }
            Self::Command(store) => {
                Self::run(store, &["believe", "Kit", predicate]).map(|it| values(&it))
            }
            Self::Tools(agent) => {
                let arguments = json!({"subject": "Kit", "predicate": predicate});
                let said = Self::called(agent, "believe", arguments).await?;
                let belief = &said["beliefs"][0];
                let mut all: Vec<String> = belief["values"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(|it| it["value"].to_string())
                    .collect();
                all.sort();
                all.dedup();
                // A reader without the formats is shown `unknown`.
                let status = match belief["status"].as_str() {
                    Some("unknown") | None => "no_belief",
                    Some(status) => status,
                };
                Ok(json!({"status": status, "values": all}))
            }
            Self::Http { api, model, .. } => {
                let path = format!("/v1/beliefs/Kit/{predicate}");
                Self::answered(&api.get(model, &path)).map(|it| values(&it))
            }
        }
    }

    /// Ends what runs behind it; nothing that it wrote holds a token.
    async fn close(self) {
        match self {
            Self::Library(_) | Self::Command(_) => {}
            Self::Tools(agent) => drop(agent.end().await),
            Self::Http { api, model, user } => {
                let written = api.end();
                assert!(
                    !written.contains(&model) && !written.contains(&user),
                    "{written}"
                );
            }
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Library(_) => "library",
            Self::Command(_) => "command",
            Self::Tools(_) => "tools",
            Self::Http { .. } => "HTTP",
        }
    }
}

/// Members that are given; a door does not know `null`.
fn given(mut arguments: Value) -> Value {
    let members = arguments.as_object_mut().unwrap();
    members.retain(|_, value| !value.is_null());
    arguments
}

/// A door, and the memories that were stored through it: of each the ids of its versions.
struct Visit {
    door: Door,
    stored: Vec<Vec<String>>,
}

impl Visit {
    /// Place of a memory that a step names among those that were stored.
    fn place(&self, memory: usize) -> Option<usize> {
        (memory != ABSENT)
            .then(|| memory.checked_rem(self.stored.len()))
            .flatten()
    }

    /// The first characters of the newest id of a memory, or an id that is none.
    fn named(&self, memory: usize) -> String {
        let newest = self
            .place(memory)
            .and_then(|place| self.stored[place].last());
        newest.map_or_else(|| "mem_ffffffff".to_owned(), |id| id[..16].to_owned())
    }

    /// Number of the memory, and of the version, that an id has.
    fn number(&self, id: &Value) -> Value {
        let of = |versions: &Vec<String>| {
            versions
                .iter()
                .position(|it| Some(it.as_str()) == id.as_str())
        };
        let mut found = self.stored.iter().enumerate();
        let found = found.find_map(|(memory, versions)| Some((memory, of(versions)?)));
        json!(found)
    }

    /// Does a step; gives what can be compared between doors.
    async fn step(&mut self, step: &Step) -> Said {
        match step {
            Step::Remember { text, who } => {
                let said = self.door.remember(TEXTS[*text], *who).await?;
                if said["became"] == "new" {
                    self.stored
                        .push(vec![said["id"].as_str().unwrap().to_owned()]);
                }
                Ok(json!([said["became"], self.number(&said["id"])]))
            }
            Step::Recall { word } => {
                let said = self.door.recall(word).await?;
                let item = |item: &Value| {
                    json!([
                        self.number(&item["id"]),
                        item["text"],
                        item["who"],
                        item["status"],
                        item["why"],
                        item["score"]
                    ])
                };
                let items: Vec<Value> =
                    said["items"].as_array().unwrap().iter().map(item).collect();
                Ok(json!({"items": items, "withheld": said["withheld"]}))
            }
            Step::Correct { memory, text } => {
                let said = self
                    .door
                    .correct(&self.named(*memory), TEXTS[*text])
                    .await?;
                let id = said["id"].as_str().unwrap().to_owned();
                let place = self.place(*memory).unwrap();
                self.stored[place].push(id);
                Ok(json!("corrected"))
            }
            Step::Hide { memory } => self.door.hide(&self.named(*memory)).await,
            Step::Erase { memory } => self.door.erase(&self.named(*memory)).await,
            Step::Versions { memory } => self.door.versions(&self.named(*memory)).await,
            Step::State {
                predicate,
                value,
                from,
            } => self.door.state(predicate, value, *from).await,
            Step::Believe { predicate } => self.door.believe(predicate).await,
        }
    }
}

async fn visits(folder: &std::path::Path) -> Vec<Visit> {
    let library = Memory::create(folder.join("library")).await.unwrap();
    let command = folder.join("command");
    Door::run(&command, &["init"]).unwrap();
    let tools = Agent::start(&folder.join("tools"), Asks::Agrees, &[]).await;
    let api = Api::start();
    let (model, user) = (api.key("", MOST, "model"), api.key("", ALL, "user"));
    let doors = [
        Door::Library(library),
        Door::Command(command),
        Door::Tools(Box::new(tools)),
        Door::Http {
            api: Box::new(api),
            model,
            user,
        },
    ];
    let visit = |door| Visit {
        door,
        stored: Vec::new(),
    };
    doors.into_iter().map(visit).collect()
}

/// DOR-1: the same script has the same results and the same refusals at each door.
#[tokio::test]
async fn every_door_answers_alike() {
    let mut runner = TestRunner::default();
    let scripts = prop::collection::vec(step(), STEPS);
    let mut kinds: HashMap<_, (usize, usize)> = HashMap::new();
    for _ in 0..SCRIPTS {
        let script = scripts.new_tree(&mut runner).unwrap().current();
        let folder = tempfile::tempdir().unwrap();
        let mut visits = visits(folder.path()).await;
        for (number, step) in script.iter().enumerate() {
            let mut answers = Vec::new();
            for visit in &mut visits {
                answers.push((visit.door.name(), visit.step(step).await));
            }
            for (door, answer) in &answers {
                assert_eq!(
                    *answer, answers[0].1,
                    "{door} against {} at step {number} of {script:#?}",
                    answers[0].0
                );
            }
            let counts = kinds.entry(std::mem::discriminant(step)).or_default();
            match answers[0].1 {
                Ok(_) => counts.0 += 1,
                Err(_) => counts.1 += 1,
            }
        }
        for visit in visits {
            visit.door.close().await;
        }
    }
    assert_eq!(kinds.len(), 8, "{kinds:?}");
    let both = kinds
        .values()
        .filter(|(done, refused)| *done > 0 && *refused > 0);
    assert!(both.count() > 5, "{kinds:?}");
}
