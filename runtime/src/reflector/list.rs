//! Lists of a collection: in pages, or streamed by a watch. [`PartialList`] collects the objects
//! while they arrive.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::client::Body;
use kube::{Client, Resource};
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use super::decode::Decoder;
use super::error::ListWatchError;
use super::event::{Skipped, WatchEvent};
use super::items::Items;
use super::request::{LIST_PATIENCE, ListWatchTarget, Page, one_object, send};
use super::store::{Listed, ReflectorStore};
use super::watch::Watch;
use crate::cache::{ObjectName, parts};
use crate::json::describe_error;
use crate::scheme::Object;

/// Default number of objects in one page.
const PAGE_SIZE: u32 = 500;

/// Deadline of a list with all of its pages. Continue tokens expire after 5 to 10 minutes, so a
/// list that takes longer cannot be completed.
const MAX_LIST_DURATION: Duration = Duration::from_secs(10 * 60);
/// Maximum silence of a streamed list. It is also the maximum time from the first event after the
/// initial objects to the bookmark that ends the list.
const STREAM_PATIENCE: Duration = Duration::from_secs(30);
const MAX_STREAM_DURATION: Duration = Duration::from_secs(5 * 60);
const AFTER_EMPTY_PAGE: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug)]
pub(super) struct ListSettings<'a> {
    /// Lists this resource version or a newer one. `"0"` means any version, and an empty string the
    /// latest.
    pub(super) version: &'a str,
    /// Page size that the user has set.
    pub(super) page_size: Option<u32>,
    /// Whether the API server has returned pages for version `"0"`. Such a server does not use its
    /// watch cache, which would ignore the limit.
    pub(super) pages_anyway: bool,
}

struct Envelope {
    resource_version: String,
    continue_token: String,
}

/// Lists the collection. The returned `bool` is true if the list came in several pages. Calls
/// [`ReflectorStore::answered`] when the first decodable object arrives.
pub(super) async fn list<K: Object>(
    target: &ListWatchTarget<K>,
    decoder: &mut Decoder<K>,
    settings: ListSettings<'_>,
    store: &impl ReflectorStore<K>,
) -> Result<(Listed<K>, bool), ListWatchError> {
    let (metrics, begun) = (target.metrics.as_ref(), Instant::now());
    if let Some(metrics) = metrics {
        metrics.list_begins();
    }
    let listing = async {
        match list_pages(target, decoder, settings.version, limit(settings), store).await {
            // The continue token has expired, so list again without pages.
            Err(PageError {
                error,
                is_first: false,
            }) if error.is_expired() => {
                list_pages(target, decoder, settings.version, None, store).await
            }
            listed => listed,
        }
    };
    let listed = timeout(MAX_LIST_DURATION, listing)
        .await
        .map_err(|_| ListWatchError::Endless(MAX_LIST_DURATION))?
        .map_err(|failed| failed.error)?;
    if let Some(metrics) = metrics {
        metrics.listed(begun.elapsed(), listed.0.objects.len());
    }
    Ok(listed)
}

/// Collection whose latest resource version is requested.
pub(crate) struct Collection<'a, K: Resource> {
    pub(crate) client: &'a Client,
    pub(crate) types: &'a K::DynamicType,
    /// `None` for all namespaces, or for a cluster-scoped kind.
    pub(crate) namespace: Option<&'a str>,
    /// Field selector. Without one, the API server can end the list with the first object; with
    /// another one than for a name, it could read the whole collection to find a match.
    pub(crate) fields: Option<&'a str>,
}

impl<K: Resource> Collection<'_, K> {
    /// Returns the latest resource version of the collection: a consistent read, which is never
    /// behind etcd, of at most one object.
    ///
    /// # Errors
    ///
    /// If the list is refused, or is not one.
    pub(crate) async fn latest_version(&self) -> Result<String, ListWatchError> {
        let request = one_object::<K>(self.types, self.namespace, self.fields)
            .map_err(ListWatchError::Request)?;
        let mut body = send(self.client, request, LIST_PATIENCE).await?.into_body();
        let mut items = Items::default();
        while let Some(frame) = timeout(LIST_PATIENCE, body.frame())
            .await
            .map_err(|_| ListWatchError::Silence(LIST_PATIENCE))?
        {
            if let Ok(chunk) = frame.map_err(ListWatchError::Interrupted)?.into_data() {
                items.push(&chunk, |_| {});
                if items.is_endless() {
                    return Err(endless_item());
                }
            }
        }
        let envelope = read_envelope::<K>(&items.into_envelope(), self.types)?;
        Ok(envelope.resource_version)
    }
}

