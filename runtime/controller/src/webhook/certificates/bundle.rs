//! [`Bundle`]: the certificates and keys in a Secret, and the next step of their renewal.
//!
//! An authority is replaced in two steps, so that no request fails. The new authority is first
//! trusted beside the old one. It signs certificates only once the API servers trust it.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use genclient::k8s_openapi::ByteString;

use super::issue::{self, Facts, Validity};
use crate::failure::BoxError;
use crate::tls::KeyPair;

const AUTHORITIES_ENTRY: &str = "ca.crt";
const AUTHORITY_KEY_ENTRY: &str = "ca.key";
const NEXT_AUTHORITY_KEY_ENTRY: &str = "next-ca.key";
const CERTIFICATE_ENTRY: &str = "tls.crt";
const KEY_ENTRY: &str = "tls.key";

/// Certificates and keys of a set of servers that clients reach under the same name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bundle {
    /// The authority that signs certificates.
    authority: KeyPair,
    /// The authority that signs certificates once the API servers trust it.
    next: Option<KeyPair>,
    /// The certificate of an earlier authority. It stays trusted, because replicas may still
    /// present certificates that the authority has signed.
    previous: Option<Vec<u8>>,
    /// The certificate that the servers present, signed by [`Self::authority`].
    pub(super) serving: KeyPair,
}

/// Names and lifetimes of the certificates to issue.
#[derive(Clone, Debug)]
pub(in crate::webhook) struct Terms {
    /// The name in certificates of authorities.
    pub(super) authority: String,
    /// Host names and addresses of the servers, sorted.
    pub(super) names: Vec<String>,
    pub(super) lifetime: Duration,
    pub(super) authority_lifetime: Duration,
}

/// Next step of a renewal.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Plan {
    /// Nothing is due before this time.
    Wait(SystemTime),
    /// The certificates have to be replaced by this bundle.
    Replace(Box<Bundle>),
}

impl Terms {
    /// Returns how long to wait, after a new authority was injected as `caBundle`, until the API
    /// servers trust it.
    pub(super) fn trust_delay(&self) -> Duration {
        (self.authority_lifetime / 30).min(Duration::from_secs(60))
    }

    fn new_authority(&self, now: SystemTime) -> Result<KeyPair, BoxError> {
        issue::issue_authority(
            &self.authority,
            Validity::from(now, self.authority_lifetime),
        )
    }

    fn new_serving(&self, now: SystemTime, authority: &KeyPair) -> Result<KeyPair, BoxError> {
        issue::issue_server_certificate(&self.names, Validity::from(now, self.lifetime), authority)
    }
}

impl Bundle {
    /// Issues a new authority and a certificate signed by it. `in_use` is the bundle that this
    /// replica presents. The authority of `in_use` stays trusted, because other replicas may still
    /// present the same certificate.
    pub(super) fn new(
        terms: &Terms,
        in_use: Option<&Self>,
        now: SystemTime,
    ) -> Result<Self, BoxError> {
        let authority = terms.new_authority(now)?;
        Ok(Self {
            serving: terms.new_serving(now, &authority)?,
            authority,
            next: None,
            previous: in_use.map(|in_use| in_use.authority.certificate.clone()),
        })
    }

    /// Returns the next step. `trust_delay` is the remaining time until the API servers trust
    /// [`Self::trusted`].
    pub(super) fn plan(
        &self,
        terms: &Terms,
        trust_delay: Duration,
        now: SystemTime,
    ) -> Result<Plan, BoxError> {
        let authority = parse_facts(&self.authority)?.validity;
        let serving = parse_facts(&self.serving)?;
        if now >= authority.expires {
            return Ok(Plan::replace(Self::new(terms, None, now)?));
        }
        if let Some(next) = &self.next {
            if !trust_delay.is_zero() {
                return Ok(Plan::Wait(now + trust_delay));
            }
            return Ok(Plan::replace(Self {
                serving: terms.new_serving(now, next)?,
                authority: next.clone(),
                next: None,
                previous: Some(self.authority.certificate.clone()),
            }));
        }
        if now >= authority.renewal() {
            return Ok(Plan::replace(Self {
                // While there is a next authority, the serving certificate is not renewed. A new
                // one lasts until the API servers trust that authority.
                serving: terms.new_serving(now, &self.authority)?,
                authority: self.authority.clone(),
                next: Some(terms.new_authority(now)?),
                previous: None,
            }));
        }
        if now >= serving.validity.renewal() || serving.names != terms.names {
            return Ok(Plan::replace(Self {
                serving: terms.new_serving(now, &self.authority)?,
                ..self.clone()
            }));
        }
        Ok(Plan::Wait(
            authority.renewal().min(serving.validity.renewal()),
        ))
    }

