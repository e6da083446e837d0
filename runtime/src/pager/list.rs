//! All pages as one list.

use kube::api::{ListParams, ObjectList};

use super::{ListPager, is_expired};
use crate::client::Result;

impl ListPager {
    /// Reads all pages, and returns them as one list, of the version of the first.
    ///
    /// # Errors
    ///
    /// What `page` fails with; `Expired` only without [`full_list_if_expired`](Self::full_list_if_expired), or if the first page
    /// fails with it.
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

    pub(super) fn limited(&self, params: ListParams) -> ListParams {
        ListParams {
            limit: params.limit.or(Some(self.page_size)),
            ..params
        }
    }
}

/// The parameters of the page after `params`.
pub(super) fn continue_at(params: ListParams, token: Option<String>) -> ListParams {
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
