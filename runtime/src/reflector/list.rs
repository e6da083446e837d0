//! Paged lists: the choice of resource version and limit, and the pages.

use std::time::Duration;

use http_body_util::BodyExt;
use kube::Resource;
use kube::client::Body;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use super::decode::Decoder;
use super::error::ListWatchError;
use super::items::Items;
use super::request::{LIST_PATIENCE, Page, Target};
use super::sink::{Listed, Sink};
use super::snapshot::{Snapshot, shared};
use crate::json::describe;
use crate::scheme::Object;

/// Default number of objects in one page.
const PAGE_SIZE: u32 = 500;

/// Deadline of a list with all of its pages. The API server ends a request after a minute
/// (`--request-timeout`), and continue tokens live for 5 to 10 minutes.
const LONGEST: Duration = Duration::from_secs(10 * 60);
/// Pause after a page without objects.
const AFTER_EMPTY_PAGE: Duration = Duration::from_secs(1);

/// Parameters of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    /// At least this resource version; `"0"` means any, and empty means the latest.
    pub(super) version: &'a str,
    /// Size that was set by the option, if any.
    pub(super) page_size: Option<u32>,
    /// Whether the API server has paged although any version would do, so that it does not answer
    /// from its watch cache.
    pub(super) pages_anyway: bool,
}

/// Metadata of a list.
struct Envelope {
    resource_version: String,
    continue_token: String,
}

/// Lists the collection. The second value is true if the list came in several pages. `sink` is
/// notified of the first object that arrives.
pub(super) async fn list<K: Object>(
    target: &Target<K>,
    decoder: &mut Decoder<K>,
    wanted: Wanted<'_>,
    sink: &impl Sink<K>,
) -> Result<(Listed<K>, bool), ListWatchError> {
    let (meter, begun) = (target.meter.as_ref(), Instant::now());
    if let Some(meter) = meter {
        meter.list_begins();
    }
    let listing = async {
        match list_pages(target, decoder, wanted.version, limit(wanted), sink).await {
            // The snapshot of an old continue token is gone, so list again without pages.
            Err(PageError {
                error,
                is_first: false,
            }) if error.is_expired() => {
                list_pages(target, decoder, wanted.version, None, sink).await
            }
            listed => listed,
        }
    };
    let listed = timeout(LONGEST, listing).await;
    let listed = listed.map_err(|_| ListWatchError::Endless(LONGEST))?;
    let listed = listed.map_err(|failed| failed.error)?;
    if let Some(meter) = meter {
        meter.listed(begun.elapsed(), listed.0.objects.len());
    }
    Ok(listed)
}

/// Returns the limit of a page. An API server that pages does not answer from its watch cache, so a
/// limit is only set where it would not do so anyway.
fn limit(wanted: Wanted<'_>) -> Option<u32> {
    let from_memory = !matches!(wanted.version, "" | "0") && !wanted.pages_anyway;
    wanted.page_size.or((!from_memory).then_some(PAGE_SIZE))
}

struct PageError {
    error: ListWatchError,
    is_first: bool,
}

async fn list_pages<K: Object>(
    target: &Target<K>,
    decoder: &mut Decoder<K>,
    version: &str,
    limit: Option<u32>,
    sink: &impl Sink<K>,
) -> Result<(Listed<K>, bool), PageError> {
    let mut snapshot = Snapshot::new();
    let mut first: Option<Envelope> = None;
    let mut continue_token = String::new();
    loop {
        let page = Page {
            version,
            limit,
            continue_token: (!continue_token.is_empty()).then_some(&*continue_token),
        };
        let (is_first, length) = (first.is_none(), snapshot.len());
        let failed = |error| PageError { error, is_first };
        let body = target.list(page).await.map_err(failed)?;
        let mut envelope = read_page(body, &target.types, decoder, &mut snapshot, sink)
            .await
            .map_err(failed)?;
        let next = std::mem::take(&mut envelope.continue_token);
        if !next.is_empty() && next == continue_token {
            return Err(failed(ListWatchError::Body {
                expected: "list",
                found: "a continue token that leads to the same page".to_owned(),
            }));
        }
        continue_token = next;
        // Every page has the resource version of the first.
        let first = first.get_or_insert(envelope);
        if continue_token.is_empty() {
            let resource_version = std::mem::take(&mut first.resource_version);
            return Ok((snapshot.finish(resource_version), !is_first));
        }
        if snapshot.len() == length {
            sleep(AFTER_EMPTY_PAGE).await;
        }
    }
}

async fn read_page<K: Object>(
    mut body: Body,
    types: &K::DynamicType,
    decoder: &mut Decoder<K>,
    snapshot: &mut Snapshot<K>,
    sink: &impl Sink<K>,
) -> Result<Envelope, ListWatchError> {
    let mut items = Items::default();
    loop {
        // Consumes budget, so that a long list lets other tasks run.
        tokio::task::coop::consume_budget().await;
        let frame = timeout(LIST_PATIENCE, body.frame()).await;
        let Some(frame) = frame.map_err(|_| ListWatchError::Silence(LIST_PATIENCE))? else {
            break;
        };
        let frame = frame.map_err(ListWatchError::Interrupted)?;
        if let Ok(chunk) = frame.into_data() {
            items.push(&chunk, |item| match decoder.object(item) {
                Ok(object) => {
                    if snapshot.is_empty() {
                        sink.answered();
                    }
                    snapshot.push(shared(object, sink));
                }
                Err(skipped) => snapshot.skip(skipped),
            });
            if items.is_endless() {
                return Err(ListWatchError::Body {
                    expected: "list",
                    found: "an item without an end".to_owned(),
                });
            }
        }
    }
    read_envelope::<K>(&items.into_envelope(), types)
}

/// Decodes the metadata of a list from its envelope.
///
/// # Errors
///
/// If the body is not a list of `K`, but for example a proxy's page, a `Status` or a `Table`.
fn read_envelope<K: Resource>(
    json: &[u8],
    types: &K::DynamicType,
) -> Result<Envelope, ListWatchError> {
    let no_list = |found: String| ListWatchError::Body {
        expected: "list",
        found,
    };
    let envelope: Value =
        serde_json::from_slice(json).map_err(|error| no_list(describe(&error)))?;
    let text = |key: &str| envelope[key].as_str();
    let kind = text("kind").unwrap_or_default();
    match envelope.get("items") {
        None => {
            return Err(no_list(match kind {
                "" => "JSON without items".to_owned(),
                kind => format!("an object of kind `{kind}`, without items"),
            }));
        }
        Some(Value::Null) => {}
        Some(Value::Array(items)) if items.is_empty() => {}
        // Items that remain in the envelope were not decoded.
        Some(_) => return Err(no_list("items in a form that cannot be read".to_owned())),
    }
    // A CRD may choose any kind for its list, so only the version can be checked.
    let api_version = text("apiVersion").unwrap_or_default();
    let is_generic = matches!(kind, "" | "List" | "PartialObjectMetadataList");
    if !is_generic && api_version != K::api_version(types) {
        return Err(no_list(format!("a `{kind}` of `{api_version}`")));
    }
    let metadata = &envelope["metadata"];
    let text = |key: &str| metadata[key].as_str().unwrap_or_default().to_owned();
    Ok(Envelope {
        resource_version: text("resourceVersion"),
        continue_token: text("continue"),
    })
}
