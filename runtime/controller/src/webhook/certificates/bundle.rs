//! [`Bundle`]: certificates and keys as a Secret keeps them, and when they are renewed.
//!
//! An authority is replaced in two steps, so that no request fails: the new one is trusted first,
//! beside the old one, and signs only once every caller trusts it.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use genclient::k8s_openapi::ByteString;

use super::issue::{self, Facts, Validity};
use crate::failure::BoxError;
use crate::tls::KeyPair;

const AUTHORITIES: &str = "ca.crt";
const AUTHORITY_KEY: &str = "ca.key";
const NEXT_AUTHORITY_KEY: &str = "next-ca.key";
const CERTIFICATE: &str = "tls.crt";
const KEY: &str = "tls.key";

/// Certificates and keys of a set of servers that are called by one name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bundle {
    /// The authority that signs.
    authority: KeyPair,
    /// The authority that signs next. Callers may not trust it yet.
    next: Option<KeyPair>,
    /// An authority that signed before. Replicas may still show what it signed.
    previous: Option<Vec<u8>>,
    /// What the servers show.
    pub(super) serving: KeyPair,
}

/// How certificates are issued.
#[derive(Clone, Debug)]
pub(in crate::webhook) struct Terms {
    /// The name of authorities.
    pub(super) authority: String,
    /// The names of the servers, sorted.
    pub(super) names: Vec<String>,
    pub(super) lifetime: Duration,
    pub(super) authority_lifetime: Duration,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Plan {
    /// Nothing before a time.
    Wait(SystemTime),
    /// The certificates are replaced.
    Replace(Box<Bundle>),
}

impl Terms {
    /// How long callers may take to notice that they are to trust another authority.
    fn settling(&self) -> Duration {
        (self.authority_lifetime / 30).min(Duration::from_secs(60))
    }

    fn new_authority(&self, now: SystemTime) -> Result<KeyPair, BoxError> {
        issue::authority(
            &self.authority,
            Validity::from(now, self.authority_lifetime),
        )
    }

    fn new_serving(&self, now: SystemTime, authority: &KeyPair) -> Result<KeyPair, BoxError> {
        issue::server(&self.names, Validity::from(now, self.lifetime), authority)
    }
}

impl Bundle {
    /// New certificates.
    pub(super) fn new(terms: &Terms, now: SystemTime) -> Result<Self, BoxError> {
        let authority = terms.new_authority(now)?;
        Ok(Self {
            serving: terms.new_serving(now, &authority)?,
            authority,
            next: None,
            previous: None,
        })
    }

