//! Issue and parsing of certificates: self-signed authorities and server certificates.

use std::net::IpAddr;
use std::time::{Duration, SystemTime};

use rcgen::string::Ia5String;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, PublicKeyData, SanType,
};
use x509_parser::extensions::GeneralName;
use x509_parser::pem::Pem;

use crate::failure::BoxError;
use crate::tls;

/// Time by which `notBefore` precedes the issue of a certificate, so that clients with slow clocks
/// accept it.
const CLOCK_SKEW: Duration = Duration::from_secs(300);

/// Time of issue and expiry of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Validity {
    pub(super) issued: SystemTime,
    pub(super) expires: SystemTime,
}

/// Validity and names of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) validity: Validity,
    /// Host names and addresses, sorted.
    pub(super) names: Vec<String>,
}

impl Validity {
    /// Returns the validity of a certificate issued at `now`. `issued` is `now` without fractions
    /// of a second, which certificates do not store.
    pub(super) fn from(now: SystemTime, lifetime: Duration) -> Self {
        let since = now
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        let issued = SystemTime::UNIX_EPOCH + Duration::from_secs(since.as_secs());
        Self {
            issued,
            expires: issued + lifetime,
        }
    }

    /// Returns the time of renewal: after two thirds of the lifetime.
    pub(super) fn renewal(&self) -> SystemTime {
        let lifetime = self.expires.duration_since(self.issued).unwrap_or_default();
        self.issued + lifetime * 2 / 3
    }
}

/// Issues a self-signed authority.
pub(super) fn issue_authority(name: &str, validity: Validity) -> Result<tls::KeyPair, BoxError> {
    let mut params = certificate_params(name, validity);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let key = KeyPair::generate()?;
    let certificate = params.self_signed(&key)?;
    Ok(to_key_pair(&certificate, &key))
}

/// Issues a server certificate. It expires no later than the certificate of the authority.
pub(super) fn issue_server_certificate(
    names: &[String],
    mut validity: Validity,
    authority: &tls::KeyPair,
) -> Result<tls::KeyPair, BoxError> {
    let certificate = str::from_utf8(&authority.certificate)?;
    let expiry = parse_facts(&authority.certificate)?.validity.expires;
    validity.expires = validity.expires.min(expiry);
    let authority_key = KeyPair::from_pem(str::from_utf8(&authority.key)?)?;
    let issuer = Issuer::from_ca_cert_pem(certificate, authority_key)?;

    let name = names.first().map(String::as_str).unwrap_or_default();
    let mut params = certificate_params(name, validity);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    params.subject_alt_names = names
        .iter()
        .map(|it| parse_alt_name(it))
        .collect::<Result<_, _>>()?;
    let key = KeyPair::generate()?;
    let certificate = params.signed_by(&key, &issuer)?;
    Ok(to_key_pair(&certificate, &key))
}

/// Whether the key of a pair matches its certificate.
pub(super) fn key_matches(pair: &tls::KeyPair) -> Result<bool, BoxError> {
    let key = KeyPair::from_pem(str::from_utf8(&pair.key)?)?;
    let pem = first_pem_block(&pair.certificate)?;
    let certificate = pem.parse_x509()?;
    Ok(certificate.public_key().raw == key.subject_public_key_info())
}

/// Whether an authority has signed a server certificate.
pub(super) fn is_signed_by(
    server: &tls::KeyPair,
    authority: &tls::KeyPair,
) -> Result<bool, BoxError> {
    let (server, authority) = (
        first_pem_block(&server.certificate)?,
        first_pem_block(&authority.certificate)?,
    );
    let (server, authority) = (server.parse_x509()?, authority.parse_x509()?);
    let verified = server.verify_signature(Some(authority.public_key()));
    Ok(verified.is_ok())
}

/// Returns the validity and names of the first certificate in a PEM text.
pub(super) fn parse_facts(pem: &[u8]) -> Result<Facts, BoxError> {
    let pem = first_pem_block(pem)?;
    let certificate = pem.parse_x509()?;
    let time = |seconds: i64| {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.try_into().unwrap_or_default())
    };
    let validity = certificate.validity();
    let mut names = Vec::new();
    if let Some(extension) = certificate.subject_alternative_name()? {
        names.extend(
            extension
                .value
                .general_names
                .iter()
                .filter_map(format_alt_name),
        );
    }
    names.sort();
    Ok(Facts {
        validity: Validity {
            issued: time(validity.not_before.timestamp()) + CLOCK_SKEW,
            expires: time(validity.not_after.timestamp()),
        },
        names,
    })
}

fn first_pem_block(pem: &[u8]) -> Result<Pem, BoxError> {
    let pem = Pem::iter_from_buffer(pem).next();
    Ok(pem.ok_or("no certificate found")??)
}

fn certificate_params(name: &str, validity: Validity) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.not_before = (validity.issued - CLOCK_SKEW).into();
    params.not_after = validity.expires.into();
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

fn parse_alt_name(name: &str) -> Result<SanType, BoxError> {
    Ok(match name.parse::<IpAddr>() {
        Ok(address) => SanType::IpAddress(address),
        Err(_) => SanType::DnsName(Ia5String::try_from(name)?),
    })
}

fn format_alt_name(name: &GeneralName<'_>) -> Option<String> {
    match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        GeneralName::IPAddress(bytes) => match bytes.len() {
            4 => <[u8; 4]>::try_from(*bytes)
                .ok()
                .map(|it| IpAddr::from(it).to_string()),
            _ => <[u8; 16]>::try_from(*bytes)
                .ok()
                .map(|it| IpAddr::from(it).to_string()),
        },
        _ => None,
    }
}

fn to_key_pair(certificate: &rcgen::Certificate, key: &KeyPair) -> tls::KeyPair {
    tls::KeyPair {
        certificate: certificate.pem().into_bytes(),
        key: key.serialize_pem().into_bytes(),
    }
}
