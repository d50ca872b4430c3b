//! What the commands of exchange have in common: the host, its settings, who is called how.

pub(crate) mod host;
pub(crate) mod peers;
pub(crate) mod settings;
