//! Spans and metrics for an OpenTelemetry collector, where the build has the feature `otel` and the environment names one.

use std::env;

use counterfoil::Memory;
use tracing::Subscriber;
use tracing_subscriber::Layer;

use crate::output::notice;

/// Variables that name a collector.
const ENDPOINTS: [&str; 3] = [
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
];

/// Telemetry of a command that serves; none if nothing asks for it.
pub(crate) struct Telemetry(Option<sending::Telemetry>);

impl Telemetry {
    /// Prepares telemetry as the environment asks for it. Failures are notices, and stop nothing.
    pub(crate) fn begin(memory: &Memory) -> Self {
        let value = |name| env::var_os(name).filter(|value| !value.is_empty());
        let is_off = value("OTEL_SDK_DISABLED").is_some_and(|it| it.eq_ignore_ascii_case("true"));
        if is_off || !ENDPOINTS.into_iter().any(|name| value(name).is_some()) {
            return Self(None);
        }
        // Without a store, the command itself says so.
        let Ok(log) = memory.log_name() else {
            return Self(None);
        };
        match sending::Telemetry::from_environment(&log) {
            Ok(telemetry) => Self(Some(telemetry)),
            Err(error) => {
                notice(format_args!("no telemetry is sent: {error}"));
                Self(None)
            }
        }
    }

    /// The layer of the subscriber that makes spans and metrics of lines.
    pub(crate) fn layer<S: Subscriber>(&self) -> Option<impl Layer<S> + use<S>> {
        self.0.as_ref().map(sending::Telemetry::layer)
    }

    /// Sends the rest.
    pub(crate) fn end(self) {
        if let Some(telemetry) = self.0 {
            telemetry.end();
        }
    }
}

#[cfg(feature = "otel")]
use counterfoil_otel as sending;

#[cfg(not(feature = "otel"))]
mod sending {
    use tracing::Subscriber;
    use tracing_subscriber::Layer;
    use tracing_subscriber::layer::Identity;

    pub(super) enum Telemetry {}

    impl Telemetry {
        pub(super) const fn from_environment(_log: &str) -> Result<Self, &'static str> {
            Err("this build has no OpenTelemetry; build it with the feature `otel`")
        }

        pub(super) fn layer<S: Subscriber>(&self) -> impl Layer<S> + use<S> {
            Identity::new()
        }

        pub(super) fn end(self) {
            match self {}
        }
    }
}
