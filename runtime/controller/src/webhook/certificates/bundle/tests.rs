//! Tests of the renewal of certificates, and of their Secret.

use super::*;

const DAY: Duration = Duration::from_secs(24 * 3600);
/// The API servers trust the authorities of the bundle already.
const NO_TRUST_DELAY: Duration = Duration::ZERO;

fn test_terms() -> Terms {
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

fn expect_replacement(plan: Plan) -> Bundle {
    match plan {
        Plan::Replace(bundle) => *bundle,
        Plan::Wait(until) => panic!("nothing is to be done until {until:?}"),
    }
}

#[test]
fn certificates_are_renewed_after_two_thirds_of_their_lifetime() {
    let terms = test_terms();
    let first = Bundle::new(&terms, None, day(0)).unwrap();
    assert_eq!(
        first.plan(&terms, NO_TRUST_DELAY, day(59)).unwrap(),
        Plan::Wait(day(60))
    );
    let second = expect_replacement(first.plan(&terms, NO_TRUST_DELAY, day(60)).unwrap());
    assert_eq!(second.authority, first.authority);
    assert_ne!(second.serving, first.serving);
    assert_eq!(
        second.plan(&terms, NO_TRUST_DELAY, day(61)).unwrap(),
        Plan::Wait(day(120))
    );
}

#[test]
fn new_ca_is_trusted_before_it_signs() {
    let terms = test_terms();
    let mut bundle = Bundle::new(&terms, None, day(190)).unwrap();
    bundle.authority = terms.new_authority(day(0)).unwrap();
    bundle.serving = terms.new_serving(day(190), &bundle.authority).unwrap();
    let staged = expect_replacement(bundle.plan(&terms, NO_TRUST_DELAY, day(200)).unwrap());
    assert_ne!(staged.serving, bundle.serving);
    assert!(staged.has_authority_of(&bundle));
    assert!(staged.trusted().starts_with(&bundle.trusted()));

    // The authority does not sign before callers had time to trust it, however old it is.
    assert_eq!(
        staged.plan(&terms, DAY, day(201)).unwrap(),
        Plan::Wait(day(202))
    );

    let switched = expect_replacement(staged.plan(&terms, NO_TRUST_DELAY, day(202)).unwrap());
    assert_eq!(Some(&switched.authority), staged.next.as_ref());
    assert_ne!(switched.serving, staged.serving);
    // Both before and after the switch, callers trust certificates of either authority.
    for trusted in [staged.trusted(), switched.trusted()] {
        assert_eq!(split_pem(&trusted).unwrap().len(), 2);
    }
    assert!(matches!(
        switched.plan(&terms, NO_TRUST_DELAY, day(202)).unwrap(),
        Plan::Wait(_)
    ));
}

#[test]
fn expired_ca_is_replaced_immediately() {
    let terms = test_terms();
    let staged = Bundle {
        next: Some(terms.new_authority(day(200)).unwrap()),
        ..Bundle::new(&terms, None, day(0)).unwrap()
    };
    let new = expect_replacement(staged.plan(&terms, DAY, day(300)).unwrap());
    assert!(!new.trusts(&staged));
    assert!(matches!(
        new.plan(&terms, NO_TRUST_DELAY, day(300)).unwrap(),
        Plan::Wait(_)
    ));
}

#[test]
fn serving_certificate_in_use_stays_trusted() {
    let in_use = Bundle::new(&test_terms(), None, day(0)).unwrap();
    let new = Bundle::new(&test_terms(), Some(&in_use), day(1)).unwrap();
    assert!(new.trusts(&in_use) && !in_use.trusts(&new));
    assert_eq!(Bundle::from_data(&new.to_data()).unwrap(), new);
}

#[test]
fn changed_dns_names_reissue_the_certificate() {
    let bundle = Bundle::new(&test_terms(), None, day(0)).unwrap();
    let mut terms = test_terms();
    terms
        .names
        .push("webhook.system.svc.cluster.local".to_owned());
    let renamed = expect_replacement(bundle.plan(&terms, NO_TRUST_DELAY, day(1)).unwrap());
    assert_eq!(parse_facts(&renamed.serving).unwrap().names, terms.names);
}

#[test]
fn certificate_bundles_round_trip_through_secret_data() {
    let terms = test_terms();
    let first = Bundle::new(&terms, None, day(0)).unwrap();
    let staged = expect_replacement(first.plan(&terms, NO_TRUST_DELAY, day(200)).unwrap());
    let switched = expect_replacement(staged.plan(&terms, NO_TRUST_DELAY, day(201)).unwrap());
    for bundle in [first, staged, switched] {
        let data = bundle.to_data();
        assert_eq!(Bundle::from_data(&data).unwrap(), bundle);
        for name in data.keys().filter(|name| *name != NEXT_AUTHORITY_KEY_ENTRY) {
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
