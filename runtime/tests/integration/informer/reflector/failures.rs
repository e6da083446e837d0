//! Reflector tests of temporary failures.

use super::super::scripted::*;
use super::super::{informer_with, seconds};

#[tokio::test(start_paused = true)]
async fn refused_connections_are_retried_once_a_second() {
    // TestReflectorListAndWatchInitConnBackoff
    for refused in [5, 40] {
        let api = Api::new();
        api.answer([list("1", [])]);
        api.answer((0..refused).map(|_| refused_connection()));
        let (factory, _informer) = informer_with(&api, |builder| builder.watch_list(false));
        factory.start();
        api.asked(refused + 2).await;
        let requests = api.recorded();
        let took = requests[refused + 1].at - requests[1].at;
        assert_eq!(took.as_secs(), refused as u64);
        assert_eq!(api.requests()[2..], vec!["watch rv=1"; refused]);
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn too_many_requests_are_retried_without_a_list() {
    // TestBackoffOnTooManyRequests, TestNoRelistOnTooManyRequests
    let busy = || refuse(429, "TooManyRequests");
    let busy_stream = || stream([failed(429, "TooManyRequests")]);
    for answers in [
        vec![busy(), busy_stream()],
        vec![busy(), busy(), busy(), busy()],
    ] {
        let (api, pauses) = (Api::new(), answers.len());
        api.answer([list("1", [])].into_iter().chain(answers));
        let (factory, _informer) = informer_with(&api, |builder| builder.watch_list(false));
        factory.start();
        api.asked(pauses + 2).await;
        assert_eq!(api.requests()[1..], vec!["watch rv=1"; pauses + 1]);
        let watches = api.recorded().split_off(1);
        for pair in watches.windows(2) {
            // One turn, or the first pause of the backoff with jitter.
            let pause = (pair[1].at - pair[0].at).as_secs_f64();
            assert!((1.0..=1.7).contains(&pause), "{pause}");
        }
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn internal_errors_are_retried_for_the_configured_time() {
    // TestRetryInternalError
    let failure = || stream([failed(500, "InternalError")]);
    // The failure after the deadline comes up to one pause later, and the list another pause later:
    // at most twice 60 s.
    for (longest, is_healthy_once, least, most) in
        [(0, false, 0, 0), (30, false, 30, 150), (30, true, 31, 180)]
    {
        let api = Api::new();
        api.answer([list("1", [])]);
        api.answer((0..4).map(|_| failure()));
        if is_healthy_once {
            api.answer([stream([bookmark("2"), failed(500, "InternalError")])]);
        }
        api.answer((0..20).map(|_| failure()));
        let (factory, _informer) = informer_with(&api, |builder| {
            builder
                .watch_list(false)
                .max_internal_error_retry(seconds(longest))
        });
        factory.start();
        let is_list = |it: &String| it.starts_with("list");
        eventually(|| api.requests().iter().filter(|it| is_list(it)).count() == 2).await;
        let requests = api.recorded();
        let waited = (requests[requests.len() - 1].at - requests[1].at).as_secs();
        // Zero, apart from the pause before a round.
        let most = most.max(2);
        assert!((least..=most).contains(&waited), "{waited} s");
        let healthy = api.requests().iter().any(|it| it == "watch rv=2");
        assert_eq!(healthy, is_healthy_once);
        factory.shutdown().await;
    }
}
