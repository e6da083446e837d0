//! Tests of the pager: client-go's `tools/pager/pager_test.go`.

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ListMeta;
use kube::Error;
use kube::api::{ListParams, ObjectList, ObjectMeta, TypeMeta, VersionMatch};
use kube::core::Status;

use super::ListPager;
use crate::client::Result;

/// Serves numbered objects in pages. Rejects requests that the API server would reject.
struct TestPager {
    total: u32,
    served: u32,
    expect_page: Option<u32>,
    continuing: bool,
    expires: Expires,
    calls: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Expires {
    Never,
    OnSecondPage,
    OnSecondPageThenFullList,
}

impl TestPager {
    fn new(total: u32, expires: Expires) -> Self {
        Self {
            total,
            served: 0,
            expect_page: Some(10),
            continuing: false,
            expires,
            calls: 0,
        }
    }

    fn page(&mut self, params: &ListParams) -> Result<ObjectList<ConfigMap>> {
        self.calls += 1;
        if self.continuing && self.expires != Expires::Never {
            if self.expires == Expires::OnSecondPageThenFullList {
                self.continuing = false;
                self.served = 0;
                self.expect_page = None;
            }
            let expired = Status::failure("this list has expired", "Expired").with_code(410);
            return Err(Error::Api(expired.boxed()));
        }
        assert_eq!(params.limit, self.expect_page);
        let token = self.continuing.then(|| format!("rv:20:{}", self.served));
        assert_eq!(params.continue_token, token);
        if token.is_some() {
            assert_eq!(params.resource_version, None);
            assert_eq!(params.version_match, None);
        }
        let end = self
            .total
            .min(params.limit.map_or(self.total, |limit| self.served + limit));
        let items = (self.served..end).map(object).collect();
        self.served = end;
        self.continuing = end < self.total;
        let token = self.continuing.then(|| format!("rv:20:{end}"));
        Ok(list(items, token))
    }
}

fn object(number: u32) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(number.to_string()),
            ..ObjectMeta::default()
        },
        ..ConfigMap::default()
    }
}

fn list(items: Vec<ConfigMap>, token: Option<String>) -> ObjectList<ConfigMap> {
    ObjectList {
        types: TypeMeta::list::<ConfigMap>(),
        metadata: ListMeta {
            resource_version: Some("rv:20".to_owned()),
            continue_: token,
            ..ListMeta::default()
        },
        items,
    }
}

fn names(items: &[ConfigMap]) -> Vec<String> {
    items
        .iter()
        .filter_map(|item| item.metadata.name.clone())
        .collect()
}

fn numbers(count: u32) -> Vec<String> {
    (0..count).map(|number| number.to_string()).collect()
}

fn pager(full_list_if_expired: bool) -> ListPager {
    ListPager {
        page_size: 10,
        full_list_if_expired,
    }
}

fn params_at(version_match: Option<VersionMatch>) -> ListParams {
    ListParams {
        resource_version: Some("rv:10".to_owned()),
        version_match,
        ..ListParams::default()
    }
}

/// Number of objects, whether the continue token expires, whether to fall back to a full list, and
/// the parameters; then the number of returned objects and of requests.
type ListCase = (
    &'static str,
    u32,
    Expires,
    bool,
    fn() -> ListParams,
    Option<u32>,
    usize,
);

const LISTS: &[ListCase] = &[
    (
        "empty page",
        0,
        Expires::Never,
        false,
        ListParams::default,
        Some(0),
        1,
    ),
    (
        "one page",
        9,
        Expires::Never,
        false,
        ListParams::default,
        Some(9),
        1,
    ),
    (
        "one full page",
        10,
        Expires::Never,
        false,
        ListParams::default,
        Some(10),
        1,
    ),
    (
        "two pages",
        11,
        Expires::Never,
        false,
        ListParams::default,
        Some(11),
        2,
    ),
    (
        "three pages",
        21,
        Expires::Never,
        false,
        ListParams::default,
        Some(21),
        3,
    ),
    (
        "expires on second page",
        21,
        Expires::OnSecondPage,
        false,
        ListParams::default,
        None,
        2,
    ),
    (
        "expires on second page and then lists",
        21,
        Expires::OnSecondPageThenFullList,
        true,
        ListParams::default,
        Some(21),
        3,
    ),
    (
        "two pages with resourceVersion",
        11,
        Expires::Never,
        false,
        || params_at(None),
        Some(11),
        2,
    ),
    (
        "two pages with resourceVersion and resourceVersionMatch",
        11,
        Expires::Never,
        false,
        || params_at(Some(VersionMatch::NotOlderThan)),
        Some(11),
        2,
    ),
    (
        "the version of the full list",
        21,
        Expires::OnSecondPageThenFullList,
        true,
        || params_at(Some(VersionMatch::NotOlderThan)),
        Some(21),
        3,
    ),
];

