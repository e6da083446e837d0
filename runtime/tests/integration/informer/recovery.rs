//! Tests of recovery from outages and brief failures of the API server: the time until every
//! informer watches again, and the load on the server.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genclient::informer::SharedInformerFactory;
use genclient::kube::api::{Api, PostParams};
use genclient_apiserver::{ApiServer, Fault, Verb};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::{Instant, sleep};

use super::scripted::{eventually, settle};
use super::seconds;

const MAPS: &str = "configmaps";

/// An API server with one empty collection for each namespace.
struct Server {
    api: ApiServer,
    /// How many requests were counted already.
    taken: AtomicUsize,
}

impl Server {
    /// Changes another namespace, so that the resource version advances. Then breaks every open
    /// watch and fails all requests.
    async fn begin_outage(&self, begin: fn(Fault<'_>)) {
        self.api.heal();
        let maps: Api<ConfigMap> = Api::default_namespaced(self.api.client());
        let mut elsewhere = ConfigMap::default();
        elsewhere.metadata.generate_name = Some("a-change-".to_owned());
        maps.create(&PostParams::default(), &elsewhere)
            .await
            .unwrap();
        self.fails(begin);
    }

    /// Breaks every open watch and fails all requests from now on.
    fn fails(&self, begin: fn(Fault<'_>)) {
        self.api.heal();
        begin(self.api.outage());
        self.api.watches(MAPS).break_connections();
    }

    /// Ends the outage. The versions before it are compacted, so a watch from there gets 410.
    fn end_outage(&self) {
        self.api.compact();
        self.api.heal();
    }

    /// Returns the number of list and watch requests since the last call, and of the lists among
    /// them.
    fn take_requests(&self) -> (usize, usize) {
        let requests = self.api.requests();
        let new = &requests[self.taken.swap(requests.len(), Ordering::Relaxed)..];
        let count = |verb| new.iter().filter(|request| request.verb == verb).count();
        let lists = count(Verb::List);
        (lists + count(Verb::Watch), lists)
    }

    /// Returns the time until this many watches are open.
    async fn time_to_watch(&self, watches: usize) -> Duration {
        let begun = Instant::now();
        let is_watched = || self.api.watches(MAPS).open() == watches;
        // A watch whose version has expired, and which is about to get 410, does not count.
        loop {
            eventually(is_watched).await;
            let took = begun.elapsed();
            settle().await;
            if is_watched() {
                return took;
            }
        }
    }
}

const INFORMERS: usize = 50;

/// Starts this many reflectors of one factory, and waits until they watch.
async fn watching(reflectors: usize) -> (Server, SharedInformerFactory) {
    watching_with(reflectors, false).await
}

async fn watching_with(reflectors: usize, watch_list: bool) -> (Server, SharedInformerFactory) {
    let server = Server {
        api: ApiServer::builder().build().unwrap(),
        taken: AtomicUsize::new(0),
    };
    let namespaces = (0..reflectors).map(|number| format!("n{number}"));
    let factory = SharedInformerFactory::builder(server.api.client())
        .watch_list(watch_list)
        .namespaces(namespaces)
        .build();
    let informer = factory.informer_for::<ConfigMap>();
    factory.start();
    server.time_to_watch(reflectors).await;
    // A watch that ends within a second would count as a failure.
    sleep(seconds(2)).await;
    assert!(informer.indexer().is_empty());
    server.take_requests();
    (server, factory)
}

#[tokio::test(start_paused = true)]
async fn informers_recover_within_two_seconds_of_any_outage() {
    let downs: [(_, fn(Fault<'_>)); 2] = [
        ("refused connections", |outage| outage.refuse()),
        ("lost connections", |outage| outage.cut()),
    ];
    for (name, down) in downs {
        for outage in [5, 20, 60, 600] {
            for reflectors in [1, INFORMERS] {
                let (server, factory) = watching(reflectors).await;
                server.begin_outage(down).await;
                sleep(seconds(outage)).await;
                server.end_outage();
                let took = server.time_to_watch(reflectors).await;
                assert!(
                    took <= Duration::from_millis(2050),
                    "{reflectors} after {outage} s of {name}: {took:?}"
                );
                factory.shutdown().await;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn unreachable_server_is_probed_once_a_second_by_one_informer() {
    let (server, factory) = watching(INFORMERS).await;
    server.begin_outage(|outage| outage.refuse()).await;
    settle().await;
    server.take_requests();
    sleep(seconds(60)).await;
    let (requests, lists) = server.take_requests();
    assert!((58..=61).contains(&requests), "{requests}");
    assert_eq!(lists, 0);
    // Each reflector sends another watch, gets 410, lists, and watches.
    server.end_outage();
    server.time_to_watch(INFORMERS).await;
    let requests = server.take_requests();
    assert_eq!(requests, (3 * INFORMERS, INFORMERS));
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn starting_server_is_polled_each_second_and_a_failing_one_less() {
    let failures: [(_, fn(Fault<'_>)); 5] = [
        (401, |outage| outage.status(401)),
        (403, |outage| outage.status(403)),
        (429, |outage| outage.status(429)),
        (500, |outage| outage.status(500)),
        (503, |outage| outage.status(503)),
    ];
    for (code, failure) in failures {
        let (server, factory) = watching(1).await;
        server.begin_outage(|outage| outage.refuse()).await;
        sleep(seconds(60)).await;
        server.fails(failure);
        sleep(seconds(15)).await;
        server.end_outage();
        let took = server.time_to_watch(1).await;
        assert!(took <= Duration::from_millis(2050), "{code}: {took:?}");

        server.begin_outage(|outage| outage.refuse()).await;
        sleep(seconds(10)).await;
        server.fails(failure);
        sleep(seconds(300)).await;
        server.take_requests();
        sleep(seconds(300)).await;
        // By then, pauses are 30 to 60 s.
        let (requests, _) = server.take_requests();
        assert!(requests <= 20, "{code}: {requests}");
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn expired_watch_relists_at_once_unless_it_repeats() {
    let (server, factory) = watching(1).await;
    server.api.watches(MAPS).expire();
    settle().await;
    let took = server.time_to_watch(1).await;
    assert!(took <= Duration::from_millis(550), "{took:?}");
    assert_eq!(server.take_requests(), (2, 1));

    // Every watch gets 410, regardless of the listed version.
    server.api.fail(Verb::Watch, MAPS).status(410);
    server.api.watches(MAPS).break_connections();
    sleep(seconds(600)).await;
    let (requests, lists) = server.take_requests();
    assert!((10..=30).contains(&lists), "{lists} of {requests}");
    factory.shutdown().await;
}

/// Makes an API server fail.
type Disturb = fn(&ApiServer);

/// The failures of an API server that answers.
const DISTURBANCES: [(&str, Disturb); 6] = [
    ("500", |api| api.outage().status(500)),
    ("429", |api| api.outage().retry_after(1).status(429)),
    ("403", |api| api.outage().status(403)),
    ("404", |api| api.outage().status(404)),
    ("HTML", |api| {
        api.outage().answer(200, "<html>log in</html>")
    }),
    ("410", |api| api.fail(Verb::Watch, MAPS).status(410)),
];

/// One disturbance after another: the pauses of an earlier one do not count.
#[tokio::test(start_paused = true)]
async fn informers_recover_within_two_seconds_of_each_brief_disturbance() {
    for (reflectors, health) in [(1, Duration::from_millis(300)), (INFORMERS, seconds(3))] {
        for watch_list in [false, true] {
            let (server, factory) = watching_with(reflectors, watch_list).await;
            for (name, begin) in DISTURBANCES {
                begin(&server.api);
                server.api.watches(MAPS).break_connections();
                server.take_requests();
                sleep(seconds(12)).await;
                // Each reflector makes one attempt or two, then one of them each second. An attempt
                // has up to four requests: two streamed lists, a list and a watch.
                let (requests, _) = server.take_requests();
                let most = 4 * (2 * reflectors + 14);
                assert!(requests <= most, "{reflectors} {name}: {requests} requests");
                server.api.heal();
                let took = server.time_to_watch(reflectors).await;
                assert!(
                    took <= Duration::from_millis(2050),
                    "{reflectors} after {name}: {took:?}"
                );
                sleep(health).await;
            }
            factory.shutdown().await;
        }
    }
}

/// A resource that is refused for long, beside others that fail and recover again and again.
#[tokio::test(start_paused = true)]
async fn lasting_refusal_of_one_resource_is_retried_seldom() {
    let (server, factory) = watching(10).await;
    server
        .api
        .outage()
        .when(|request| request.namespace == "n0")
        .status(403);
    server.api.watches(MAPS).break_connections();
    let mut taken = 0;
    for round in 0..60 {
        let others = server.api.fail(Verb::Watch, MAPS);
        others
            .when(|request| request.namespace != "n0")
            .times(9)
            .status(500);
        server.api.watches(MAPS).break_connections();
        sleep(seconds(10)).await;
        let requests = server.api.requests();
        let refused = requests
            .iter()
            .filter(|request| request.to_string().ends_with(" n0"))
            .count();
        if round == 29 {
            taken = refused;
        }
        if round == 59 {
            // By then, pauses are 30 to 60 s.
            assert!(refused - taken <= 20, "{}", refused - taken);
        }
    }
    factory.shutdown().await;
}

/// Resources that are not served, and one whose watch fails for two seconds.
#[tokio::test(start_paused = true)]
async fn brief_failures_do_not_wait_for_lasting_ones() {
    for (code, lasted) in [(404, 5), (404, 20), (403, 5), (500, 90)] {
        let (server, factory) = watching(INFORMERS).await;
        let is_brief = |namespace: &str| namespace == "n0";
        let lasting = server.api.outage();
        lasting
            .when(move |request| !is_brief(request.namespace))
            .status(code);
        server.api.watches(MAPS).break_connections();
        sleep(seconds(lasted)).await;
        assert_eq!(server.api.watches(MAPS).open(), 1);
        let brief = server.api.outage();
        brief
            .when(move |request| is_brief(request.namespace))
            .times(3)
            .status(500);
        server.api.watches(MAPS).break_connections();
        let took = server.time_to_watch(1).await;
        assert!(took <= seconds(8), "{code} for {lasted} s: {took:?}");
        factory.shutdown().await;
    }
}
