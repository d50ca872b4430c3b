//! A line of the log as spans and as a measurement.

use std::fmt::{Debug, Write};
use std::time::{Duration, SystemTime};

use opentelemetry::metrics::{Histogram, Meter};
use opentelemetry::trace::{
    Span, SpanBuilder, SpanContext, SpanId, SpanKind, Status, TraceContextExt, TraceFlags, TraceId,
    TraceState, Tracer,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::trace::SdkTracer;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context as LayerContext;

/// Upper bounds of durations in seconds, as the conventions for HTTP have them.
const BOUNDS: [f64; 14] = [
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
];

/// Start of the targets of this project's lines.
const OURS: &str = "counterfoil_";

/// Layer that makes spans and metrics of lines with `us`.
pub(crate) struct Lines {
    tracer: SdkTracer,
    requests: Histogram<f64>,
    tools: Histogram<f64>,
    log: String,
}

/// Fields of a line.
#[derive(Debug, Default)]
struct Line {
    us: Option<u64>,
    status: Option<u64>,
    method: String,
    route: String,
    tool: String,
    operation: String,
    problem: String,
    trace_id: String,
    parent_id: String,
    trace_flags: String,
}

impl Lines {
    pub(crate) fn new(tracer: SdkTracer, meter: &Meter, log: String) -> Self {
        let durations = |name: &'static str, about: &'static str| {
            let histogram = meter.f64_histogram(name).with_description(about);
            let histogram = histogram.with_unit("s").with_boundaries(BOUNDS.to_vec());
            histogram.build()
        };
        Self {
            tracer,
            requests: durations(
                "http.server.request.duration",
                "Duration of HTTP server requests.",
            ),
            tools: durations(
                "mcp.server.operation.duration",
                "Duration of calls of tools.",
            ),
            log,
        }
    }

    /// Records what took `us` microseconds and has just ended.
    fn record(&self, line: &Line, us: u64) {
        let (ended, took) = (SystemTime::now(), Duration::from_micros(us));
        let began = ended.checked_sub(took).unwrap_or(ended);
        let (name, attributes) = line.outer();
        let histogram = match line.tool.is_empty() {
            true => &self.requests,
            false => &self.tools,
        };
        histogram.record(took.as_secs_f64(), &attributes);
        let parent = line.parent();
        let span = |name: String, kind, attributes, parent: &Context, has_failed| {
            let span = SpanBuilder::from_name(name).with_kind(kind);
            let span = span.with_start_time(began).with_attributes(attributes);
            let mut span = self.tracer.build_with_context(span, parent);
            if has_failed {
                span.set_status(Status::error(""));
            }
            span
        };
        let has_failed = match line.status {
            Some(status) => status >= 500,
            None => !line.problem.is_empty(),
        };
        let mut outer = span(name, SpanKind::Server, attributes, &parent, has_failed);
        if !line.operation.is_empty() {
            let within = parent.with_remote_span_context(outer.span_context().clone());
            let attributes = line.of_memory(&self.log);
            let (name, kind) = (line.operation.clone(), SpanKind::Internal);
            let mut inner = span(name, kind, attributes, &within, !line.problem.is_empty());
            inner.end_with_timestamp(ended);
        }
        outer.end_with_timestamp(ended);
    }
}

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: LayerContext<'_, S>) {
        if !event.metadata().target().starts_with(OURS) {
            return;
        }
        let mut line = Line::default();
        event.record(&mut line);
        if let Some(us) = line.us {
            self.record(&line, us);
        }
    }
}

