//! `memory_request` as it stands in bytes (docs/format/exchange.md §2).

use counterfoil_capsule::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::{
    Audience, DocumentError, DocumentKind, Domain, Filters, Format, Preferences, Query,
    RequestParts, Text, TimeWindow,
};
use super::shared::{Version, WireParty, WireProof, WireRequestHeader};
use super::{As, List, Whole, items, list};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Request")
)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct WireRequest {
    #[cfg_attr(feature = "schema", schemars(with = "alloc::string::String", extend("const" = "memory_request")))]
    r#type: DocumentKind,
    version: Version,
    header: WireRequestHeader,
    requester: WireParty,
    audience: As<Audience>,
    query: WireQuery,
    #[serde(skip_serializing_if = "Option::is_none")]
    preferences: Option<WirePreferences>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<WireProof>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Query")
)]
#[serde(deny_unknown_fields)]
struct WireQuery {
    natural: As<Text<4096>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<As<Domain>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keywords: Option<List<As<Text<64>>, 1, 16>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_range: Option<WireWindow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filters: Option<WireFilters>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Window")
)]
#[serde(deny_unknown_fields)]
struct WireWindow {
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<As<Timestamp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<As<Timestamp>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Filters")
)]
#[serde(deny_unknown_fields)]
struct WireFilters {
    #[serde(skip_serializing_if = "Option::is_none")]
    min_trust_level: Option<Whole<0, 3>>,
    #[serde(default)]
    require_evidence: bool,
    #[serde(default)]
    require_vouches: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Preferences")
)]
#[serde(deny_unknown_fields)]
struct WirePreferences {
    #[serde(default)]
    format: Format,
    #[serde(default = "yes")]
    include_evidence: bool,
    #[serde(default)]
    include_vouches: bool,
    #[serde(default = "five")]
    max_results: Whole<1, 100>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<As<Text<1024>>>,
}

const fn yes() -> bool {
    true
}

const fn five() -> Whole<1, 100> {
    Whole::new(5)
}

impl TryFrom<RequestParts> for WireRequest {
    type Error = DocumentError;

    fn try_from(parts: RequestParts) -> Result<Self, DocumentError> {
        let query = parts.query;
        let filters = (query.filters != Filters::default()).then(|| WireFilters {
            min_trust_level: query
                .filters
                .min_trust_level
                .map(|level| Whole::new(level.into())),
            require_evidence: query.filters.require_evidence,
            require_vouches: query.filters.require_vouches,
        });
        let window = |window: TimeWindow| WireWindow {
            from: window.from.map(As),
            until: window.until.map(As),
        };
        let preferences = (parts.preferences != Preferences::default()).then(|| WirePreferences {
            format: parts.preferences.format,
            include_evidence: parts.preferences.include_evidence,
            include_vouches: parts.preferences.include_vouches,
            max_results: Whole::new(parts.preferences.max_results.into()),
            cursor: parts.preferences.cursor.map(As),
        });
        Ok(Self {
            r#type: DocumentKind::Request,
            version: Version::One,
            header: WireRequestHeader::of(parts.header)?,
            requester: parts.requester.into(),
            audience: As(parts.audience),
            query: WireQuery {
                natural: As(query.natural),
                domain: query.domain.map(As),
                keywords: list(query.keywords, As),
                time_range: query.time_range.map(window),
                filters,
            },
            preferences,
            proof: None,
        })
    }
}

impl TryFrom<WireRequest> for RequestParts {
    type Error = DocumentError;

    fn try_from(wire: WireRequest) -> Result<Self, DocumentError> {
        let filters = wire
            .query
            .filters
            .map_or_else(Filters::default, |filters| Filters {
                min_trust_level: filters.min_trust_level.map(Whole::byte),
                require_evidence: filters.require_evidence,
                require_vouches: filters.require_vouches,
            });
        let preferences = wire
            .preferences
            .map_or_else(Preferences::default, |wanted| Preferences {
                format: wanted.format,
                include_evidence: wanted.include_evidence,
                include_vouches: wanted.include_vouches,
                max_results: wanted.max_results.byte(),
                cursor: wanted.cursor.map(|cursor| cursor.0),
            });
        Ok(Self {
            header: wire.header.read()?,
            requester: wire.requester.into(),
            audience: wire.audience.0,
            query: Query {
                natural: wire.query.natural.0,
                domain: wire.query.domain.map(|domain| domain.0),
                keywords: items(wire.query.keywords, |word| word.0),
                time_range: wire.query.time_range.map(WireWindow::read).transpose()?,
                filters,
            },
            preferences,
        })
    }
}

impl WireWindow {
    fn read(self) -> Result<TimeWindow, DocumentError> {
        let window = TimeWindow {
            from: self.from.map(|at| at.0),
            until: self.until.map(|at| at.0),
        };
        window.coherent()?;
        Ok(window)
    }
}
