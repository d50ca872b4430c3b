//! Failures of tools: what a model or its host may do next, in members that a program can read.

use counterfoil::{Error, ErrorKind};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::json;

/// Most characters of a failure's text.
const MAX_TEXT: usize = 1_000;

/// Failure of a tool. It is an answer of the tool, and no failure of the protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    code: &'static str,
    detail: String,
    next: String,
}

impl Failure {
    pub(crate) fn new(
        code: &'static str,
        detail: impl Into<String>,
        next: impl Into<String>,
    ) -> Self {
        Self {
            code,
            detail: detail.into(),
            next: next.into(),
        }
    }

    /// Arguments that do not fit.
    pub(crate) fn arguments(detail: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new("arguments", detail, next)
    }

    /// Arguments that the shared reading of requests refuses.
    pub(crate) fn of_arguments(error: &Error) -> Self {
        Self::arguments(
            error.problem(),
            error.next().unwrap_or("change the arguments"),
        )
    }

    /// A use of a tool that the session does not have.
    pub(crate) fn forbidden(what: &str) -> Self {
        Self::new(
            "forbidden",
            format!("this session may not {what}"),
            "ask the owner of the memory for a key with that right",
        )
    }

    /// More calls at once than a session or a server takes.
    pub(crate) fn busy() -> Self {
        Self::new(
            "busy",
            "too many calls are under way",
            "try again when others are answered; with a `key` nothing is stored twice",
        )
    }

    /// The failure on one line.
    pub(crate) fn line(&self) -> String {
        let line = format!("{}; {}", self.detail, self.next);
        let line = line
            .chars()
            .map(|it| if it.is_control() { ' ' } else { it });
        line.take(MAX_TEXT).collect()
    }

    /// The answer of the tool.
    pub(crate) fn into_result(self) -> CallToolResult {
        let detail: String = self.detail.chars().take(MAX_TEXT).collect();
        let text = format!("{}: {detail}; {}", self.code, self.next);
        let mut result = CallToolResult::structured_error(json!({
            "type": "counterfoil/error",
            "version": "1",
            "code": self.code,
            "detail": detail,
            "next": self.next,
        }));
        result.content = vec![ContentBlock::text(text)];
        result
    }
}

/// The text of the facade is the problem, a semicolon, and the next step.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let text = error.to_string();
        let (detail, next) = match text.rsplit_once("; ") {
            Some((detail, next)) => (detail.to_owned(), next.to_owned()),
            None => (text, "change the arguments, or ask the user".to_owned()),
        };
        Self::new(code(error.kind()), detail, next)
    }
}

const fn code(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Input => "input",
        ErrorKind::Refused => "refused",
        ErrorKind::Unproven => "unproven",
        ErrorKind::Withheld => "withheld",
        ErrorKind::Place => "place",
        ErrorKind::Store => "store",
        ErrorKind::Interrupted => "interrupted",
        _ => "bug",
    }
}
