//! One session of one host: what its configuration grants, and the result of a call.

use counterfoil::{Memory, Scope};
use rmcp::model::{CallToolResult, ContentBlock};

use crate::erasing::Erasures;
use crate::failure::Failure;
use crate::proofs::Proofs;
use crate::results::Answer;
use crate::tools::ToolName;

/// Grants of the host's configuration to a session. No call of a model changes it.
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
        is_listed && (tool.is_read_only() || !self.read_only)
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
}

impl Session {
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
