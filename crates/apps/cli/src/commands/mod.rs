//! The commands, by what they are about.

pub(crate) mod answer;
pub(crate) mod ask;
pub(crate) mod beliefs;
pub(crate) mod believe;
pub(crate) mod care;
pub(crate) mod changes;
pub(crate) mod claim;
pub(crate) mod decide;
pub(crate) mod demo;
pub(crate) mod extract;
pub(crate) mod forgetting;
pub(crate) mod fork;
pub(crate) mod key;
pub(crate) mod line_history;
pub(crate) mod memory;
pub(crate) mod peer;
pub(crate) mod predicate;
pub(crate) mod proof;
pub(crate) mod recall;
pub(crate) mod serve;
pub(crate) mod share;
pub(crate) mod timeline;
pub(crate) mod validate;
pub(crate) mod versions;
pub(crate) mod vouch;
pub(crate) mod why;
