//! The address of a ground: its defaults, and how the server is identified.

use std::path::Path;
use std::sync::Arc;

use counterfoil_store::StoreError;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, crypto};
use rustls_platform_verifier::Verifier;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::error::unavailable;
use crate::settings::GroundSettings;

const READING: &str = "reading the address of the shared ground";

/// Returns the address `url` with additions of the environment and the settings.
pub(crate) fn parse(url: &str, settings: &GroundSettings) -> Result<Config, StoreError> {
    let mut config: Config = url.parse().map_err(|error: tokio_postgres::Error| {
        let detail = failed_in(&error);
        unavailable(
            READING,
            format_args!("{detail}: it has the form postgres://USER@HOST/DATABASE"),
        )
    })?;
    if config.get_password().is_none()
        && let Ok(password) = std::env::var("PGPASSWORD")
    {
        config.password(password);
    }
    // Without a word about it, nothing goes over a network that others may read or answer.
    if !url.contains("sslmode=") && !config.get_hosts().iter().all(is_here) {
        config.ssl_mode(SslMode::Require);
    }
    config.connect_timeout(settings.connect);
    config.application_name("counterfoil");
    Ok(config)
}

/// Returns the message without the text of the address, in which a password may be.
fn failed_in(error: &tokio_postgres::Error) -> String {
    let source = std::error::Error::source(error);
    source.map_or_else(|| error.to_string(), ToString::to_string)
}

fn is_here(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            let address: Option<std::net::IpAddr> = name.parse().ok();
            name == "localhost" || address.is_some_and(|it| it.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

/// Returns the address for messages: hosts, port and database, without user and password.
pub(crate) fn shown(config: &Config) -> String {
    let hosts: Vec<String> = config
        .get_hosts()
        .iter()
        .map(|host| match host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        })
        .collect();
    let port = config.get_ports().first().map(|port| format!(":{port}"));
    format!(
        "postgres://{}{}/{}",
        hosts.join(","),
        port.unwrap_or_default(),
        config.get_dbname().unwrap_or_default()
    )
}

/// Returns the maker of TLS connections, which trusts the authorities of the system and the one in the file `root`.
pub(crate) fn tls(root: Option<&Path>) -> Result<MakeRustlsConnect, StoreError> {
    let failed = |detail: String| unavailable("preparing TLS for the shared ground", detail);
    let mut roots = Vec::new();
    if let Some(path) = root {
        let read =
            CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        roots = read.map_err(|error| failed(format!("{}: {error}", path.display())))?;
    }
    let provider = Arc::new(crypto::ring::default_provider());
    let make = || {
        let verifier = Verifier::new_with_extra_roots(roots, Arc::clone(&provider))?;
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        Ok::<_, rustls::Error>(MakeRustlsConnect::new(config))
    };
    make().map_err(|error| failed(error.to_string()))
}