    /// What is to be done about the certificates. `is_trusted` says whether every caller was told
    /// to trust [`Self::trusted`].
    pub(super) fn plan(
        &self,
        terms: &Terms,
        is_trusted: bool,
        now: SystemTime,
    ) -> Result<Plan, BoxError> {
        let authority = facts(&self.authority)?.validity;
        let serving = facts(&self.serving)?;
        if let Some(next) = &self.next {
            let settled = facts(next)?.validity.issued + terms.settling();
            if !is_trusted || now < settled {
                return Ok(Plan::Wait(settled.max(now + Duration::from_secs(1))));
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
                next: Some(terms.new_authority(now)?),
                previous: None,
                ..self.clone()
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

    /// The authorities to trust, as PEM: the `caBundle` of a webhook.
    pub(super) fn trusted(&self) -> Vec<u8> {
        let next = self.next.as_ref().map(|next| &next.certificate);
        let others = next.into_iter().chain(&self.previous);
        let all = [&self.authority.certificate].into_iter().chain(others);
        all.flatten().copied().collect()
    }

    /// The data of the Secret.
    pub(super) fn to_data(&self) -> BTreeMap<String, ByteString> {
        let mut data = vec![
            (AUTHORITIES, self.trusted()),
            (AUTHORITY_KEY, self.authority.key.clone()),
            (CERTIFICATE, self.serving.certificate.clone()),
            (KEY, self.serving.key.clone()),
        ];
        data.extend(
            self.next
                .iter()
                .map(|next| (NEXT_AUTHORITY_KEY, next.key.clone())),
        );
        let data = data.into_iter();
        data.map(|(name, bytes)| (name.to_owned(), ByteString(bytes)))
            .collect()
    }

    /// Reads the data of a Secret.
    ///
    /// # Errors
    ///
    /// If something is missing or is not PEM, or the serving certificate does not fit its key.
    pub(super) fn from_data(data: &BTreeMap<String, ByteString>) -> Result<Self, BoxError> {
        let value = |name: &str| data.get(name).map(|bytes| bytes.0.clone());
        let needed = |name| value(name).ok_or_else(|| format!("it has no `{name}`"));
        let authorities = needed(AUTHORITIES)?;
        let mut authorities = certificates(&authorities)?.into_iter();
        let authority = KeyPair {
            certificate: authorities.next().ok_or("its `ca.crt` is empty")?,
            key: needed(AUTHORITY_KEY)?,
        };
        let second = authorities.next();
        let (next, previous) = match (value(NEXT_AUTHORITY_KEY), second) {
            (Some(key), Some(certificate)) => (Some(KeyPair { certificate, key }), None),
            (_, second) => (None, second),
        };
        let bundle = Self {
            authority,
            next,
            previous,
            serving: KeyPair {
                certificate: needed(CERTIFICATE)?,
                key: needed(KEY)?,
            },
        };
        facts(&bundle.authority)?;
        facts(&bundle.serving)?;
        Ok(bundle)
    }
}

impl Plan {
    fn replace(bundle: Bundle) -> Self {
        Self::Replace(Box::new(bundle))
    }
}

fn facts(pair: &KeyPair) -> Result<Facts, BoxError> {
    issue::facts(str::from_utf8(&pair.certificate)?)
}

/// The certificates in a PEM file, one by one.
fn certificates(pem: &[u8]) -> Result<Vec<Vec<u8>>, BoxError> {
    const END: &str = "-----END CERTIFICATE-----";
    let text = str::from_utf8(pem)?;
    let parts = text
        .split_inclusive(END)
        .map(str::trim)
        .filter(|part| !part.is_empty());
    Ok(parts.map(|part| format!("{part}\n").into_bytes()).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 3600);

    fn terms() -> Terms {
        Terms {
            authority: "test".to_owned(),
            names: vec!["127.0.0.1".to_owned(), "webhook.system.svc".to_owned()],
            lifetime: 90 * DAY,
            authority_lifetime: 300 * DAY,
        }
    }

    fn day(number: u32) -> SystemTime {
        SystemTime::UNIX_EPOCH + 20_000 * DAY + number * DAY
    }

    fn replaced(plan: Plan) -> Bundle {
        match plan {
            Plan::Replace(bundle) => *bundle,
            Plan::Wait(until) => panic!("nothing is to be done until {until:?}"),
        }
    }

    #[test]
    fn certificates_are_renewed_after_two_thirds_of_their_life() {
        let terms = terms();
        let first = Bundle::new(&terms, day(0)).unwrap();
        assert_eq!(
            first.plan(&terms, true, day(59)).unwrap(),
            Plan::Wait(day(60))
        );
        let second = replaced(first.plan(&terms, true, day(60)).unwrap());
        assert_eq!(second.authority, first.authority);
        assert_ne!(second.serving, first.serving);
        assert_eq!(
            second.plan(&terms, true, day(61)).unwrap(),
            Plan::Wait(day(120))
        );
    }

    #[test]
    fn authorities_are_trusted_before_they_sign() {
        let terms = terms();
        let mut bundle = Bundle::new(&terms, day(190)).unwrap();
        bundle.authority = terms.new_authority(day(0)).unwrap();
        bundle.serving = terms.new_serving(day(190), &bundle.authority).unwrap();
        let staged = replaced(bundle.plan(&terms, true, day(200)).unwrap());
        assert_eq!(staged.serving, bundle.serving);
        assert!(staged.trusted().starts_with(&bundle.trusted()));

        // Not before everybody trusts the new one, and some time has passed.
        let wait = staged.plan(&terms, false, day(201)).unwrap();
        assert!(
            matches!(wait, Plan::Wait(until) if until > day(201)),
            "{wait:?}"
        );
        let settled = day(200) + Duration::from_secs(60);
        assert_eq!(
            staged.plan(&terms, true, day(200)).unwrap(),
            Plan::Wait(settled)
        );

        let switched = replaced(staged.plan(&terms, true, settled).unwrap());
        assert_eq!(Some(&switched.authority), staged.next.as_ref());
        assert_ne!(switched.serving, staged.serving);
        // What either signed is trusted before and after.
        for trusted in [staged.trusted(), switched.trusted()] {
            assert_eq!(certificates(&trusted).unwrap().len(), 2);
        }
        assert!(matches!(
            switched.plan(&terms, true, settled).unwrap(),
            Plan::Wait(_)
        ));
    }

    #[test]
    fn other_names_are_another_certificate() {
        let bundle = Bundle::new(&terms(), day(0)).unwrap();
        let mut terms = terms();
        terms
            .names
            .push("webhook.system.svc.cluster.local".to_owned());
        let renamed = replaced(bundle.plan(&terms, true, day(1)).unwrap());
        assert_eq!(facts(&renamed.serving).unwrap().names, terms.names);
    }

    #[test]
    fn secrets_keep_everything() {
        let terms = terms();
        let first = Bundle::new(&terms, day(0)).unwrap();
        let staged = replaced(first.plan(&terms, true, day(200)).unwrap());
        let settled = day(201);
        let switched = replaced(staged.plan(&terms, true, settled).unwrap());
        for bundle in [first, staged, switched] {
            let data = bundle.to_data();
            assert_eq!(Bundle::from_data(&data).unwrap(), bundle);
            for name in data.keys().filter(|name| *name != NEXT_AUTHORITY_KEY) {
                let mut broken = data.clone();
                broken.remove(name);
                assert!(Bundle::from_data(&broken).is_err(), "{name}");
                if name.ends_with(".crt") {
                    broken.insert(name.clone(), ByteString(b"no PEM".to_vec()));
                    assert!(Bundle::from_data(&broken).is_err(), "{name}");
                }
            }
        }
    }
}
