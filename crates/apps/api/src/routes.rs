//! Table of operations: dispatch, rights, the log and the description (OpenAPI) follow it.

use crate::keys::Right;
use crate::query::decode;

/// Operation of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    Remember,
    List,
    Show,
    Update,
    Hide,
    Versions,
    Receipt,
    Uses,
    Recall,
    State,
    Believe,
    Why,
    History,
    Proof,
    Contested,
    Propose,
    Decisions,
    Verify,
    Erase,
    Head,
    Export,
    Import,
    ImportState,
    ImportEvents,
    ImportEnd,
    Metrics,
    OpenApi,
    Health,
}

impl Call {
    /// Name of the effect on memories in the OpenTelemetry conventions (`gen_ai.operation.name`).
    pub(crate) const fn memory_operation(self) -> Option<&'static str> {
        Some(match self {
            Self::Remember | Self::State | Self::Import => "create_memory",
            Self::Update => "update_memory",
            Self::Hide | Self::Erase => "delete_memory",
            Self::Recall => "search_memory",
            _ => return None,
        })
    }
}

/// Rights that an operation asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// None, and no key either.
    Public,
    /// Any key.
    AnyKey,
    /// A key with this right.
    With(Right),
}

/// Operation with its place.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) call: Call,
    pub(crate) method: &'static str,
    /// Path; a segment in braces matches any one segment that is not empty.
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    /// Names of the query.
    pub(crate) query: &'static [&'static str],
}

const BELIEF: &[&str] = &["at", "asOf"];
const LINE: &[&str] = &["at", "asOf", "limit"];
const MEMORY: &str = "/v1/memories/{id}";
const MEMORIES: &str = "/v1/memories";
const IMPORT: &str = "/v1/imports/{id}";

/// Path of MCP, which describes itself and is no operation.
pub(crate) const MCP: &str = "/mcp";
/// Its methods: a message, a stream of what the server sends, and the end of a session.
pub(crate) const MCP_METHODS: [&str; 3] = ["POST", "GET", "DELETE"];

/// Every operation.
pub(crate) const OPERATIONS: [Operation; 28] = [
    with(Call::Remember, "POST", MEMORIES, Right::Remember, &[]),
    with(
        Call::List,
        "GET",
        MEMORIES,
        Right::Recall,
        &["limit", "cursor"],
    ),
    with(Call::Show, "GET", MEMORY, Right::Recall, &[]),
    with(Call::Update, "PATCH", MEMORY, Right::Remember, &[]),
    with(Call::Hide, "DELETE", MEMORY, Right::Forget, &["reason"]),
    with(
        Call::Versions,
        "GET",
        "/v1/memories/{id}/versions",
        Right::Recall,
        &["limit"],
    ),
    with(
        Call::Receipt,
        "GET",
        "/v1/memories/{id}/receipt",
        Right::Recall,
        &[],
    ),
    with(
        Call::Uses,
        "GET",
        "/v1/memories/{id}/uses",
        Right::Recall,
        &[],
    ),
    with(Call::Recall, "POST", "/v1/recall", Right::Recall, &[]),
    with(Call::State, "POST", "/v1/facts", Right::State, &[]),
    with(
        Call::Believe,
        "GET",
        "/v1/beliefs/{subject}/{predicate}",
        Right::Believe,
        BELIEF,
    ),
    with(
        Call::Why,
        "GET",
        "/v1/beliefs/{subject}/{predicate}/why",
        Right::Believe,
        LINE,
    ),
    with(
        Call::History,
        "GET",
        "/v1/beliefs/{subject}/{predicate}/history",
        Right::Believe,
        LINE,
    ),
    with(
        Call::Proof,
        "GET",
        "/v1/beliefs/{subject}/{predicate}/proof",
        Right::Prove,
        BELIEF,
    ),
    with(
        Call::Contested,
        "GET",
        "/v1/contested",
        Right::Believe,
        LINE,
    ),
    with(Call::Propose, "POST", "/v1/proposals", Right::Prove, &[]),
    with(
        Call::Decisions,
        "GET",
        "/v1/decisions",
        Right::Recall,
        &["limit"],
    ),
    operation(Call::Verify, "POST", "/v1/verify", Access::AnyKey, &[]),
    with(Call::Erase, "POST", "/v1/erasures", Right::Erase, &[]),
    operation(Call::Head, "GET", "/v1/head", Access::AnyKey, &[]),
    with(
        Call::Export,
        "GET",
        "/v1/export",
        Right::Export,
        &["memory"],
    ),
    with(
        Call::Import,
        "POST",
        "/v1/imports",
        Right::Import,
        &["format", "name", "dryRun"],
    ),
    with(Call::ImportState, "GET", IMPORT, Right::Import, &[]),
    with(
        Call::ImportEvents,
        "GET",
        "/v1/imports/{id}/events",
        Right::Import,
        &[],
    ),
    with(Call::ImportEnd, "DELETE", IMPORT, Right::Import, &[]),
    with(Call::Metrics, "GET", "/metrics", Right::Metrics, &[]),
    operation(
        Call::OpenApi,
        "GET",
        "/v1/openapi.json",
        Access::Public,
        &[],
    ),
    operation(Call::Health, "GET", "/healthz", Access::Public, &[]),
];

