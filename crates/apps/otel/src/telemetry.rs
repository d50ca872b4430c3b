//! Settings of the environment, and the way to the collector.

use std::env;

use opentelemetry::KeyValue;
use opentelemetry::metrics::MeterProvider;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{ExporterBuildError, MetricExporter, SpanExporter, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::resource::{EnvResourceDetector, TelemetryResourceDetector};
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::Subscriber;
use tracing_subscriber::Layer;

use crate::client::Client;
use crate::line::Lines;

/// Name of the program, of its service unless `OTEL_SERVICE_NAME` names another, and of its instrumentation.
const NAME: &str = "counterfoil";
/// Spans and metrics under way to the collector.
pub struct Telemetry {
    spans: SdkTracerProvider,
    metrics: SdkMeterProvider,
    log: String,
}

impl Telemetry {
    /// Prepares telemetry as the environment asks for it; `log` is the name of the memory's log (`gen_ai.memory.store.id`).
    ///
    /// # Errors
    /// A variable that names the collector does not fit.
    pub fn from_environment(log: &str) -> Result<Self, ExporterBuildError> {
        let spans = SpanExporter::builder().with_http();
        let spans = spans.with_http_client(Client).build()?;
        let metrics = MetricExporter::builder().with_http();
        let metrics = metrics.with_http_client(Client).build()?;
        let resource = resource();
        Ok(Self {
            spans: SdkTracerProvider::builder()
                .with_batch_exporter(spans)
                .with_resource(resource.clone())
                .build(),
            metrics: SdkMeterProvider::builder()
                .with_periodic_exporter(metrics)
                .with_resource(resource)
                .build(),
            log: log.to_owned(),
        })
    }

    /// Returns the layer that makes spans and metrics of lines.
    pub fn layer<S: Subscriber>(&self) -> impl Layer<S> + use<S> {
        let tracer = self.spans.tracer(NAME);
        Lines::new(tracer, &self.metrics.meter(NAME), self.log.clone())
    }

    /// Sends the rest, in 5 seconds at most for spans and for metrics each. A collector that is not there loses it: telemetry never holds a server up.
    pub fn end(self) {
        // What could not be sent is a line of the log.
        let _ = self.spans.shutdown();
        let _ = self.metrics.shutdown();
    }
}

/// Resource of the spans and metrics: attributes of the environment go above those of the program.
fn resource() -> Resource {
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = Resource::builder_empty()
        .with_service_name(NAME)
        .with_attribute(version)
        .with_detector(Box::new(TelemetryResourceDetector))
        .with_detector(Box::new(EnvResourceDetector::new()));
    match env::var("OTEL_SERVICE_NAME") {
        Ok(name) if !name.is_empty() => resource.with_service_name(name).build(),
        _ => resource.build(),
    }
}
