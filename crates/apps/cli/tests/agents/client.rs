//! A client that speaks with `counterfoil mcp`, and answers what the server asks its user.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
    ElicitationAction, Implementation, JsonObject, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResult, ResourceContents,
};
use rmcp::service::{RequestContext, RunningService};
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::process::{ChildStderr, Command};

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_counterfoil");

/// Way in which a client deals with questions to its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    Never,
    Agrees,
    Declines,
}

/// A client; it keeps the questions.
#[derive(Clone)]
pub(crate) struct Host {
    asks: Asks,
    asked: Arc<Mutex<Vec<String>>>,
}

impl ClientHandler for Host {
    fn get_info(&self) -> ClientConfig {
        let capabilities = match self.asks {
            Asks::Never => ClientCapabilities::default(),
            _ => ClientCapabilities::builder().enable_elicitation().build(),
        };
        ClientConfig::new(capabilities, Implementation::new("test", "1"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else {
            panic!("a form is asked for")
        };
        self.asked.lock().unwrap().push(message);
        let action = match self.asks {
            Asks::Agrees => ElicitationAction::Accept,
            _ => ElicitationAction::Decline,
        };
        let mut answer = ElicitResult::new(action);
        answer.content = Some(json!({"erase": self.asks == Asks::Agrees}));
        Ok(answer)
    }
}

/// A conversation with the program over one store.
pub(crate) struct Agent {
    service: RunningService<RoleClient, Host>,
    stderr: ChildStderr,
    host: Host,
}

/// A folder for a store, which the first session makes.
pub(crate) fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    (folder, store)
}

impl Agent {
    /// Starts `counterfoil mcp` with these arguments, and speaks the newest revision with it.
    pub(crate) async fn start(store: &Path, asks: Asks, arguments: &[&str]) -> Self {
        let newest = ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        };
        Self::start_as(store, asks, arguments, newest).await
    }

    pub(crate) async fn start_as(
        store: &Path,
        asks: Asks,
        arguments: &[&str],
        lifecycle: ClientLifecycleMode,
    ) -> Self {
        let mut command = Command::new(PROGRAM);
        command.arg("--dir").arg(store).args(["mcp", "--init"]);
        command.args(arguments);
        let child = TokioChildProcess::builder(command).stderr(Stdio::piped());
        let (child, stderr) = child.spawn().unwrap();
        let host = Host {
            asks,
            asked: Arc::default(),
        };
        let service = host.clone().serve_with_lifecycle(child, lifecycle).await;
        Self {
            service: service.unwrap(),
            stderr: stderr.unwrap(),
            host,
        }
    }

    pub(crate) fn service(&self) -> &RunningService<RoleClient, Host> {
        &self.service
    }

    /// Number of questions to the user.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.host.asked.lock().unwrap().clone()
    }

    /// Calls a tool; gives its document, its text, and whether it is an error.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> (Value, String, bool) {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object")
        };
        let arguments: JsonObject = arguments;
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let result = self.service.call_tool(params).await.unwrap();
        let text = result.content.first().and_then(|it| it.as_text());
        let text = text.map(|it| it.text.clone()).unwrap_or_default();
        let document = result.structured_content.unwrap_or_default();
        (document, text, result.is_error == Some(true))
    }

    /// Calls a tool that succeeds; gives its document.
    pub(crate) async fn done(&self, tool: &str, arguments: Value) -> Value {
        let (document, text, is_error) = self.call(tool, arguments).await;
        assert!(!is_error, "{tool}: {text}");
        document
    }

    /// Calls a tool that is refused; gives the code.
    pub(crate) async fn refused(&self, tool: &str, arguments: Value) -> String {
        let (document, text, is_error) = self.call(tool, arguments).await;
        assert!(is_error, "{tool}: {text}");
        assert!(document["next"].as_str().is_some_and(|it| !it.is_empty()));
        document["code"].as_str().unwrap().to_owned()
    }

    /// The text of a resource.
    pub(crate) async fn read(&self, uri: &str) -> String {
        let params = ReadResourceRequestParams::new(uri);
        let read: ReadResourceResult = self.service.read_resource(params).await.unwrap();
        match &read.contents[0] {
            ResourceContents::TextResourceContents { text, .. } => text.clone(),
            other => panic!("{other:?}"),
        }
    }

    /// Ends the session, and gives what the program wrote on standard error.
    pub(crate) async fn end(self) -> String {
        let mut stderr = self.stderr;
        self.service.cancel().await.unwrap();
        let mut written = String::new();
        stderr.read_to_string(&mut written).await.unwrap();
        written
    }
}
