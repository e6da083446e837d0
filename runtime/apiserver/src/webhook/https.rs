//! HTTPS calls of webhooks, with one connection per call. The server is verified with the
//! `caBundle`, or with the system's certificates if the `caBundle` is empty.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures::future::{Either, select};
use genclient_builtins::types::decode_base64;
use http::header::HOST;
use http::uri::PathAndQuery;
use http::{HeaderValue, Request, Uri};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{AlertDescription, CertificateError, ClientConfig, Error, InvalidMessage, OtherError};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tower::BoxError;

use super::verifier::Verifier;
use crate::webhook_services::WebhookResponse;

/// Sends a request to the server in its URL. `authorities` is the `caBundle`.
pub(super) async fn send_over_https(
    mut request: Request<Full<Bytes>>,
    authorities: &str,
) -> Result<WebhookResponse, BoxError> {
    let url = request.uri().clone();
    let stream = connect_tls(&url, authorities).await?;
    let host = url.authority().map_or("", |it| it.as_str());
    request
        .headers_mut()
        .insert(HOST, HeaderValue::from_str(host)?);
    let path = url.path_and_query().map_or("/", PathAndQuery::as_str);
    *request.uri_mut() = path.parse()?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let exchange = Box::pin(async move {
        let response = sender.send_request(request).await?;
        let (head, body) = response.into_parts();
        let body = body.collect().await?.to_bytes();
        Ok::<_, hyper::Error>(WebhookResponse {
            status: head.status,
            headers: head.headers,
            body,
        })
    });
    // The response may be complete although the server has closed the connection already.
    let answered = match select(exchange, Box::pin(connection)).await {
        Either::Left((answered, _)) => answered,
        Either::Right((_closed, exchange)) => exchange.await,
    };
    answered.map_err(|error| go_message(&error).unwrap_or_else(|| error.into()))
}

async fn connect_tls(url: &Uri, authorities: &str) -> Result<TlsStream<TcpStream>, BoxError> {
    let host = url
        .host()
        .unwrap_or_default()
        .trim_start_matches('[')
        .trim_end_matches(']');
    let port = url.port_u16().unwrap_or(443);
    let stream = TcpStream::connect((host, port))
        .await
        .map_err(|error| dial_error(&error, host, port))?;
    let connector = TlsConnector::from(Arc::new(client_config(authorities)?));
    let name = ServerName::try_from(host.to_owned())?;
    let connected = connector.connect(name, stream).await;
    connected.map_err(|error| tls_error(&error))
}

fn client_config(authorities: &str) -> Result<ClientConfig, BoxError> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Verifier::new(
        trusted_certificates(authorities, system_certificates)?,
        Arc::clone(&provider),
    );
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// Returns the certificates of a `caBundle`. If it is empty, returns the system's certificates.
fn trusted_certificates(
    authorities: &str,
    system_certificates: fn() -> Vec<CertificateDer<'static>>,
) -> Result<Vec<CertificateDer<'static>>, BoxError> {
    if authorities.is_empty() {
        return Ok(system_certificates());
    }
    let pem = decode_base64(authorities).unwrap_or_default();
    // As `CertPool.AppendCertsFromPEM` of Go, skips blocks that are not certificates.
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(&pem)
        .filter_map(Result::ok)
        .collect();
    if certificates.is_empty() {
        return Err("unable to load root certificates: unable to parse bytes as PEM block".into());
    }
    Ok(certificates)
}

/// Returns the system's certificates: `SSL_CERT_FILE`, `SSL_CERT_DIR`, or the files of the
/// distribution.
fn system_certificates() -> Vec<CertificateDer<'static>> {
    let found = rustls_native_certs::load_native_certs();
    for error in found.errors {
        tracing::warn!(%error, "certificates of the system cannot be read");
    }
    found.certs
}

/// Returns the error of a failed connection, with the message of Go's `net`.
fn dial_error(error: &io::Error, host: &str, port: u16) -> BoxError {
    let address = if host.contains(':') {
        format!("[{host}]:{port}")
    } else {
        format!("{host}:{port}")
    };
    match error.kind() {
        io::ErrorKind::ConnectionRefused => {
            format!("dial tcp {address}: connect: connection refused").into()
        }
        _ if error.raw_os_error().is_none() => {
            format!("dial tcp: lookup {host}: no such host").into()
        }
        _ => format!("dial tcp {address}: {error}").into(),
    }
}

/// Returns the error of a failed TLS handshake, with the message of Go's `crypto/tls`.
fn tls_error(error: &io::Error) -> BoxError {
    let found = error.get_ref().and_then(|it| it.downcast_ref());
    match found {
        Some(Error::InvalidMessage(InvalidMessage::InvalidContentType)) => {
            "http: server gave HTTP response to HTTPS client".into()
        }
        Some(Error::InvalidCertificate(CertificateError::Other(OtherError(wrong)))) => {
            format!("tls: failed to verify certificate: {wrong}").into()
        }
        Some(Error::InvalidCertificate(_)) => {
            "tls: invalid signature by the server certificate".into()
        }
        Some(Error::AlertReceived(alert)) => {
            format!("remote error: tls: {}", alert_text(*alert)).into()
        }
        Some(_) => "tls: handshake failure".into(),
        None if error.kind() == io::ErrorKind::UnexpectedEof => "EOF".into(),
        None => error.to_string().into(),
    }
}

/// Returns Go's text for an alert of the server (`alertText` in crypto/tls, alert.go).
fn alert_text(alert: AlertDescription) -> String {
    let text = match alert {
        AlertDescription::UnexpectedMessage => "unexpected message",
        AlertDescription::HandshakeFailure => "handshake failure",
        AlertDescription::BadCertificate => "bad certificate",
        AlertDescription::UnknownCA => "unknown certificate authority",
        AlertDescription::AccessDenied => "access denied",
        AlertDescription::DecodeError => "error decoding message",
        AlertDescription::ProtocolVersion => "protocol version not supported",
        AlertDescription::InsufficientSecurity => "insufficient security level",
        AlertDescription::InternalError => "internal error",
        AlertDescription::UnrecognisedName => "unrecognized name",
        AlertDescription::CertificateRequired => "certificate required",
        AlertDescription::NoApplicationProtocol => "no application protocol",
        other => return format!("alert({})", u8::from(other)),
    };
    text.to_owned()
}

/// Returns the error of a response that breaks off, with the message of Go's `net/http`. Returns
/// `None` for any other error.
fn go_message(error: &hyper::Error) -> Option<BoxError> {
    error.is_incomplete_message().then(|| BoxError::from("EOF"))
}

#[cfg(test)]
mod tests {
    use genclient_builtins::types::encode_base64;

    #[test]
    fn system_roots_are_trusted_without_a_ca_bundle() {
        let authority = rcgen::generate_simple_self_signed(Vec::new()).unwrap();
        let bundle = encode_base64(authority.cert.pem().as_bytes());
        assert_eq!(
            super::trusted_certificates(&bundle, Vec::new)
                .unwrap()
                .len(),
            1
        );
        let system = || {
            let names = ["one", "other"].map(|name| vec![name.to_owned()]);
            let all = names.map(|names| rcgen::generate_simple_self_signed(names).unwrap());
            all.map(|authority| authority.cert.into()).to_vec()
        };
        assert_eq!(super::trusted_certificates("", system).unwrap().len(), 2);
    }
}
