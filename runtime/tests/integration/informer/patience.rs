//! Tests of timeouts and pauses of informers: for a response, for an event, between attempts.

use std::time::Duration;

use super::scripted::*;
use super::{Recorder, cached, informer, informer_with, seconds};

#[tokio::test(start_paused = true)]
async fn failing_watches_lead_to_a_list_after_30_seconds() {
    let api = Api::new();
    let failures = (0..20).flat_map(|_| {
        [
            refuse(503, "ServiceUnavailable"),
            stream([failed(500, "InternalError")]),
        ]
    });
    api.answer([list("10", ["a/one@5"])]);
    api.answer(failures);
    let (factory, informer) = informer_with(&api, |builder| builder.watch_list(false));
    factory.start();
    eventually(|| {
        api.requests()
            .iter()
            .filter(|it| it.starts_with("list"))
            .count()
            == 2
    })
    .await;
    let requests = api.recorded();
    let waited = requests[requests.len() - 1].at - requests[1].at;
    assert!(waited >= seconds(30), "{waited:?}");
    assert!(waited <= seconds(180), "{waited:?}");
    assert_eq!(cached(&informer), ["a/one@5"]);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn slow_watch_failures_lead_to_a_list_unless_one_was_healthy() {
    for (first, requests) in [
        (None, ["watch rv=10", "watch rv=10", "list rv=10"]),
        (
            Some(bookmark("11")),
            ["watch rv=10", "watch rv=11", "watch rv=11"],
        ),
    ] {
        let api = Api::new();
        let (feeds, answers): (Vec<_>, Vec<_>) = [feed(), feed()].into_iter().unzip();
        api.answer([list("10", [])].into_iter().chain(answers));
        let (factory, _informer) = informer_with(&api, |builder| builder.watch_list(false));
        factory.start();
        // Without the requests that check whether a silent server has reached the version.
        let asked = || {
            let mut asked = api.requests();
            asked.retain(|request| request != "list limit=1");
            asked
        };
        for (at, feed) in feeds.into_iter().enumerate() {
            eventually(|| asked().len() == at + 2).await;
            first.iter().for_each(|line| feed.line(line));
            tokio::time::sleep(seconds(70)).await;
            feed.line(failed(500, "InternalError"));
        }
        eventually(|| asked().len() == 4).await;
        assert_eq!(asked()[1..], requests);
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn unanswered_watch_leads_to_a_relist() {
    let api = Api::new();
    api.answer([list("10", []), hang(), list("20", []), hang()]);
    let (factory, _informer) = informer_with(&api, |builder| builder.watch_list(false));
    factory.start();
    api.asked(4).await;
    assert_eq!(
        api.requests()[1..],
        ["watch rv=10", "list rv=10", "watch rv=20"]
    );
    let requests = api.recorded();
    let agreed: u64 = requests[1].query["timeoutSeconds"].parse().unwrap();
    let waited = requests[2].at - requests[1].at;
    assert!(waited >= seconds(agreed + 30), "{waited:?}");
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_honored_up_to_a_limit() {
    let status = |seconds| {
        format!(
            r#"{{"status":"Failure","reason":"TooManyRequests","details":{{"retryAfterSeconds":{seconds}}}}}"#
        )
    };
    let api = Api::new();
    api.answer([
        body(429, status(40)),
        busy(503, "50"),
        busy(503, "1000000"),
        busy(503, "Fri, 31 Dec 1999 23:59:59 GMT"),
        list("10", []),
    ]);
    let (factory, _informer) = informer_with(&api, |builder| builder.watch_list(false));
    factory.start();
    api.asked(5).await;
    let requests = api.recorded();
    let pauses: Vec<_> = requests
        .windows(2)
        .map(|pair| pair[1].at - pair[0].at)
        .map(|pause| pause.as_secs())
        .collect();
    assert_eq!(pauses[..3], [40, 50, 300]);
    assert!(pauses[3] < 60, "{pauses:?}");
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn watches_are_not_opened_faster_than_once_a_second() {
    let api = Api::new();
    api.answer([list("10", [])]);
    api.answer((11..16).map(|version| stream([bookmark(&version.to_string())]).end()));
    let (factory, _informer) = informer_with(&api, |builder| builder.watch_list(false));
    factory.start();
    api.asked(6).await;
    let requests = api.recorded();
    assert!(requests[5].at - requests[1].at >= seconds(4));
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn silent_watch_is_aborted_after_its_timeout_seconds() {
    let api = Api::new();
    api.answer([list("10", []), stream([]), hang()]);
    let (factory, _informer) = informer_with(&api, |builder| builder.watch_list(false));
    factory.start();
    api.asked(3).await;
    let requests = api.recorded();
    let agreed: u64 = requests[1].query["timeoutSeconds"].parse().unwrap();
    let lasted = requests[2].at - requests[1].at;
    assert!((300..=600).contains(&agreed), "{agreed}");
    assert!(
        lasted >= seconds(agreed + 30) && lasted <= seconds(agreed + 32),
        "{lasted:?}"
    );
    assert_eq!(api.requests()[2], "watch rv=10");
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn watch_with_bookmarks_is_aborted_after_3_minutes_of_silence() {
    let api = Api::new();
    api.answer([
        stream([initial_events_end("10")]),
        stream([bookmark("11")]),
        hang(),
    ]);
    let (factory, _informer) = informer(&api);
    factory.start();
    api.asked(3).await;
    let requests = api.recorded();
    for pair in requests.windows(2) {
        assert_eq!((pair[1].at - pair[0].at).as_secs(), 180);
    }
    assert_eq!(api.requests()[1..], ["watch rv=10", "watch rv=11"]);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn page_of_undecodable_objects_does_not_count_as_empty() {
    let api = Api::new();
    api.answer([
        page("10", ["a/bad@5!"], "second"),
        page("10", ["a/worse@6!", "a/one@7"], "third"),
        page("10", ["a/two@8"], ""),
    ]);
    let (factory, informer) = informer_with(&api, |builder| builder.watch_list(false));
    factory.start();
    api.asked(4).await;
    let requests = api.recorded();
    for pair in requests[..3].windows(2) {
        assert_eq!((pair[1].at - pair[0].at).as_secs(), 0);
    }
    settle().await;
    assert_eq!(cached(&informer), ["a/one@7", "a/two@8"]);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn watch_without_bookmarks_may_be_silent_until_its_timeout() {
    let api = Api::new();
    api.answer([list("10", []), stream([added("a/one@11")]), hang()]);
    let (factory, _informer) = informer_with(&api, |builder| builder.watch_list(false));
    factory.start();
    api.asked(3).await;
    let requests = api.recorded();
    let agreed: u64 = requests[1].query["timeoutSeconds"].parse().unwrap();
    let lasted = requests[2].at - requests[1].at;
    assert!(lasted >= seconds(agreed + 30), "{lasted:?}");
    assert_eq!(api.requests()[2], "watch rv=11");
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn failed_lists_are_retried_with_growing_pauses() {
    let api = Api::new();
    api.answer((0..30).map(|_| refuse(500, "InternalError")));
    let (factory, _informer) = informer_with(&api, |builder| builder.watch_list(false));
    factory.start();
    api.asked(30).await;
    let times: Vec<_> = api.recorded().iter().map(|request| request.at).collect();
    for pair in times.windows(2) {
        let (after, pause) = (pair[0], pair[1] - pair[0]);
        let most = match after.as_secs() {
            ..12 => Duration::from_millis(1700),
            12..16 => seconds(7),
            16..30 => seconds(26),
            _ => seconds(61),
        };
        assert!(
            pause >= Duration::from_millis(800) && pause <= most,
            "{pause:?} after {after:?}"
        );
    }
    // The last pauses are the longest, between 30 and 60 s.
    assert!(times[29] - times[28] >= seconds(30), "{times:?}");
    factory.shutdown().await;
}

// === lists without an end ===

#[tokio::test(start_paused = true)]
async fn slow_list_times_out_after_ten_minutes() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([answer, list("10", ["a/one@5"]), hang()]);
    let (factory, informer) = informer_with(&api, |builder| builder.watch_list(false));
    factory.start();
    feed.piece(r#"{"items":["#);
    let dripping = async {
        loop {
            feed.piece(" ");
            tokio::time::sleep(seconds(30)).await;
        }
    };
    tokio::select! {
        () = dripping => unreachable!("it has no end"),
        () = api.asked(3) => {}
    }
    let requests = api.recorded();
    let given_up_after = (requests[1].at - requests[0].at).as_secs();
    assert!((600..=602).contains(&given_up_after), "{given_up_after} s");
    assert_eq!(cached(&informer), ["a/one@5"]);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn empty_pages_are_requested_at_most_once_a_second() {
    let api = Api::new();
    api.answer((0..6).map(|number| page("10", [], &format!("C{number}"))));
    api.answer([page("10", ["a/one@5"], "C6"), page("10", ["a/two@6"], "")]);
    let (factory, informer) = informer_with(&api, |builder| builder.watch_list(false));
    factory.start();
    api.asked(9).await;
    settle().await;
    assert_eq!(cached(&informer), ["a/one@5", "a/two@6"]);
    let requests = api.recorded();
    for (number, pair) in requests[..8].windows(2).enumerate() {
        let pause = (pair[1].at - pair[0].at).as_secs();
        assert_eq!(pause, u64::from(number < 6), "page {number}");
    }
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn endless_pages_are_aborted() {
    // A page whose token leads to itself, and pages without an end.
    for (token, least, most) in [(Some("same"), 0, 2), (None, 598, 600)] {
        let api = Api::new();
        let pages = (0..700).map(move |number| {
            let token = token.map_or_else(|| format!("C{number}"), str::to_owned);
            page("10", token.starts_with('s').then_some("a/one@5"), &token)
        });
        api.answer(pages);
        let (factory, informer) = informer_with(&api, |builder| builder.watch_list(false));
        let failures = Recorder::default();
        let written = failures.clone();
        informer
            .set_watch_error_handler(move |error| written.write(error.to_string()))
            .unwrap();
        factory.start();
        eventually(|| failures.len() == 1).await;
        let last = api.recorded().last().unwrap().at.as_secs();
        assert!((least..=most).contains(&last), "{last} s");
        let expected = if token.is_some() {
            "the response is not a list: a repeated continue token"
        } else {
            "the list is still incomplete after 600 s"
        };
        assert_eq!(failures.take(), [expected]);
        factory.shutdown().await;
    }
}