#[tokio::test]
async fn list_pager_list() {
    for &(name, total, expires, full, params, returned, calls) in LISTS {
        let params = params();
        let mut server = TestPager::new(total, expires);
        let mut last = None;
        let result = pager(full)
            .list(params.clone(), async |params| {
                last = Some(params.clone());
                server.page(&params)
            })
            .await;
        match (result, returned) {
            (Ok(list), Some(count)) => {
                assert_eq!(names(&list.items), numbers(count), "{name}");
                assert_eq!(
                    list.metadata.resource_version.as_deref(),
                    Some("rv:20"),
                    "{name}"
                );
                assert_eq!(list.metadata.continue_, None, "{name}");
            }
            (Err(error), None) => assert!(super::is_expired(&error), "{name}: {error}"),
            (result, _) => panic!("{name}: {result:?}"),
        }
        assert_eq!(server.calls, calls, "{name}");
        if full {
            assert_eq!(last.as_ref(), Some(&params), "{name}: as it was asked for");
        }
    }
}

#[tokio::test]
async fn list_pager_each_list_item() {
    // Number of objects, whether the continue token expires, and the item at which the stream is
    // dropped; then the number of items and of requests, and whether the last request fails.
    for (name, total, expires, stop_at, come, calls, fails) in [
        ("empty page", 0, Expires::Never, None, 0, 1, false),
        ("one page", 9, Expires::Never, None, 9, 1, false),
        ("one full page", 10, Expires::Never, None, 10, 1, false),
        ("two pages", 11, Expires::Never, None, 11, 2, false),
        ("three pages", 21, Expires::Never, None, 21, 3, false),
        (
            "expires on second page",
            21,
            Expires::OnSecondPage,
            None,
            10,
            2,
            true,
        ),
        (
            "error processing item",
            51,
            Expires::Never,
            Some(3),
            3,
            1,
            false,
        ),
        (
            "cancel context while processing",
            51,
            Expires::Never,
            Some(13),
            13,
            2,
            false,
        ),
    ] {
        let mut server = TestPager::new(total, expires);
        let params = ListParams::default();
        let mut seen = Vec::new();
        let mut failed = None;
        {
            let items = pager(true).items(params, async |params| server.page(&params));
            let mut items = std::pin::pin!(items);
            while stop_at != Some(seen.len())
                && let Some(item) = items.next().await
            {
                match item {
                    Ok(item) => seen.push(item),
                    Err(error) => failed = Some(error),
                }
            }
        }
        assert_eq!(names(&seen), numbers(come), "{name}");
        assert_eq!(server.calls, calls, "{name}");
        assert_eq!(
            failed.is_some_and(|error| super::is_expired(&error)),
            fails,
            "{name}"
        );
    }
}

/// client-go sends the version together with the continue token here, which the API server rejects.
#[tokio::test]
async fn resource_version_is_sent_on_the_first_page_only() {
    let mut server = TestPager::new(21, Expires::Never);
    let params = ListParams {
        resource_version: Some("rv:10".to_owned()),
        ..ListParams::default()
    };
    let mut versions = Vec::new();
    let items = pager(true).items(params, async |params| {
        versions.push(params.resource_version.clone());
        server.page(&params)
    });
    assert_eq!(items.count().await, 21);
    assert_eq!(versions, [Some("rv:10".to_owned()), None, None]);
}

#[test]
fn default_page_size_matches_client_go() {
    let pager = ListPager::default();
    assert_eq!((pager.page_size, pager.full_list_if_expired), (500, true));
    let limited = pager.with_page_size(ListParams::default().limit(7));
    assert_eq!(limited.limit, Some(7), "what is asked for stands");
}
