//! One session of one host: what its configuration grants, and the result of a call.

use std::sync::Arc;
use std::time::Duration;

use counterfoil::{Error, Memory, Scope};
use rmcp::model::{CallToolResult, ContentBlock};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::erasing::Erasures;
use crate::failure::Failure;
use crate::proofs::Proofs;
use crate::results::Answer;
use crate::tools::{ToolName, ToolUse};

/// Time that a call waits for its turn.
const TURN: Duration = Duration::from_secs(60);

/// Grants of the host's configuration to a session. No call of a model changes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct McpOptions {
    /// Scope to which the session is bound: it reaches nothing outside.
    pub scope: Scope,
    /// Offers no tool that writes.
    pub read_only: bool,
    /// Tools that are offered; all without one.
    pub tools: Vec<ToolName>,
    /// Uses of tools that are granted; all without a list.
    pub uses: Option<Vec<ToolUse>>,
}

impl McpOptions {
    pub(crate) fn offers(&self, tool: ToolName) -> bool {
        let is_listed = self.tools.is_empty() || self.tools.contains(&tool);
        let is_granted = match &self.uses {
            Some(uses) => uses.iter().any(|it| it.tool() == tool),
            None => true,
        };
        is_listed && is_granted && (tool.is_read_only() || !self.read_only)
    }

    pub(crate) fn grants(&self, used: ToolUse) -> bool {
        self.uses.as_ref().is_none_or(|uses| uses.contains(&used))
    }
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
    /// Calls at once, those included that wait for the user.
    pub(crate) calls: Semaphore,
    /// Calls that are worked on at once, with those of other sessions.
    pub(crate) answers: Arc<Semaphore>,
}

impl Session {
    /// A session without limits on its calls, as one host has it for itself.
    pub(crate) fn new(memory: Memory, options: McpOptions) -> Result<Self, Error> {
        Ok(Self {
            memory: memory.scoped(&options.scope)?,
            whole: memory,
            options,
            erasures: Erasures::default(),
            proofs: Proofs::default(),
            calls: Semaphore::new(Semaphore::MAX_PERMITS),
            answers: Arc::new(Semaphore::new(Semaphore::MAX_PERMITS)),
        })
    }

    /// Waits until there is room for a call among those that are worked on.
    pub(crate) async fn turn(&self) -> Result<SemaphorePermit<'_>, Failure> {
        let turn = timeout(TURN, self.answers.acquire()).await;
        turn.ok().and_then(Result::ok).ok_or_else(Failure::busy)
    }

    /// Refuses a use of a tool that is not granted.
    pub(crate) fn must_grant(&self, used: ToolUse) -> Result<(), Failure> {
        match self.options.grants(used) {
            true => Ok(()),
            false => Err(Failure::forbidden(used.phrase())),
        }
    }

    /// The tool of a name, if the host's configuration offers it.
    pub(crate) fn tool(&self, name: &str) -> Option<ToolName> {
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

    /// AGT-6; mutant `session-tools`.
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
    }
}