impl<K: Object> ListWatchTarget<K> {
    /// Returns the latest resource version of the collection.
    ///
    /// # Errors
    ///
    /// See [`Collection::latest_version`].
    pub(super) async fn latest_version(&self) -> Result<String, ListWatchError> {
        let collection = Collection::<K> {
            client: &self.client,
            types: &self.types,
            namespace: self.namespace.as_deref(),
            // A role may permit only the list of one name.
            fields: self
                .selectors
                .fields
                .as_deref()
                .filter(|it| selects_name(it)),
        };
        let latest = collection.latest_version().await;
        match &latest {
            Ok(_) => self.outage.answered(200),
            Err(error) => self.note(error),
        }
        latest
    }
}

/// Whether a field selector selects one name.
fn selects_name(fields: &str) -> bool {
    fields.starts_with("metadata.name=") && !fields.contains(',')
}

fn endless_item() -> ListWatchError {
    ListWatchError::Body {
        expected: "list",
        found: "an unterminated item".to_owned(),
    }
}

/// Returns the page size, or `None` for a list without pages. If the user has set no page size, a
/// list at a resource version other than "" and "0" has no pages: with a limit, the API server
/// would not answer from its watch cache. With `pages_anyway`, the list has pages, since the server
/// uses no watch cache.
fn limit(settings: ListSettings<'_>) -> Option<u32> {
    let at_version = !matches!(settings.version, "" | "0") && !settings.pages_anyway;
    settings.page_size.or((!at_version).then_some(PAGE_SIZE))
}

struct PageError {
    error: ListWatchError,
    is_first: bool,
}

async fn list_pages<K: Object>(
    target: &ListWatchTarget<K>,
    decoder: &mut Decoder<K>,
    version: &str,
    limit: Option<u32>,
    store: &impl ReflectorStore<K>,
) -> Result<(Listed<K>, bool), PageError> {
    let mut partial = PartialList::new();
    let mut first: Option<Envelope> = None;
    let mut continue_token = String::new();
    loop {
        let page = Page {
            version,
            limit,
            continue_token: (!continue_token.is_empty()).then_some(&*continue_token),
        };
        let (is_first, length) = (first.is_none(), partial.len());
        let failed = |error| PageError { error, is_first };
        let body = target.list(page).await.map_err(failed)?;
        let mut envelope = read_page(body, &target.types, decoder, &mut partial, store)
            .await
            .map_err(failed)?;
        let next = std::mem::take(&mut envelope.continue_token);
        if !next.is_empty() && next == continue_token {
            return Err(failed(ListWatchError::Body {
                expected: "list",
                found: "a repeated continue token".to_owned(),
            }));
        }
        continue_token = next;
        // All pages have the resource version of the first page.
        let first = first.get_or_insert(envelope);
        if continue_token.is_empty() {
            let resource_version = std::mem::take(&mut first.resource_version);
            return Ok((partial.finish(resource_version), !is_first));
        }
        if partial.len() == length {
            sleep(AFTER_EMPTY_PAGE).await;
        }
    }
}

async fn read_page<K: Object>(
    mut body: Body,
    types: &K::DynamicType,
    decoder: &mut Decoder<K>,
    partial: &mut PartialList<K>,
    store: &impl ReflectorStore<K>,
) -> Result<Envelope, ListWatchError> {
    let mut items = Items::default();
    loop {
        // Yields to other tasks if the list is long.
        tokio::task::coop::consume_budget().await;
        let frame = timeout(LIST_PATIENCE, body.frame()).await;
        let Some(frame) = frame.map_err(|_| ListWatchError::Silence(LIST_PATIENCE))? else {
            break;
        };
        let frame = frame.map_err(ListWatchError::Interrupted)?;
        if let Ok(chunk) = frame.into_data() {
            items.push(&chunk, |item| {
                if decoder.outside(item).is_some() {
                    partial.outside += 1;
                    return;
                }
                match decoder.object(item) {
                    Ok(object) => {
                        if partial.is_empty() {
                            store.answered();
                        }
                        partial.push(shared(object, store));
                    }
                    Err(skipped) => partial.skip(skipped),
                }
            });
            if items.is_endless() {
                return Err(endless_item());
            }
        }
    }
    read_envelope::<K>(&items.into_envelope(), types)
}