impl Line {
    /// Name and attributes of the request or the call.
    fn outer(&self) -> (String, Vec<KeyValue>) {
        let mut attributes = Vec::with_capacity(4);
        let name = match self.tool.as_str() {
            "" => {
                let method = match self.method.as_str() {
                    "other" => "_OTHER",
                    method => method,
                };
                attributes.push(KeyValue::new("http.request.method", method.to_owned()));
                if let Some(status) = self.status.and_then(|it| i64::try_from(it).ok()) {
                    attributes.push(KeyValue::new("http.response.status_code", status));
                }
                match self.route.as_str() {
                    // No route of this server.
                    "other" => "HTTP".to_owned(),
                    route => {
                        attributes.push(KeyValue::new("http.route", route.to_owned()));
                        format!("{} {route}", self.method)
                    }
                }
            }
            tool => {
                attributes.push(KeyValue::new("mcp.method.name", "tools/call"));
                attributes.push(KeyValue::new("gen_ai.operation.name", "execute_tool"));
                attributes.push(KeyValue::new("gen_ai.tool.name", tool.to_owned()));
                format!("tools/call {tool}")
            }
        };
        attributes.extend(self.error());
        (name, attributes)
    }

    /// Attributes of the memory's operation.
    fn of_memory(&self, log: &str) -> Vec<KeyValue> {
        let attributes = [
            KeyValue::new("gen_ai.operation.name", self.operation.clone()),
            KeyValue::new("gen_ai.memory.store.id", log.to_owned()),
        ];
        attributes.into_iter().chain(self.error()).collect()
    }

    /// Class of the problem that it ended with.
    fn error(&self) -> Option<KeyValue> {
        let code = (!self.problem.is_empty()).then(|| self.problem.clone())?;
        Some(KeyValue::new("error.type", code))
    }

    /// Part of a trace that asked for this; an empty context if none did.
    fn parent(&self) -> Context {
        let flags = u8::from_str_radix(&self.trace_flags, 16);
        let ids = TraceId::from_hex(&self.trace_id).ok();
        let ids = ids.zip(SpanId::from_hex(&self.parent_id).ok());
        let Some(((trace, span), flags)) = ids.zip(flags.ok()) else {
            return Context::new();
        };
        let flags = TraceFlags::new(flags);
        let asked = SpanContext::new(trace, span, flags, true, TraceState::default());
        Context::new().with_remote_span_context(asked)
    }

    fn text(&mut self, field: &Field) -> Option<&mut String> {
        Some(match field.name() {
            "method" => &mut self.method,
            "route" => &mut self.route,
            "tool" => &mut self.tool,
            "operation" => &mut self.operation,
            "problem" => &mut self.problem,
            "trace_id" => &mut self.trace_id,
            "parent_id" => &mut self.parent_id,
            "trace_flags" => &mut self.trace_flags,
            _ => return None,
        })
    }
}