const fn operation(
    call: Call,
    method: &'static str,
    path: &'static str,
    access: Access,
    query: &'static [&'static str],
) -> Operation {
    Operation {
        call,
        method,
        path,
        access,
        query,
    }
}

const fn with(
    call: Call,
    method: &'static str,
    path: &'static str,
    right: Right,
    query: &'static [&'static str],
) -> Operation {
    operation(call, method, path, Access::With(right), query)
}

/// Outcome of a search in the table.
pub(crate) enum Found {
    /// The operation and the segments that its path leaves open, decoded.
    Operation(&'static Operation, Vec<String>),
    /// MCP, by this method.
    Mcp(&'static str),
    /// The path takes these methods alone.
    Methods(String),
    Nothing,
}

/// Finds the operation of a method and a path. `HEAD` is a `GET` without its body.
pub(crate) fn find(method: &str, path: &str) -> Found {
    if path == MCP {
        let known = MCP_METHODS.into_iter().find(|known| *known == method);
        return known.map_or_else(|| Found::Methods(MCP_METHODS.join(", ")), Found::Mcp);
    }
    let mut methods = Vec::new();
    for operation in &OPERATIONS {
        let Some(open) = segments(operation.path, path) else {
            continue;
        };
        if operation.method == method || (operation.method == "GET" && method == "HEAD") {
            return Found::Operation(operation, open);
        }
        methods.push(operation.method);
        if operation.method == "GET" {
            methods.push("HEAD");
        }
    }
    match methods.is_empty() {
        true => Found::Nothing,
        false => Found::Methods(methods.join(", ")),
    }
}

fn segments(template: &str, path: &str) -> Option<Vec<String>> {
    let (mut expected, mut given) = (template.split('/'), path.split('/'));
    let mut open = Vec::new();
    loop {
        match (expected.next(), given.next()) {
            (None, None) => return Some(open),
            (Some(name), Some(segment)) if name.starts_with('{') => {
                open.push(decode(segment).filter(|segment| !segment.is_empty())?);
            }
            (Some(name), Some(segment)) if name == segment => {}
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_operation_a_method() {
        let called = |method, path| match find(method, path) {
            Found::Operation(operation, open) => (Some(operation.call), open.join("|")),
            Found::Mcp(_) => (None, MCP.to_owned()),
            Found::Methods(methods) => (None, methods),
            Found::Nothing => (None, String::new()),
        };
        let called = |method, path| called(method, path);
        assert_eq!(
            called("GET", "/v1/memories"),
            (Some(Call::List), String::new())
        );
        assert_eq!(called("HEAD", "/v1/head").0, Some(Call::Head));
        let belief = called("GET", "/v1/beliefs/Kit%2FBo/lives_in/why");
        assert_eq!(belief, (Some(Call::Why), "Kit/Bo|lives_in".to_owned()));
        assert_eq!(
            called("PUT", "/v1/memories"),
            (None, "POST, GET, HEAD".to_owned())
        );
        assert_eq!(called("GET", MCP).1, MCP);
        assert_eq!(called("PUT", MCP).1, "POST, GET, DELETE");
        for nothing in [
            "/",
            "/mcp/",
            "/v1",
            "/v1/memories/",
            "/v1/memories/a/b",
            "/v1/memories/%ff",
            "//healthz",
        ] {
            assert_eq!(called("GET", nothing), (None, String::new()), "{nothing}");
        }
    }
}
