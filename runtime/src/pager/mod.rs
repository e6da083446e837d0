//! Lists in pages: client-go's `tools/pager`.

#[cfg(test)]
mod tests;

use futures::stream::{self, Stream, StreamExt, TryStreamExt};
use kube::Error;
use kube::api::{ListParams, ObjectList};

use crate::client::Result;

/// How many objects a page has: client-go's.
pub const DEFAULT_PAGE_SIZE: u32 = 500;

/// Asks for a list in pages, so that neither the API server nor this program has all of it at once on the way.
///
/// A page is asked for by a function that lists, such as the `list` of a generated client. Its parameters are passed on as
/// they are, but for the limit, if there is none, and what leads to the next page. `resourceVersion` and its match stand for the
/// first page; the API server refuses them beside a continue token.
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
    /// How many objects a page has, unless the parameters have a limit. Default: 500.
    pub page_size: u32,
    /// Whether [`list`](Self::list) asks for the whole list at once if the API server has forgotten the version of the first page
    /// before the last one was read (410 `Expired`, after some minutes). Default: true.
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
    /// Reads all pages, and returns them as one list, of the version of the first.
    ///
    /// # Errors
    ///
    /// What `page` fails with; `Expired` only without
    /// [`full_list_if_expired`](Self::full_list_if_expired), or if the first page fails with it.
    ///
    /// # Cancel safety
    ///
    /// Reads only. What was read is lost.
    pub async fn list<K: Clone>(
        &self,
        params: ListParams,
        mut page: impl AsyncFnMut(ListParams) -> Result<ObjectList<K>>,
    ) -> Result<ObjectList<K>> {
        let mut next = self.limited(params.clone());
        let mut whole: Option<ObjectList<K>> = None;
        loop {
            let continued = next.continue_token.is_some();
            let mut list = match page(next.clone()).await {
                Err(error) if continued && self.full_list_if_expired && is_expired(&error) => {
                    return page(unlimited(params)).await;
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
                    // It stands for the first page, after which nothing is left now.
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

    /// The items of all pages, as a stream: client-go's `EachListItem`. A page is asked for when
    /// the items of the one before are used up; nothing is read in the background.
    ///
    /// # Errors
    ///
    /// An item fails with what `page` failed with, `Expired` among it if reading took too long; the
    /// stream ends with it. It does not begin anew, as the items that were there already would come
    /// again.
    ///
    /// # Cancel safety
    ///
    /// Waiting for the next item can be dropped and taken up again. Dropping the stream ends it; no
    /// page is asked for any more.
    pub fn items<'a, K: Clone + 'a>(
        &self,
        params: ListParams,
        page: impl AsyncFnMut(ListParams) -> Result<ObjectList<K>> + 'a,
    ) -> impl Stream<Item = Result<K>> + 'a {
        let first = Some(self.limited(params));
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

    fn limited(&self, params: ListParams) -> ListParams {
        ListParams {
            limit: params.limit.or(Some(self.page_size)),
            ..params
        }
    }
}

/// The parameters of the page after `params`.
fn continue_at(params: ListParams, token: Option<String>) -> ListParams {
    ListParams {
        continue_token: token,
        resource_version: None,
        version_match: None,
        ..params
    }
}

fn unlimited(params: ListParams) -> ListParams {
    ListParams {
        limit: None,
        continue_token: None,
        ..params
    }
}

fn is_expired(error: &Error) -> bool {
    matches!(error, Error::Api(status) if status.reason == "Expired" || status.code == 410)
}
