//! Paged lists: client-go's `tools/pager`.

#[cfg(test)]
mod tests;

use futures::stream::{self, Stream, StreamExt, TryStreamExt};
use kube::Error;
use kube::api::{ListParams, ObjectList};

use crate::client::Result;

/// Default number of objects per page, as in client-go.
pub const DEFAULT_PAGE_SIZE: u32 = 500;

/// Pager: requests a list in pages, so that the API server never has the whole response in memory.
/// With [`items`](Self::items), neither has this program.
///
/// The caller passes a function that requests a page, such as `list` of a generated client. The
/// pager sets the continue token, and the limit if the parameters have none. Requests with a
/// continue token have no `resourceVersion` and no `resourceVersionMatch`, since the API server
/// rejects the combination.
///
/// ```no_run
/// use futures::TryStreamExt;
/// use genclient::client::{ListParams, TypedClient};
/// use genclient::pager::ListPager;
/// use k8s_openapi::api::core::v1::Pod;
///
/// # async fn example(pods: TypedClient<Pod>) -> genclient::client::Result<()> {
/// let pager = ListPager::default();
/// let params = ListParams::default().labels("app=train");
///
/// // All of them, ...
/// let all = pager.list(params.clone(), async |params| pods.list(&params).await).await?;
/// println!("{} Pods", all.items.len());
///
/// // ... or one after the other.
/// let mut items = std::pin::pin!(pager.items(params, async |params| pods.list(&params).await));
/// while let Some(pod) = items.try_next().await? {
///     println!("{:?}", pod.metadata.name);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListPager {
    /// Number of objects per page, if the parameters have no limit. Default: 500.
    pub page_size: u32,
    /// Whether [`list`](Self::list) falls back to one request for the full list if the continue
    /// token expires (410 `Expired`, after some minutes). Default: true.
    pub full_list_if_expired: bool,
}

impl Default for ListPager {
    fn default() -> Self {
        Self {
            page_size: DEFAULT_PAGE_SIZE,
            full_list_if_expired: true,
        }
    }
}

impl ListPager {
    /// Reads all pages and returns them as one list with the resource version of the first page.
    ///
    /// # Errors
    ///
    /// Returns the error of `page`. `Expired` is returned only if
    /// [`full_list_if_expired`](Self::full_list_if_expired) is false, or if the first page or the
    /// full list fails with it.
    ///
    /// # Cancel safety
    ///
    /// The future only reads. If it is dropped, the pages that were read are lost.
    pub async fn list<K: Clone>(
        &self,
        params: ListParams,
        mut page: impl AsyncFnMut(ListParams) -> Result<ObjectList<K>>,
    ) -> Result<ObjectList<K>> {
        let mut next = self.with_page_size(params.clone());
        let mut whole: Option<ObjectList<K>> = None;
        loop {
            let continued = next.continue_token.is_some();
            let mut list = match page(next.clone()).await {
                Err(error) if continued && self.full_list_if_expired && is_expired(&error) => {
                    return page(without_paging(params)).await;
                }
                result => result?,
            };
            let token = list.metadata.continue_.take();
            match &mut whole {
                Some(whole) => whole.items.append(&mut list.items),
                None => whole = Some(list),
            }
            match (token.filter(|token| !token.is_empty()), whole) {
                (None, Some(mut whole)) => {
                    // This is the count of the first page: the number of items on later pages. The
                    // merged list has these items.
                    whole.metadata.remaining_item_count = None;
                    return Ok(whole);
                }
                (token, so_far) => {
                    whole = so_far;
                    next = continue_at(next, token);
                }
            }
        }
    }

    /// Returns the items of all pages as a stream: client-go's `EachListItem`. A page is requested
    /// when the items of the previous page are consumed, not earlier.
    ///
    /// # Errors
    ///
    /// If `page` fails, the stream yields its error and ends. If the consumer takes too long, this
    /// error is `Expired`. The stream does not fall back to a full list, which would repeat items.
    ///
    /// # Cancel safety
    ///
    /// No item is lost if the future of the next item is dropped. If the stream is dropped, no
    /// further page is requested.
    pub fn items<'a, K: Clone + 'a>(
        &self,
        params: ListParams,
        page: impl AsyncFnMut(ListParams) -> Result<ObjectList<K>> + 'a,
    ) -> impl Stream<Item = Result<K>> + 'a {
        let first = Some(self.with_page_size(params));
        stream::try_unfold((first, page), async |(next, mut page)| {
            let Some(params) = next else {
                return Ok::<_, kube::Error>(None);
            };
            let list = page(params.clone()).await?;
            let token = list.metadata.continue_.filter(|token| !token.is_empty());
            let next = token.map(|token| continue_at(params, Some(token)));
            let items = stream::iter(list.items).map(Ok);
            Ok(Some((items, (next, page))))
        })
        .try_flatten()
    }

    fn with_page_size(&self, params: ListParams) -> ListParams {
        ListParams {
            limit: params.limit.or(Some(self.page_size)),
            ..params
        }
    }
}

/// Returns the parameters of the page that follows `params`.
fn continue_at(params: ListParams, token: Option<String>) -> ListParams {
    ListParams {
        continue_token: token,
        resource_version: None,
        version_match: None,
        ..params
    }
}

fn without_paging(params: ListParams) -> ListParams {
    ListParams {
        limit: None,
        continue_token: None,
        ..params
    }
}

fn is_expired(error: &Error) -> bool {
    matches!(error, Error::Api(status) if status.reason == "Expired" || status.code == 410)
}
