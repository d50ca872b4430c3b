//! The command line as its users meet it: the real binary, real files, a real database.

#[cfg(test)]
mod approvals;
#[cfg(test)]
mod bad_files;
#[cfg(test)]
mod bad_places;
#[cfg(test)]
mod claim_import;
#[cfg(test)]
mod claims;
#[cfg(unix)]
#[cfg(test)]
mod clock;
#[cfg(test)]
mod command_line;
#[cfg(test)]
mod decisions;
#[cfg(all(feature = "encoder", feature = "endpoint"))]
#[cfg(test)]
mod embed_endpoint;
#[cfg(test)]
mod extract;
#[cfg(feature = "endpoint")]
#[cfg(test)]
mod extract_endpoint;
#[cfg(test)]
mod first;
#[cfg(test)]
mod guard;
#[cfg(test)]
mod heads;
#[cfg(test)]
mod import;
#[cfg(test)]
mod keys;
#[cfg(test)]
mod log_map;
#[cfg(test)]
mod main_job;
#[cfg(test)]
mod memory_tool;
#[cfg(test)]
mod peers;
#[cfg(test)]
mod place;
#[cfg(unix)]
#[cfg(test)]
mod reach;
#[cfg(test)]
mod reached;
#[cfg(test)]
mod recall_document;
#[cfg(test)]
mod scopes;
#[cfg(test)]
mod serving;
#[cfg(test)]
mod standing;
#[cfg(test)]
mod tamper;
#[cfg(test)]
mod versions;
#[cfg(test)]
mod witness;
