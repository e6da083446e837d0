//! Connectors: TCP with keepalive, proxies, TLS, and the timeouts of kube's [`Config`].

use std::error::Error as StdError;
use std::time::Duration;

use http::Uri;
use hyper_timeout::TimeoutConnector;
use hyper_util::client::legacy::connect::{Connection, HttpConnector};
#[cfg(any(feature = "rustls-tls", feature = "openssl-tls"))]
use kube::client::ConfigExt;
use kube::{Config, Error};
use tower::util::BoxCloneSyncService;
use tower::{BoxError, Service, ServiceExt};

use super::socket::{Socket, Stream};
use crate::client::Result;
use crate::error_chain::error_chain;

/// Service that opens a connection to an address.
pub(super) type Connector = BoxCloneSyncService<Uri, Socket, BoxError>;

/// Silence of a connection after which the kernel probes the peer: that of Go's `net.Dialer` in
/// client-go.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(30);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_PROBES: u32 = 3;
/// Time in which the peer has to acknowledge data and probes (`TCP_USER_TIMEOUT` of tcp(7)).
#[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
const ACKNOWLEDGEMENT_TIMEOUT: Duration = Duration::from_secs(40);

/// HTTP versions that a connector offers to the server, if the connection is encrypted. Without
/// TLS, the version is always HTTP/1.1.
#[derive(Clone, Copy, Debug)]
pub(super) enum Protocols {
    /// HTTP/1.1 alone: the only one with protocol upgrades.
    Http1,
    /// HTTP/2 if the server supports it, as in client-go. With OpenSSL, HTTP/1.1.
    Http2OrHttp1,
}

/// Returns a connector with the proxy, TLS and timeout settings of `config`.
pub(super) fn build_connector(config: &Config, protocols: Protocols) -> Result<Connector> {
    let connector = add_tls(config, proxy_connector(config)?, protocols)?;
    let mut connector = TimeoutConnector::new(connector);
    connector.set_connect_timeout(config.connect_timeout);
    connector.set_read_timeout(config.read_timeout);
    connector.set_write_timeout(config.write_timeout);
    connector.set_reset_reader_on_write(config.reset_reader_on_write);
    Ok(box_connector(connector))
}

/// Whether an error is a TLS alert of the server about the client certificate. The server has not
/// executed the request.
pub(super) fn is_certificate_rejected(error: &(dyn StdError + 'static)) -> bool {
    // Texts of rustls. HTTP/2 keeps nothing else of the error.
    error_chain(error).any(|cause| {
        let text = cause.to_string();
        let alert = text.split_once("received fatal alert: ");
        alert.is_some_and(|(_, alert)| alert.contains("Certificate") || alert == "UnknownCA")
    })
}

fn tcp_connector() -> HttpConnector {
    let mut connector = HttpConnector::new();
    // Otherwise it refuses `https`, which a layer above adds.
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_keepalive(Some(KEEPALIVE_IDLE));
    connector.set_keepalive_interval(Some(KEEPALIVE_INTERVAL));
    connector.set_keepalive_retries(Some(KEEPALIVE_PROBES));
    #[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
    connector.set_tcp_user_timeout(Some(ACKNOWLEDGEMENT_TIMEOUT));
    connector
}

/// Returns a connector through the proxy of `config`, or a direct one.
fn proxy_connector(config: &Config) -> Result<Connector> {
    let Some(proxy) = &config.proxy_url else {
        return Ok(box_connector(tcp_connector()));
    };
    match proxy.scheme_str() {
        Some("socks5") => through_socks(proxy),
        Some("http") => through_tunnel(proxy, box_connector(tcp_connector())),
        Some("https") => {
            let connector = add_tls(config, box_connector(tcp_connector()), Protocols::Http1)?;
            through_tunnel(proxy, connector)
        }
        _ => Err(Error::ProxyProtocolUnsupported {
            proxy_url: Box::new(proxy.clone()),
        }),
    }
}

#[cfg(feature = "socks5")]
#[expect(clippy::unnecessary_wraps, reason = "fails without the feature")]
fn through_socks(proxy: &Uri) -> Result<Connector> {
    use hyper_util::client::legacy::connect::proxy::SocksV5;

    Ok(box_connector(SocksV5::new(proxy.clone(), tcp_connector())))
}

#[cfg(not(feature = "socks5"))]
fn through_socks(proxy: &Uri) -> Result<Connector> {
    Err(Error::ProxyProtocolDisabled {
        proxy_url: Box::new(proxy.clone()),
        protocol_feature: "genclient/socks5",
    })
}

#[cfg(feature = "http-proxy")]
#[expect(clippy::unnecessary_wraps, reason = "fails without the feature")]
fn through_tunnel(proxy: &Uri, connector: Connector) -> Result<Connector> {
    use hyper_util::client::legacy::connect::proxy::Tunnel;

    let mut tunnel = Tunnel::new(proxy.clone(), connector);
    if let Some(authorization) = proxy_authorization(proxy) {
        tunnel = tunnel.with_auth(authorization);
    }
    Ok(box_connector(tunnel))
}

#[cfg(not(feature = "http-proxy"))]
fn through_tunnel(proxy: &Uri, _: Connector) -> Result<Connector> {
    Err(Error::ProxyProtocolDisabled {
        proxy_url: Box::new(proxy.clone()),
        protocol_feature: "genclient/http-proxy",
    })
}

/// Returns the `Proxy-Authorization` for the user and password in the URL of a proxy. They may be
/// percent-encoded.
#[cfg(feature = "http-proxy")]
fn proxy_authorization(proxy: &Uri) -> Option<http::HeaderValue> {
    let (user, _) = proxy.authority()?.as_str().rsplit_once('@')?;
    let credentials = super::exec::encode_base64(&decode_percent(user))?;
    let mut header = http::HeaderValue::try_from(format!("Basic {credentials}")).ok()?;
    header.set_sensitive(true);
    Some(header)
}

#[cfg(feature = "http-proxy")]
fn decode_percent(text: &str) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, tail @ ..] = rest {
        let digit = |at: usize| {
            tail.get(at)
                .and_then(|digit| char::from(*digit).to_digit(16))
        };
        let escaped = (*byte == b'%').then(|| digit(0).zip(digit(1))).flatten();
        match escaped.and_then(|(high, low)| u8::try_from(high * 16 + low).ok()) {
            Some(byte) => {
                decoded.push(byte);
                rest = &tail[2..];
            }
            None => {
                decoded.push(*byte);
                rest = tail;
            }
        }
    }
    decoded
}

