//! The server: one session of one host over standard input and output.

use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;

use counterfoil::{Error, Memory, Scope};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, GetPromptRequestParams,
    GetPromptResponse, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};

use crate::erasing::Erasures;
use crate::failure::Failure;
use crate::proofs::Proofs;
use crate::results::Answer;
use crate::tools::ToolName;
use crate::{calls, prompt, resources};

/// Longest message of a client, in bytes: a proof of 16 MiB with its JSON around it.
const MAX_MESSAGE: usize = 24 << 20;

/// What the host's configuration grants a session. No call of a model changes it.
#[derive(Debug, Clone, Default)]
pub struct McpOptions {
    /// Scope to which the session is bound: it reaches nothing outside.
    pub scope: Scope,
    /// Offers no tool that writes.
    pub read_only: bool,
    /// Tools that are offered; all without one.
    pub tools: Vec<ToolName>,
}

impl McpOptions {
    pub(crate) fn offers(&self, tool: ToolName) -> bool {
        let is_listed = self.tools.is_empty() || self.tools.contains(&tool);
        // Facts have no scope.
        let is_within = self.scope.is_empty() || !tool.is_of_facts();
        is_listed && is_within && (tool.is_read_only() || !self.read_only)
    }
}

/// Serves one client on standard input and output until it closes them.
///
/// # Errors
/// [`ErrorKind::Input`](counterfoil::ErrorKind::Input) when no tool is left, [`ErrorKind::Place`](counterfoil::ErrorKind::Place)
/// when there is no store or the client does not begin as the protocol says.
pub async fn serve(memory: Memory, options: McpOptions) -> Result<(), Error> {
    memory.must_exist()?;
    if !ToolName::ALL.into_iter().any(|tool| options.offers(tool)) {
        return Err(Error::input(
            "no tool is left: all those of --tools write, and the session is read-only",
            "leave --read-only or --tools out",
        ));
    }
    let session = Session {
        memory: memory.scoped(&options.scope)?,
        whole: memory,
        options,
        erasures: Erasures::default(),
        proofs: Proofs::default(),
    };
    let (input, output) = rmcp::transport::stdio();
    let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(MAX_MESSAGE);
    let service = Server(Arc::new(session)).serve(transport).await;
    let service = match service {
        Ok(service) => service,
        // A client that only looks whether the program starts.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(_) => {
            return Err(Error::place(
                "the client did not begin as the Model Context Protocol says",
                "start this command from an MCP client; `counterfoil mcp install` configures one",
            ));
        }
    };
    let ended = service.waiting().await;
    ended.map(drop).map_err(|error| {
        Error::place(
            format_args!("the session broke off ({error})"),
            "start it again; all that was acknowledged is kept",
        )
    })
}

/// State of one session.
pub(crate) struct Session {
    /// The memory as calls reach it, bound to the scope.
    pub(crate) memory: Memory,
    /// The memory for the anchors of its log, and for nothing else.
    pub(crate) whole: Memory,
    pub(crate) options: McpOptions,
    pub(crate) erasures: Erasures,
    pub(crate) proofs: Proofs,
}

#[derive(Clone)]
struct Server(Arc<Session>);

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        let program = Implementation::new("counterfoil", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(program)
            .with_instructions(prompt::INSTRUCTIONS)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tool = self.0.tool(name)?;
        Some(tool.definition())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let offered = ToolName::ALL.into_iter();
        let offered = offered.filter(|tool| self.0.options.offers(*tool));
        let tools = offered.map(ToolName::definition).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.0.tool(&request.name) else {
            let message = "there is no such tool in this session";
            return Err(ErrorData::invalid_params(Cow::Borrowed(message), None));
        };
        let outcome = match tool {
            ToolName::Forget => return calls::forget(&self.0, request, &context).await,
            tool => calls::run(&self.0, tool, request.arguments).await,
        };
        Ok(result(outcome).into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let listed = resources::listed(&self.0.proofs);
        Ok(ListResourcesResult::with_all_items(listed))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = resources::templates();
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&self.0, &request.uri).await
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(vec![prompt::listed()]))
    }

    fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<GetPromptResponse, ErrorData>> + Send + '_ {
        std::future::ready(prompt::get(&request.name))
    }
}

impl Session {
    /// The tool of a name, if the host's configuration offers it.
    fn tool(&self, name: &str) -> Option<ToolName> {
        let tool: ToolName = name.parse().ok()?;
        self.options.offers(tool).then_some(tool)
    }
}

/// The result of a tool, with its document, the same as text, and links.
pub(crate) fn result(outcome: Result<Answer, Failure>) -> CallToolResult {
    match outcome {
        Ok(answer) => {
            let mut result = CallToolResult::structured(answer.document);
            let links = answer.links.into_iter().map(ContentBlock::resource_link);
            result.content = std::iter::once(ContentBlock::text(answer.text))
                .chain(links)
                .collect();
            result
        }
        Err(failure) => failure.into_result(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_alone_says_which_tools_there_are() {
        let all = McpOptions::default();
        assert!(ToolName::ALL.into_iter().all(|tool| all.offers(tool)));
        let reading = McpOptions {
            read_only: true,
            tools: vec![ToolName::Recall, ToolName::Forget],
            ..McpOptions::default()
        };
        let offered = ToolName::ALL
            .into_iter()
            .filter(|tool| reading.offers(*tool));
        assert_eq!(offered.collect::<Vec<_>>(), [ToolName::Recall]);
        let bound = McpOptions {
            scope: "user=kit".parse().unwrap(),
            ..McpOptions::default()
        };
        assert!(bound.offers(ToolName::Recall) && !bound.offers(ToolName::Believe));
    }
}
