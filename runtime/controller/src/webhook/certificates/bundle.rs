//! [`Bundle`]: certificates and keys of a Secret, and the plan of their renewal.
//!
//! An authority is replaced in two steps, so that no request fails. The new authority is first
//! trusted beside the old one. It signs only once every caller trusts it.

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

/// Certificates and keys of a set of servers with one name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bundle {
    /// The authority that signs.
    authority: KeyPair,
    /// The authority that signs next. Callers may not trust it yet.
    next: Option<KeyPair>,
    /// An authority that signed before. Replicas may still present a certificate of it.
    previous: Option<Vec<u8>>,
    /// The certificate that the servers present, signed by [`Self::authority`].
    pub(super) serving: KeyPair,
}

/// Settings of issuing certificates.
#[derive(Clone, Debug)]
pub(in crate::webhook) struct Terms {
    /// The name of authorities.
    pub(super) authority: String,
    /// The names of the servers, sorted.
    pub(super) names: Vec<String>,
    pub(super) lifetime: Duration,
    pub(super) authority_lifetime: Duration,
}

/// Next step of a renewal.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Plan {
    /// Nothing is due before this time.
    Wait(SystemTime),
    /// The certificates have to be replaced.
    Replace(Box<Bundle>),
}

impl Terms {
    /// Returns how long callers may take to trust another authority.
    pub(super) fn settling(&self) -> Duration {
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
    /// Issues new certificates. The authority of `shown` stays trusted, because replicas may still
    /// present its certificate.
    pub(super) fn new(
        terms: &Terms,
        shown: Option<&Self>,
        now: SystemTime,
    ) -> Result<Self, BoxError> {
        let authority = terms.new_authority(now)?;
        Ok(Self {
            serving: terms.new_serving(now, &authority)?,
            authority,
            next: None,
            previous: shown.map(|shown| shown.authority.certificate.clone()),
        })
    }

    /// Returns the next step. `settling` is the time that callers still need to trust
    /// [`Self::trusted`].
    pub(super) fn plan(
        &self,
        terms: &Terms,
        settling: Duration,
        now: SystemTime,
    ) -> Result<Plan, BoxError> {
        let authority = facts(&self.authority)?.validity;
        let serving = facts(&self.serving)?;
        if now >= authority.expires {
            return Ok(Plan::replace(Self::new(terms, None, now)?));
        }
        if let Some(next) = &self.next {
            if !settling.is_zero() {
                return Ok(Plan::Wait(now + settling));
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
                // The certificate has to last until callers trust the next authority.
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

    /// Whether callers that trust this bundle trust the serving certificate of another.
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

    /// Returns the data of the Secret.
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

    /// Parses the data of a Secret.
    ///
    /// # Errors
    ///
    /// If a part is missing, is not PEM, or does not fit the others: a key of another certificate,
    /// a serving certificate of another authority.
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
        bundle.check()?;
        Ok(bundle)
    }

    fn check(&self) -> Result<(), BoxError> {
        let pairs = [
            (AUTHORITY_KEY, Some(&self.authority)),
            (NEXT_AUTHORITY_KEY, self.next.as_ref()),
            (KEY, Some(&self.serving)),
        ];
        for (name, pair) in pairs {
            let fits = pair.is_none_or(|pair| issue::fits(pair).unwrap_or_default());
            if !fits {
                return Err(format!("its `{name}` is not the key of its certificate").into());
            }
        }
        if let Some(previous) = &self.previous {
            issue::facts(previous)?;
        }
        if !issue::is_signed_by(&self.serving, &self.authority)? {
            return Err("its `tls.crt` is not signed by the first of its `ca.crt`".into());
        }
        Ok(())
    }
}

impl Plan {
    fn replace(bundle: Bundle) -> Self {
        Self::Replace(Box::new(bundle))
    }
}

fn facts(pair: &KeyPair) -> Result<Facts, BoxError> {
    issue::facts(&pair.certificate)
}

/// Splits a PEM file into its certificates.
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
    const SETTLED: Duration = Duration::ZERO;

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
        let first = Bundle::new(&terms, None, day(0)).unwrap();
        assert_eq!(
            first.plan(&terms, SETTLED, day(59)).unwrap(),
            Plan::Wait(day(60))
        );
        let second = replaced(first.plan(&terms, SETTLED, day(60)).unwrap());
        assert_eq!(second.authority, first.authority);
        assert_ne!(second.serving, first.serving);
        assert_eq!(
            second.plan(&terms, SETTLED, day(61)).unwrap(),
            Plan::Wait(day(120))
        );
    }

    #[test]
    fn authorities_are_trusted_before_they_sign() {
        let terms = terms();
        let mut bundle = Bundle::new(&terms, None, day(190)).unwrap();
        bundle.authority = terms.new_authority(day(0)).unwrap();
        bundle.serving = terms.new_serving(day(190), &bundle.authority).unwrap();
        let staged = replaced(bundle.plan(&terms, SETTLED, day(200)).unwrap());
        assert_ne!(staged.serving, bundle.serving);
        assert!(staged.has_authority_of(&bundle));
        assert!(staged.trusted().starts_with(&bundle.trusted()));

        // Not before every caller has noticed the new authority, however long ago it was issued.
        assert_eq!(
            staged.plan(&terms, DAY, day(201)).unwrap(),
            Plan::Wait(day(202))
        );

        let switched = replaced(staged.plan(&terms, SETTLED, day(202)).unwrap());
        assert_eq!(Some(&switched.authority), staged.next.as_ref());
        assert_ne!(switched.serving, staged.serving);
        // Certificates of either authority are trusted before and after the switch.
        for trusted in [staged.trusted(), switched.trusted()] {
            assert_eq!(certificates(&trusted).unwrap().len(), 2);
        }
        assert!(matches!(
            switched.plan(&terms, SETTLED, day(202)).unwrap(),
            Plan::Wait(_)
        ));
    }

    #[test]
    fn authorities_that_have_expired_are_replaced_at_once() {
        let terms = terms();
        let staged = Bundle {
            next: Some(terms.new_authority(day(200)).unwrap()),
            ..Bundle::new(&terms, None, day(0)).unwrap()
        };
        let new = replaced(staged.plan(&terms, DAY, day(300)).unwrap());
        assert!(!new.trusts(&staged));
        assert!(matches!(
            new.plan(&terms, SETTLED, day(300)).unwrap(),
            Plan::Wait(_)
        ));
    }

    #[test]
    fn what_is_shown_is_trusted_beside_new_certificates() {
        let shown = Bundle::new(&terms(), None, day(0)).unwrap();
        let new = Bundle::new(&terms(), Some(&shown), day(1)).unwrap();
        assert!(new.trusts(&shown) && !shown.trusts(&new));
        assert_eq!(Bundle::from_data(&new.to_data()).unwrap(), new);
    }

    #[test]
    fn other_names_are_another_certificate() {
        let bundle = Bundle::new(&terms(), None, day(0)).unwrap();
        let mut terms = terms();
        terms
            .names
            .push("webhook.system.svc.cluster.local".to_owned());
        let renamed = replaced(bundle.plan(&terms, SETTLED, day(1)).unwrap());
        assert_eq!(facts(&renamed.serving).unwrap().names, terms.names);
    }

    #[test]
    fn secrets_keep_everything() {
        let terms = terms();
        let first = Bundle::new(&terms, None, day(0)).unwrap();
        let staged = replaced(first.plan(&terms, SETTLED, day(200)).unwrap());
        let switched = replaced(staged.plan(&terms, SETTLED, day(201)).unwrap());
        for bundle in [first, staged, switched] {
            let data = bundle.to_data();
            assert_eq!(Bundle::from_data(&data).unwrap(), bundle);
            for name in data.keys().filter(|name| *name != NEXT_AUTHORITY_KEY) {
                let mut broken = data.clone();
                broken.remove(name);
                assert!(Bundle::from_data(&broken).is_err(), "{name}");
                broken.insert(name.clone(), ByteString(b"no PEM".to_vec()));
                assert!(Bundle::from_data(&broken).is_err(), "{name}");
                let other = Bundle::new(&terms, None, day(0)).unwrap().to_data();
                broken.insert(name.clone(), other[name].clone());
                assert!(Bundle::from_data(&broken).is_err(), "{name}");
            }
        }
    }
}
