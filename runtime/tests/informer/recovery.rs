//! Recovery from an outage of the API server: how soon every informer watches again, and what that
//! costs the server.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::scripted::*;
use super::{cached, informer_with, seconds};

/// How the server answers, which a test changes as it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Everything is served, at this resource version; a watch from an older one has expired.
    Serves(u32),
    /// As [`Mode::Serves`], but every watch ends with a 410.
    Expires(u32),
    Refuses,
    Loses,
    Fails(u16),
}

/// A server of one empty collection for each namespace.
struct Server {
    state: Arc<Mutex<State>>,
}

struct State {
    mode: Mode,
    /// Open watches.
    feeds: Vec<Feed>,
    /// Of each, whether it was a list.
    requests: Vec<bool>,
}

impl Server {
    fn new(api: &Api) -> Self {
        let server = Self {
            state: Arc::new(Mutex::new(State {
                mode: Mode::Serves(10),
                feeds: Vec::new(),
                requests: Vec::new(),
            })),
        };
        let state = Arc::clone(&server.state);
        api.serve(move |request| state.lock().unwrap().answer(request));
        server
    }

    /// Breaks every open watch, and answers like this from now on.
    fn becomes(&self, mode: Mode) {
        let mut state = self.state.lock().unwrap();
        state.mode = mode;
        if !matches!(mode, Mode::Serves(_)) {
            state.feeds.clear();
        }
    }

    fn watching(&self) -> usize {
        let state = self.state.lock().unwrap();
        state.feeds.iter().filter(|feed| feed.is_heard()).count()
    }

    /// How many requests were made since this was asked last, and how many of them were lists.
    fn take_requests(&self) -> (usize, usize) {
        let requests = std::mem::take(&mut self.state.lock().unwrap().requests);
        let lists = requests.iter().filter(|is_list| **is_list).count();
        (requests.len(), lists)
    }

    /// How long it takes until there are so many watches.
    async fn time_to_watch(&self, watches: usize) -> Duration {
        let begun = Instant::now();
        eventually(|| self.watching() == watches).await;
        begun.elapsed()
    }
}

impl State {
    fn answer(&mut self, request: &Recorded) -> Answer {
        let is_watch = request.query.contains_key("watch");
        self.requests.push(!is_watch);
        match self.mode {
            Mode::Refuses => refused_connection(),
            Mode::Loses => lost_connection(),
            Mode::Fails(code) => refuse(code, "ServiceUnavailable"),
            Mode::Serves(version) | Mode::Expires(version) if !is_watch => {
                list(&version.to_string(), [])
            }
            Mode::Serves(version) if request.query["resourceVersion"] == version.to_string() => {
                let (feed, answer) = feed();
                self.feeds.push(feed);
                answer
            }
            Mode::Serves(_) | Mode::Expires(_) => stream([failed(410, "Expired")]),
        }
    }
}

const INFORMERS: usize = 50;

/// Starts so many reflectors of one factory, and waits until they watch.
async fn watching(reflectors: usize) -> (Server, genclient::informer::SharedInformerFactory) {
    let api = Api::new();
    let server = Server::new(&api);
    let namespaces = (0..reflectors).map(|number| format!("n{number}"));
    let (factory, informer) = informer_with(&api, |builder| {
        builder.watch_list(false).namespaces(namespaces)
    });
    factory.start();
    server.time_to_watch(reflectors).await;
    // A watch that ends within a second would count as a failure of its own.
    sleep(seconds(2)).await;
    assert_eq!(cached(&informer), [""; 0]);
    server.take_requests();
    (server, factory)
}

#[tokio::test(start_paused = true)]
async fn informers_watch_within_two_seconds_however_long_the_outage_was() {
    for down in [Mode::Refuses, Mode::Loses] {
        for outage in [5, 20, 60, 600] {
            for reflectors in [1, INFORMERS] {
                let (server, factory) = watching(reflectors).await;
                server.becomes(down);
                sleep(seconds(outage)).await;
                // Meanwhile the version that they know has gone: each watch is answered by 410.
                server.becomes(Mode::Serves(2000));
                let took = server.time_to_watch(reflectors).await;
                assert!(
                    took <= Duration::from_millis(2050),
                    "{reflectors} after {outage} s of {down:?}: {took:?}"
                );
                factory.shutdown().await;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn server_that_cannot_be_reached_is_tried_once_a_second_by_one_informer_of_all() {
    let (server, factory) = watching(INFORMERS).await;
    server.becomes(Mode::Refuses);
    settle().await;
    server.take_requests();
    sleep(seconds(60)).await;
    let (requests, lists) = server.take_requests();
    assert!((58..=61).contains(&requests), "{requests}");
    assert_eq!(lists, 0);
    // Each of them asks once more, is told of the 410, lists, and watches.
    server.becomes(Mode::Serves(2000));
    server.time_to_watch(INFORMERS).await;
    let requests = server.take_requests();
    assert_eq!(requests, (3 * INFORMERS, INFORMERS));
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn server_that_is_starting_is_asked_once_a_second_and_one_that_keeps_failing_less_often() {
    for code in [401, 403, 429, 500, 503] {
        let (server, factory) = watching(1).await;
        server.becomes(Mode::Refuses);
        sleep(seconds(60)).await;
        server.becomes(Mode::Fails(code));
        sleep(seconds(15)).await;
        server.becomes(Mode::Serves(2000));
        let took = server.time_to_watch(1).await;
        assert!(took <= Duration::from_millis(2050), "{code}: {took:?}");

        server.becomes(Mode::Refuses);
        sleep(seconds(10)).await;
        server.becomes(Mode::Fails(code));
        sleep(seconds(300)).await;
        server.take_requests();
        sleep(seconds(300)).await;
        // Pauses are 30 to 60 s by then.
        let (requests, _) = server.take_requests();
        assert!(requests <= 20, "{code}: {requests}");
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn expired_watch_is_followed_by_a_list_at_once_unless_that_does_not_help() {
    let (server, factory) = watching(1).await;
    server.becomes(Mode::Serves(11));
    let watch = server.state.lock().unwrap().feeds.remove(0);
    watch.line(failed(410, "Expired"));
    let took = server.time_to_watch(1).await;
    assert!(took <= Duration::from_millis(550), "{took:?}");
    assert_eq!(server.take_requests(), (2, 1));

    // Every watch is answered by 410, whatever was listed.
    server.becomes(Mode::Expires(12));
    sleep(seconds(600)).await;
    let (requests, lists) = server.take_requests();
    assert!((10..=30).contains(&lists), "{lists} of {requests}");
    factory.shutdown().await;
}
