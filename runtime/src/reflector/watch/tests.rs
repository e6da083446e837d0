//! Tests of [`Watch`] and [`Lines`].

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures::stream;
use http_body::Frame;
use http_body_util::StreamBody;
use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;

use super::super::outage::Outage;
use super::super::request::{ReflectorOptions, Selectors};
use super::*;
use crate::client::Unpinged;

/// Returns a target whose watches are silent, over a connection with pings or without, and the
/// durations that are requested.
fn silent(is_unpinged: bool) -> (ListWatchTarget<ConfigMap>, Arc<Mutex<Vec<u64>>>) {
    let requested = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&requested);
    let service = tower::service_fn(move |request: http::Request<Body>| {
        let query = request.uri().query().unwrap();
        let seconds = query
            .split('&')
            .find_map(|it| it.strip_prefix("timeoutSeconds="));
        seen.lock().push(seconds.unwrap().parse().unwrap());
        let silence = stream::pending::<Result<Frame<Bytes>, std::convert::Infallible>>();
        let mut response = http::Response::new(StreamBody::new(silence));
        if is_unpinged {
            response.extensions_mut().insert(Unpinged);
        }
        async { Ok::<_, std::io::Error>(response) }
    });
    let target = ListWatchTarget {
        client: kube::Client::new(service, "default"),
        types: (),
        namespace: None,
        selectors: Selectors::default(),
        metrics: None,
        outage: Arc::new(Outage::default()),
        unpinged: AtomicBool::new(false),
    };
    (target, requested)
}

/// If pings find a dead connection, silence is no reason to end a watch. Without pings, a watch may
/// be silent for 40 s, and the next ones are so short that the server ends them before.
#[tokio::test(start_paused = true)]
async fn watches_without_pings_may_be_silent_for_40_s() {
    let minimum = ReflectorOptions::default().min_watch_timeout;
    for (is_unpinged, expected, later) in [(false, 300..=630, 300..=600), (true, 40..=40, 25..=35)]
    {
        let (target, requested) = silent(is_unpinged);
        for watch in 0..3 {
            let mut decoder = Decoder::<ConfigMap>::new((), ReflectorOptions::default(), None);
            let start = Instant::now();
            let mut opened = Watch::open(&target, "7", minimum).await.unwrap();
            let ended = opened.next(&mut decoder).await;
            assert!(matches!(ended, Err(ListWatchError::Silence(_))));
            let silence = start.elapsed().as_secs();
            assert!(
                expected.contains(&silence),
                "{is_unpinged} {watch}: {silence}"
            );
            let seconds = requested.lock()[watch];
            let range = if watch == 0 { &(300..=600) } else { &later };
            assert!(range.contains(&seconds), "{is_unpinged} {watch}: {seconds}");
        }
    }
}

/// Returns a body in chunks. It comes from a client, since kube has no other way to build one.
async fn body(chunks: Vec<&'static str>) -> Body {
    let service = tower::service_fn(move |_: http::Request<Body>| {
        let frames = chunks.clone().into_iter().map(|chunk| {
            Ok::<_, std::convert::Infallible>(Frame::data(Bytes::from_static(chunk.as_bytes())))
        });
        async {
            Ok::<_, std::io::Error>(http::Response::new(StreamBody::new(stream::iter(frames))))
        }
    });
    let client = kube::Client::new(service, "default");
    let request = http::Request::new(Body::empty());
    client.send(request).await.unwrap().into_body()
}

async fn cut(chunks: Vec<&'static str>) -> (Vec<String>, Option<String>) {
    let mut lines = Lines::new(body(chunks).await);
    let text = |line: Bytes| String::from_utf8(line.to_vec()).unwrap();
    let mut found = Vec::new();
    loop {
        while let Some(line) = lines.buffered() {
            found.push(text(line));
        }
        if !lines.arrived().await.unwrap() {
            return (found, lines.rest().map(text));
        }
    }
}

#[tokio::test]
async fn lines_do_not_depend_on_chunk_boundaries() {
    for chunks in [
        vec!["one\ntwo\nthree\n"],
        vec!["o", "ne", "\n", "two\nthr", "ee\n"],
        vec!["one\n", "", "two\n", "three", "\n"],
        vec!["one\r\n\n", "  \ntwo\nthree\n"],
    ] {
        let (lines, rest) = cut(chunks.clone()).await;
        let lines: Vec<_> = lines.iter().map(|line| line.trim()).collect();
        assert_eq!(lines, ["one", "two", "three"], "{chunks:?}");
        assert_eq!(rest, None);
    }
}

#[tokio::test]
async fn unterminated_line_is_returned_as_the_rest() {
    let (lines, rest) = cut(vec!["one\ntw", "o"]).await;
    assert_eq!(lines, ["one"]);
    assert_eq!(rest.as_deref(), Some("two"));
}

#[tokio::test]
async fn oversized_line_is_an_error() {
    for (length, is_endless) in [(MAX_LINE, false), (MAX_LINE + 1, true)] {
        let mut lines = Lines::new(body(vec!["more"]).await);
        // Zeroed pages take no memory until they are written to.
        lines.partial = BytesMut::zeroed(length);
        let arrived = lines.arrived().await;
        assert_eq!(matches!(arrived, Err(Broken::Endless)), is_endless);
    }
}

/// If the user adds layers to the client, a body may panic when it is polled after its end.
#[tokio::test]
async fn body_is_not_polled_after_its_end() {
    let mut lines = Lines::new(unfused().await);
    assert!(lines.arrived().await.unwrap());
    for _ in 0..3 {
        assert!(!lines.arrived().await.unwrap());
    }
    assert_eq!(lines.rest().as_deref(), Some(b"one" as &[u8]));
}

/// Returns a body that panics if it is polled after its end.
async fn unfused() -> Body {
    let service = tower::service_fn(|_: http::Request<Body>| async {
        let frames = stream::unfold(Some("one"), |text| async move {
            let frame = Frame::data(Bytes::from_static(text?.as_bytes()));
            Some((Ok::<_, std::convert::Infallible>(frame), None))
        });
        Ok::<_, std::io::Error>(http::Response::new(StreamBody::new(frames)))
    });
    let client = kube::Client::new(service, "default");
    let request = http::Request::new(Body::empty());
    client.send(request).await.unwrap().into_body()
}