/// Decodes the metadata of a list from its envelope, the list without its items.
///
/// # Errors
///
/// If the body is not a list of `K`, but for example an HTML page of a proxy, a `Status` or a
/// `Table`.
fn read_envelope<K: Resource>(
    json: &[u8],
    types: &K::DynamicType,
) -> Result<Envelope, ListWatchError> {
    let no_list = |found: String| ListWatchError::Body {
        expected: "list",
        found,
    };
    let envelope: Value =
        serde_json::from_slice(json).map_err(|error| no_list(describe_error(&error)))?;
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
        // [`Items`] empties the array that it recognizes. Any other value cannot be decoded.
        Some(_) => return Err(no_list("items that cannot be decoded".to_owned())),
    }
    // A CRD may choose any `listKind`, so only the API version is checked. Generic lists have
    // another API version, or none.
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

/// Streams the collection at `version` or newer. Returns the list and the watch that continues
/// after it. Calls [`ReflectorStore::answered`] when the first event arrives.
///
/// The wait for the end of the list is limited: a server that ignores WatchList opens a plain watch
/// and never marks the end of the list.
///
/// - 30 s without an event fail with [`ListWatchError::Silence`].
/// - The server sends the initial objects first, as additions. The first other event, a change or a
///   bookmark, means that all of them have been sent. If the end of the list does not arrive within
///   30 s after this event, the call fails with [`ListWatchError::Endless`].
/// - After five minutes in all, the call fails with [`ListWatchError::Endless`] as well.
///
/// # Errors
///
/// The errors above, those of the request, and those of [`Watch::next`];
/// [`ListWatchError::Incomplete`] if the stream ended before the list was complete;
/// [`ListWatchError::VeryShortWatch`] if the stream ended within a second and without an event.
pub(super) async fn watch_list<K: Object>(
    target: &ListWatchTarget<K>,
    decoder: &mut Decoder<K>,
    version: &str,
    min_timeout: Duration,
    store: &impl ReflectorStore<K>,
) -> Result<(Listed<K>, Watch), ListWatchError> {
    let mut watch = Watch::open_list(target, version, min_timeout, STREAM_PATIENCE).await?;
    let mut partial = PartialList::new();
    let mut due = Instant::now() + MAX_STREAM_DURATION;
    let mut is_first = true;
    while let Some(event) = watch.next_before(due, decoder).await? {
        if std::mem::take(&mut is_first) {
            store.answered();
        }
        let is_initial = matches!(
            event,
            WatchEvent::Added(_)
                | WatchEvent::Skipped(_)
                | WatchEvent::Outside { is_added: true, .. }
        );
        if !is_initial {
            due = due.min(Instant::now() + STREAM_PATIENCE);
        }
        match event {
            WatchEvent::Added(object) => partial.push(shared(object, store)),
            WatchEvent::Outside { is_added: true, .. } => partial.outside += 1,
            WatchEvent::Outside { name, .. } => partial.remove(&name),
            WatchEvent::Modified(object) => partial.upsert(object),
            WatchEvent::Deleted(object) => partial.remove(&ObjectName::from_object(&*object)),
            WatchEvent::SkippedDeletion(skipped) => partial.remove(&skipped.name),
            WatchEvent::Skipped(skipped) => partial.skip(skipped),
            WatchEvent::Bookmark {
                resource_version,
                ends_initial_events: true,
            } => {
                // A bookmark ended the list. Since this server sends bookmarks, the watch may limit
                // silence.
                watch.expect_bookmarks();
                return Ok((partial.finish(resource_version), watch));
            }
            WatchEvent::Bookmark { .. } => {}
        }
    }
    Err(watch.too_short().unwrap_or(ListWatchError::Incomplete))
}

