//! [`Verifier`]: verification of a webhook's certificate by the rules of Go's crypto/x509, with its
//! messages.
//!
//! Go trusts a certificate of the `caBundle` also as the certificate of the server itself, and
//! accepts the certificate of a CA there. webpki refuses both.
//!
//! Source: `Certificate.Verify` in Go's crypto/x509, verify.go.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use genclient::k8s_openapi::jiff::Timestamp;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{self, CryptoProvider};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, DigitallySignedStruct, Error, OtherError, RootCertStore, SignatureScheme,
};
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::oid_registry::{
    OID_KEY_TYPE_EC_PUBLIC_KEY, OID_PKCS1_RSAENCRYPTION, OID_PKCS1_SHA1WITHRSA, OID_SHA1_WITH_RSA,
};
use x509_parser::prelude::FromDer;
use x509_parser::x509::{X509Name, X509Version};

use crate::clock;

/// Verifier of servers with the certificates of a `caBundle`.
#[derive(Debug)]
pub(super) struct Verifier {
    bundle: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
}

impl Verifier {
    pub(super) fn new(bundle: Vec<CertificateDer<'static>>, provider: Arc<CryptoProvider>) -> Self {
        Self { bundle, provider }
    }

    /// Verifies a certificate for a host, in the order of Go: validity, names, chain, key usage.
    fn verify(
        &self,
        leaf: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        host: &ServerName<'_>,
        now: UnixTime,
    ) -> Result<(), X509Error> {
        let malformed = || X509Error("malformed certificate".to_owned());
        let certificate = parse_certificate(leaf).ok_or_else(malformed)?;
        let parsed = ParsedCertificate::try_from(leaf).map_err(|_| malformed())?;
        check_validity(&certificate, now)?;
        if verify_server_name(&parsed, host).is_err() {
            return Err(host_error(&certificate, &host.to_str()));
        }
        if self.bundle.iter().any(|it| **it == **leaf) {
            return check_usage(&certificate);
        }
        let parents: Vec<_> = self.bundle.iter().filter_map(parse_certificate).collect();
        let mut authorities = parents
            .iter()
            .filter(|parent| check_authority(parent, now).is_ok());
        if certificate.is_ca() {
            if !authorities.any(|it| check_issuer(&certificate, it).is_ok()) {
                return Err(unknown_authority_error(&certificate, &parents, now));
            }
            return check_usage(&certificate);
        }
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(authorities.map(|it| CertificateDer::from(it.as_raw())));
        let algorithms = self.provider.signature_verification_algorithms.all;
        verify_server_cert_signed_by_trust_anchor(&parsed, &roots, intermediates, now, algorithms)
            .map_err(|error| match error {
                Error::InvalidCertificate(
                    CertificateError::InvalidPurpose
                    | CertificateError::InvalidPurposeContext { .. },
                ) => incompatible_usage_error(),
                _ => unknown_authority_error(&certificate, &parents, now),
            })
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        host: &ServerName<'_>,
        _ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.verify(leaf, intermediates, host, now) {
            Ok(()) => Ok(ServerCertVerified::assertion()),
            Err(error) => Err(CertificateError::Other(OtherError(Arc::new(error))).into()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        crypto::verify_tls12_signature(message, leaf, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        crypto::verify_tls13_signature(message, leaf, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

/// Error of a certificate, with the message of Go without its prefix `x509: `.
#[derive(Debug)]
pub(super) struct X509Error(String);

impl fmt::Display for X509Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x509: {}", self.0)
    }
}

impl std::error::Error for X509Error {}

fn parse_certificate<'a>(der: &'a CertificateDer<'_>) -> Option<X509Certificate<'a>> {
    let (_, certificate) = X509Certificate::from_der(der).ok()?;
    Some(certificate)
}

fn check_validity(certificate: &X509Certificate<'_>, now: UnixTime) -> Result<(), X509Error> {
    let validity = certificate.validity();
    let seconds = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    let (side, limit) = if seconds < validity.not_before.timestamp() {
        ("before", validity.not_before)
    } else if seconds > validity.not_after.timestamp() {
        ("after", validity.not_after)
    } else {
        return Ok(());
    };
    let text = |seconds| {
        Timestamp::from_second(seconds).map_or_else(|_| String::new(), clock::format_time)
    };
    let (now, limit) = (text(seconds), text(limit.timestamp()));
    Err(X509Error(format!(
        "certificate has expired or is not yet valid: current time {now} is {side} {limit}"
    )))
}

/// Returns the error for a host that is not among the names of a certificate
/// (`HostnameError.Error`).
fn host_error(certificate: &X509Certificate<'_>, host: &str) -> X509Error {
    let extension = certificate.subject_alternative_name().ok().flatten();
    let names = extension.iter().flat_map(|it| &it.value.general_names);
    let is_ip = host.parse::<IpAddr>().is_ok();
    let shown: Vec<_> = names
        .filter_map(|name| match name {
            GeneralName::IPAddress(bytes) if is_ip => ip_address(bytes).map(|it| it.to_string()),
            GeneralName::DNSName(name) if !is_ip => Some((*name).to_owned()),
            _ => None,
        })
        .collect();
    X509Error(
        if extension.is_none() && common_name(certificate.subject()) == host {
            "certificate relies on legacy Common Name field, use SANs instead".to_owned()
        } else if !shown.is_empty() {
            format!("certificate is valid for {}, not {host}", shown.join(", "))
        } else if is_ip {
            format!("cannot validate certificate for {host} because it doesn't contain any IP SANs")
        } else {
            format!("certificate is not valid for any names, but wanted to match {host}")
        },
    )
}

fn ip_address(bytes: &[u8]) -> Option<IpAddr> {
    let v4 = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    v4.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from))
        .ok()
}

fn common_name<'a>(name: &'a X509Name<'_>) -> &'a str {
    let mut names = name.iter_common_name();
    names.find_map(|it| it.as_str().ok()).unwrap_or_default()
}

/// Checks that the certificate of a server allows server authentication, if it lists key usages.
fn check_usage(certificate: &X509Certificate<'_>) -> Result<(), X509Error> {
    let usage = certificate.extended_key_usage().ok().flatten();
    if usage.is_none_or(|usage| usage.value.any || usage.value.server_auth) {
        Ok(())
    } else {
        Err(incompatible_usage_error())
    }
}

fn incompatible_usage_error() -> X509Error {
    X509Error("certificate specifies an incompatible key usage".to_owned())
}

/// Checks that a certificate of the bundle may issue others, and that it is valid now.
fn check_authority(parent: &X509Certificate<'_>, now: UnixTime) -> Result<(), X509Error> {
    // Certificates before version 3 cannot tell whether they are of a CA.
    let is_no_ca = parent.version() == X509Version::V3 && !parent.is_ca();
    let usage = parent.key_usage().ok().flatten();
    if is_no_ca || usage.is_some_and(|usage| !usage.value.key_cert_sign()) {
        return Err(X509Error(
            "invalid signature: parent certificate cannot sign this kind of certificate".to_owned(),
        ));
    }
    check_validity(parent, now)
}

/// Checks that `parent` has issued a certificate. The error is Go's whole message.
fn check_issuer(
    certificate: &X509Certificate<'_>,
    parent: &X509Certificate<'_>,
) -> Result<(), &'static str> {
    if certificate.issuer().as_raw() != parent.subject().as_raw() {
        return Err("");
    }
    // Go refuses signatures with SHA-1 since version 1.18.
    let algorithm = &certificate.signature_algorithm.algorithm;
    if [OID_PKCS1_SHA1WITHRSA, OID_SHA1_WITH_RSA].contains(algorithm) {
        return Err("x509: cannot verify signature: insecure algorithm SHA1-RSA");
    }
    let key = parent.public_key();
    certificate
        .verify_signature(Some(key))
        .map_err(|_| match &key.algorithm.algorithm {
            kind if *kind == OID_PKCS1_RSAENCRYPTION => "crypto/rsa: verification error",
            kind if *kind == OID_KEY_TYPE_EC_PUBLIC_KEY => "x509: ECDSA verification failure",
            _ => "x509: Ed25519 verification failure",
        })
}

/// Returns the error for a certificate without a known issuer. If the bundle has a certificate with
/// the issuer's name, the message says why that certificate is not an issuer
/// (`UnknownAuthorityError.Error`).
fn unknown_authority_error(
    certificate: &X509Certificate<'_>,
    bundle: &[X509Certificate<'_>],
    now: UnixTime,
) -> X509Error {
    let mut hints = bundle.iter().filter_map(|parent| {
        if parent.subject().as_raw() != certificate.issuer().as_raw() {
            return None;
        }
        let wrong = match check_issuer(certificate, parent) {
            Err(wrong) => wrong.to_owned(),
            Ok(()) => check_authority(parent, now).err()?.to_string(),
        };
        Some((wrong, common_name(parent.subject())))
    });
    let mut message = "certificate signed by unknown authority".to_owned();
    if let Some((wrong, name)) = hints.next() {
        message.push_str(&format!(
            " (possibly because of {wrong:?} while trying to verify candidate authority \
             certificate {name:?})"
        ));
    }
    X509Error(message)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rcgen::{
        BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa,
        KeyPair, SanType,
    };
    use rustls::crypto::ring;

    use super::*;

    /// 2020-09-13T12:26:40Z.
    const NOW: UnixTime = UnixTime::since_unix_epoch(Duration::from_secs(1_600_000_000));

    fn params(names: &[&str], name: &str) -> CertificateParams {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.distinguished_name = rcgen::DistinguishedName::new();
        params
            .distinguished_name
            .push(rcgen::DnType::CommonName, name);
        params
    }

    fn authority(name: &str) -> CertificateParams {
        let mut params = params(&[], name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params
    }

    type Issuer = CertifiedIssuer<'static, KeyPair>;

    fn self_signed(params: CertificateParams) -> Issuer {
        CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
    }

    fn signed(params: &CertificateParams, issuer: &Issuer) -> CertificateDer<'static> {
        let key = KeyPair::generate().unwrap();
        params.signed_by(&key, issuer).unwrap().der().clone()
    }

    #[track_caller]
    fn check(leaf: &CertificateDer<'_>, bundle: &[&CertificateDer<'static>], expected: &str) {
        check_host(leaf, bundle, "hooks", expected);
    }

    #[track_caller]
    fn check_host(
        leaf: &CertificateDer<'_>,
        bundle: &[&CertificateDer<'static>],
        host: &str,
        expected: &str,
    ) {
        let bundle = bundle.iter().map(|it| (*it).clone()).collect();
        let verifier = Verifier::new(bundle, Arc::new(ring::default_provider()));
        let host = ServerName::try_from(host).unwrap();
        let verdict = match verifier.verify(leaf, &[], &host, NOW) {
            Ok(()) => "trusted".to_owned(),
            Err(error) => error.to_string(),
        };
        assert_eq!(verdict, expected);
    }

    #[test]
    fn certificates_of_the_bundle_are_trusted_as_server_certificates() {
        let issuer = self_signed(authority("ca"));
        let leaf = signed(&params(&["hooks"], "leaf"), &issuer);
        check(&leaf, &[issuer.der()], "trusted");
        check(&leaf, &[&leaf], "trusted");
        let own = self_signed(params(&["hooks"], "own"));
        check(own.der(), &[own.der()], "trusted");
        let unknown = "x509: certificate signed by unknown authority";
        check(own.der(), &[], unknown);
        check(own.der(), &[issuer.der()], unknown);
        check(&leaf, &[own.der()], unknown);
    }

    #[test]
    fn certificates_of_authorities_are_trusted_as_server_certificates() {
        let mut own = authority("own");
        own.subject_alt_names = vec![SanType::DnsName("hooks".try_into().unwrap())];
        let signer = self_signed(authority("ca"));
        let below = signed(&own, &signer);
        check(&below, &[signer.der()], "trusted");
        let own = self_signed(own);
        check(own.der(), &[own.der()], "trusted");
        let unknown = "x509: certificate signed by unknown authority";
        check(own.der(), &[signer.der()], unknown);
    }

    #[test]
    fn trust_in_a_certificate_leaves_its_dates_names_and_usages() {
        let issuer = self_signed(authority("ca"));
        let mut old = params(&["hooks"], "leaf");
        old.not_after = rcgen::date_time_ymd(2019, 1, 1);
        let expected = "x509: certificate has expired or is not yet valid: current time \
                        2020-09-13T12:26:40Z is after 2019-01-01T00:00:00Z";
        let leaf = signed(&old, &issuer);
        check(&leaf, &[&leaf], expected);
        check(&leaf, &[issuer.der()], expected);
        let mut new = params(&["hooks"], "leaf");
        new.not_before = rcgen::date_time_ymd(2021, 1, 1);
        let expected = "x509: certificate has expired or is not yet valid: current time \
                        2020-09-13T12:26:40Z is before 2021-01-01T00:00:00Z";
        check(&signed(&new, &issuer), &[issuer.der()], expected);
        let mut client = params(&["hooks"], "leaf");
        client.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        let leaf = signed(&client, &issuer);
        let expected = "x509: certificate specifies an incompatible key usage";
        check(&leaf, &[&leaf], expected);
        check(&leaf, &[issuer.der()], expected);
    }

    #[test]
    fn errors_name_the_hosts_of_a_certificate_as_go_does() {
        let issuer = self_signed(authority("ca"));
        for (names, name, host, expected) in [
            (
                &["a", "b", "10.0.0.1"][..],
                "leaf",
                "hooks",
                "x509: certificate is valid for a, b, not hooks",
            ),
            (
                &["a", "10.0.0.1", "::1"],
                "leaf",
                "127.0.0.1",
                "x509: certificate is valid for 10.0.0.1, ::1, not 127.0.0.1",
            ),
            (
                &["a"],
                "leaf",
                "127.0.0.1",
                "x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any \
                 IP SANs",
            ),
            (
                &[],
                "leaf",
                "hooks",
                "x509: certificate is not valid for any names, but wanted to match hooks",
            ),
            (
                &[],
                "hooks",
                "hooks",
                "x509: certificate relies on legacy Common Name field, use SANs instead",
            ),
        ] {
            let leaf = signed(&params(names, name), &issuer);
            check_host(&leaf, &[issuer.der()], host, expected);
        }
    }

    #[test]
    fn errors_name_a_certificate_with_the_name_of_the_issuer() {
        let issuer = self_signed(authority("ca"));
        let leaf = signed(&params(&["hooks"], "leaf"), &issuer);
        let rotated = self_signed(authority("ca"));
        let expected = "x509: certificate signed by unknown authority (possibly because of \
                        \"x509: ECDSA verification failure\" while trying to verify candidate \
                        authority certificate \"ca\")";
        check(&leaf, &[rotated.der()], expected);
        check(&leaf, &[rotated.der(), issuer.der()], "trusted");
        let no_authority = self_signed(params(&[], "plain"));
        let leaf = signed(&params(&["hooks"], "leaf"), &no_authority);
        let expected = "x509: certificate signed by unknown authority (possibly because of \
                        \"x509: invalid signature: parent certificate cannot sign this kind of \
                        certificate\" while trying to verify candidate authority certificate \
                        \"plain\")";
        check(&leaf, &[no_authority.der()], expected);
        let mut old = authority("old");
        old.not_after = rcgen::date_time_ymd(2019, 1, 1);
        let old = self_signed(old);
        let leaf = signed(&params(&["hooks"], "leaf"), &old);
        let expected = "x509: certificate signed by unknown authority (possibly because of \
                        \"x509: certificate has expired or is not yet valid: current time \
                        2020-09-13T12:26:40Z is after 2019-01-01T00:00:00Z\" while trying to \
                        verify candidate authority certificate \"old\")";
        check(&leaf, &[old.der()], expected);
    }

    #[test]
    fn certificates_that_cannot_be_parsed_are_malformed() {
        let noise = CertificateDer::from(vec![1, 2, 3]);
        check(&noise, &[], "x509: malformed certificate");
    }
}
