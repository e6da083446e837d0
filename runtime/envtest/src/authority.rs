//! Certificate authority of a control plane: issues serving and client certificates.

use std::io;

use base64::engine::Engine as _;
use base64::engine::general_purpose::STANDARD;
use genclient_apiserver::User;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType,
    ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose, PublicKeyData as _, SigningKey as _,
};

use crate::der;

/// Common name in the CA certificate.
const NAME: &str = "genclient control plane";

const COMMON_NAME: &[u64] = &[2, 5, 4, 3];
const ORGANIZATION: &[u64] = &[2, 5, 4, 10];
/// Object identifier of the subject attribute from which the API server reads a user's uid
/// (apiserver/pkg/authentication/request/x509/x509.go).
const UID: &[u64] = &[1, 3, 6, 1, 4, 1, 57683, 2];
const ECDSA_WITH_SHA256: &[u64] = &[1, 2, 840, 10045, 4, 3, 2];
const KEY_USAGE: &[u64] = &[2, 5, 29, 15];
const EXTENDED_KEY_USAGE: &[u64] = &[2, 5, 29, 37];
const CLIENT_AUTH: &[u64] = &[1, 3, 6, 1, 5, 5, 7, 3, 2];

/// Certificate authority of a control plane. Its certificates need no expiry, because only this
/// control plane and its clients trust the authority.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

/// Certificate and private key, both in PEM.
pub(crate) struct Credentials {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

impl Authority {
    pub(crate) fn new() -> io::Result<Self> {
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let mut name = DistinguishedName::new();
        name.push(DnType::CommonName, NAME);
        let mut params = CertificateParams::default();
        params.distinguished_name = name;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![
            KeyUsagePurpose::DigitalSignature,
            KeyUsagePurpose::KeyCertSign,
        ];
        let issuer = CertifiedIssuer::self_signed(params, key).map_err(io::Error::other)?;
        Ok(Self(issuer))
    }

    /// Returns the CA certificate in PEM.
    pub(crate) fn pem(&self) -> String {
        self.0.pem()
    }

    /// Issues a serving certificate for host names and IP addresses.
    pub(crate) fn serving(&self, names: &[String]) -> io::Result<Credentials> {
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let mut params = CertificateParams::new(names).map_err(io::Error::other)?;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let certificate = params.signed_by(&key, &self.0).map_err(io::Error::other)?;
        Ok(Credentials {
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        })
    }

    /// Issues a client certificate for a user. The common name is the user name, and the
    /// organizations are the groups. This module encodes the certificate itself, since `rcgen`
    /// supports only one organization.
    pub(crate) fn client(&self, user: &User) -> io::Result<Credentials> {
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let algorithm = der::sequence(&[der::identifier(ECDSA_WITH_SHA256)]);
        let usage = der::sequence(&[
            der::identifier(KEY_USAGE),
            der::yes(),
            // The first bit of the key usage is digitalSignature.
            der::octets(&der::bits(7, &[0x80])),
        ]);
        let purposes = der::sequence(&[der::identifier(CLIENT_AUTH)]);
        let purpose = der::sequence(&[der::identifier(EXTENDED_KEY_USAGE), der::octets(&purposes)]);
        let statement = der::sequence(&[
            der::tagged(0, &der::integer(2)), // v3
            der::integer(fastrand::u64(1..)),
            algorithm.clone(),
            der::sequence(&[attribute(COMMON_NAME, NAME)]),
            der::sequence(&[
                der::utc_time("750101000000Z"),
                der::generalized_time("40960101000000Z"),
            ]),
            subject(user),
            key.subject_public_key_info(),
            der::tagged(3, &der::sequence(&[usage, purpose])),
        ]);
        let signature = self.0.key().sign(&statement).map_err(io::Error::other)?;
        let certificate = der::sequence(&[statement, algorithm, der::bits(0, &signature)]);
        Ok(Credentials {
            certificate: pem("CERTIFICATE", &certificate),
            key: key.serialize_pem(),
        })
    }
}

fn subject(user: &User) -> Vec<u8> {
    let mut parts = vec![attribute(COMMON_NAME, user.name())];
    let groups = user.groups().iter();
    parts.extend(groups.map(|group| attribute(ORGANIZATION, group)));
    if !user.uid().is_empty() {
        parts.push(attribute(UID, user.uid()));
    }
    der::sequence(&parts)
}

fn attribute(kind: &[u64], value: &str) -> Vec<u8> {
    der::set(&der::sequence(&[der::identifier(kind), der::text(value)]))
}

fn pem(label: &str, content: &[u8]) -> String {
    let text = STANDARD.encode(content);
    let mut pem = format!("-----BEGIN {label}-----\n");
    for (index, letter) in text.chars().enumerate() {
        if index > 0 && index % 64 == 0 {
            pem.push('\n');
        }
        pem.push(letter);
    }
    pem.push_str(&format!("\n-----END {label}-----\n"));
    pem
}
