//! The HTTP API of the owner: the real program as a server on a store, and requests as bytes.

#[cfg(test)]
mod channels;
#[cfg(test)]
mod client;
#[cfg(test)]
mod export;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod imports;
#[cfg(test)]
mod keys;
#[cfg(test)]
mod matrix;
#[cfg(unix)]
#[cfg(test)]
mod mcp;
#[cfg(test)]
mod metrics;
#[cfg(test)]
mod same;
#[cfg(all(unix, feature = "otel"))]
#[cfg(test)]
mod telemetry;
