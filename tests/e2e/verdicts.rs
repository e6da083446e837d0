//! Tables of what the API server says: each row is asked again.

use futures::stream::{self, StreamExt as _};
use kube::Error;
use kube::api::{Api, DynamicObject, PostParams};

use crate::suite::Outcome;

/// Requests under way at once.
const REQUESTS: usize = 8;

/// What a table says of a row of it.
pub(crate) struct Verdict {
    pub(crate) line: usize,
    pub(crate) is_accepted: bool,
}

/// Whether the API server says to each row what `table` says. `ask` returns what it says against a row, if anything.
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

/// What the API server says against `object`, if anything; nothing is stored.
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
