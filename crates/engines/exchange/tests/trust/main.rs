//! How far an agent is trusted (docs/format/trust.md; R8): the adversarial cases, the laws, and an oracle.

#[cfg(test)]
mod capped;
#[cfg(test)]
mod cases;
#[cfg(test)]
mod kit;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod many;
#[cfg(test)]
mod oracle;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod records;
#[cfg(test)]
mod successors;
