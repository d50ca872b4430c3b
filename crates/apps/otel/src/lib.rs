//! Spans and metrics of what the servers do, for an OpenTelemetry collector (OTLP over HTTP).
//!
//! They are made of the lines that the servers log, by [`Telemetry::layer`]: a line with the time that something took (`us`) is a
//! span, with one inside it for a memory's operation (`operation`). So a trace says no more than the log does: no text, no id of a
//! memory, no token (API-7). Names are those of the OpenTelemetry conventions for HTTP, MCP and the memory of agents; the
//! environment variables are those of its SDKs (`OTEL_…`).

mod client;
mod line;
mod telemetry;

pub use telemetry::Telemetry;
