//! Tables of recorded verdicts, checked row by row against the real API server.

use futures::stream::{self, StreamExt as _};
use kube::Error;
use kube::api::{Api, DynamicObject, PostParams};

use crate::suite::Outcome;

/// Number of concurrent requests.
const REQUESTS: usize = 8;

/// Recorded verdict of a row.
pub(crate) struct Verdict {
    pub(crate) line: usize,
    pub(crate) is_accepted: bool,
}

/// Compares the API server's verdict on each row with `table`. `ask` returns the error about a row,
/// if any.
pub(crate) async fn are_recorded<'a, R, A>(
    table: &str,
    rows: &'a [R],
    verdict: impl Fn(&R) -> &Verdict,
    ask: impl Fn(&'a R) -> A,
) -> Outcome
where
    A: Future<Output = kube::Result<Option<String>>>,
{
    assert!(rows.len() > 150, "{} rows", rows.len());
    let answers: Vec<_> = stream::iter(rows.iter().map(ask))
        .buffered(REQUESTS)
        .collect()
        .await;
    let mut wrong = Vec::new();
    for (verdict, answer) in rows.iter().map(verdict).zip(answers) {
        let refusal = answer?;
        if refusal.is_none() != verdict.is_accepted {
            let said = refusal.unwrap_or_else(|| "accepted".to_owned());
            wrong.push(format!("{table}:{}: {said}", verdict.line));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// Returns the API server's error about `object`, if any. Nothing is stored.
pub(crate) async fn refusal(
    api: &Api<DynamicObject>,
    object: &DynamicObject,
) -> kube::Result<Option<String>> {
    let dry_run = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    match api.create(&dry_run, object).await {
        Ok(_) => Ok(None),
        Err(Error::Api(status)) if status.code == 422 => Ok(Some(status.message.clone())),
        Err(error) => Err(error),
    }
}