    /// Returns the authorities to trust, as PEM: the `caBundle` of a webhook.
    pub(super) fn trusted(&self) -> Vec<u8> {
        self.authorities().flatten().copied().collect()
    }

    /// Whether API servers that trust this bundle also trust the serving certificate of `other`.
    pub(super) fn trusts(&self, other: &Self) -> bool {
        self.authorities()
            .any(|authority| *authority == other.authority.certificate)
    }

    /// Whether the same authority signed the serving certificates of both.
    pub(super) fn has_authority_of(&self, other: &Self) -> bool {
        self.authority.certificate == other.authority.certificate
    }

    fn authorities(&self) -> impl Iterator<Item = &Vec<u8>> {
        let next = self.next.as_ref().map(|next| &next.certificate);
        let others = next.into_iter().chain(&self.previous);
        [&self.authority.certificate].into_iter().chain(others)
    }

    pub(super) fn to_data(&self) -> BTreeMap<String, ByteString> {
        let mut data = vec![
            (AUTHORITIES_ENTRY, self.trusted()),
            (AUTHORITY_KEY_ENTRY, self.authority.key.clone()),
            (CERTIFICATE_ENTRY, self.serving.certificate.clone()),
            (KEY_ENTRY, self.serving.key.clone()),
        ];
        data.extend(
            self.next
                .iter()
                .map(|next| (NEXT_AUTHORITY_KEY_ENTRY, next.key.clone())),
        );
        let data = data.into_iter();
        data.map(|(name, bytes)| (name.to_owned(), ByteString(bytes)))
            .collect()
    }

    /// Parses the data of a Secret.
    ///
    /// # Errors
    ///
    /// If a part is missing or is not PEM, if a key does not match its certificate, or if the
    /// authority has not signed the serving certificate.
    pub(super) fn from_data(data: &BTreeMap<String, ByteString>) -> Result<Self, BoxError> {
        let value = |name: &str| data.get(name).map(|bytes| bytes.0.clone());
        let needed = |name| value(name).ok_or_else(|| format!("`{name}` is missing"));
        let authorities = needed(AUTHORITIES_ENTRY)?;
        let mut authorities = split_pem(&authorities)?.into_iter();
        let authority = KeyPair {
            certificate: authorities.next().ok_or("`ca.crt` is empty")?,
            key: needed(AUTHORITY_KEY_ENTRY)?,
        };
        let second = authorities.next();
        let (next, previous) = match (value(NEXT_AUTHORITY_KEY_ENTRY), second) {
            (Some(key), Some(certificate)) => (Some(KeyPair { certificate, key }), None),
            (_, second) => (None, second),
        };
        let bundle = Self {
            authority,
            next,
            previous,
            serving: KeyPair {
                certificate: needed(CERTIFICATE_ENTRY)?,
                key: needed(KEY_ENTRY)?,
            },
        };
        bundle.check()?;
        Ok(bundle)
    }

    fn check(&self) -> Result<(), BoxError> {
        let pairs = [
            (AUTHORITY_KEY_ENTRY, Some(&self.authority)),
            (NEXT_AUTHORITY_KEY_ENTRY, self.next.as_ref()),
            (KEY_ENTRY, Some(&self.serving)),
        ];
        for (name, pair) in pairs {
            let fits = pair.is_none_or(|pair| issue::key_matches(pair).unwrap_or_default());
            if !fits {
                return Err(format!("`{name}` does not match its certificate").into());
            }
        }
        if let Some(previous) = &self.previous {
            issue::parse_facts(previous)?;
        }
        if !issue::is_signed_by(&self.serving, &self.authority)? {
            return Err("`tls.crt` is not signed by the first certificate in `ca.crt`".into());
        }
        Ok(())
    }
}

impl Plan {
    fn replace(bundle: Bundle) -> Self {
        Self::Replace(Box::new(bundle))
    }
}

fn parse_facts(pair: &KeyPair) -> Result<Facts, BoxError> {
    issue::parse_facts(&pair.certificate)
}

/// Splits a PEM file into its certificates.
fn split_pem(pem: &[u8]) -> Result<Vec<Vec<u8>>, BoxError> {
    const END: &str = "-----END CERTIFICATE-----";
    let text = str::from_utf8(pem)?;
    let parts = text
        .split_inclusive(END)
        .map(str::trim)
        .filter(|part| !part.is_empty());
    Ok(parts.map(|part| format!("{part}\n").into_bytes()).collect())
}

#[cfg(test)]
mod tests;
