//! Encoders and rerankers as the store sees them.

#[cfg(feature = "endpoint")]
#[cfg(test)]
mod endpoint;
#[cfg(test)]
mod folder;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod reranker;
