//! The server of a session, and its transport over standard input and output.

use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use counterfoil::{Error, Memory};
use counterfoil_web::Trace;
use hyper::http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, GetPromptRequestParams, GetPromptResponse,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};

use crate::failure::Failure;
use crate::session::{McpOptions, Session, result};
use crate::tools::ToolName;
use crate::{calls, prompt, resources};

/// Longest message of a client, in bytes: a proof of 16 MiB with its JSON around it.
pub(crate) const MAX_MESSAGE: usize = 24 << 20;

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
    let session = Session::new(memory, options)?;
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

/// The trace that the message names, or else the request over HTTP that carried it.
fn trace_of(context: &RequestContext<RoleServer>) -> Option<Trace> {
    let named = context.meta.get_traceparent();
    named.and_then(Trace::parse).or_else(|| {
        let head = context.extensions.get::<Parts>()?;
        Trace::of(&head.headers)
    })
}

/// Writes the log line of a call, without a word of its arguments or its answer.
fn log(
    tool: ToolName,
    called: &Result<CallToolResponse, ErrorData>,
    trace: Option<&Trace>,
    took: Duration,
) {
    let problem = match called {
        Ok(CallToolResponse::Complete(result)) if result.is_error == Some(true) => {
            let code = result.structured_content.as_ref();
            code.and_then(|it| it["code"].as_str()).unwrap_or("error")
        }
        Ok(_) => "",
        Err(_) => "protocol",
    };
    let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    let [trace_id, parent_id, trace_flags] = Trace::fields(trace);
    tracing::info!(
        tool = tool.name(),
        problem,
        us,
        operation = tool.memory_operation(),
        trace_id,
        parent_id,
        trace_flags,
        "tool"
    );
}

/// Handler of the messages of one session.
#[derive(Clone)]
pub(crate) struct Server(pub(crate) Arc<Session>);

impl Server {
    async fn call(
        &self,
        tool: ToolName,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Ok(_call) = self.0.calls.try_acquire() else {
            return Ok(Failure::busy().into_result().into());
        };
        let outcome = match tool {
            ToolName::Forget => return calls::forget(&self.0, request, context).await,
            tool => calls::run(&self.0, tool, request.arguments).await,
        };
        if !tool.is_read_only() {
            self.0.whole.write_heads();
        }
        Ok(result(outcome).into())
    }
}

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
        let began = Instant::now();
        let trace = trace_of(&context);
        let called = self.call(tool, request, &context).await;
        log(tool, &called, trace.as_ref(), began.elapsed());
        called
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let listed = resources::listed(&self.0);
        Ok(ListResourcesResult::with_all_items(listed))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = resources::templates(&self.0);
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let Ok(_call) = self.0.calls.try_acquire() else {
            let message = "too many calls are under way; try again when others are answered";
            return Err(ErrorData::internal_error(message, None));
        };
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