impl Visit for Line {
    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "us" => self.us = Some(value),
            "status" => self.status = Some(value),
            _ => {}
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if let Some(text) = self.text(field) {
            value.clone_into(text);
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if let Some(text) = self.text(field) {
            // A String takes whatever is written.
            let _ = write!(text, "{value:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use opentelemetry::metrics::MeterProvider;
    use opentelemetry::trace::TracerProvider;
    use opentelemetry_sdk::metrics::{InMemoryMetricExporter, SdkMeterProvider};
    use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    /// The spans of what `lines` logs, in the order in which they ended.
    fn spans(lines: impl FnOnce()) -> Vec<SpanData> {
        let exporter = InMemorySpanExporter::default();
        let spans = SdkTracerProvider::builder()
            .with_simple_exporter(exporter.clone())
            .build();
        let metrics = SdkMeterProvider::builder()
            .with_periodic_exporter(InMemoryMetricExporter::default())
            .build();
        let layer = Lines::new(spans.tracer("t"), &metrics.meter("t"), "log-7".to_owned());
        let subscriber = tracing_subscriber::registry().with(layer);
        tracing::subscriber::with_default(subscriber, lines);
        exporter.get_finished_spans().unwrap()
    }

    fn attributes(span: &SpanData) -> Vec<(&str, String)> {
        let of = |it: &KeyValue| it.value.to_string();
        let pairs = span.attributes.iter();
        pairs.map(|it| (it.key.as_str(), of(it))).collect()
    }

    /// API-7; mutant `span-of-no-trace`: a span outside of its caller's trace is missing there.
    #[test]
    fn a_line_is_a_span_of_its_trace_with_the_memorys_operation_inside() {
        let found = spans(|| {
            let (trace_id, parent_id) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
            tracing::info!(
                target: "counterfoil_api::guard",
                route = "/v1/recall",
                method = "POST",
                status = 200_u16,
                problem = "",
                us = 3_000_u64,
                key = "key_1",
                operation = Some("search_memory"),
                trace_id,
                parent_id,
                trace_flags = "01",
                "request"
            );
        });
        let [inner, outer] = &*found else {
            panic!("{found:?}")
        };
        assert_eq!(
            (&*outer.name, &*inner.name),
            ("POST /v1/recall", "search_memory")
        );
        let trace = TraceId::from_hex("4bf92f3577b34da6a3ce929d0e0e4736").unwrap();
        for span in [outer, inner] {
            assert_eq!(span.span_context.trace_id(), trace);
            let took = span.end_time.duration_since(span.start_time);
            assert_eq!(took.unwrap(), Duration::from_millis(3));
            assert_eq!(span.status, Status::Unset);
        }
        let asked = SpanId::from_hex("00f067aa0ba902b7").unwrap();
        assert_eq!(outer.parent_span_id, asked);
        assert_eq!(inner.parent_span_id, outer.span_context.span_id());
        assert_eq!(
            attributes(outer),
            [
                ("http.request.method", "POST".to_owned()),
                ("http.response.status_code", "200".to_owned()),
                ("http.route", "/v1/recall".to_owned()),
            ]
        );
        assert_eq!(
            attributes(inner),
            [
                ("gen_ai.operation.name", "search_memory".to_owned()),
                ("gen_ai.memory.store.id", "log-7".to_owned()),
            ]
        );
    }

    #[test]
    fn a_tool_that_failed_is_an_error_and_a_refused_request_is_the_callers() {
        let found = spans(|| {
            tracing::info!(
                target: "counterfoil_mcp::server",
                tool = "remember",
                problem = "arguments",
                us = 1_u64,
                operation = Some("create_memory"),
                "tool"
            );
            tracing::info!(
                target: "counterfoil_api::guard",
                route = "other",
                method = "other",
                status = 404_u16,
                problem = "not-found",
                us = 1_u64,
                operation = None::<&str>,
                "request"
            );
        });
        let names: Vec<&str> = found.iter().map(|it| &*it.name).collect();
        assert_eq!(names, ["create_memory", "tools/call remember", "HTTP"]);
        let is_error = |span: &SpanData| matches!(span.status, Status::Error { .. });
        assert_eq!(
            found.iter().map(is_error).collect::<Vec<_>>(),
            [true, true, false]
        );
        let code = |span: &SpanData| {
            let code = span
                .attributes
                .iter()
                .find(|it| it.key.as_str() == "error.type");
            code.map(|it| it.value.to_string())
        };
        assert_eq!(
            found.iter().filter_map(code).collect::<Vec<_>>(),
            ["arguments", "arguments", "not-found"]
        );
    }

    #[test]
    fn a_caller_who_is_not_sampled_is_left_out_and_lines_of_others_are_no_spans() {
        let found = spans(|| {
            tracing::info!(
                target: "counterfoil_api::guard",
                route = "/v1/head",
                method = "GET",
                status = 200_u16,
                us = 1_u64,
                trace_id = "4bf92f3577b34da6a3ce929d0e0e4736",
                parent_id = "00f067aa0ba902b7",
                trace_flags = "00",
                "request"
            );
            tracing::info!(target: "rmcp::service", tool = "recall", us = 1_u64, "tool");
            tracing::info!(target: "counterfoil_api::jobs", read = 1, "import");
        });
        assert!(found.is_empty(), "{found:?}");
    }
}
