//! One item after the other.

use futures::stream::{self, Stream, StreamExt, TryStreamExt};
use kube::api::{ListParams, ObjectList};

use super::ListPager;
use super::list::continue_at;
use crate::client::Result;

impl ListPager {
    /// The items of all pages, as a stream: client-go's `EachListItem`. A page is asked for when the items of the one before are
    /// used up; nothing is read in the background.
    ///
    /// # Errors
    ///
    /// An item fails with what `page` failed with, `Expired` among it if reading took too long; the stream ends with it. It does
    /// not begin anew, as the items that were there already would come again.
    ///
    /// # Cancel safety
    ///
    /// Waiting for the next item can be dropped and taken up again. Dropping the stream ends it; no page is asked for any more.
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
}
