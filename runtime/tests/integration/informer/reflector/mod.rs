//! Reflector tests: client-go's `tools/cache/reflector_test.go`, test by test. `docs/client-go.md`
//! lists where each test is.

mod failures;
mod objects;
mod versions;
mod watches;

use super::scripted::*;
use super::{cached, informer_with};

/// Returns a response that ends a round and starts another.
fn expired() -> Answer {
    stream([failed(410, "Expired")])
}

/// Checks the requests without WatchList for given responses: every list, and the number of
/// watches.
async fn check_lists(page_size: Option<u32>, answers: Vec<Answer>, lists: &[&str]) -> Vec<String> {
    let (api, requests) = (Api::new(), answers.len() + 1);
    api.answer(answers);
    let (factory, informer) = informer_with(&api, |builder| {
        let builder = builder.watch_list(false);
        page_size
            .into_iter()
            .fold(builder, |builder, size| builder.page_size(size))
    });
    factory.start();
    api.asked(requests).await;
    settle().await;
    let requests = api.requests();
    let asked: Vec<_> = requests
        .iter()
        .filter(|it| it.starts_with("list"))
        .collect();
    assert_eq!(asked, lists);
    factory.shutdown().await;
    cached(&informer)
}

fn pods(numbers: std::ops::Range<u32>) -> Vec<String> {
    numbers.map(|n| format!("a/pod-{n}@{n}")).collect()
}

fn pages(version: &str, first: &'static str) -> Vec<Answer> {
    let pods = pods(0..10);
    let part = |range: std::ops::Range<usize>, next| {
        page(version, pods[range].iter().map(String::as_str), next)
    };
    vec![part(0..4, first), part(4..8, "C2"), part(8..10, "")]
}
