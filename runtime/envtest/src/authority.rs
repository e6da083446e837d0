//! Certificate authority of a control plane: issues serving and client certificates.

use std::io;

use genclient_apiserver::User;
use pem::{EncodeConfig, LineEnding, Pem};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType,
    ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose, PublicKeyData as _, SigningKey as _,
};
use yasna::models::ObjectIdentifier;
use yasna::tags::{TAG_GENERALIZEDTIME, TAG_UTCTIME};
use yasna::{DERWriter, DERWriterSeq, Tag};

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
pub(crate) struct CertAndKey {
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
    pub(crate) fn serving(&self, names: &[String]) -> io::Result<CertAndKey> {
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let mut params = CertificateParams::new(names).map_err(io::Error::other)?;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let certificate = params.signed_by(&key, &self.0).map_err(io::Error::other)?;
        Ok(CertAndKey {
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        })
    }

    /// Issues a client certificate for a user. The common name is the user name, and the
    /// organizations are the groups. This module encodes the certificate itself, since `rcgen`
    /// supports only one organization.
    pub(crate) fn client(&self, user: &User) -> io::Result<CertAndKey> {
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let statement = yasna::construct_der(|writer| {
            writer.write_sequence(|writer| write_statement(writer, user, &key));
        });
        let signature = self.0.key().sign(&statement).map_err(io::Error::other)?;
        let certificate = yasna::construct_der(|writer| {
            writer.write_sequence(|writer| {
                writer.next().write_der(&statement);
                write_algorithm(writer.next());
                writer
                    .next()
                    .write_bitvec_bytes(&signature, signature.len() * 8);
            });
        });
        Ok(CertAndKey {
            certificate: encode_pem(certificate),
            key: key.serialize_pem(),
        })
    }
}

fn encode_pem(certificate: Vec<u8>) -> String {
    let config = EncodeConfig::new().set_line_ending(LineEnding::LF);
    pem::encode_config(&Pem::new("CERTIFICATE", certificate), config)
}

/// Writes the fields of a `TBSCertificate` (RFC 5280, section 4.1).
fn write_statement(writer: &mut DERWriterSeq<'_>, user: &User, key: &KeyPair) {
    writer.next().write_tagged(Tag::context(0), |writer| {
        writer.write_u8(2); // v3
    });
    writer.next().write_u64(fastrand::u64(1..));
    write_algorithm(writer.next());
    writer
        .next()
        .write_sequence(|writer| write_attribute(writer.next(), COMMON_NAME, NAME));
    writer.next().write_sequence(|writer| {
        writer
            .next()
            .write_tagged_implicit(TAG_UTCTIME, |writer| writer.write_bytes(b"750101000000Z"));
        writer
            .next()
            .write_tagged_implicit(TAG_GENERALIZEDTIME, |writer| {
                writer.write_bytes(b"40960101000000Z");
            });
    });
    writer.next().write_sequence(|writer| {
        write_attribute(writer.next(), COMMON_NAME, user.name());
        for group in user.groups() {
            write_attribute(writer.next(), ORGANIZATION, group);
        }
        if !user.uid().is_empty() {
            write_attribute(writer.next(), UID, user.uid());
        }
    });
    writer.next().write_der(&key.subject_public_key_info());
    writer.next().write_tagged(Tag::context(3), |writer| {
        writer.write_sequence(|writer| {
            writer.next().write_sequence(|writer| {
                write_oid(writer.next(), KEY_USAGE);
                writer.next().write_bool(true);
                // The first bit of the key usage is digitalSignature.
                let usage = yasna::construct_der(|writer| writer.write_bitvec_bytes(&[0x80], 1));
                writer.next().write_bytes(&usage);
            });
            writer.next().write_sequence(|writer| {
                write_oid(writer.next(), EXTENDED_KEY_USAGE);
                let purposes = yasna::construct_der(|writer| {
                    writer.write_sequence(|writer| write_oid(writer.next(), CLIENT_AUTH));
                });
                writer.next().write_bytes(&purposes);
            });
        });
    });
}

fn write_algorithm(writer: DERWriter<'_>) {
    writer.write_sequence(|writer| write_oid(writer.next(), ECDSA_WITH_SHA256));
}

fn write_attribute(writer: DERWriter<'_>, kind: &[u64], value: &str) {
    writer.write_set(|writer| {
        writer.next().write_sequence(|writer| {
            write_oid(writer.next(), kind);
            writer.next().write_utf8_string(value);
        });
    });
}

fn write_oid(writer: DERWriter<'_>, components: &[u64]) {
    writer.write_oid(&ObjectIdentifier::from_slice(components));
}
