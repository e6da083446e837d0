//! Lists in pages: client-go's `tools/pager`.

mod items;
mod list;
#[cfg(test)]
mod tests;

use kube::Error;

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

fn is_expired(error: &Error) -> bool {
    matches!(error, Error::Api(status) if status.reason == "Expired" || status.code == 410)
}
