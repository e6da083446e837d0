//! Tests of the renewal of certificates, and of their Secret.

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
fn certificates_are_renewed_after_two_thirds_of_their_lifetime() {
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
fn new_ca_is_trusted_before_it_signs() {
    let terms = terms();
    let mut bundle = Bundle::new(&terms, None, day(190)).unwrap();
    bundle.authority = terms.new_authority(day(0)).unwrap();
    bundle.serving = terms.new_serving(day(190), &bundle.authority).unwrap();
    let staged = replaced(bundle.plan(&terms, SETTLED, day(200)).unwrap());
    assert_ne!(staged.serving, bundle.serving);
    assert!(staged.has_authority_of(&bundle));
    assert!(staged.trusted().starts_with(&bundle.trusted()));

    // The authority does not sign before callers had time to trust it, however old it is.
    assert_eq!(
        staged.plan(&terms, DAY, day(201)).unwrap(),
        Plan::Wait(day(202))
    );

    let switched = replaced(staged.plan(&terms, SETTLED, day(202)).unwrap());
    assert_eq!(Some(&switched.authority), staged.next.as_ref());
    assert_ne!(switched.serving, staged.serving);
    // Both before and after the switch, callers trust certificates of either authority.
    for trusted in [staged.trusted(), switched.trusted()] {
        assert_eq!(certificates(&trusted).unwrap().len(), 2);
    }
    assert!(matches!(
        switched.plan(&terms, SETTLED, day(202)).unwrap(),
        Plan::Wait(_)
    ));
}

#[test]
fn expired_ca_is_replaced_immediately() {
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
fn serving_certificate_in_use_stays_trusted() {
    let shown = Bundle::new(&terms(), None, day(0)).unwrap();
    let new = Bundle::new(&terms(), Some(&shown), day(1)).unwrap();
    assert!(new.trusts(&shown) && !shown.trusts(&new));
    assert_eq!(Bundle::from_data(&new.to_data()).unwrap(), new);
}

#[test]
fn changed_dns_names_reissue_the_certificate() {
    let bundle = Bundle::new(&terms(), None, day(0)).unwrap();
    let mut terms = terms();
    terms
        .names
        .push("webhook.system.svc.cluster.local".to_owned());
    let renamed = replaced(bundle.plan(&terms, SETTLED, day(1)).unwrap());
    assert_eq!(facts(&renamed.serving).unwrap().names, terms.names);
}

#[test]
fn certificate_bundles_round_trip_through_secret_data() {
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