/// List that is still arriving. In a streamed list, events may change or delete objects that have
/// already arrived.
struct PartialList<K> {
    /// Objects in the order of arrival; `None` if an object was deleted before the end of the list.
    objects: Vec<Option<Arc<K>>>,
    skipped: BTreeMap<ObjectName, Skipped>,
    /// Number of objects that other replicas cache.
    outside: usize,
    /// Position in `objects` by name. It is built when an event first changes or deletes an object,
    /// which happens in few lists.
    positions: Option<HashMap<ObjectName, usize>>,
}

/// Returns the cached object if its uid and resource version are those of `object`, since the
/// objects are then equal. Otherwise returns `object`. So after a relist, the cache holds new
/// allocations only for changed objects.
fn shared<K: Resource>(object: Arc<K>, store: &impl ReflectorStore<K>) -> Arc<K> {
    let (namespace, name) = parts(&*object);
    match store.cached(namespace, name) {
        Some(cached) if is_same(cached.meta(), object.meta()) => cached,
        _ => object,
    }
}

impl<K: Resource> PartialList<K> {
    fn new() -> Self {
        Self {
            objects: Vec::new(),
            skipped: BTreeMap::new(),
            outside: 0,
            positions: None,
        }
    }

    fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Returns the number of objects that have arrived, including those that are undecodable or
    /// that other replicas cache.
    fn len(&self) -> usize {
        self.objects.len() + self.skipped.len() + self.outside
    }

    fn push(&mut self, object: Arc<K>) {
        if let Some(positions) = &mut self.positions {
            positions.insert(ObjectName::from_object(&*object), self.objects.len());
        }
        self.objects.push(Some(object));
    }

    fn upsert(&mut self, object: Arc<K>) {
        let name = ObjectName::from_object(&*object);
        self.skipped.remove(&name);
        match self.positions().get(&name) {
            Some(&at) => self.objects[at] = Some(object),
            None => self.push(object),
        }
    }

    fn remove(&mut self, name: &ObjectName) {
        self.skipped.remove(name);
        if let Some(at) = self.positions().remove(name) {
            self.objects[at] = None;
        }
    }

    fn skip(&mut self, skipped: Skipped) {
        self.skipped.insert(skipped.name.clone(), skipped);
    }

    fn finish(self, resource_version: String) -> Listed<K> {
        Listed {
            objects: self.objects.into_iter().flatten().collect(),
            skipped: self.skipped.into_values().collect(),
            outside: self.outside,
            resource_version,
            restored: None,
        }
    }

    fn positions(&mut self) -> &mut HashMap<ObjectName, usize> {
        let objects = &self.objects;
        self.positions.get_or_insert_with(|| {
            let present = objects.iter().enumerate();
            present
                .filter_map(|(at, object)| Some((ObjectName::from_object(&**object.as_ref()?), at)))
                .collect()
        })
    }
}

fn is_same(one: &ObjectMeta, other: &ObjectMeta) -> bool {
    let is_known = one.uid.is_some() && one.resource_version.is_some();
    is_known && one.uid == other.uid && one.resource_version == other.resource_version
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_object_is_reused_by_uid_and_resource_version() {
        let metadata = |uid: &str, version: &str| {
            let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            ObjectMeta {
                uid: text(uid),
                resource_version: text(version),
                ..ObjectMeta::default()
            }
        };
        for (one, other, expected) in [
            (("uid", "1"), ("uid", "1"), true),
            (("uid", "1"), ("uid", "2"), false),
            (("uid", "1"), ("another", "1"), false),
            (("uid", "1"), ("", "1"), false),
            // Without a uid or a version, the objects may differ.
            (("", "1"), ("", "1"), false),
            (("uid", ""), ("uid", ""), false),
            (("", ""), ("", ""), false),
        ] {
            let is_same = is_same(&metadata(one.0, one.1), &metadata(other.0, other.1));
            assert_eq!(is_same, expected, "{one:?} {other:?}");
        }
    }
}