/// Adds TLS for `https`. If both TLS features are enabled, rustls is used, as in kube.
#[cfg(feature = "rustls-tls")]
fn add_tls(config: &Config, connector: Connector, protocols: Protocols) -> Result<Connector> {
    use std::sync::Arc;

    use hyper_rustls::{
        DefaultServerNameResolver, FixedServerNameResolver, HttpsConnector, ResolveServerName,
    };
    use kube::client::RustlsTlsError;

    // As in kube. With the feature `ring` as well, rustls could not choose.
    #[cfg(feature = "aws-lc-rs")]
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // An error means that another thread has just installed one.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    }
    let mut tls = config.rustls_client_config()?;
    if let Protocols::Http2OrHttp1 = protocols {
        tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    }
    let names: Arc<dyn ResolveServerName + Send + Sync> = match &config.tls_server_name {
        Some(name) => {
            let name = name
                .clone()
                .try_into()
                .map_err(RustlsTlsError::InvalidServerName);
            Arc::new(FixedServerNameResolver::new(
                name.map_err(Error::RustlsTls)?,
            ))
        }
        None => Arc::new(DefaultServerNameResolver::default()),
    };
    Ok(box_connector(HttpsConnector::new(
        connector, tls, false, names,
    )))
}

#[cfg(all(not(feature = "rustls-tls"), feature = "openssl-tls"))]
fn add_tls(config: &Config, connector: Connector, _: Protocols) -> Result<Connector> {
    Ok(box_connector(
        config.openssl_https_connector_with_connector(connector)?,
    ))
}

#[cfg(not(any(feature = "rustls-tls", feature = "openssl-tls")))]
fn add_tls(config: &Config, connector: Connector, _: Protocols) -> Result<Connector> {
    use http::uri::Scheme;

    let urls = [Some(&config.cluster_url), config.proxy_url.as_ref()];
    let mut schemes = urls.into_iter().flatten().map(Uri::scheme);
    if schemes.any(|scheme| scheme == Some(&Scheme::HTTPS)) {
        return Err(Error::TlsRequired);
    }
    Ok(connector)
}

fn box_connector<C>(connector: C) -> Connector
where
    C: Service<Uri, Response: Stream + Connection + 'static, Error: Into<BoxError>>,
    C: Clone + Send + Sync + 'static,
    C::Future: Send + 'static,
{
    BoxCloneSyncService::new(connector.map_response(Socket::new).map_err(Into::into))
}

#[cfg(test)]
mod tests {
    use std::io;

    use rustls::AlertDescription::{CertificateExpired, HandshakeFailure, UnknownCA};

    use super::*;

    #[test]
    fn alerts_about_the_client_certificate_are_known() {
        for (alert, expected) in [
            (CertificateExpired, true),
            (UnknownCA, true),
            (HandshakeFailure, false),
        ] {
            let error = rustls::Error::AlertReceived(alert);
            // Over HTTP/2, only the text is left.
            let text = io::Error::other(error.to_string());
            let error = io::Error::new(io::ErrorKind::InvalidData, error);
            for error in [&error, &text] {
                assert_eq!(is_certificate_rejected(error), expected, "{error:?}");
            }
        }
    }
}
