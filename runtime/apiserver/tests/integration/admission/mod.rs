//! Admission tests: replays of recorded requests, compared with the responses of kube-apiserver.
//!
//! `hack/admission/record.py` generates random cases, and records the responses and the reviews
//! that webhooks received. `CASES=file` replays another file than `tests/admission/cases.jsonl`.

mod allowing;
mod conditions;
mod equivalents;
mod hooks;
mod normal;
mod replay;

use std::fs;

use replay::Case;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/admission/cases.jsonl");

/// Limit on the printed differences; `SHOWN` sets another one.
const SHOWN: usize = 10;

#[tokio::test]
async fn answers_are_those_of_kube_apiserver() {
    let file = std::env::var("CASES").unwrap_or_else(|_| CASES.to_owned());
    let (mut requests, mut differences) = (0, Vec::new());
    for line in fs::read_to_string(&file).unwrap().lines() {
        let case: Case = serde_json::from_str(line).unwrap();
        requests += case.steps.len();
        differences.extend(replay::find_difference(&case).await);
        tokio::task::yield_now().await;
    }
    let shown = std::env::var("SHOWN").ok().and_then(|it| it.parse().ok());
    let shown = differences
        .iter()
        .take(shown.unwrap_or(SHOWN))
        .cloned()
        .collect::<Vec<_>>();
    let count = differences.len();
    assert!(requests > 0, "{file} has no cases");
    assert!(
        count == 0,
        "{count} differences in {requests} requests\n{}",
        shown.join("\n")
    );
    println!("{requests} requests: no difference");
}
